"""The unit of work of a growing book: a search for the best of the moves that lead out of the book."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Protocol

from outflank.engine import Move, Percent, Position, Searcher, limit_for_level
from outflank.engine.evaluation.weights import checksum


@dataclass(frozen=True, slots=True)
class Question:
    """A question to a search.

    Attributes:
        position: the canonical image of a position of the book, or of one to add.
        moves: the moves to choose from; at least one.
    """

    position: Position
    moves: tuple[Move, ...]


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer of a search.

    Attributes:
        move: the best of the moves.
        score: the score in discs from the side to move.
        depth: the plies of the search; the number of empty squares if it reached the end.
        selectivity: the selectivity of the search, in percent.
    """

    move: Move
    score: int
    depth: int
    selectivity: Percent


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

    def __call__(self, question: Question) -> Answer:
        """Return the best move and its score."""
        position = question.position
        result = self.searcher().search(
            position, limit_for_level(self.level, position.empties), moves=question.moves
        )
        return Answer(result.move, round(result.score), result.depth, result.selectivity)

    @property
    def provenance(self) -> str:
        """The basis of its answers, the weights by their CRC-32: ``level 16, weights d5a9d812``."""
        return f"level {self.level}, weights {checksum()}"


class Run(Protocol):
    """A function that runs searches, in this process or in others: the tools provide one that uses an executor."""

    def __call__(
        self, task: Callable[[Question], Answer], keys: Iterable[Question]
    ) -> Iterator[tuple[Question, Answer]]:
        """Yield questions with their answers as they are ready; questions are taken lazily."""


def run_here(
    task: Callable[[Question], Answer], keys: Iterable[Question]
) -> Iterator[tuple[Question, Answer]]:
    """Answer the questions one after the other in this process."""
    for key in keys:
        yield key, task(key)
