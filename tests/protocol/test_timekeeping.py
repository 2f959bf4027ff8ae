"""Every kind of clock that GTP knows, told in settings, corrections and moves made."""

import pytest

from outflank.engine import Clock
from outflank.protocol.timekeeping import PlayerClock, TimeSettings


def canadian(main: float, period: float, moves: int) -> PlayerClock:
    return PlayerClock(TimeSettings.canadian(main, period, moves))


def test_a_period_without_moves_is_no_limit() -> None:
    assert canadian(0, 1, 0).reading() is None
    assert canadian(300, 1, 0).reading() is None


def test_no_period_is_absolute_time() -> None:
    assert canadian(300, 0, 0).reading() == Clock(300)
    assert canadian(300, 0, 25).reading() == Clock(300)


def test_no_time_at_all_is_a_clock_that_has_run_out() -> None:
    assert canadian(0, 0, 0).reading() == Clock(0)


def test_absolute_time_runs_down_to_zero_and_not_below() -> None:
    clock = canadian(10, 0, 0)

    clock.spend(4)
    assert clock.reading() == Clock(6)
    clock.spend(7)
    assert clock.reading() == Clock(0)


def test_main_time_comes_before_the_periods() -> None:
    assert canadian(60, 30, 10).reading() == Clock(60, None, 0, 30, 10)


def test_without_main_time_the_first_period_has_begun() -> None:
    assert canadian(0, 30, 10).reading() == Clock(30, 10, 0, 30, 10)


def test_a_move_that_uses_up_main_time_is_the_first_of_a_period() -> None:
    clock = canadian(5, 30, 10)

    clock.spend(8)

    assert clock.reading() == Clock(27, 9, 0, 30, 10)


def test_a_period_is_full_again_after_its_moves() -> None:
    clock = canadian(0, 30, 2)

    clock.spend(20)
    assert clock.reading() == Clock(10, 1, 0, 30, 2)
    clock.spend(5)
    assert clock.reading() == Clock(30, 2, 0, 30, 2)


def test_a_period_that_ran_out_leaves_nothing() -> None:
    clock = canadian(0, 30, 3)

    clock.spend(45)

    assert clock.reading() == Clock(0, 2, 0, 30, 3)


def test_seconds_a_move_are_a_period_of_one_move() -> None:
    clock = canadian(0, 0.5, 1)

    for _ in range(3):
        clock.spend(0.4)
        assert clock.reading() == Clock(0.5, 1, 0, 0.5, 1)


def test_an_increment_comes_after_each_move() -> None:
    clock = PlayerClock(TimeSettings(10, increment=2))

    clock.spend(5)
    assert clock.reading() == Clock(7, None, 2)
    clock.spend(20)
    assert clock.reading() == Clock(2, None, 2)


def test_the_referee_is_believed() -> None:
    clock = canadian(60, 30, 10)

    clock.set_left(7.5, 0)
    assert clock.reading() == Clock(7.5, None, 0, 30, 10)
    clock.set_left(12, 4)
    assert clock.reading() == Clock(12, 4, 0, 30, 10)


def test_main_time_told_as_zero_means_that_a_period_begins() -> None:
    clock = canadian(60, 30, 10)

    clock.set_left(0, 0)

    assert clock.reading() == Clock(30, 10, 0, 30, 10)


@pytest.mark.parametrize("told", [0, -1, -2e9])
def test_time_told_as_used_up_is_no_time(told: float) -> None:
    clock = canadian(60, 0, 0)

    clock.set_left(told, 0)

    assert clock.reading() == Clock(0)


def test_the_referee_is_believed_against_no_limit() -> None:
    clock = PlayerClock(None)

    clock.set_left(20, 0)
    assert clock.reading() == Clock(20)
    clock.spend(3)
    assert clock.reading() == Clock(17)


def test_stones_without_periods_set_are_believed_too() -> None:
    clock = canadian(60, 0, 0)

    clock.set_left(20, 2)
    assert clock.reading() == Clock(20, 2)
    clock.spend(3)
    clock.spend(3)
    assert clock.reading() == Clock(14)


def test_japanese_periods_are_a_move_each() -> None:
    clock = PlayerClock(TimeSettings(10, 5, 1, counts_periods=True))

    clock.spend(12)
    assert clock.reading() == Clock(5, 1, 0, 5, 1)
    clock.set_left(4, 3)
    assert clock.reading() == Clock(4, 1, 0, 5, 1)


def test_a_clock_without_limit_never_runs() -> None:
    clock = PlayerClock(None)

    clock.spend(1e9)

    assert clock.reading() is None


def test_a_new_game_has_a_full_clock() -> None:
    clock = canadian(0, 30, 3)
    clock.spend(10)

    clock.reset()

    assert clock.reading() == Clock(30, 3, 0, 30, 3)
