"""A book's record of a position, which is stored as a row with a checksum, and the entry that a look-up returns."""

import struct
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from operator import attrgetter
from typing import Any, NamedTuple

from outflank.book.keys import (
    BOARD_BYTES,
    MOVE_NUMBERS,
    Child,
    key_of,
    move_number,
    numbered_move,
    position_of,
)
from outflank.engine import (
    HIGHEST_LEVEL,
    PASS,
    FileFormatError,
    Move,
    NotationError,
    Percent,
    Position,
    Rules,
    SettingsError,
    Symmetry,
)
from outflank.engine.search.limits import FULL_WIDTH, SELECTIVITIES
from outflank.errors import whole

_NUMBER_NAMES = "score lower upper depth selectivity level leaf leaf_score lines wins draws losses"
COLUMNS = ("board", *_NUMBER_NAMES.split(), "checksum")
"""The columns of the table ``position``."""
MOST_DISCS = 64
MOST_LINES = 2**32 - 1
MIDGAME_MARGIN, ENDGAME_MARGIN = 4, 2
"""The margins that ``margin_of`` returns, in discs."""
HAND_LEVEL = 127
"""The level of a position whose score was set by hand. Neither searches nor negamax change such a score."""
_NONE = -128  # the number that stands for NULL in the checksum; no score, level or move has this value
_NUMBERS = struct.Struct(">12q")
Row = tuple[bytes, int, int, int, int, int, int | None, int | None, int | None, int, int, int, int, int]


class LineCounts(NamedTuple):
    """The numbers of a book's lines from a position, by the lines' results for the side to move.

    A line ends at a leaf. The score of the leaf is the result of the line. A leaf that several lines reach is counted
    for each of these lines.

    Attributes:
        total: the number of all lines, at most 2^32 - 1.
        wins: the number of lines that the side to move wins.
        draws: the number of drawn lines.
        losses: the number of lines that the side to move loses.
    """

    total: int = 0
    wins: int = 0
    draws: int = 0
    losses: int = 0

    @property
    def reversed(self) -> "LineCounts":
        """The counts from the point of view of the other side."""
        return LineCounts(self.total, self.losses, self.draws, self.wins)


NO_LINES = LineCounts()
"""The counts of a position whose lines are not counted yet."""


class Leaf(NamedTuple):
    """The best move of a position that leads out of the book.

    Attributes:
        score: the score that a search found for the move, in discs, from the point of view of the side to move.
    """

    move: Move
    score: int


def line_to(score: int) -> LineCounts:
    """Return the counts for a single line that ends at a leaf with this score."""
    return LineCounts(1, score > 0, score == 0, score < 0)


def margin_of(depth: int, selectivity: Percent, empties: int) -> int:
    """Return the margin of error, in discs, that a book's bounds assume for the score of a search.

    The margin is 0 if the search solved the position. docs/book.md gives the frequency of larger errors.
    """
    if depth < empties:
        return MIDGAME_MARGIN
    return 0 if selectivity == FULL_WIDTH.percent else ENDGAME_MARGIN


def around(score: int, margin: int) -> tuple[int, int]:
    """Return the lower and the upper bound of a score with this margin of error."""
    return max(-MOST_DISCS, score - margin), min(MOST_DISCS, score + margin)


@dataclass(frozen=True, slots=True)
class Record:
    """A stored position of a book. Moves to other positions of the book are not stored; ``Book.probe`` finds them.

    Attributes:
        position: a position with a legal move. Records read from a book contain the canonical image of the position.
        score: the score of the best move for the side to move, in discs, by negamax over all lines from the position.
        lower: the lower bound of the true score. It is valid if the error of each leaf is at most the leaf's margin.
        upper: the upper bound of the true score, valid under the same condition.
        depth: the depth in plies of the search that found the leaf; the number of empty squares if this search reached
            the end of the game.
        selectivity: the selectivity of this search, in percent.
        level: the level of this search; None if no level limited the search; HAND_LEVEL if the score was set by hand.
        leaf: the best move that leads out of the book; None if every move leads to a position of the book, or if a
            search still has to find the best of the other moves.
        lines: the counts of the lines from the position.
    """

    position: Position
    score: int
    lower: int
    upper: int
    depth: int
    selectivity: Percent
    level: int | None = None
    leaf: Leaf | None = None
    lines: LineCounts = NO_LINES


