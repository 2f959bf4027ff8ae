"""The solo game with lists and loops: a slow and simple implementation, the oracle of the tests of engine/solo/game.py.

It is written from the rules alone and imports none of our modules. A board is eight rows of eight squares, row 1
first; a square is a pair (row, column), both from 0. A square has None, a disc or a chip.
"""

from dataclasses import dataclass

BLACK, GOLD = "black", "gold"
Square = tuple[int, int]
STEPS = [(-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1)]


@dataclass(frozen=True)
class Disc:
    colour: str


@dataclass(frozen=True)
class Chip:
    """A chip; the number 0 stands for a blank chip."""

    colour: str
    number: int
    is_open: bool = False


Board = list[list[Disc | Chip | None]]
Move = tuple[str, int, int]
"""The colour, row and column of a move."""


def all_chips() -> list[Chip]:
    """Return the 24 chips: for each colour the numbers 1 to 10 and two blank chips."""
    return [Chip(colour, number) for colour in (BLACK, GOLD) for number in (*range(1, 11), 0, 0)]


def other(colour: str) -> str:
    return GOLD if colour == BLACK else BLACK


def start(chips: dict[Square, Chip]) -> Board:
    """Return a board with these chips, face down, and the four discs in the middle as in the game for two."""
    board: Board = [[None] * 8 for _ in range(8)]
    for (row, column), chip in chips.items():
        board[row][column] = Chip(chip.colour, chip.number)
    for row, column, colour in ((3, 3, GOLD), (3, 4, BLACK), (4, 3, BLACK), (4, 4, GOLD)):
        board[row][column] = Disc(colour)
    return board


def at(board: Board, row: int, column: int) -> Disc | Chip | None:
    """Return the disc or chip on a square; None for an empty square and beyond the rim."""
    return board[row][column] if 0 <= row < 8 and 0 <= column < 8 else None


def turned(board: Board, colour: str, row: int, column: int) -> set[Square]:
    own, others = Disc(colour), Disc(other(colour))
    found: set[Square] = set()
    for down, right in STEPS:
        line: list[Square] = []
        r, c = row + down, column + right
        while (here := at(board, r, c)) == others:
            line.append((r, c))
            r, c = r + down, c + right
        if line and here == own:
            found |= set(line)
    return found


def _with_discs(board: Board, colour: str, row: int, column: int) -> Board:
    """Return the board with the new disc and with the bracketed discs turned; chips are unchanged."""
    result = [list(line) for line in board]
    for r, c in turned(board, colour, row, column):
        result[r][c] = Disc(colour)
    result[row][column] = Disc(colour)
    return result


def won(board: Board, colour: str, row: int, column: int) -> set[Square]:
    """Return the chips that a new disc here wins, after discs are turned and before chips are turned up."""
    after = _with_discs(board, colour, row, column)
    found: set[Square] = set()
    for down, right in STEPS:
        chip = at(after, row + down, column + right)
        beyond = at(after, row + 2 * down, column + 2 * right)
        if isinstance(chip, Chip) and chip.is_open and chip.colour != colour and beyond == Disc(colour):
            found.add((row + down, column + right))
    return found


def moves(board: Board) -> list[Move]:
    """Return the legal moves: empty squares on which a disc of a colour turns discs or wins chips."""
    return [
        (colour, row, column)
        for colour in (BLACK, GOLD)
        for row in range(8)
        for column in range(8)
        if board[row][column] is None
        and (turned(board, colour, row, column) or won(board, colour, row, column))
    ]


def after(board: Board, move: Move) -> Board:
    colour, row, column = move
    taken = won(board, colour, row, column)
    result = _with_discs(board, colour, row, column)
    for r, c in taken:
        result[r][c] = None
    for r, c in ((row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)):
        chip = at(result, r, c)
        if isinstance(chip, Chip):
            result[r][c] = Chip(chip.colour, chip.number, is_open=True)
    return result


def chips_of(board: Board) -> dict[Square, Chip]:
    return {
        (row, column): chip
        for row, line in enumerate(board)
        for column, chip in enumerate(line)
        if isinstance(chip, Chip)
    }


def score(taken: list[Chip], variant: str) -> int:
    """Return the number of won chips, or in the variant ``sum`` the sum of their numbers.

    The sum is doubled if all four blank chips are won.
    """
    if variant == "chips":
        return len(taken)
    blanks = sum(chip.number == 0 for chip in taken)
    return sum(chip.number for chip in taken) * (2 if blanks == 4 else 1)


def winnable(board: Board, limit: int) -> dict[Square, Chip] | None:
    """Return the chips that some line of moves wins, by trying every line; None if `limit` boards are not enough."""
    seen: set[str] = set()
    found: dict[Square, Chip] = {}
    waiting = [board]
    while waiting:
        here = waiting.pop()
        if repr(here) in seen:
            continue
        seen.add(repr(here))
        if len(seen) > limit:
            return None
        for move in moves(here):
            found |= {square: chips_of(here)[square] for square in won(here, *move)}
            waiting.append(after(here, move))
    return found
