"""A book's positions and links in memory. Computes negamax scores, line counts and errors on paths from the root.

Every move adds a disc, so the order by the number of empty squares is a topological order: every position comes after
its children. A position takes about 2.5 kB of memory.
"""

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from heapq import heappop, heappush

from outflank.book.keys import Child, children_of, key_of, position_of
from outflank.book.records import (
    HAND_LEVEL,
    MIDGAME_MARGIN,
    MOST_LINES,
    Leaf,
    LineCounts,
    Record,
    around,
    line_to,
    margin_of,
)
from outflank.engine import Move, Percent, Position, Rules

_SQUARES = 64


@dataclass(slots=True, eq=False)
class Node:
    """A position of the book. Scores are in discs, from the point of view of the side to move.

    `lower`, `upper`, `lines`, `depth`, `selectivity` and `level` are described in ``Record``. The key describes one of
    the position's eight images (see ``key_of``).

    Attributes:
        score: the score of the best move, which ``Graph.settle`` and ``Graph.negamax`` update.
        leaf: the best move that leads out of the book, in the same image as the key; None if there is no such move, or
            if a search still has to find the best one.
        leaf_key: the key of the position after the leaf; None if there is no leaf, or if the game is over after it.
        open: the number of moves that lead out of the book. Moves to symmetric images of one position count once.
        links: the children in the book, each with a flag that is True if the same side is to move again.
        error: the discs that both sides together give away on the best path from the root, computed by
            ``Graph.measure``; infinite if there is no path.
    """

    key: bytes
    empties: int
    score: int
    lower: int
    upper: int
    depth: int
    selectivity: Percent
    level: int | None
    lines: LineCounts
    leaf: Leaf | None = None
    leaf_key: bytes | None = None
    open: int = 0
    links: list[tuple["Node", bool]] = field(default_factory=list)
    error: float = math.inf

    @property
    def is_unfinished(self) -> bool:
        """Whether there are moves that lead out of the book, but the best of these moves is not known."""
        return self.open > 0 and self.leaf is None

    @property
    def is_set(self) -> bool:
        """Whether the score was set by hand."""
        return self.level == HAND_LEVEL

    def loss(self, child: "Node", same_side: bool) -> int:
        """Return the discs that the move to a child gives away; 0 if the move is better than a score set by hand."""
        return max(0, self.score - (child.score if same_side else -child.score))

    def allow_for(self, discs: int, child: "Node") -> None:
        """Reduce the depth, the selectivity and the level so that the margin of the leaf is at least `discs`.

        All three are reduced to the child's values. If this does not suffice, the depth is reduced further.
        """
        if margin_of(self.depth, self.selectivity, self.empties) >= discs:
            return
        level = self.level
        self.depth = min(self.depth, child.depth + 1)
        self.selectivity = min(self.selectivity, child.selectivity)
        self.level = None if self.level is None or child.level is None else min(self.level, child.level)
        # The child's values may not suffice, since the child's bounds may come from a descendant with a larger margin.
        if margin_of(self.depth, self.selectivity, self.empties) < discs:
            self.depth = min(self.depth, self.empties - 1)
        self.level = level if level == HAND_LEVEL else self.level

    def negamax(self) -> bool:
        """Compute score, bounds and lines from the leaf and the links. Return whether one of them changed."""
        before = self.score, self.lower, self.upper, self.lines
        options, counts = [], []
        if self.leaf is not None:
            margin = margin_of(self.depth, self.selectivity, self.empties)
            options.append((self.leaf.score, *around(self.leaf.score, margin)))
            counts.append(line_to(self.leaf.score))
        for child, same_side in self.links:
            options.append(_seen(child.score, child.lower, child.upper, same_side))
            counts.append(child.lines if same_side else child.lines.reversed)
        if self.is_set:
            self.lower, self.upper = around(self.score, MIDGAME_MARGIN)
        elif options:  # without options, there is no score yet
            self.score, self.lower, self.upper = map(max, zip(*options, strict=True))
        if options:
            self.lines = LineCounts(*(min(MOST_LINES, sum(column)) for column in zip(*counts, strict=True)))
        return before != (self.score, self.lower, self.upper, self.lines)