def to_row(record: Record) -> Row:
    """Return the row of a record. All images of a position have the same row.

    Raises: SettingsError if the record is invalid. Examples are a score that is not a whole number or is beyond 64
        discs, a lower bound above the upper bound, an unknown level, a position without a legal move, an illegal leaf,
        and more results than lines.
    """
    if not isinstance(record.lines, tuple) or len(record.lines) != len(NO_LINES):
        raise SettingsError(f"expected four line counts in a record, got {record.lines!r}")
    _check_moves(record.position, record.leaf)
    key, symmetry = key_of(record.position)
    move, leaf_score = (None, None) if record.leaf is None else record.leaf
    leaf = None if move is None else move_number(symmetry.move(move))
    numbers = _checked(
        record.score,
        record.lower,
        record.upper,
        record.depth,
        record.selectivity,
        record.level,
        leaf,
        leaf_score,
        *record.lines,
    )
    return (key, *numbers, checksum(key, numbers))  # type: ignore[return-value]  # mypy can't know len(numbers)


def checksum(key: bytes, numbers: tuple[int | None, ...]) -> int:
    """Return zlib's CRC-32 of the key and the twelve numbers. Each number is 8 bytes, big endian; NULL is -128."""
    return zlib.crc32(
        _NUMBERS.pack(*(_NONE if number is None else number for number in numbers)), zlib.crc32(key)
    )


def check_row(row: Row) -> None:
    """Raise FileFormatError if the checksum of a row is wrong, or if a number is out of the range of ``to_row``."""
    try:
        right = checksum(row[0], row[1:-1]) == row[-1]
    except (struct.error, TypeError):  # a damaged row may have text in place of a number
        right = False
    if not right:
        raise FileFormatError(f"a row is damaged: its checksum is wrong ({_named(row)})")
    fits = len(row[0]) in (BOARD_BYTES, BOARD_BYTES + 1)
    try:
        _checked(*row[1:-1])
    except SettingsError:
        fits = False
    if not fits:
        raise FileFormatError(f"a row has numbers that are out of range ({_named(row)})")


def to_record(row: Row, rules: Rules) -> Record:
    """Return the record of a row. Raises: FileFormatError if the checksum is wrong or the values are invalid."""
    check_row(row)
    key, score, lower, upper, depth, selectivity, level, _, _, *lines, _ = row
    leaf = leaf_of(row)
    try:
        position = position_of(key, rules)
        _check_moves(position, leaf)
        is_named_so = key_of(position)[0] == key
    except (SettingsError, NotationError):
        is_named_so = False
    if not is_named_so:
        raise FileFormatError(f"a row has an invalid position or an illegal leaf ({_named(row)})")
    return Record(
        position,
        score,
        lower,
        upper,
        depth,
        selectivity,  # type: ignore[arg-type]  # check_row has checked the selectivity
        level,
        leaf,
        LineCounts(*lines),
    )


def leaf_of(row: Row) -> Leaf | None:
    """Return the leaf of a row, in the same image of the board as the key of the row (see ``key_of``)."""
    number, score = row[7], row[8]
    return None if number is None or score is None else Leaf(numbered_move(number), score)


def _named(row: Row) -> str:
    return f"board {row[0].hex() if isinstance(row[0], bytes) else repr(row[0])}"


def _check_moves(position: Position, leaf: Leaf | None) -> None:
    if not position.legal_mask():
        raise SettingsError(
            f"a book contains only positions with a legal move, unlike {position.board_string()}"
        )
    if leaf and leaf.move not in position.legal_moves():
        moves = " ".join(map(str, position.legal_moves()))
        raise SettingsError(f"expected one of the moves {moves} as the leaf, got {leaf.move}")


def _checked(*numbers: Any) -> tuple[int | None, ...]:
    """Check the numbers of a row, which exclude the key and the checksum, and return these numbers as ints.

    Two inconsistencies are accepted, since books from Edax have them: a score outside its bounds, and fewer results
    than lines (in these books, only solved leaves have a result).

    Raises: SettingsError if a number is out of range.
    """
    score, lower, upper, depth, selectivity, level, leaf, leaf_score, *counts = numbers
    score, lower, upper = map(_score, (score, lower, upper))
    if lower > upper:
        raise SettingsError(f"the lower bound of a record, {lower}, is above the upper bound, {upper}")
    depth = whole("the depth in a record", depth, 0, MOST_DISCS, " plies")
    if selectivity not in SELECTIVITIES:
        known = ", ".join(map(str, SELECTIVITIES))
        raise SettingsError(f"expected one of the selectivities {known} in a record, got {selectivity!r}")
    if level not in (None, HAND_LEVEL):
        level = whole("the level in a record", level, 0, HIGHEST_LEVEL)
    if (leaf, leaf_score) != (None, None):
        leaf, leaf_score = whole("a move in a record", leaf, 0, MOVE_NUMBERS - 1), _score(leaf_score)
    total, *ended = (whole("a count of lines in a record", count, 0, MOST_LINES) for count in counts)
    if sum(ended) > total < MOST_LINES:  # a total at its maximum may be too small, since it is capped
        raise SettingsError(f"expected no more results than lines in a record, got {sum(ended)} and {total}")
    return score, lower, upper, depth, int(selectivity), level, leaf, leaf_score, total, *ended


