"""Reversi with an 8x8 list and loops: a slow and simple implementation, which is the oracle of the engine's tests.

It is written from the rule sheets alone and imports none of our modules. A board is eight rows of eight letters,
row 1 first: ``X`` is Black, ``O`` is White, ``-`` is empty. A square is a pair (row, column), both from 0.
"""

from collections.abc import Callable
from dataclasses import dataclass

Board = list[list[str]]
Square = tuple[int, int]

BLACK, WHITE, EMPTY = "X", "O", "-"
STEPS = {
    "n": (-1, 0),
    "ne": (-1, 1),
    "e": (0, 1),
    "se": (1, 1),
    "s": (1, 0),
    "sw": (1, -1),
    "w": (0, -1),
    "nw": (-1, -1),
}
# The squares of columns d and e in rows 4 and 5; all other squares are empty.
CENTRES = {
    "diagonal": ("OX", "XO"),
    "mirrored": ("XO", "OX"),
    "parallel-north": ("OO", "XX"),
    "parallel-south": ("XX", "OO"),
    "parallel-west": ("OX", "OX"),
    "parallel-east": ("XO", "XO"),
}


def _ray(row: int, column: int, down: int, right: int) -> list[Square]:
    steps = ((row + down * count, column + right * count) for count in range(1, 8))
    return [(row, column) for row, column in steps if 0 <= row < 8 and 0 <= column < 8]


# For each row, column and direction, the squares in this direction, the nearest first.
RAYS = {
    (row, column, direction): _ray(row, column, down, right)
    for row in range(8)
    for column in range(8)
    for direction, (down, right) in STEPS.items()
}


@dataclass(frozen=True)
class Sheet:
    """The options that a rule sheet determines, with the names of ``--rules``."""

    start: str = "diagonal"
    begins: str = BLACK
    turns: str = "all"
    tie: str = "draw"
    scoring: str = "empties"


SHEETS = {
    "othello": Sheet(),
    "reveris": Sheet(start="mirrored"),
    "reversi": Sheet(begins=WHITE, scoring="count"),
    "ravensburger-1987": Sheet(begins=WHITE, turns="one", scoring="count"),
    "ravensburger-2006": Sheet(begins=WHITE, tie="second", scoring="count"),
    "obversi": Sheet(start="parallel-north", scoring="count"),
}


def board_of(text: str) -> Board:
    """Return the board of 64 letters; blanks and line ends are skipped."""
    letters = "".join(text.split())
    assert len(letters) == 64, f"expected 64 squares, got {len(letters)}"
    assert set(letters) <= {BLACK, WHITE, EMPTY}, f"expected only X O -, got {letters!r}"
    return [list(letters[8 * row : 8 * row + 8]) for row in range(8)]


def text_of(board: Board) -> str:
    return "".join("".join(row) for row in board)


def start_board(start: str) -> Board:
    """Return the first board of a game with this arrangement of the four discs."""
    board = [[EMPTY] * 8 for _ in range(8)]
    for row, letters in zip((3, 4), CENTRES[start], strict=True):
        for column, letter in zip((3, 4), letters, strict=True):
            board[row][column] = letter
    return board


def other(side: str) -> str:
    return WHITE if side == BLACK else BLACK


def name_of(row: int, column: int) -> str:
    """Return the name of a square: ``a1`` for (0, 0), ``h1`` for (0, 7)."""
    return "abcdefgh"[column] + "12345678"[row]


def bracketed(board: Board, side: str, row: int, column: int, direction: str) -> list[Square]:
    """Return the opponent's discs between a new disc of `side` here and the side's next disc in this direction."""
    line: list[Square] = []
    for square in RAYS[row, column, direction]:
        disc = board[square[0]][square[1]]
        if disc == side:
            return line
        if disc == EMPTY:
            break
        line.append(square)
    return []


def lines_from(board: Board, side: str, row: int, column: int) -> dict[str, list[Square]]:
    """Return the discs that a new disc of `side` here brackets, for each direction with any."""
    lines = {direction: bracketed(board, side, row, column, direction) for direction in STEPS}
    return {direction: line for direction, line in lines.items() if line}


