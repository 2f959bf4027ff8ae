"""The main lines of a book: those in which both sides give away the least, each as the moves from a position on."""

from collections.abc import Iterator
from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import count

from outflank.book import Book, BookMove, Entry
from outflank.book.names import Opening, opening_of
from outflank.engine import Colour, Move, Position

USUAL_FIRST_MOVE = "f5"  # games are written down so that they begin with it


@dataclass(frozen=True, slots=True)
class BookLine:
    """A line of a book.

    Attributes:
        moves: from the position that was asked for, forced passes among them.
        positions: before each move, and after the last.
        error: discs that both sides together give away in it.
        score: what it ends with, in discs for Black.
        is_exact: whether that score is proven.
        transposes: whether it ends where another line that was listed before has passed.
    """

    moves: tuple[Move, ...]
    positions: tuple[Position, ...]
    error: int
    score: int
    is_exact: bool
    transposes: bool = False

    @property
    def transcript(self) -> str:
        """The moves without passes: ``f5d6c3``; separated by blanks where moves name a direction."""
        separator = " " if self.positions[0].rules.one_direction else ""
        return separator.join(str(move) for move in self.moves if not move.is_pass)

    @property
    def opening(self) -> Opening | None:
        """The last opening with a name that it passes through."""
        return opening_of(self.positions)


def main_lines(
    book: Book, start: Position, *, max_error: float | None = None, plies: int | None = None
) -> Iterator[BookLine]:
    """Lines in the order of the discs given away, the longest of equal ones first.

    Each position is gone on from once: a line that comes to one where another has been ends there. Of moves that are
    images of each other one is followed.

    Args:
        book: that is asked.
        start: where the lines begin.
        max_error: the most discs that both sides together may give away; None for no limit.
        plies: the most moves of a line; None for no limit.
    """
    order = count()
    waiting: list[tuple[int, int, int, tuple[Move, ...], tuple[Position, ...], BookMove | None]] = []
    heappush(waiting, (0, 0, next(order), (), (start,), None))
    seen: set[Position] = set()
    while waiting:
        error, _, _, moves, positions, last = heappop(waiting)
        position = positions[-1]
        image, _ = position.canonical()
        entry = None if plies is not None and len(moves) >= plies else book.probe(position)
        transposes = entry is not None and image in seen
        if entry is None or not entry.moves or transposes:
            if last is not None:
                yield _line(moves, positions, error, last, transposes)
            continue
        seen.add(image)
        for move in different_moves(entry):
            lost = error + entry.score - move.score
            if max_error is None or lost <= max_error:
                after = (*positions, position.play(move.move))
                heappush(waiting, (lost, -len(moves) - 1, next(order), (*moves, move.move), after, move))


def different_moves(entry: Entry) -> list[BookMove]:
    """The moves of an entry, of those that lead to images of one position only one, f5 where it is among them."""
    kept: dict[Position, BookMove] = {}
    for move in entry.moves:
        image, _ = entry.position.play(move.move).canonical()
        if image not in kept or str(move.move) == USUAL_FIRST_MOVE:
            kept[image] = move
    return sorted(kept.values(), key=lambda move: -move.score)


def _line(
    moves: tuple[Move, ...],
    positions: tuple[Position, ...],
    error: int,
    last: BookMove,
    transposes: bool,
) -> BookLine:
    """The line whose last move is `last`."""
    black = positions[-2].side is Colour.BLACK
    score = last.score if black else -last.score
    return BookLine(moves, positions, error, score, last.lower == last.upper, transposes)
