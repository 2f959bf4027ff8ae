"""What every game file says of a game: its first position, its result, its headline, its moves as a line.

Where the rules are not Othello's, GGF and SGF name them in RU and give the start board; moves under
one-direction rules keep their direction: ``D3/NE`` (in GGF before evaluation and time, ``B[D3/NE//0.25]``).
"""

from outflank.engine import Colour, Position
from outflank.tools.games.results import GameRecord

_WHOLE_BOARD = 64


def transcript_line(game: GameRecord) -> str:
    """The moves of a game and, behind ``#``, what it was: a line that ``--openings`` could read."""
    return f"{game.transcript}  # {headline(game)}\n"


def headline(game: GameRecord) -> str:
    """``game 3: A - B +12``, or how it ended if not by discs; the margin is Black's."""
    names, end = game.pairing.names, game.ending
    result = f"{game.margin:+d}" if game.margin is not None else f"{game.winner_name} wins by {end}"
    return f"game {game.pairing.number}: {names[Colour.BLACK]} - {names[Colour.WHITE]} {result}"


def first_position(game: GameRecord) -> Position:
    """The position that the game began with."""
    return game.turns[0].before if game.turns else Position.start(game.rules)


def final_position(game: GameRecord) -> Position:
    """The position that the game ended with, played out or not."""
    return game.turns[-1].before.play(game.turns[-1].move) if game.turns else Position.start(game.rules)


def is_standard(game: GameRecord) -> bool:
    """Whether a reader that knows nothing of rules and start boards reads the game right."""
    return game.rules.is_othello and first_position(game) == Position.start(game.rules)


def decided_margin(game: GameRecord) -> int:
    """Black's margin in discs; a game that was not played to the end counts as the whole board."""
    if game.margin is not None or game.winner is None:
        return game.margin or 0
    return _WHOLE_BOARD if game.winner is Colour.BLACK else -_WHOLE_BOARD