def _score(score: int) -> int:
    return whole("a score in a record", score, -MOST_DISCS, MOST_DISCS, " discs")


class BookMove(NamedTuple):
    """A move of a book's entry. Score and bounds are in discs, from the mover's point of view.

    Attributes:
        move: the move, in the position that was looked up.
        score: the score of the move.
        lower: the lower bound of the true score; see ``Record.lower``.
        upper: the upper bound of the true score.
        linked: True if the move leads to a position of the book; otherwise, the score is from a search.
        lines: the counts of the lines that begin with the move, from the mover's point of view.
    """

    move: Move
    score: int
    lower: int
    upper: int
    linked: bool
    lines: LineCounts


@dataclass(frozen=True, slots=True)
class BookEntry:
    """A book's entry of a position. Attributes that are not listed here are described in ``Record``.

    Attributes:
        position: the position that was looked up.
        depth: the depth in plies of the search that scored the moves that lead out of the book.
        moves: the moves in the book, the best first, and linked moves before other moves with the same score. All moves
            that lead to images of the same position are listed. If the side to move has to pass, a pass is the only
            move. The tuple is empty only if the book is inconsistent, which ``outflank book check`` reports.
    """

    position: Position
    score: int
    lower: int
    upper: int
    depth: int
    selectivity: Percent
    level: int | None
    moves: tuple[BookMove, ...]
    lines: LineCounts

    @property
    def bounds(self) -> tuple[int, int]:
        """The lower and the upper bound of the score."""
        return self.lower, self.upper

    @property
    def is_exact(self) -> bool:
        """Whether the score is proven, since every leaf on which it depends is solved."""
        return self.lower == self.upper


def entry_of(
    position: Position, row: Row, symmetry: Symmetry, children: Sequence[Child], rows: Mapping[bytes, Row]
) -> BookEntry:
    """Return the entry of a position with a legal move. `rows`: the rows of the position's children, by key.

    Raises: FileFormatError if the leaf of the row is not a legal move of the position.
    """
    _, score, lower, upper, depth, selectivity, level, _, _, *lines, _ = row
    percent: Percent = selectivity  # type: ignore[assignment]  # check_row has checked the selectivity
    leaf = leaf_of(row)
    moves = [
        _linked(child, rows[child.key]) for child in children if child.key is not None and child.key in rows
    ]
    if leaf is not None:
        wanted = symmetry.inverse.move(leaf.move)
        key = next((child.key for child in children if child.move == wanted), None)
        if wanted not in [child.move for child in children]:
            raise FileFormatError(
                f"a row has a leaf that is not a legal move of its position ({_named(row)})"
            )
        images = [child for child in children if child.move == wanted or (key and child.key == key)]
        margin = margin_of(depth, percent, position.empties)
        values = (leaf.score, *around(leaf.score, margin), False, line_to(leaf.score))
        moves += [BookMove(child.move, *values) for child in images if child.key not in rows]
    moves.sort(key=attrgetter("score"), reverse=True)  # the sort is stable, so linked moves stay first
    return BookEntry(position, score, lower, upper, depth, percent, level, tuple(moves), LineCounts(*lines))


def before_pass(entry: BookEntry, position: Position) -> BookEntry:
    """Return the entry of a position in which the side to move has to pass. `entry`: the entry after the pass."""
    score, lower, upper, lines = -entry.score, -entry.upper, -entry.lower, entry.lines.reversed
    moves = (BookMove(PASS, score, lower, upper, True, lines),)
    return replace(entry, position=position, score=score, lower=lower, upper=upper, moves=moves, lines=lines)


def _linked(child: Child, row: Row) -> BookMove:
    _, score, lower, upper, _, _, _, _, _, *counts, _ = row
    lines = LineCounts(*counts)
    if child.same_side:
        return BookMove(child.move, score, lower, upper, True, lines)
    return BookMove(child.move, -score, -upper, -lower, True, lines.reversed)
