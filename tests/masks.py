"""Between the oracle's boards and the engine's masks, square by square."""

from collections.abc import Iterable

from outflank.engine import Colour, Position, Rules
from outflank.tests import reference

COLOURS = {reference.BLACK: Colour.BLACK, reference.WHITE: Colour.WHITE}


def mask_of(squares: Iterable[reference.Square]) -> int:
    """The mask of (row, column) pairs; bit 0 is a1."""
    return sum(1 << (8 * row + column) for row, column in squares)


def mask_of_discs(board: reference.Board, letter: str) -> int:
    """The squares that hold `letter`."""
    return mask_of((row, column) for row in range(8) for column in range(8) if board[row][column] == letter)


def mask_of_names(names: str) -> int:
    """The mask of squares by name, blanks between: ``"d6 e6"``."""
    return mask_of(("12345678".index(name[1]), "abcdefgh".index(name[0])) for name in names.split())


def board_of_mask(mask: int) -> reference.Board:
    """A board with a black disc on each square of the mask."""
    return [
        [reference.BLACK if mask >> (8 * row + column) & 1 else reference.EMPTY for column in range(8)]
        for row in range(8)
    ]


def position_of(board: reference.Board, side: str, rules: Rules) -> Position:
    """The engine's position with this board and side to move, made from masks, not from text."""
    own, opp = mask_of_discs(board, side), mask_of_discs(board, reference.other(side))
    return Position(own, opp, COLOURS[side], rules)


def rules_of(name: str, sheet: reference.Sheet) -> Rules:
    """The engine's rules of this name with what the oracle's sheet settles."""
    options = f"start={sheet.start},turns={sheet.turns},tie={sheet.tie},scoring={sheet.scoring}"
    return Rules.parse(f"{name},{options},begins={COLOURS[sheet.begins]}")
