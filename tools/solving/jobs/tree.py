"""Proof-number search for the answer to "does the side to move reach N discs?".

The tree above the frontier is a graph in memory: symmetric images of a board and transpositions share a node. Workers
answer the questions of the frontier's nodes.
"""

import heapq
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from outflank.book.keys import after_passes, key_of
from outflank.engine import Move, Position

Bounds = tuple[int, int]
"""Lower and upper bound of a score, in discs for the side to move."""

# The coefficients of the natural logarithm of the nodes of a null window search: the value at 20 empty squares, the
# increase per further empty square, and the decrease per disc between the estimated and the wanted score. They were
# fitted to 1,524 searches of positions with 18 to 23 empty squares, to which random moves had led.
_LOG_NODES, _PER_EMPTY, _PER_DISC = 13.4, 0.69, 0.084
# The scale, in discs, of the logistic curve that gives the probability of Yes. It was fitted to the same searches.
_DOUBT = 1.7
_LEAST_CHANCE = 0.01
# The proof and disproof numbers of a running node that is likely to be proven, swapped if it is likely to be disproven.
# They approximate 0 and infinity, the numbers of a proven node.
_NEARLY_NOTHING, _NEARLY_ENDLESS = 1e-6, 1e15


def expected_nodes(empties: int, lead: float) -> float:
    """Return the expected nodes of a null window search. `lead` is the estimated score minus the wanted score."""
    return math.exp(_LOG_NODES + _PER_EMPTY * (empties - 20) - _PER_DISC * abs(lead))


@dataclass(slots=True, eq=False)
class ProofNode:
    """The question whether the side to move of a board reaches a number of discs.

    Attributes:
        position: the board in the orientation in which the tree first reached it. Workers search this orientation,
            because transposition tables do not recognise symmetric images.
        wanted: the number of discs in the question.
        lead: the estimated score in discs, minus (`wanted` - 0.5).
        proof: the expected nodes to prove Yes; 0 if Yes is proven, infinite if No is proven.
        disproof: the expected nodes to prove No; 0 if No is proven, infinite if Yes is proven.
        links: the child nodes, each with True if the mover moves again because the other side passes; None before the
            expansion.
        parents: the nodes whose links contain this node.
        ended: the best score of the moves that end the game; -65 if no move ends the game.
    """

    key: bytes
    position: Position
    wanted: int
    lead: float
    proof: float
    disproof: float
    links: list[tuple["ProofNode", bool]] | None = None
    parents: list["ProofNode"] = field(default_factory=list)
    running: bool = False
    ended: int = -65

    @property
    def empties(self) -> int:
        """The number of empty squares."""
        return self.position.empties

    @property
    def answer(self) -> bool | None:
        """Whether the side to move reaches `wanted` discs; None if unknown."""
        return True if self.proof == 0 else False if self.disproof == 0 else None

    def settle(self, answer: bool) -> None:
        """Set a proven answer."""
        self.proof, self.disproof = (0.0, math.inf) if answer else (math.inf, 0.0)
        self.running = False

    def renew(self) -> bool:
        """Compute the proof and disproof numbers from the linked nodes. Return whether the numbers changed."""
        before = self.proof, self.disproof
        assert self.links is not None, "only a node with links depends on others"
        self.proof = min((_for_the_mover(*link) for link in self.links), default=math.inf)
        self.disproof = sum(_for_the_mover(child, not again) for child, again in self.links)
        if self.proof == 0:
            self.disproof = math.inf
        return before != (self.proof, self.disproof)


def _for_the_mover(child: ProofNode, again: bool) -> float:
    """Return the proof number of the move to `child` from the mover's point of view."""
    return child.proof if again else child.disproof


