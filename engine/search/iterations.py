"""Time management, and the sequence of a search's iterations."""

import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from outflank.engine.search.limits import BOLDEST, FULL_WIDTH, Clock, Limit, Line, step_of
from outflank.engine.search.parameters import DEFAULTS, Parameters

# Plans never use the reserve, so that there is time left for the last moves. The reserve is the largest of three times:
# 2 % of the clock; five overheads, but at most a tenth of the clock; two overheads, but at most a quarter of the clock.
_RESERVED_SHARE = 0.02
_RESERVED_OVERHEADS, _MOST_FOR_THEM = 5, 0.1
_LEAST_OVERHEADS, _MOST_KEPT_BACK = 2, 0.25
_EMPTIES_AT_THE_START = 60

_SOLVED_A_SECOND = 2e7  # the estimated speed of a search to the end, in nodes a second
# The average number of nodes to solve n empty squares is _NODES_OF_A_FULL_BOARD * exp(_GROWTH * n).
_NODES_OF_A_FULL_BOARD, _GROWTH = 0.6, 0.75

_ITERATIONS_TO_SETTLE = 5


@dataclass(frozen=True, slots=True)
class Plan:
    """The times for one move, in seconds from the start of the search.

    Attributes:
        share: the time that a move takes on average.
        most: the time at which a running iteration is aborted.
        to_solve: the time at which a search to the end of the game is aborted. It may be later than `most`, since moves
            after a solved position need no time.
        part_expected: the part of the time left until `to_solve` that a search to the end may be expected to take.
    """

    share: float
    most: float
    to_solve: float
    part_expected: float


def plan(clock: Clock, empties: int, parameters: Parameters = DEFAULTS) -> Plan:
    """Compute the plan for a move from the clock and the number of empty squares. Its times are never negative."""
    clock = replace(clock, remaining=max(clock.remaining, 0.0))
    if clock.moves is not None and clock.moves <= 1:
        return _all_of(clock.remaining, clock.overhead)
    if clock.moves is not None or clock.period <= 0:
        return _part_of(clock, empties, parameters)
    least = _all_of(clock.period / max(clock.period_moves, 1), clock.overhead)
    # After the main time, each move gets a part of a period. This part is planned like an increment.
    ours = _part_of(replace(clock, increment=least.share), empties, parameters)
    return max(ours, least, key=lambda found: found.share)


def part_to_begin(best: Sequence[Line], parameters: Parameters = DEFAULTS) -> float:
    """Return the part of ``Plan.share`` after which no iteration starts. `best`: the best line of each iteration."""
    recent = best[-_ITERATIONS_TO_SETTLE:]
    moves, scores = [line.move for line in recent], [line.score for line in recent]
    # Scores of odd depths differ systematically from scores of even depths, so scores two plies apart are compared.
    fell = len(scores) > 2 and scores[-3] - scores[-1] >= parameters.time_fall
    if fell or len(set(moves[-2:])) == 2:
        return parameters.time_doubt
    settled = len(recent) == _ITERATIONS_TO_SETTLE and len(set(moves)) == 1
    return parameters.time_settled if settled else parameters.time_begin


def nodes_to_solve(empties: int) -> float:
    """Return the average number of nodes that an exact search needs for a position with `empties` empty squares."""
    return _NODES_OF_A_FULL_BOARD * math.exp(_GROWTH * empties)


def _solved_within(seconds: float) -> float:
    nodes = max(seconds * _SOLVED_A_SECOND, 1.0)
    return max(math.log(nodes / _NODES_OF_A_FULL_BOARD) / _GROWTH, 0.0)


def _all_of(seconds: float, overhead: float) -> Plan:
    """Plan the time for a move that may use all of `seconds`, since unused time is lost."""
    kept = min(max(overhead, _RESERVED_SHARE * seconds), _MOST_KEPT_BACK * seconds)
    return Plan(seconds - kept, seconds - kept, seconds - kept, 1.0)


def _part_of(clock: Clock, empties: int, parameters: Parameters) -> Plan:
    """Plan the time for a move if the time on the clock also has to suffice for later moves."""
    reserved = max(
        _RESERVED_SHARE * clock.remaining,
        min(_RESERVED_OVERHEADS * clock.overhead, _MOST_FOR_THEM * clock.remaining),
        min(_LEAST_OVERHEADS * clock.overhead, _MOST_KEPT_BACK * clock.remaining),
    )
    free = clock.remaining - reserved
    most = parameters.time_most * free
    share = min(_share(clock, empties, free, parameters) + clock.increment, most)
    stretched = min(parameters.time_stretch * share, most)
    return Plan(share, stretched, parameters.time_solve * free, parameters.solve_expected)


def _share(clock: Clock, empties: int, free: float, parameters: Parameters) -> float:
    solved = _solved_within((1 - parameters.time_before) * parameters.time_solve * free)
    moves = max((empties - solved) / 2, 1.0)
    if clock.moves is not None and clock.moves <= moves:
        return free / clock.moves  # time that is left after these moves is lost
    # The weight of a move falls from 2 at the start of the game to 1 when the position can be solved, so that all moves
    # get about the same time. Equal weights would favour later moves, since each move gets a part of all the remaining
    # time, which includes the part for solving.
    weight = 1 + moves / max((_EMPTIES_AT_THE_START - solved) / 2, moves)
    # Moves after the position is solved do not need their increments, so earlier moves may use this time.
    unneeded = 0.0 if clock.moves or clock.period else clock.increment * min(solved, empties) / 2
    return (parameters.time_before * free + unneeded) / moves * weight / ((weight + 1) / 2)