def moves(board: Board, side: str, turns: str) -> dict[str, set[Square]]:
    """Return the legal moves as text, a1 first, each with the discs that it turns."""
    found: dict[str, set[Square]] = {}
    for row in range(8):
        for column in range(8):
            if board[row][column] != EMPTY:
                continue
            lines = lines_from(board, side, row, column)
            square = name_of(row, column)
            if turns == "one" and len(lines) > 1:
                for direction, line in lines.items():
                    found[f"{square}/{direction}"] = set(line)
            elif lines:
                found[square] = {disc for line in lines.values() for disc in line}
    return found


def choices(board: Board, side: str, turns: str) -> list[str]:
    """Return the moves of `side`: ``pass`` if only the opponent can move, and none if the game is over."""
    own = list(moves(board, side, turns))
    if own:
        return own
    return ["pass"] if moves(board, other(side), turns) else []


def after(board: Board, side: str, move: str, turns: str) -> Board:
    """Return the board after a legal move of `side`."""
    result = [list(row) for row in board]
    if move == "pass":
        return result
    row, column = "12345678".index(move[1]), "abcdefgh".index(move[0])
    lines, direction = lines_from(board, side, row, column), move[3:]
    assert direction or turns == "all" or len(lines) == 1, f"{move} names no direction"
    for line in [lines[direction]] if direction else lines.values():
        for down, right in line:
            result[down][right] = side
    assert result != board, f"{move} turns nothing"
    result[row][column] = side
    return result


def count(board: Board, letter: str) -> int:
    return sum(row.count(letter) for row in board)


def final_score(board: Board, sheet: Sheet) -> int:
    """Return Black's lead in discs at the end of a game."""
    black, white = count(board, BLACK), count(board, WHITE)
    if sheet.scoring == "empties" and black > white:
        black += count(board, EMPTY)
    elif sheet.scoring == "empties" and white > black:
        white += count(board, EMPTY)
    return black - white


def winner(board: Board, sheet: Sheet) -> str | None:
    """Return the winner of a finished game, None for a draw."""
    lead = final_score(board, sheet)
    if lead > 0:
        return BLACK
    if lead < 0:
        return WHITE
    return other(sheet.begins) if sheet.tie == "second" else None


def leaves(board: Board, side: str, turns: str, depth: int, pass_is_free: bool) -> int:
    """Return the perft number: the lines of `depth` plies, where a shorter finished game counts as one."""
    options = choices(board, side, turns)
    if depth == 0 or not options:
        return 1
    total = 0
    for move in options:
        spent = 0 if pass_is_free and move == "pass" else 1
        total += leaves(after(board, side, move, turns), other(side), turns, depth - spent, pass_is_free)
    return total


def _symmetry(quarters: int, mirror: bool) -> Callable[[Board], Board]:
    """Return a function that mirrors the board or not, then rotates it clockwise by quarter turns."""

    def image(board: Board) -> Board:
        if mirror:
            board = [row[::-1] for row in board]
        for _ in range(quarters):  # column a, read from row 8 up, becomes row 1
            board = [[board[7 - column][row] for column in range(8)] for row in range(8)]
        return board

    return image


SYMMETRIES = [_symmetry(quarters, mirror) for mirror in (False, True) for quarters in range(4)]


class Game:
    """A game on lists, which also counts the discs in hand; the rule sheets give each side 32 discs."""

    def __init__(self, sheet: Sheet, board: Board | None = None) -> None:
        self.sheet = sheet
        self.board = board if board is not None else start_board(sheet.start)
        self.side = sheet.begins
        # Both sides provide the discs of the start. With an odd number of empty squares the first player has one more.
        empty = count(self.board, EMPTY)
        self.hand = {self.side: empty - empty // 2, other(self.side): empty // 2}
        self.played: list[tuple[Board, str, dict[str, int], str]] = []

    def choices(self) -> list[str]:
        return choices(self.board, self.side, self.sheet.turns)

    def play(self, move: str) -> None:
        self.played.append((self.board, self.side, dict(self.hand), move))
        if move != "pass":
            if self.hand[self.side] == 0:
                self.hand[other(self.side)] -= 1
                self.hand[self.side] += 1
            self.hand[self.side] -= 1
        self.board = after(self.board, self.side, move, self.sheet.turns)
        self.side = other(self.side)

    def undo(self) -> None:
        self.board, self.side, self.hand, _ = self.played.pop()

    def score(self) -> int:
        """Return Black's final lead in a finished game."""
        return final_score(self.board, self.sheet)
