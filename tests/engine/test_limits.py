"""Limits and results as plain values; what a search does next; and from a clock to the seconds for a move."""

import dataclasses
import json
import math
import time
import xml.etree.ElementTree as ElementTree
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest

from outflank.engine import PASS, Clock, Limit, Move, SearchInfo, SearchResult, SettingsError, limit_for_level
from outflank.engine.search.iterations import Iterations, nodes_to_solve, part_to_begin, plan
from outflank.engine.search.limits import BOLDEST, FULL_WIDTH, SELECTIVITIES, STEPS, Line, step_of

FITTED = ", ".join(map(str, SELECTIVITIES))
BOLD, FULL = BOLDEST.index, FULL_WIDTH.index
CLOCKS = [
    Clock(remaining, moves, increment, period, period_moves, overhead)
    for remaining, moves, increment, (period, period_moves), overhead in product(
        (-5.0, 0.0, 0.001, 0.05, 1.0, 60.0, 3600.0),
        (None, 1, 2, 25),
        (0.0, 0.1),
        ((0.0, 0), (5.0, 1), (30.0, 25)),
        (0.0, 0.05, 2.0),
    )
]


@pytest.mark.parametrize(
    "setting", [{"depth": 60}, {"nodes": 1}, {"seconds": 0}, {"seconds": 0.001}, {"exact_from": 0}]
)
def test_a_sensible_limit_is_taken_as_it_is(setting: dict[str, Any]) -> None:
    assert setting.items() <= dataclasses.asdict(Limit(**setting)).items()
    for percent in (None, *SELECTIVITIES):
        assert Limit(depth=1, selectivity=percent).selectivity == percent


