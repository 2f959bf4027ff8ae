"""The unit of work of a growing book: a search for the best of the moves that lead out of the book."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from outflank.engine import Move, Position, Searcher, SearchResult, limit_for_level
from outflank.engine.evaluation.weights import checksum

Question = tuple[Position, tuple[Move, ...]]
"""The canonical image of a position of the book, or of one to add; and the moves to choose from, at least one."""


@dataclass(frozen=True, slots=True)
class Judge:
    """Answers questions by a search; can be pickled.

    Attributes:
        searcher: returns the searcher of the process, with the shipped weights and a cleared table, so that an answer
            does not depend on earlier questions. It must be picklable, such as a function of a module.
        level: the level of the search.
    """

    searcher: Callable[[], Searcher]
    level: int

    def __call__(self, question: Question) -> SearchResult:
        """Search for the best of the moves."""
        position, moves = question
        return self.searcher().search(position, limit_for_level(self.level, position.empties), moves=moves)

    @property
    def provenance(self) -> str:
        """The basis of its answers, the weights by their CRC-32: ``level 16, weights d5a9d812``."""
        return f"level {self.level}, weights {checksum()}"


RunSearches = Callable[
    [Callable[[Question], SearchResult], Iterable[Question]], Iterator[tuple[Question, SearchResult]]
]
"""Runs searches, in this process or in others, and yields questions with their results as they are ready.

Questions are taken lazily. The tools provide one that uses an executor.
"""


def run_here(
    search: Callable[[Question], SearchResult], questions: Iterable[Question]
) -> Iterator[tuple[Question, SearchResult]]:
    """Search one question after the other in this process."""
    for question in questions:
        yield question, search(question)
