"""Merges books, and prunes positions that are unreachable, too costly or too deep."""

from collections.abc import Iterable
from heapq import nsmallest

from outflank.book.graph import Graph, Node, Reach
from outflank.book.keys import children_of, key_of, start_key
from outflank.book.records import HAND_LEVEL, Record
from outflank.book.store import Book
from outflank.book.writer import BookWriter
from outflank.engine import OutflankError


def merge(book: BookWriter, others: Iterable[Book]) -> int:
    """Add the positions of other books to a book.

    If a position is in several books, a score that was set by hand is kept. If there is no such score, the result of
    the best search is kept. If the leaf that this search found leads to another position of the merged book, the moves
    that still lead out of the book have to be searched again: see ``Grower.finish``.

    Returns: the number of new positions.
    Raises: SettingsError if a book is for other rules; FileFormatError if a book is damaged; OutflankError if `book`
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
    for record in shared:  # these come last, since the positions of all books decide which leaves lead out
        _weigh(graph, record)
    graph.negamax()
    book.put_all(graph.take_changed())
    book.commit()
    return len(graph.nodes) - before


def _weigh(graph: Graph, record: Record) -> None:
    """Use another book's record of a position if the record's search is better than that of the graph's node.

    If the searches are equal, the record is used if the node has no leaf and the record's leaf leads out of the merged
    book. A score that was set by hand is always kept.
    """
    node = graph.nodes[key_of(record.position)[0]]
    if HAND_LEVEL in (node.level, record.level):
        if not node.is_set:
            graph.set_score(node, record.score)
        return
    ours, theirs = ((each.level or 0, each.depth, each.selectivity) for each in (node, record))
    leads_out = record.leaf is not None and any(
        child.move == record.leaf.move and child.key not in graph.nodes
        for child in children_of(record.position)
    )
    if theirs > ours or (theirs == ours and node.is_unfinished and leads_out):
        graph.judge(node, record.leaf, record.depth, record.selectivity, record.level)


def prune(book: BookWriter, reach: Reach) -> int:
    """Remove all positions that are beyond `reach` or not reachable from the root, and return their number.

    A remaining position gets its best move to a removed position as a leaf with the same score, unless its own leaf is
    at least as good. So the scores of the remaining positions do not change.

    Raises: OutflankError if the book has no root, or can't be written.
    """
    graph = Graph(book.rules, book.records())
    root = graph.nodes.get(start_key(book.rules))
    if root is None:
        raise OutflankError(f"{str(book.path)!r} does not contain the starting position of {book.rules}")
    graph.measure(root)
    kept = {node.key for node in _within(graph, root, reach)}
    gone = [node for node in graph.nodes.values() if node.key not in kept]
    book.remove(graph.position(node) for node in gone)
    graph.remove(gone)
    graph.negamax()
    book.put_all(graph.take_changed())
    book.commit()
    return len(gone)


def _within(graph: Graph, root: Node, reach: Reach) -> list[Node]:
    costs = (
        (cost, ply, node.key)
        for node in graph.nodes.values()
        for ply in [root.empties - node.empties]
        if (cost := reach.cost(node.error, ply)) is not None
    )
    chosen = costs if reach.positions is None else nsmallest(reach.positions, costs)
    return [graph.nodes[key] for _, _, key in chosen]