@pytest.mark.parametrize(
    ("kind", "settings", "sentence"),
    [
        (Limit, {"depth": 0}, "expected depth of at least 1, got 0"),
        (Limit, {"nodes": 0}, "expected nodes of at least 1, got 0"),
        (Limit, {"seconds": -0.5}, "expected seconds of at least 0, got -0.5"),
        (Limit, {"seconds": math.nan}, "expected seconds of at least 0, got nan"),
        (Limit, {"seconds": "5"}, "expected seconds of at least 0, got '5'"),
        (Limit, {"seconds": 10**400}, "seconds must be at most 1e+12 seconds"),
        (Limit, {"exact_from": -1}, "expected exact_from of at least 0, got -1"),
        (Limit, {"clock": 60.0}, "expected a Clock, such as Clock(remaining=60.0), got 60.0"),
        (Limit, {"selectivity": 72}, f"expected one of the selectivities {FITTED}, got 72"),
        (Limit, {"at_least": -64}, "expected at_least of at least -63, got -64"),
        (Limit, {"at_least": 65}, "expected at_least of at most 64, got 65"),
        (Limit, {"at_least": 1.5}, "expected a whole number for at_least, got 1.5"),
        (Limit, {"at_least": 4, "wld": True}, "wld and at_least are mutually exclusive: use one of them"),
        (Clock, {"remaining": math.nan}, "expected remaining of at least -1e+12, got nan"),
        (Clock, {"remaining": math.inf}, "remaining must be at most 1e+12 seconds"),
        (Clock, {"remaining": 5.0, "overhead": math.nan}, "expected overhead of at least 0, got nan"),
        (Clock, {"remaining": 5.0, "increment": -1.0}, "expected increment of at least 0, got -1.0"),
        (Clock, {"remaining": 5.0, "moves": 0}, "expected moves of at least 1, got 0"),
        (Clock, {"remaining": 5.0, "moves": 2.5}, "expected a whole number for moves, got 2.5"),
        (Clock, {"remaining": 5.0, "period_moves": -1}, "expected period_moves of at least 0, got -1"),
    ],
)
def test_a_senseless_limit_or_clock_is_refused_in_one_sentence(
    kind: type[Limit | Clock], settings: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(SettingsError) as caught:
        kind(**settings)

    assert str(caught.value) == sentence


@pytest.mark.parametrize("number", [np.int64, np.uint8])
def test_a_whole_number_of_any_type_is_kept_as_an_int(number: Any) -> None:
    limit = Limit(depth=number(1), nodes=number(2), exact_from=number(3))
    clock = Clock(60.0, moves=number(4), period_moves=number(5))

    kept = (limit.depth, limit.nodes, limit.exact_from, clock.moves, clock.period_moves)
    assert [(type(each), each) for each in kept] == [(int, each) for each in range(1, 6)]


@pytest.mark.parametrize("number", [np.int64, np.float32, Fraction])
def test_seconds_may_be_any_real_number(number: Any) -> None:
    one = number(1)

    assert Limit(seconds=one).seconds == 1
    assert Clock(one, increment=one, period=one, period_moves=1, overhead=one) == Clock(1, None, 1, 1, 1, 1)


@pytest.mark.parametrize(("level", "empties"), [(2.5, 3), ("3", 3), (-1, 3), (61, 3), (60, -3), (60, 65)])
def test_a_level_that_there_is_not_is_refused(level: Any, empties: int) -> None:
    with pytest.raises(SettingsError, match=r"expected .*(level|empties)"):
        limit_for_level(level, empties)


def test_a_high_level_solves_selectively_before_it_solves_exactly() -> None:
    limits = [limit_for_level(12, empties) for empties in range(40, 0, -1)]

    to_the_end = [limit.depth == empties for limit, empties in zip(limits, range(40, 0, -1), strict=True)]
    certain = [limit.selectivity or 100 for limit, ends in zip(limits, to_the_end, strict=True) if ends]
    assert to_the_end == sorted(to_the_end)
    assert certain == sorted(certain)
    assert certain[0] < certain[-1] == 100


def test_a_result_is_an_info_whose_first_line_holds_the_move_its_score_and_its_variation() -> None:
    lines = (Line(PASS, 2.0, (PASS, Move(3))), Line(Move(5), -1.0, (Move(5),)))
    result = SearchResult(depth=1, selectivity=100, exact=True, nodes=0, seconds=0.0, lines=lines)

    assert isinstance(result, SearchInfo)
    assert (result.move, result.score, result.pv) == (PASS, 2.0, (PASS, Move(3)))
    assert not result.stopped


def test_a_result_is_short_in_a_session_and_a_table_of_plain_values_for_a_notebook() -> None:
    lines = (Line(Move(37), 2.0, (Move(37), Move(43)), "lower", "win"), Line(PASS, -1.25, (PASS,)))
    result = SearchResult(depth=9, selectivity=73, exact=False, nodes=4711, seconds=0.5, lines=lines)
    rows = result.rows()

    assert repr(result) == "<SearchResult f5 at least +2, 9 plies at 73 %, 4,711 nodes in 0.50 s>"
    assert repr(lines) == "(<Line f5 at least +2: f5 d6>, <Line pass -1.25: pass>)"
    assert json.loads(json.dumps(rows)) == rows
    assert rows[0] == {
        "move": "f5",
        "score": 2.0,
        "bound": "lower",
        "result": "win",
        "pv": "f5 d6",
        "depth": 9,
        "selectivity": 73,
        "exact": False,
        "nodes": 4711,
        "seconds": 0.5,
    }
    table = ElementTree.fromstring(result._repr_html_())
    assert [[cell.text for cell in row] for row in table.findall("tr")] == [
        ["move", "score", "bound", "result", "pv"],
        ["f5", "2", "lower", "win", "f5 d6"],
        ["pass", "-1.25", "exact", None, "pass"],
    ]


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
        (Limit(nodes=10**9), 20, [*((depth, BOLD) for depth in range(1, 13)), (20, BOLD), (20, FULL)]),
        # Few nodes put off the solve.
        (
            Limit(nodes=1000),
            20,
            [*((depth, BOLD) for depth in range(1, 16)), *((20, step) for step in (0, 1, 2, 4, FULL))],
        ),
    ],
)
def test_depths_and_selectivities_follow_from_the_limit(
    limit: Limit, empties: int, expected: list[tuple[int, int]]
) -> None:
    assert list(Iterations(limit, empties, 4, time.perf_counter(), lambda: 0)) == expected


