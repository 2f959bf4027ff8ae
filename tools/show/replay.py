"""A game as the report's script replays it: what each turn changes on the board, and what it was thought worth.

Squares are letters of SQUARE_LETTERS, so that ten thousand games stay a small page.
"""

from collections.abc import Sequence
from typing import Any

from outflank.book.names import opening_of
from outflank.engine import Colour, Position, Turn
from outflank.engine.squares import squares_of
from outflank.protocol.formats.annotated import AnnotatedMove
from outflank.tools.games.results import GameRecord

# a1 to h8.
SQUARE_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"


def replay(game: GameRecord) -> dict[str, Any]:
    """The game as plain data; evaluations and exact margins are Black's, in discs.

    ``opening`` counts the turns that were given, ``booked`` numbers those from an engine's book.
    """
    names = game.pairing.names
    return {
        "number": game.pairing.number,
        "black": names[Colour.BLACK],
        "white": names[Colour.WHITE],
        "ending": str(game.ending),
        "fault": game.ending.is_fault,
        "detail": game.detail,
        "margin": game.margin,
        "opening": game.given,
        **replayed(game.first_position, game.turns),
        "seconds": [None if seconds is None else round(seconds, 3) for seconds in game.seconds],
        "values": [None if value is None else round(value, 2) for value in game.values],
        "exact": list(game.exact),
        "booked": [ply for ply, from_book in enumerate(game.from_book) if from_book],
    }


def replayed(first: Position, turns: Sequence[Turn | AnnotatedMove]) -> dict[str, str]:
    """The moves of a game that began at `first`.

    ``turns`` names the moves, ``squares`` has for each the square played and those it turns, empty for a pass;
    ``called`` is the opening's name, empty if it has none.
    """
    board, side = first.board_string().split()
    opening = opening_of([first, *(after(turn) for turn in turns)])
    return {
        "start": board,
        "begins": side,
        "turns": " ".join(str(turn.move) for turn in turns),
        "squares": " ".join(map(_squares, turns)),
        "called": "" if opening is None else str(opening),
    }


def after(turn: Turn | AnnotatedMove) -> Position:
    """The position that a turn led to."""
    return turn.before.play(turn.move)


def _squares(turn: Turn | AnnotatedMove) -> str:
    move = turn.move
    if move.square is None:
        return ""
    return "".join(SQUARE_LETTERS[square] for square in (move.square, *squares_of(turn.before.turned(move))))