# These are the selectivities of passes to the end of the game if only time or nodes limit the search. Each pass
# provides a result in case the next pass is interrupted. A pass at the boldest selectivity takes about as many nodes as
# all midgame iterations except the last, so this pass replaces the last few iterations.
_PASSES_IN_TIME = tuple(step_of(percent).index for percent in (73, 87, 95, 99))
_NODES_A_SECOND = 8e6  # an estimate that is used until the search has measured its own speed


class Iterations:
    """Yields a pair for each iteration of a search: the depth in plies, and the selectivity as an index into STEPS.

    Args:
        limit: the limit of the search.
        empties: the number of empty squares of the position.
        choices: the number of moves at the root to choose from.
        began: the start time, by ``time.perf_counter()``.
        nodes: the function that returns the number of boards reached so far.
        parameters: the parameters of the search.

    Attributes:
        deadline: the time at which the next iteration is aborted, by ``time.perf_counter()``; infinite if the time is
            not limited.
        most_nodes: the maximum number of boards to reach.
    """

    def __init__(
        self,
        limit: Limit,
        empties: int,
        choices: int,
        began: float,
        nodes: Callable[[], int],
        parameters: Parameters = DEFAULTS,
    ) -> None:
        self._limit, self._empties, self._choices, self._began = limit, empties, choices, began
        self._nodes, self._parameters = nodes, parameters
        self._best_lines: list[Line] = []
        self._plan = None if limit.clock is None else plan(limit.clock, empties, parameters)
        self.deadline = self._after(math.inf if self._plan is None else self._plan.most)
        self.most_nodes = 1 << 63 if limit.nodes is None else limit.nodes

    def note(self, best: Line) -> None:
        """Record the best line of the iteration that has just finished."""
        self._best_lines.append(best)

    def __iter__(self) -> Iterator[tuple[int, int]]:
        """Yield the depth and selectivity of each midgame iteration, then of each pass to the end if solving is due."""
        wanted, empties = self._selectivity_wanted(), self._empties
        last = self._last_depth()
        for depth in range(1, last + 1):
            if depth > 1 and self._enough():
                if self._solves_instead():
                    break
                return
            if depth > empties - self._parameters.solve_look and self._solving_is_due(last):
                break
            if depth == empties or (self._is_anytime() and depth > empties - self._parameters.end_plies):
                break
            yield depth, self._selectivity_of_midgame(wanted, last)
        if last == empties:
            for selectivity in self._passes(wanted):
                yield empties, selectivity
                if self._enough() and not self._solves_instead():
                    return
            yield empties, wanted

    def _is_anytime(self) -> bool:
        """Return whether time or nodes are the only limits, in which case any iteration may be the last one."""
        limit = self._limit
        return (
            limit.depth is None and limit.exact_from is None and min(self.deadline, self.most_nodes) < 1 << 63
        )

    def _passes(self, wanted: int) -> Iterator[int]:
        """Yield the selectivities of the passes to the end that come before the pass with the selectivity `wanted`."""
        wished = ((self._parameters.solve_pass, 73), (self._parameters.solve_pass_again, 95))
        before_exact = [step_of(percent).index for least, percent in wished if self._empties >= least]
        for step in _PASSES_IN_TIME if self._is_anytime() else before_exact:
            if step < wanted and (step in before_exact or not self._solving_is_due(self._empties)):
                yield step

    def _last_depth(self) -> int:
        limit = self._limit
        if limit.depth is None or (limit.exact_from is not None and self._empties <= limit.exact_from):
            return self._empties
        return min(limit.depth, self._empties)

    def _selectivity_wanted(self) -> int:
        return (FULL_WIDTH if self._limit.selectivity is None else step_of(self._limit.selectivity)).index

    def _selectivity_of_midgame(self, wanted: int, last: int) -> int:
        """Return the selectivity of midgame iterations: the boldest selectivity, or `wanted`.

        The boldest selectivity is used if only time or nodes limit the search and the limit has no selectivity, or if
        these iterations only order the moves for an exact search.
        """
        if self._solves_by_time():
            return BOLDEST.index if self._limit.selectivity is None else wanted
        return BOLDEST.index if last == self._empties and wanted == FULL_WIDTH.index else wanted

    def _enough(self) -> bool:
        """Return whether no further iteration should start, to save time on the game clock."""
        if self._limit.clock is None:
            return False
        if self._choices == 1:
            return True
        if self._limit.clock.moves == 1:
            return False  # time that this move does not use is lost
        assert self._plan is not None
        return (
            time.perf_counter() - self._began
            > part_to_begin(self._best_lines, self._parameters) * self._plan.share
        )

    def _solves_instead(self) -> bool:
        return self._choices > 1 and self._solves_by_time() and self._solving_fits()

    def _solving_is_due(self, last: int) -> bool:
        return self._solving_fits() if self._solves_by_time() else last == self._empties

    def _solves_by_time(self) -> bool:
        return self._limit.depth is None and self._limit.exact_from is None

    def _solving_fits(self) -> bool:
        """Return whether the remaining time and nodes suffice for a search to the end; if so, set `deadline` for it."""
        fits = nodes_to_solve(self._empties) <= self._nodes_left_to_solve()
        if fits:
            self.deadline = self._end_of_solving()
        return fits

    def _end_of_solving(self) -> float:
        return self.deadline if self._plan is None else self._after(self._plan.to_solve)

    def _after(self, seconds: float) -> float:
        return self._began + min(seconds, math.inf if self._limit.seconds is None else self._limit.seconds)

    def _nodes_left_to_solve(self) -> float:
        elapsed, nodes = time.perf_counter() - self._began, self._nodes()
        speed = nodes / elapsed if elapsed > 0.05 else _NODES_A_SECOND
        time_left = self._end_of_solving() - self._began - elapsed
        if self._plan is not None:
            time_left *= self._plan.part_expected
        return min(self.most_nodes - nodes, speed * self._parameters.solve_speed * time_left)