def test_a_clock_spends_nothing_on_a_choice_of_one() -> None:
    assert list(Iterations(Limit(clock=Clock(60.0)), 40, 1, time.perf_counter(), lambda: 0)) == [(1, BOLD)]


@pytest.mark.parametrize(
    ("clock", "empties", "spent", "nodes"),
    [(Clock(1.0), 40, 10, 1000), (Clock(20.0), 30, 6.0, 30_000_000)],
    ids=["it has run down", "it is too short for solving"],
)
def test_a_clock_ends_after_the_first_iteration(clock: Clock, empties: int, spent: float, nodes: int) -> None:
    late = Iterations(Limit(clock=clock), empties, 4, time.perf_counter() - spent, lambda: nodes)
    depths = []
    for depth, _ in late:
        depths.append(depth)
        late.note(Line(Move(19), 0.0, ()))

    assert depths == [1]


def test_what_is_left_of_a_clock_goes_to_solving_if_that_is_expected_to_fit() -> None:
    began = time.perf_counter() - 6.0  # more than a share of this clock, and far less than the clock
    late = Iterations(Limit(clock=Clock(20.0)), 22, 4, began, lambda: 30_000_000)
    found = []
    for step in late:
        found.append((step, late.deadline - began))
        late.note(Line(Move(19), 0.0, ()))

    assert [step for step, _ in found] == [(1, BOLD), (22, BOLD), (22, 2), (22, FULL)]
    assert found[0][1] < 8.1 < 13 < found[-1][1] < 14


def test_deadline_and_nodes_are_those_of_the_limit() -> None:
    began = time.perf_counter()
    timed = Iterations(Limit(seconds=2.0, nodes=77), 40, 4, began, lambda: 0)

    assert (timed.deadline, timed.most_nodes) == (began + 2.0, 77)


def test_every_step_of_selectivity_knows_its_place() -> None:
    assert [step.index for step in STEPS] == list(range(len(STEPS)))
    assert [step_of(percent) for percent in SELECTIVITIES] == list(STEPS)
    assert sorted(step.deviations for step in STEPS) == [step.deviations for step in STEPS]


def lines(*moves_and_scores: tuple[int, float]) -> list[Line]:
    """Return the best line of each iteration."""
    return [Line(Move(square), score, (Move(square),)) for square, score in moves_and_scores]


@pytest.mark.parametrize("empties", [1, 2, 9, 20, 21, 26, 40, 60])
def test_no_plan_goes_beyond_the_clock(empties: int) -> None:
    for clock in CLOCKS:
        found = plan(clock, empties)
        left = max(clock.remaining, 0.0)  # of a flag that has fallen
        there = left if clock.moves is not None else left + clock.period

        assert 0 <= found.share <= found.most <= found.to_solve <= there + clock.increment, (clock, found)
        if clock.moves is None and not clock.period:
            assert found.to_solve <= 0.7 * left, (clock, found)


@pytest.mark.parametrize(
    ("limit", "kept"), [(0.1, 0.025), (0.2, 0.05), (1, 0.05), (2, 0.05), (2.5, 0.05), (15, 0.3), (600, 12)]
)
def test_of_a_time_for_one_move_50_ms_or_2_percent_are_kept_back(limit: float, kept: float) -> None:
    found = plan(Clock(limit, moves=1), 40)

    assert found.share == found.most == found.to_solve == pytest.approx(limit - kept)
    assert plan(Clock(0, None, 0, limit, 1), 40) == found


def test_the_overhead_can_be_told() -> None:
    assert plan(Clock(2, moves=1, overhead=0.3), 40).most == pytest.approx(1.7)
    assert plan(Clock(2, moves=1, overhead=0), 40).most == pytest.approx(1.96)


def test_a_period_that_ends_before_the_solution_is_used_up() -> None:
    assert plan(Clock(10, moves=10), 60).share == pytest.approx(0.975, abs=0.01)


