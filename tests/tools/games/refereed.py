"""Games between players of the fixture ``sit`` under a referee."""

import os
from collections.abc import Callable
from typing import Any

from outflank.engine import Colour, Game, Rules
from outflank.tools.match.game.players import GtpPlayer, Player
from outflank.tools.match.game.referee import Referee
from outflank.tools.match.game.results import GameRecord, Pairing

BLACK, WHITE = Colour.BLACK, Colour.WHITE
MARK = (
    f"OUTFLANK_TEST_{os.getpid()}"  # a variable by which engines of this test are found, wherever they hide
)
Sit = Callable[..., GtpPlayer]


def seated(
    black: Player[Any],
    white: Player[Any],
    opening: str = "",
    stall: float = 0.4,
    adjudicate: int = 0,
    solve: int = 0,
) -> Referee:
    moves = tuple(turn.move for turn in Game.from_transcript(opening).turns if not turn.move.is_pass)
    pairing = Pairing(1, 1, {BLACK: black.name, WHITE: white.name}, moves)
    return Referee(pairing, {BLACK: black, WHITE: white}, Rules(), stall, adjudicate=adjudicate, solve=solve)


def referee(
    black: Player[Any],
    white: Player[Any],
    opening: str = "",
    stall: float = 0.4,
    adjudicate: int = 0,
    solve: int = 0,
) -> GameRecord:
    return seated(black, white, opening, stall, adjudicate, solve).play()
