"""A book learns from a game: it grows where the game has left it."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from outflank.book.growing import Grower
from outflank.book.judging import Judge, Judgement, Question
from outflank.book.store import Book
from outflank.book.writer import BookWriter
from outflank.engine import OutflankError, Position

USUAL_LEVEL = 16
"""On which a book is judged that has no level of its own yet."""
BEYOND = 2
"""How many positions a game adds to a book."""


class LearningStopped(OutflankError):
    """Learning was broken off; the book is what it was."""


@dataclass(frozen=True, slots=True)
class _StoppableJudge(Judge):
    """Judges until it is stopped; what a search says that was stopped is no judgement."""

    is_stopped: Callable[[], bool]

    def __call__(self, question: Question) -> Judgement:
        judgement = Judge.__call__(self, question)
        if self.is_stopped():
            raise LearningStopped("another command came before the game was learned")
        return judgement


def usual_level(book: Book, otherwise: int = USUAL_LEVEL) -> int:
    """The level of most positions that were judged on one; `otherwise` if there are none."""
    return next((level for level in book.levels() if level), otherwise)


def unknown_positions(book: Book, positions: Iterable[Position], count: int = BEYOND) -> list[Position]:
    """The first positions of a game with a move to choose, no more than `count`, that a book does not know.

    Raises: as ``Book.probe``.
    """
    return list(islice((each for each in positions if each.legal_mask() and each not in book), count))


def learn_game(
    path: Path, positions: Sequence[Position], judge: Judge, is_stopped: Callable[[], bool] = lambda: False
) -> int:
    """Add the first positions of a game that a book does not know, and return how many those are.

    All of them come into the book at once, at the end: whatever breaks that off leaves the book as it was.

    Args:
        path: of the book.
        positions: of the game, in order.
        judge: by which searcher; its level counts only in a book without one, all others stay on that of most of their
            positions.
        is_stopped: whether to break off, asked after each search.

    Raises: OutflankError if the book can't be written, is for other rules or is being changed by another process;
        LearningStopped.
    """
    with BookWriter.open(path) as book:
        for position in positions[:1]:
            book.expect(position.rules)
        new = unknown_positions(book, positions)
        if new:
            stoppable = _StoppableJudge(judge.searcher, usual_level(book, judge.level), is_stopped)
            grower = Grower(book, stoppable, commits_meanwhile=False)
            grower.note("learn from a game")
            grower.extend(new)
    return len(new)
