"""Checks the file, the rows, the links and the scores of a book, and compares sampled scores with new searches."""

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from outflank.book.graph import Graph, Node
from outflank.book.growing import Judge, RunSearches, run_here
from outflank.book.keys import key_of, start_key
from outflank.book.store import Book

JudgeOfLevel = Callable[[int], Judge]


@dataclass(frozen=True, slots=True)
class BookCheck:
    """The results of a check.

    Attributes:
        positions: the number of positions in the book.
        faults: a sentence for each fault of the book.
        unreachable: the number of positions that are not reachable from the root; this is no fault.
        unfinished: the number of positions whose moves out of the book still have to be searched; this is no fault.
        sample: the number of positions searched again, the number of these whose score did not change, and the mean and
            the largest absolute difference of scores in discs; None if no sample was searched.
    """

    positions: int
    faults: tuple[str, ...] = ()
    unreachable: int = 0
    unfinished: int = 0
    sample: dict[str, Any] | None = None


def check(
    book: Book, judge: JudgeOfLevel | None = None, sample: int = 0, seed: int = 1, run: RunSearches = run_here
) -> BookCheck:
    """Check a book.

    Args:
        book: the book.
        judge: the function that returns a judge for a level; None for no sample.
        sample: the number of positions to search again.
        seed: the seed for the random choice of the sample.
        run: the function that runs the searches.
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
        faults.append(f"the starting position of {book.rules} is not in the book")
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
            yield f"score, bounds and lines of {board} are {_words(stored[key])}, but should be {_words(_values(node))}"


def _values(node: Node) -> tuple[int, ...]:
    return node.score, node.lower, node.upper, *node.lines


def _words(values: tuple[int, ...]) -> str:
    return " ".join(map(str, values))


def _searched_again(
    graph: Graph, judge: JudgeOfLevel, sample: int, seed: int, run: RunSearches
) -> dict[str, Any]:
    known = [
        node
        for node in graph.nodes.values()
        if node.leaf is not None and node.level is not None and not node.is_set
    ]
    drawn = random.Random(seed).sample(sorted(known, key=lambda node: node.key), min(sample, len(known)))
    differences = []
    for level in sorted({node.level for node in drawn if node.level is not None}):
        positions = [graph.position(node) for node in drawn if node.level == level]
        questions = [(position, graph.open_moves(position)) for position in positions]
        for (position, _), result in run(judge(level), questions):
            leaf = graph.nodes[key_of(position)[0]].leaf
            assert leaf is not None
            differences.append(abs(round(result.score) - leaf.score))
    count = len(differences)
    return {
        "searched": count,
        "same": differences.count(0),
        "mean_difference": sum(differences) / count if count else 0.0,
        "largest_difference": max(differences, default=0),
    }
