"""Puts what other books know into a book."""

from collections.abc import Iterable

from outflank.book.graph import Graph
from outflank.book.keys import key_of
from outflank.book.records import Record
from outflank.book.store import Book
from outflank.book.writer import BookWriter


def merge(book: BookWriter, others: Iterable[Book]) -> int:
    """Add what other books have; of a position that several have, the one that was searched best counts.

    Where the leaf of that one is a link now, the other moves have to be judged: see ``Grower.finish``.

    Returns: how many positions are new.
    Raises: SettingsError if a book is for other rules; FileFormatError if one is damaged; OutflankError if the book
        can't be written.
    """
    graph = Graph(book.rules, book.records())
    before = len(graph.nodes)
    shared: list[Record] = []
    for other in others:
        other.expect(book.rules)
        for record in other.records():
            if key_of(record.position)[0] in graph.nodes:
                shared.append(record)
            else:
                graph.add(record)
    for record in shared:  # not before all links are known
        _weigh(graph, record)
    graph.negamax()
    book.put_all(graph.take_changed())
    book.commit()
    return len(graph.nodes) - before


def _weigh(graph: Graph, record: Record) -> None:
    """Let a second record of a position count if it was searched better, or as well and the first has no leaf now."""
    node = graph.nodes[key_of(record.position)[0]]
    ours, theirs = ((each.level or 0, each.depth, each.selectivity) for each in (node, record))
    leads_out = record.leaf is not None and record.leaf.move in graph.open_moves(record.position)
    if theirs > ours or (theirs == ours and node.is_unfinished and leads_out):
        graph.judge(node, record.leaf, record.depth, record.selectivity, record.level)
