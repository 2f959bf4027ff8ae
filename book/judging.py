"""The unit of work of a growing book: a search that finds the best of those moves that lead out of the book."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Protocol

from outflank.engine import Move, Percent, Position, Searcher, limit_for_level
from outflank.engine.evaluation.weights import checksum


@dataclass(frozen=True, slots=True)
class Question:
    """A question to a search.

    Attributes:
        position: the canonical image of a position of the book, or of one that shall come into it.
        moves: the moves to choose from; at least one.
    """

    position: Position
    moves: tuple[Move, ...]


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer.

    Attributes:
        move: the best of the moves.
        score: in discs from the side to move.
        depth: plies of the search; the number of empty squares if it went to the end.
        selectivity: of the search, in percent.
    """

    move: Move
    score: int
    depth: int
    selectivity: Percent


@dataclass(frozen=True, slots=True)
class Judge:
    """Answers questions by a search; can be sent to another process.

    Attributes:
        searcher: gives the searcher of the process, with the shipped weights, its table cleared, so that an answer does
            not depend on the questions before it. One that can be sent along, such as a function of a module.
        level: of the search.
    """

    searcher: Callable[[], Searcher]
    level: int

    def __call__(self, question: Question) -> Answer:
        """The best move and its score."""
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
    """How questions are answered, in this process or in many: the tools make one of an executor."""

    def __call__(
        self, task: Callable[[Question], Answer], keys: Iterable[Question]
    ) -> Iterator[tuple[Question, Answer]]:
        """Each question with its answer, in the order in which they are ready; questions are taken as there is room."""


def run_here(
    task: Callable[[Question], Answer], keys: Iterable[Question]
) -> Iterator[tuple[Question, Answer]]:
    """One question after another in this process."""
    for key in keys:
        yield key, task(key)
