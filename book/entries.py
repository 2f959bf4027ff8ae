"""What a book answers about a position that it knows."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from operator import attrgetter
from typing import NamedTuple

from outflank.book.keys import Child
from outflank.book.records import Lines, Row, around, leaf_of, line_to, margin_of
from outflank.engine import PASS, FileFormatError, Move, Percent, Position, Symmetry


class BookMove(NamedTuple):
    """A move that a book knows something about.

    Attributes:
        move: the move, in the position that was asked for.
        score: what it leads to, in discs from the side that makes it.
        lower: the least that the score can be, see ``Record``.
        upper: the most.
        linked: whether it leads to a position of the book; if not, the score is that of a search alone.
        lines: of the book that begin with it, from the side that makes it.
    """

    move: Move
    score: int
    lower: int
    upper: int
    linked: bool
    lines: Lines


@dataclass(frozen=True, slots=True)
class Entry:
    """What a book knows about a position; moves and scores are those of the position that was asked for.

    Attributes:
        position: the one that was asked for.
        score: of the best move, in discs from the side to move.
        lower: the least that the score can be, if no leaf below is off by more than its margin.
        upper: the most.
        depth: plies of the search that judged the moves which lead out of the book.
        selectivity: of that search, in percent.
        level: the level of that search; None if it was limited otherwise.
        moves: those that the book knows, best first, of equal ones those that are linked. Moves that lead to images of
            the same position are all there. ``(PASS,)`` alone where the side to move has to pass. Empty only in a book
            that is not whole, which ``outflank book check`` finds.
        lines: of the book, from here on.
    """

    position: Position
    score: int
    lower: int
    upper: int
    depth: int
    selectivity: Percent
    level: int | None
    moves: tuple[BookMove, ...]
    lines: Lines

    @property
    def bounds(self) -> tuple[int, int]:
        """The least and the most that the score can be."""
        return self.lower, self.upper

    @property
    def is_exact(self) -> bool:
        """Whether the score is proven: every leaf that matters is solved."""
        return self.lower == self.upper


def entry_of(
    position: Position, row: Row, symmetry: Symmetry, children: Sequence[Child], rows: Mapping[bytes, Row]
) -> Entry:
    """The entry of a position.

    Args:
        position: the one that was asked for, in which the side to move has a move.
        row: of its key.
        symmetry: leads from it to the image that the key names.
        children: of the position.
        rows: of those children that the book has, by key.

    Raises: FileFormatError if the row's leaf is no move of the position.
    """
    _, score, lower, upper, depth, selectivity, level, _, _, *lines, _ = row
    percent: Percent = selectivity  # type: ignore[assignment]  # a writer takes nothing else
    leaf = leaf_of(row)
    moves = [
        _linked(child, rows[child.key]) for child in children if child.key is not None and child.key in rows
    ]
    if leaf is not None:
        wanted = symmetry.inverse.move(leaf.move)
        key = next((child.key for child in children if child.move == wanted), None)
        if wanted not in [child.move for child in children]:
            raise FileFormatError(f"a row has a leaf that is no move of its position (board {row[0].hex()})")
        images = [child for child in children if child.move == wanted or (key and child.key == key)]
        margin = margin_of(depth, percent, position.empties)
        moves += [_unlinked(child.move, leaf.score, margin) for child in images if child.key not in rows]
    moves.sort(key=attrgetter("score"), reverse=True)  # stable: linked ones stay first
    return Entry(position, score, lower, upper, depth, percent, level, tuple(moves), Lines(*lines))


def before_pass(entry: Entry, position: Position) -> Entry:
    """The entry of a position in which the side to move has to pass, from that of the position after the pass."""
    score, lower, upper, lines = -entry.score, -entry.upper, -entry.lower, entry.lines.reversed
    moves = (BookMove(PASS, score, lower, upper, True, lines),)
    return replace(entry, position=position, score=score, lower=lower, upper=upper, moves=moves, lines=lines)


def _linked(child: Child, row: Row) -> BookMove:
    _, score, lower, upper, _, _, _, _, _, *counts, _ = row
    lines = Lines(*counts)
    if child.same_side:
        return BookMove(child.move, score, lower, upper, True, lines)
    return BookMove(child.move, -score, -upper, -lower, True, lines.reversed)


def _unlinked(move: Move, score: int, margin: int) -> BookMove:
    lower, upper = around(score, margin)
    return BookMove(move, score, lower, upper, False, line_to(score))
