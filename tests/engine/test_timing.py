"""From a clock to the seconds for a move: never more than there is, most where games are decided."""

from itertools import product

import pytest

from outflank.engine import Clock, Line, Move
from outflank.engine.search.iterations import nodes_to_solve, part_to_begin, plan

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


def lines(*moves_and_scores: tuple[int, float]) -> list[Line]:
    """The best line of each iteration."""
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


def test_moves_shortly_before_the_solution_get_more_than_the_first() -> None:
    whole = [plan(Clock(60), empties) for empties in range(60, 27, -2)]
    shares = [found.share for found in whole]

    assert shares == sorted(shares)
    assert shares[-1] > 2 * shares[0] > 2


def test_the_time_suffices_for_all_moves() -> None:
    """A game in which every move takes its share, and the last ones of all as long as they may."""
    for total, increment in ((60.0, 0.0), (5.0, 0.1), (1.0, 0.0), (0.2, 0.05)):
        left = total
        for empties in range(60, 0, -2):
            found = plan(Clock(left, None, increment), empties)
            taken = found.share if empties > 24 else found.to_solve
            left -= taken
            assert left > 0, (total, empties)
            left += increment


def test_more_than_half_is_there_to_solve() -> None:
    for empties in (20, 24, 28):
        assert plan(Clock(60), empties).to_solve > 30


def test_a_period_that_ends_before_the_solution_is_used_up() -> None:
    found = plan(Clock(10, moves=10), 60)

    assert found.share == pytest.approx(0.975, abs=0.01)


def test_solving_takes_twice_as_many_nodes_for_each_square_and_more() -> None:
    assert 2 < nodes_to_solve(21) / nodes_to_solve(20) < 2.5


def test_a_settled_move_ends_the_search_sooner() -> None:
    assert part_to_begin(lines(*[(19, 2.0)] * 5)) < part_to_begin(lines(*[(19, 2.0)] * 4))


@pytest.mark.parametrize(
    "doubtful", [lines(*[(19, 2.0)] * 4, (26, 2.0)), lines((19, 5.0), (19, 9.0), (19, 2.0))]
)
def test_a_move_in_doubt_is_thought_about_longer(doubtful: list[Line]) -> None:
    assert part_to_begin(doubtful) == 1


def test_scores_of_odd_and_even_depths_are_not_compared() -> None:
    assert part_to_begin(lines((19, 2.0), (19, 8.0), (19, 2.0), (19, 8.0), (19, 2.0))) < 1
