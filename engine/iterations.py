"""What a search does next: depth and selectivity of each iteration, until its limit says that it is enough."""

import math
import time
from collections.abc import Callable, Iterator

from outflank.engine.limits import Limit, Line
from outflank.engine.selectivity import BOLDEST, FULL_WIDTH, step_of
from outflank.engine.timing import seconds_for_move

# An exact search begins after a look this much shallower, which orders its moves.
_LOOK_BEFORE_SOLVING = 8
# Selective passes over the whole endgame before the exact one, by the empty squares from which on they pay.
_PASSES_BEFORE_EXACT = ((24, step_of(87).index), (26, step_of(98).index))
# Against time or nodes the passes are the answer if they run out. A pass at the boldest selectivity takes about the
# nodes of all midgame iterations up to the one before the last, so it comes in place of the last few.
_PASSES_IN_TIME = tuple(step_of(percent).index for percent in (73, 87, 95, 99))
_PLIES_LEFT_TO_PASSES = 5
# Against a clock no iteration begins once this share of the move's time is gone: usually, when the same move has
# been best for some iterations, and when the best move has just changed or its score has fallen.
_USUAL_SHARE, _SHARE_IF_SETTLED, _SHARE_IF_IN_DOUBT = 0.6, 0.35, 1.0
_ITERATIONS_TO_SETTLE = 5
_FALL_IN_DISCS = 3
_NODES_A_SECOND = 8e6  # a guess until the search has measured its own speed
_SOLVING_IS_FASTER = 3  # so many times as many nodes a second, most of them without an evaluation


class Iterations:
    """Iterates over the depth (plies) and the selectivity (a step's index) of what is to be searched next.

    Args:
        limit: when to stop.
        empties: of the position searched.
        choices: how many moves there are to choose from.
        began: when the question was asked, by the monotonic clock.
        nodes: counts the boards reached so far.

    Attributes:
        deadline: by the monotonic clock; infinite if time is no limit.
        most_nodes: boards that may be reached.
    """

    def __init__(
        self, limit: Limit, empties: int, choices: int, began: float, nodes: Callable[[], int]
    ) -> None:
        self._limit, self._empties, self._choices, self._began = limit, empties, choices, began
        self._nodes = nodes
        self._best_lines: list[Line] = []
        seconds = math.inf if limit.seconds is None else limit.seconds
        if limit.clock is not None:
            seconds = min(seconds, seconds_for_move(limit.clock, empties))
        self.deadline = began + seconds
        self.most_nodes = 1 << 63 if limit.nodes is None else limit.nodes

    def note(self, best: Line) -> None:
        """Take down what the iteration just finished thinks best."""
        self._best_lines.append(best)

    def __iter__(self) -> Iterator[tuple[int, int]]:
        """A ply more each time, then to the end of the game if that is due."""
        wanted, empties = self._selectivity_wanted(), self._empties
        last = self._last_depth()
        for depth in range(1, last + 1):
            if depth > 1 and self._enough():
                return
            if depth > empties - _LOOK_BEFORE_SOLVING and self._solving_is_due(last):
                break
            if depth == empties or (self._is_anytime() and depth > empties - _PLIES_LEFT_TO_PASSES):
                break
            yield depth, self._selectivity_of_midgame(wanted)
        if last == empties:
            for selectivity in self._passes(wanted):
                yield empties, selectivity
                if self._enough():
                    return
            yield empties, wanted

    def _is_anytime(self) -> bool:
        """Whether time or nodes are the only limit, so that any iteration may be the last."""
        limit = self._limit
        return (
            limit.depth is None and limit.exact_from is None and min(self.deadline, self.most_nodes) < 1 << 63
        )

    def _passes(self, wanted: int) -> Iterator[int]:
        """The selectivities of the passes to the end before the one that is wanted."""
        if not self._is_anytime():
            yield from (
                step for least, step in _PASSES_BEFORE_EXACT if self._empties >= least and step < wanted
            )
            return
        for step in _PASSES_IN_TIME:
            if step < wanted and not self._solving_is_due(self._empties):
                yield step

    def _last_depth(self) -> int:
        """Plies of the deepest iteration that the limits ask for."""
        limit = self._limit
        if limit.depth is None or (limit.exact_from is not None and self._empties <= limit.exact_from):
            return self._empties
        return min(limit.depth, self._empties)

    def _selectivity_wanted(self) -> int:
        """The selectivity of the deepest iteration."""
        return (FULL_WIDTH if self._limit.selectivity is None else step_of(self._limit.selectivity)).index

    def _selectivity_of_midgame(self, wanted: int) -> int:
        """The selectivity of an iteration that does not reach the end: bold unless a full-width depth was asked for."""
        if self._limit.selectivity is None and self._limit.depth is None:
            return BOLDEST.index
        return wanted

    def _enough(self) -> bool:
        """Whether a game clock says that another iteration is not worth beginning."""
        if self._limit.clock is None:
            return False
        if self._choices == 1:
            return True
        if self._limit.clock.moves == 1:
            return False  # what this move leaves is lost
        elapsed = time.monotonic() - self._began
        return elapsed > self._share_for_thinking() * (self.deadline - self._began)

    def _share_for_thinking(self) -> float:
        """The share of the move's time after which no new iteration begins."""
        recent = self._best_lines[-_ITERATIONS_TO_SETTLE:]
        moves, scores = [line.move for line in recent], [line.score for line in recent]
        # Scores of odd and even depths differ by nature: compare like with like.
        fell = len(scores) > 2 and scores[-3] - scores[-1] >= _FALL_IN_DISCS
        if fell or len(set(moves[-2:])) == 2:
            return _SHARE_IF_IN_DOUBT
        settled = len(recent) == _ITERATIONS_TO_SETTLE and len(set(moves)) == 1
        return _SHARE_IF_SETTLED if settled else _USUAL_SHARE

    def _solving_is_due(self, last: int) -> bool:
        """Whether to search to the end of the game now."""
        if self._limit.depth is not None or self._limit.exact_from is not None:
            return last == self._empties
        return nodes_to_solve(self._empties) <= self._nodes_left_to_solve()

    def _nodes_left_to_solve(self) -> float:
        """Nodes of an exact search that the limits still allow, by the speed so far."""
        elapsed, nodes = time.monotonic() - self._began, self._nodes()
        speed = nodes / elapsed if elapsed > 0.05 else _NODES_A_SECOND
        time_left = self.deadline - self._began - elapsed
        return min(self.most_nodes - nodes, speed * _SOLVING_IS_FASTER * time_left)


def nodes_to_solve(empties: int) -> float:
    """Nodes an exact search of this many empty squares takes, on average."""
    return 0.6 * math.exp(0.75 * empties)