class Tree:
    """The search for the answer to one question.

    Args:
        position: the root, under rules by which a move flips discs in every direction.
        wanted: the number of discs in the question.
        frontier: the maximum number of empty squares of a frontier node whose `lead` is 0. A frontier node with
            another `lead` may have more empty squares if its search is not expected to take more nodes.
        estimate: a function that returns the expected score of a position, in discs for the side to move.
        bounds: the known bounds of boards, by their keys.
    """

    def __init__(
        self,
        position: Position,
        wanted: int,
        frontier: int,
        estimate: Callable[[Position], float],
        bounds: Mapping[bytes, Bounds],
    ) -> None:
        self.wanted = wanted
        self._most = expected_nodes(frontier, 0.0)
        self._estimate, self._bounds = estimate, bounds
        self._nodes: dict[tuple[bytes, int], ProofNode] = {}
        moving, passed = after_passes(position)
        self._is_negated = passed
        self.root = self._node(moving, 1 - wanted if passed else wanted)
        self._expand(self.root)  # even with known bounds of the root, since the result includes a move

    @property
    def answer(self) -> bool | None:
        """Whether the side to move at the root reaches `wanted` discs; None if unknown."""
        found = self.root.answer
        return found if found is None or not self._is_negated else not found

    @property
    def numbers(self) -> tuple[float, float]:
        """The proof and disproof number of the root: the expected nodes to prove Yes, and to prove No."""
        root = self.root
        return (root.disproof, root.proof) if self._is_negated else (root.proof, root.disproof)

    @property
    def open(self) -> int:
        """The number of frontier nodes without an answer."""
        return sum(
            node.links is None and node.answer is None and self._is_frontier(node)
            for node in self._nodes.values()
        )

    def next(self) -> ProofNode | None:
        """Mark the most useful frontier node as running, and return it.

        Returns None if the root has an answer, or if the most useful node is running already.
        """
        while self.root.answer is None:
            node = self.root
            while node.links is not None:
                node = min(node.links, key=lambda link: _for_the_mover(*link))[0]
            if node.running:
                return None
            if self._is_frontier(node):
                self._assume(node)
                return node
            self._expand(node)
        return None

    def learn(self, key: bytes) -> None:
        """Update a board's nodes after a worker's search has changed the bounds of the board."""
        for wanted in {self.wanted, 1 - self.wanted}:
            node = self._nodes.get((key, wanted))
            if node is not None and node.links is None:
                node.running = False
                self._reset(node)
                self._spread(node)

    def answered(self) -> set[bytes]:
        """Return the keys of the boards of all unexpanded nodes whose answer follows from known bounds."""
        return {node.key for node in self._nodes.values() if node.links is None and node.answer is not None}

    def needed(self) -> set[bytes]:
        """Return the keys of frontier boards that suffice for the answer. A greedy choice keeps their number small."""
        sizes: dict[int, int] = {}

        def size(node: ProofNode) -> int:
            if id(node) not in sizes:
                links = self._reasons(node)
                counts = [size(child) for child, _ in links]
                sizes[id(node)] = (
                    1 if node.links is None else min(counts, default=0) if node.answer else sum(counts)
                )
            return sizes[id(node)]

        size(self.root)
        found: set[bytes] = set()
        seen, waiting = {id(self.root)}, [self.root]
        while waiting:
            node = waiting.pop()
            if node.links is None:
                found.add(node.key)
            reasons = [child for child, _ in self._reasons(node)]
            if node.answer:
                reasons = sorted(reasons, key=lambda child: sizes[id(child)])[:1]
            for child in reasons:
                if id(child) not in seen:
                    seen.add(id(child))
                    waiting.append(child)
        return found

    def known(self) -> tuple[Bounds, bytes | None]:
        """Return the bounds of the root, and the key of the board after the best move.

        The bounds are often tighter than the question requires. The key is None if no lower bound is known, or if a
        move that ends the game reaches the same score.
        """
        found: dict[int, Bounds] = {}

        def of(node: ProofNode) -> Bounds:
            if id(node) not in found:
                found[id(node)] = self._join(
                    node, [seen(of(child), again) for child, again in node.links or []]
                )
            return found[id(node)]

        lower, upper = of(self.root)
        links = self.root.links or []
        best = next((child.key for child, again in links if seen(found[id(child)], again)[0] == lower), None)
        key = None if self.root.ended == lower or lower == -64 else best
        return ((-upper, -lower) if self._is_negated else (lower, upper)), key

    def _join(self, node: ProofNode, after: list[Bounds]) -> Bounds:
        lower, upper = self._bounds.get(node.key, (-64, 64))
        if node.links is not None:
            lower = max([lower, node.ended, *(least for least, _ in after)])
            if node.links or node.answer is False:  # _expand has added every move
                upper = min(upper, max([node.ended, *(most for _, most in after)]))
        return lower, upper

    @staticmethod
    def _reasons(node: ProofNode) -> list[tuple[ProofNode, bool]]:
        links = node.links or []
        return [link for link in links if _for_the_mover(*link) == 0] if node.answer else links

    def _node(self, position: Position, wanted: int) -> ProofNode:
        key = key_of(position)[0]
        node = self._nodes.get((key, wanted))
        if node is None:
            lead = self._estimate(position) - wanted + 0.5
            node = self._nodes[key, wanted] = ProofNode(key, position, wanted, lead, 0.0, 0.0)
            self._reset(node)
        return node

    def _reset(self, node: ProofNode) -> None:
        lower, upper = self._bounds.get(node.key, (-64, 64))
        if lower >= node.wanted:
            node.settle(True)
        elif upper < node.wanted:
            node.settle(False)
        else:
            nodes, chance = expected_nodes(node.empties, node.lead), _chance(node.lead)
            node.proof, node.disproof = nodes / chance, nodes / (1 - chance)

    def _is_frontier(self, node: ProofNode) -> bool:
        return expected_nodes(node.empties, node.lead) <= self._most

    def _assume(self, node: ProofNode) -> None:
        """Mark a node as running, and treat its likely answer as nearly proven, so that `next` selects another node."""
        node.running = True
        likely = node.lead > 0
        node.proof, node.disproof = (
            (_NEARLY_NOTHING, _NEARLY_ENDLESS) if likely else (_NEARLY_ENDLESS, _NEARLY_NOTHING)
        )
        self._spread(node)

    def _expand(self, node: ProofNode) -> None:
        position = node.position
        links: dict[int, tuple[ProofNode, bool]] = {}
        for move in position.legal_moves():
            after, again = after_passes(position.play(move))
            if after.is_over:
                node.ended = max(node.ended, after.score(position.side))
                if node.ended >= node.wanted:
                    node.links = []
                    node.settle(True)
                    self._spread(node)
                    return
                continue
            child = self._node(after, node.wanted if again else 1 - node.wanted)
            links[id(child)] = child, again
        node.links = list(links.values())
        for child, _ in node.links:
            child.parents.append(node)
        node.renew()
        self._spread(node)

    def _spread(self, node: ProofNode) -> None:
        """Update the proof and disproof numbers of all nodes that depend on a node, fewest empty squares first."""
        waiting = [(parent.empties, id(parent), parent) for parent in node.parents]
        heapq.heapify(waiting)
        queued = {number for _, number, _ in waiting}
        while waiting:
            _, number, parent = heapq.heappop(waiting)
            queued.discard(number)
            if parent.renew():
                for above in parent.parents:
                    if id(above) not in queued:
                        queued.add(id(above))
                        heapq.heappush(waiting, (above.empties, id(above), above))


def seen(bounds: Bounds, again: bool) -> Bounds:
    """Return the bounds after a move from the mover's point of view. `again`: True if the mover is to move again."""
    return bounds if again else (-bounds[1], -bounds[0])


def bounds_among(known: Mapping[bytes, Bounds], position: Position) -> Bounds:
    """Return the bounds of a position's score, in discs for the side to move. `known`: bounds by board key."""
    moving, passed = after_passes(position)
    if moving.is_over:
        return (int(position.score(position.side)),) * 2
    return seen(known.get(key_of(moving)[0], (-64, 64)), not passed)


def move_reaching(known: Mapping[bytes, Bounds], position: Position, wanted: int) -> Move | None:
    """Return a move that reaches `wanted` discs according to known bounds; None if no such move is known."""
    for move in position.legal_moves():
        _, upper = bounds_among(known, position.play(move))
        if -upper >= wanted:
            return move
    return None


def _chance(lead: float) -> float:
    """Return the probability of the answer Yes for the `lead` of a node, limited to 1 % to 99 %."""
    chance = 1 / (1 + math.exp(max(-50.0, min(50.0, -lead / _DOUBT))))
    return min(max(chance, _LEAST_CHANCE), 1 - _LEAST_CHANCE)
