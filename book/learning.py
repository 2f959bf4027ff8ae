"""A book learns from a game: it grows where the game has left it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from outflank.book.growing import Grower
from outflank.book.judging import Judge, Judgement, Question
from outflank.book.writer import BookWriter
from outflank.engine import OutflankError, Position

USUAL_LEVEL = 16
"""On which a book is judged that has no level of its own yet."""
_BEYOND = 2  # positions that a game adds


class LearningStopped(OutflankError):
    """Learning was broken off; the book is what it was."""


@dataclass(frozen=True, slots=True)
class _StoppableJudge(Judge):
    """Judges until it is stopped; what a search says that was stopped is no judgement."""

    is_stopped: Callable[[], bool]

    def __call__(self, question: Question) -> Judgement:
        judgement = Judge.__call__(self, question)
        if self.is_stopped():
            raise LearningStopped("expected time to search, got another command")
        return judgement


def learn_game(
    path: Path, positions: Sequence[Position], judge: Judge, is_stopped: Callable[[], bool] = lambda: False
) -> int:
    """Add the first positions of a game that a book does not know, and return how many those are.

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
        level = next((each for each in book.levels() if each), judge.level)
        new = [position for position in positions if not position.is_over and position not in book][:_BEYOND]
        if new:
            grower = Grower(book, _StoppableJudge(judge.searcher, level, is_stopped))
            before = len(grower.graph.nodes)
            book.note(f"learn from a game, level {level}, from {before} positions")
            try:
                grower.extend(new)
                grower.finish()
            except LearningStopped:
                book.rollback()
                raise
    return len(new)