class Graph:
    """The positions of a book, by key.

    Attributes:
        changed: the nodes to write to the book, since they are new or have new values.
    """

    def __init__(self, rules: Rules, records: Iterable[Record] = ()) -> None:
        self.rules = rules
        self.nodes: dict[bytes, Node] = {}
        self.changed: dict[bytes, Node] = {}
        self._layers: list[dict[bytes, Node]] = [{} for _ in range(_SQUARES + 1)]
        self._wanted: dict[bytes, list[tuple[Node, bool]]] = {}  # each child's parents, by the child's key
        for record in records:
            self._insert(record)

    def add(self, record: Record) -> Node:
        """Add a new position, and link it with its parents and children."""
        node = self._insert(record)
        self.changed[node.key] = node
        return node

    def judge(
        self, node: Node, leaf: Leaf | None, depth: int, selectivity: Percent, level: int | None
    ) -> None:
        """Set the leaf that a search found. If its move has become a link since the search began, set no leaf."""
        node.depth, node.selectivity = depth, selectivity
        node.level = node.level if node.is_set else level
        self._set_leaf(node, leaf, children_of(self.position(node)))
        self.changed[node.key] = node

    def set_score(self, node: Node, score: int | None) -> None:
        """Set a score by hand, which neither searches nor negamax change. None removes a score set by hand."""
        if score is not None:
            node.score, node.level = score, HAND_LEVEL
        elif node.is_set:
            node.level = None
        self.changed[node.key] = node
        self.settle([node, *self.parents(node)])

    def position(self, node: Node) -> Position:
        """Return the position in the image that the key describes."""
        return position_of(node.key, self.rules)

    def open_moves(self, position: Position) -> tuple[Move, ...]:
        """Return the moves that lead out of the book. Of several moves to images of the same position, return one."""
        moves = {
            child.key or child.move: child.move
            for child in children_of(position)
            if child.key not in self.nodes
        }
        return tuple(moves.values())

    def parents(self, node: Node) -> list[Node]:
        """Return the nodes of the book with a move that leads to this node."""
        return [parent for parent, _ in self._wanted.get(node.key, ())]

    def settle(self, nodes: Iterable[Node]) -> None:
        """Update the scores and the lines of these nodes and of all nodes that depend on them."""
        queue = [(node.empties, node.key) for node in nodes]
        queue.sort()
        waiting = {key for _, key in queue}
        while queue:
            _, key = heappop(queue)
            waiting.discard(key)
            node = self.nodes[key]
            if node.negamax():
                self.changed[key] = node
                for parent in self.parents(node):
                    if parent.key not in waiting:
                        waiting.add(parent.key)
                        heappush(queue, (parent.empties, parent.key))

    def negamax(self) -> None:
        """Update the scores and the lines of all nodes."""
        for layer in self._layers:
            for node in layer.values():
                if node.negamax():
                    self.changed[node.key] = node

    def measure(self, root: Node) -> None:
        """Compute the error of every node, with `root` as the beginning of all paths."""
        for node in self.nodes.values():
            node.error = math.inf
        root.error = 0
        for layer in reversed(self._layers[: root.empties + 1]):
            for node in layer.values():
                if node.error < math.inf:
                    for child, same_side in node.links:
                        child.error = min(child.error, node.error + node.loss(child, same_side))

    def remove(self, gone: Iterable[Node]) -> None:
        """Remove nodes.

        If the best move from a parent to a removed node is better than the parent's leaf, this move becomes the leaf.
        """
        names = {node.key for node in gone}
        left = {parent.key: parent for key in names for parent in self.parents(self.nodes[key])}
        for key in names:
            node = self.nodes.pop(key)
            del self._layers[node.empties][key]
            self.changed.pop(key, None)
        for key, parent in left.items():
            if key not in names:
                self._cut(parent, names)
        for wishes in self._wanted.values():
            wishes[:] = [wish for wish in wishes if wish[0].key not in names]

    def record(self, node: Node) -> Record:
        """Return the record of a node."""
        numbers = (node.score, node.lower, node.upper, node.depth, node.selectivity)
        return Record(self.position(node), *numbers, node.level, node.leaf, node.lines)

    def take_changed(self) -> Iterator[Record]:
        """Return the records of the nodes that have changed since the last call."""
        changed, self.changed = self.changed, {}
        return map(self.record, changed.values())

    def _insert(self, record: Record) -> Node:
        key, symmetry = key_of(record.position)
        numbers = (record.score, record.lower, record.upper, record.depth, record.selectivity)
        node = Node(key, record.position.empties, *numbers, record.level, record.lines)
        children = children_of(position_of(key, self.rules))
        known = {child.key: child.same_side for child in children if child.key is not None}
        node.open = len(known) + sum(child.key is None for child in children)
        for child_key, same_side in known.items():
            self._wanted.setdefault(child_key, []).append((node, same_side))
            if child_key in self.nodes:
                self._link(node, self.nodes[child_key], same_side)
        self.nodes[key] = self._layers[node.empties][key] = node
        if record.leaf is not None:
            self._set_leaf(node, Leaf(symmetry.move(record.leaf.move), record.leaf.score), children)
        for parent, same_side in self._wanted.get(key, ()):
            self._link(parent, node, same_side)
        return node

    def _link(self, parent: Node, child: Node, same_side: bool) -> None:
        parent.links.append((child, same_side))
        parent.open -= 1
        if parent.leaf is not None and parent.leaf_key == child.key:
            parent.leaf = parent.leaf_key = None
            self.changed[parent.key] = parent

    def _set_leaf(self, node: Node, leaf: Leaf | None, children: Iterable[Child]) -> None:
        """Set a node's leaf and the key of the position after it. If the move is a link, set both to None."""
        key = next((child.key for child in children if leaf and child.move == leaf.move), None)
        linked = key is not None and key in self.nodes
        node.leaf, node.leaf_key = (None, None) if leaf is None or linked else (leaf, key)

    def _cut(self, parent: Node, names: set[bytes]) -> None:
        """Remove links to removed nodes. If the best removed link scores higher than the leaf, it replaces the leaf."""
        removed = {child.key: (child, same_side) for child, same_side in parent.links if child.key in names}
        parent.links = [link for link in parent.links if link[0].key not in names]
        parent.open += len(removed)
        for child in children_of(self.position(parent)):
            if child.key in removed:
                node, same_side = removed[child.key]
                score, lower, upper = _seen(node.score, node.lower, node.upper, same_side)
                if parent.leaf is None or score > parent.leaf.score:
                    parent.leaf, parent.leaf_key = Leaf(child.move, score), child.key
                    parent.allow_for(score - lower, node)
                parent.allow_for(upper - parent.leaf.score, node)
        self.changed[parent.key] = parent


def _seen(score: int, lower: int, upper: int, same_side: bool) -> tuple[int, int, int]:
    """Return a score and its bounds from the point of view of the side that moved to the position."""
    return (score, lower, upper) if same_side else (-score, -upper, -lower)


@dataclass(frozen=True, slots=True)
class Reach:
    """The limits of a book's growth.

    The next position to add is always the position with the lowest cost. Its cost is the number of discs that both
    sides together give away on the path from the root, plus `ply_cost` for each ply.

    Attributes:
        max_error: the maximum number of discs given away; None for no limit.
        plies: the maximum number of plies from the root.
        ply_cost: the cost of a ply in discs.
        positions: the maximum number of positions in the book; None for no limit.
    """

    max_error: float | None = None
    plies: int = 24
    ply_cost: float = 0.25
    positions: int | None = None

    def cost(self, error: float, ply: int) -> float | None:
        """Return the cost of a position in discs; None if the position is out of reach.

        Args:
            error: the discs given away on the path to the position; infinite if there is no path.
            ply: the number of plies from the root to the position.
        """
        most = math.inf if self.max_error is None else self.max_error
        if ply > self.plies or error > most or error == math.inf:
            return None
        return error + ply * self.ply_cost
