"""Makes a book smaller: what can't be reached, what costs too much, what is too deep."""

from heapq import nsmallest

from outflank.book.graph import Graph, Node
from outflank.book.keys import start_key
from outflank.book.reach import Reach
from outflank.book.writer import BookWriter
from outflank.engine import OutflankError


def prune(book: BookWriter, reach: Reach) -> int:
    """Remove all positions beyond a reach, and those to which no line from the root leads; return how many.

    What was known of a removed position stays as the leaf of those before it, so that scores remain what they were.

    Raises: OutflankError if the book has no root, or can't be written.
    """
    graph = Graph(book.rules, book.records())
    root = graph.nodes.get(start_key(book.rules))
    if root is None:
        raise OutflankError(f"{str(book.path)!r} does not have the start of {book.rules}")
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
    """The nodes within reach; where their number is limited, those that cost least."""
    costs = (
        (cost, ply, node.key)
        for node in graph.nodes.values()
        for ply in [root.empties - node.empties]
        if (cost := reach.cost(node.error, ply)) is not None
    )
    chosen = costs if reach.positions is None else nsmallest(reach.positions, costs)
    return [graph.nodes[key] for _, _, key in chosen]
