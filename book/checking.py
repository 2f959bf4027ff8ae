"""Checks of a book: the file, its rows, links, scores, and a sample of scores against a new search."""

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from outflank.book.graph import Graph, Node
from outflank.book.judging import Judge, Question, RunSearches, run_here
from outflank.book.keys import key_of, start_key
from outflank.book.store import Book

JudgeOfLevel = Callable[[int], Judge]


@dataclass(frozen=True, slots=True)
class Sample:
    """A comparison of scores with a new search.

    Attributes:
        differences: the new score minus the book's, in discs, for each position of the sample.
    """

    differences: tuple[int, ...]

    @property
    def same(self) -> int:
        """The number of equal scores."""
        return self.differences.count(0)

    @property
    def mean(self) -> float:
        """The mean absolute difference, in discs."""
        return sum(map(abs, self.differences)) / len(self.differences) if self.differences else 0.0

    @property
    def largest(self) -> int:
        """The largest absolute difference, in discs."""
        return max(map(abs, self.differences), default=0)


@dataclass(frozen=True, slots=True)
class BookCheck:
    """The results of a check.

    Attributes:
        positions: the number of positions checked.
        faults: a sentence for each fault.
        unreachable: the number of positions not reachable from the root, which are harmless.
        unfinished: the number of positions with moves to judge when the book continues to grow; harmless.
        sample: the comparison with a new search; None without one.
    """

    positions: int
    faults: tuple[str, ...] = ()
    unreachable: int = 0
    unfinished: int = 0
    sample: Sample | None = field(default=None)


def check(
    book: Book, judge: JudgeOfLevel | None = None, sample: int = 0, seed: int = 1, run: RunSearches = run_here
) -> BookCheck:
    """Check a book.

    Args:
        book: the book, of which one commit is checked if it is being written.
        judge: returns the judge of a level, for the sample; None for no sample.
        sample: the number of random positions to search again.
        seed: the seed of the sample.
        run: runs the searches.
    """
    with book.steady():
        damage = book.damage()
        if damage:
            return BookCheck(0, tuple(damage))
        graph = Graph(book.rules, book.records())
        faults = list(_wrong_leaves(book, graph))
    root = graph.nodes.get(start_key(book.rules))
    if root is not None:
        graph.measure(root)
    elif graph.nodes:  # an empty book is valid
        faults.append(f"the start of {book.rules} is not in the book")
    nodes = graph.nodes.values()
    unreachable = sum(node.error == float("inf") for node in nodes)
    faults += _wrong_values(graph)
    return BookCheck(
        len(nodes),
        tuple(faults),
        unreachable,
        sum(node.is_unfinished for node in nodes),
        None if judge is None else _searched_again(graph, judge, sample, seed, run),
    )


def _wrong_leaves(book: Book, graph: Graph) -> Iterator[str]:
    for record in book.records():
        if record.leaf is not None and graph.nodes[key_of(record.position)[0]].leaf is None:
            yield (
                f"the leaf of {record.position.board_string()}, {record.leaf.move}, leads to a position of the book"
            )


def _wrong_values(graph: Graph) -> Iterator[str]:
    stored = {key: _values(node) for key, node in graph.nodes.items()}
    graph.negamax()
    for key, node in graph.nodes.items():
        if stored[key] != _values(node):
            board = graph.position(node).board_string()
            yield f"score, bounds and lines of {board} are {_words(stored[key])}, and should be {_words(_values(node))}"


def _values(node: Node) -> tuple[int, ...]:
    return node.score, node.lower, node.upper, *node.lines


def _words(values: tuple[int, ...]) -> str:
    return " ".join(map(str, values))


def _searched_again(graph: Graph, judge: JudgeOfLevel, sample: int, seed: int, run: RunSearches) -> Sample:
    known = [
        node
        for node in graph.nodes.values()
        if node.leaf is not None and node.level is not None and not node.is_set
    ]
    drawn = random.Random(seed).sample(sorted(known, key=lambda node: node.key), min(sample, len(known)))
    differences = []
    for level in sorted({node.level for node in drawn if node.level is not None}):
        questions = [
            Question(graph.position(node), graph.open_moves(graph.position(node)))
            for node in drawn
            if node.level == level
        ]
        for question, result in run(judge(level), questions):
            leaf = graph.nodes[key_of(question.position)[0]].leaf
            assert leaf is not None
            differences.append(round(result.score) - leaf.score)
    return Sample(tuple(differences))
