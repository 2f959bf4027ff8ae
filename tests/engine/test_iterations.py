"""What a search does next: depths and selectivities in turn, until the limit says that it is enough."""

import time

import pytest

from outflank.engine import Clock, Limit, Line, Move
from outflank.engine.search.iterations import Iterations
from outflank.engine.search.limits import BOLDEST, FULL_WIDTH, SELECTIVITIES, STEPS, step_of

BOLD, FULL = BOLDEST.index, FULL_WIDTH.index


def iterations(limit: Limit, empties: int, choices: int = 4, nodes: int = 0) -> Iterations:
    return Iterations(limit, empties, choices, time.monotonic(), lambda: nodes)


@pytest.mark.parametrize(
    ("limit", "empties", "expected"),
    [
        (Limit(depth=3), 40, [(1, FULL), (2, FULL), (3, FULL)]),
        (Limit(depth=3, selectivity=87), 40, [(1, 1), (2, 1), (3, 1)]),
        (Limit(depth=2, exact_from=14), 15, [(1, FULL), (2, FULL)]),
        (Limit(depth=2, exact_from=14), 14, [*((depth, BOLD) for depth in range(1, 7)), (14, FULL)]),
        (Limit(depth=60), 4, [(4, FULL)]),
        (Limit(depth=18), 18, [*((depth, BOLD) for depth in range(1, 11)), (18, FULL)]),
        (Limit.solve(), 18, [*((depth, BOLD) for depth in range(1, 11)), (18, FULL)]),
        (Limit.solve(), 20, [*((depth, BOLD) for depth in range(1, 13)), (20, BOLD), (20, FULL)]),
        (Limit.solve(), 24, [*((depth, BOLD) for depth in range(1, 17)), (24, BOLD), (24, 2), (24, FULL)]),
        (Limit.solve(), 30, [*((depth, BOLD) for depth in range(1, 23)), (30, BOLD), (30, 2), (30, FULL)]),
        (Limit.solve(selectivity=87), 30, [*((depth, 1) for depth in range(1, 23)), (30, BOLD), (30, 1)]),
    ],
)
def test_depths_and_selectivities_follow_from_the_limit(
    limit: Limit, empties: int, expected: list[tuple[int, int]]
) -> None:
    assert list(iterations(limit, empties)) == expected


def test_few_nodes_left_put_off_the_solve() -> None:
    soon = list(iterations(Limit(nodes=10**9), 20))
    never = list(iterations(Limit(nodes=1000), 20))

    assert soon[-3:] == [(12, BOLD), (20, BOLD), (20, FULL)]
    assert never == [
        *((depth, BOLD) for depth in range(1, 16)),
        *((20, step_of(percent).index) for percent in (73, 87, 95, 99)),
        (20, FULL),
    ]


def test_a_clock_spends_nothing_on_a_choice_of_one() -> None:
    assert list(iterations(Limit(clock=Clock(60.0)), 40, choices=1)) == [(1, BOLD)]


def test_a_clock_that_has_run_down_ends_after_the_first_iteration() -> None:
    spent = Iterations(Limit(clock=Clock(1.0)), 40, 4, time.monotonic() - 10, lambda: 1000)
    depths = []
    for depth, _ in spent:
        depths.append(depth)
        spent.note(Line(Move(19), 0.0, ()))

    assert depths == [1]


def test_what_is_left_of_a_clock_goes_to_solving_if_that_is_expected_to_fit() -> None:
    began = time.monotonic() - 6.0  # more than a share of this clock, and far less than the clock
    late = Iterations(Limit(clock=Clock(20.0)), 22, 4, began, lambda: 30_000_000)
    found = []
    for step in late:
        found.append((step, late.deadline - began))
        late.note(Line(Move(19), 0.0, ()))

    assert [step for step, _ in found] == [(1, BOLD), (22, BOLD), (22, 2), (22, FULL)]
    assert found[0][1] < 8.1 < 13 < found[-1][1] < 14


def test_a_clock_too_short_for_solving_is_not_spent_on_it() -> None:
    late = Iterations(Limit(clock=Clock(20.0)), 30, 4, time.monotonic() - 3.5, lambda: 30_000_000)
    depths = []
    for depth, _ in late:
        depths.append(depth)
        late.note(Line(Move(19), 0.0, ()))

    assert depths == [1]


def test_deadline_and_nodes_are_those_of_the_limit() -> None:
    began = time.monotonic()
    timed = Iterations(Limit(seconds=2.0, nodes=77), 40, 4, began, lambda: 0)

    assert (timed.deadline, timed.most_nodes) == (began + 2.0, 77)


def test_every_step_of_selectivity_knows_its_place() -> None:
    assert [step.index for step in STEPS] == list(range(len(STEPS)))
    assert [step_of(percent) for percent in SELECTIVITIES] == list(STEPS)
    assert sorted(step.deviations for step in STEPS) == [step.deviations for step in STEPS]