def test_a_part_of_the_period_that_follows_comes_on_top_of_the_main_time() -> None:
    main, byoyomi = (plan(Clock(60, None, 0, period, 5), 50).share for period in (0, 10))

    assert byoyomi == pytest.approx(main + 2, abs=0.1)
    assert plan(Clock(0.1, None, 0, 10, 5), 50).share == pytest.approx(2, abs=0.1)


def test_a_clock_is_divided_by_the_moves_until_the_solution() -> None:
    whole = [plan(Clock(60), empties) for empties in range(60, 27, -2)]
    shares = [found.share for found in whole]

    assert shares == sorted(shares)
    assert shares[-1] > 2 * shares[0] > 2
    assert min(plan(Clock(60), empties).to_solve for empties in (20, 24, 28)) > 30
    assert 2 < nodes_to_solve(21) / nodes_to_solve(20) < 2.5


def shares_until_solved(total: float, increment: float) -> list[float]:
    """Return the seconds of each move of a game from its start to 28 empty squares, if every move takes its share."""
    left, shares = total, []
    for empties in range(60, 26, -2):
        shares.append(plan(Clock(left, None, increment), empties).share)
        left += increment - shares[-1]
    return shares


@pytest.mark.parametrize(
    ("total", "increment"), [(60.0, 0.0), (60.0, 0.001), (5.0, 0.0), (1.0, 0.0), (1.0, 0.01)]
)
def test_the_moves_before_the_solution_get_about_the_same(total: float, increment: float) -> None:
    shares = shares_until_solved(total, increment)

    assert max(shares) < 1.13 * min(shares)


@pytest.mark.parametrize(("total", "increment"), [(60.0, 1.0), (5.0, 0.1)])
def test_what_increments_pay_for_is_spent_early(total: float, increment: float) -> None:
    shares = shares_until_solved(total, increment)

    assert shares == sorted(shares, reverse=True)
    assert shares[-1] > increment


def test_increments_after_the_solution_pay_for_the_moves_before_it() -> None:
    # To solve 26 squares is expected to fit; their 13 increments, and 0.7 of 58.8 s, are for 17 moves.
    assert plan(Clock(60, None, 1), 60).share == pytest.approx((0.7 * 58.8 + 13) / 17 * 2 / 1.5 + 1, rel=0.03)
    # One move may not take more than two fifths of what is there.
    assert plan(Clock(1, None, 1), 50).share == pytest.approx(0.4 * 0.9)


@pytest.mark.parametrize(("left", "kept"), [(5.0, 0.25), (1.0, 0.1), (0.4, 0.1), (0.2, 0.05)])
def test_two_overheads_or_a_quarter_of_the_clock_are_kept_back(left: float, kept: float) -> None:
    assert plan(Clock(left), 24).to_solve == pytest.approx(0.7 * (left - kept))


def test_the_time_suffices_for_all_moves() -> None:
    """A game in which every move takes its share, and the last ones of all as long as they may."""
    for total, increment in ((60.0, 0.0), (60.0, 1.0), (5.0, 0.1), (1.0, 0.0), (1.0, 0.01), (0.2, 0.05)):
        left = total
        for empties in range(60, 0, -2):
            found = plan(Clock(left, None, increment), empties)
            taken = found.share if empties > 24 else found.to_solve
            left -= taken
            assert left > 0, (total, empties)
            left += increment


@pytest.mark.parametrize(
    "doubtful", [lines(*[(19, 2.0)] * 4, (26, 2.0)), lines((19, 5.0), (19, 9.0), (19, 2.0))]
)
def test_a_move_in_doubt_is_thought_about_longer_than_a_settled_one(doubtful: list[Line]) -> None:
    """Scores of odd and even depths are not compared."""
    assert part_to_begin(lines(*[(19, 2.0)] * 5)) < part_to_begin(lines(*[(19, 2.0)] * 4))
    assert part_to_begin(lines((19, 2.0), (19, 8.0), (19, 2.0), (19, 8.0), (19, 2.0))) < 1
    assert part_to_begin(doubtful) == 1
