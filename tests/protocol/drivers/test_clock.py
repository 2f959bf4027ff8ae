"""The referee's clock: how a time control is written, and what it allows move by move."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outflank.engine import NotationError
from outflank.protocol.drivers.clock import GRACE_SECONDS, SideClock, TimeControl


@pytest.mark.parametrize(
    ("text", "control"),
    [
        ("none", TimeControl()),
        ("0.5", TimeControl(main=0, period=0.5, period_moves=1)),
        ("60+1", TimeControl(main=60, increment=1)),
        ("60+0", TimeControl(main=60)),
        ("60+10/5", TimeControl(main=60, period=10, period_moves=5)),
        ("500ms", TimeControl(main=0, period=0.5, period_moves=1)),
        ("1m+2s", TimeControl(main=60, increment=2)),
        ("1h+1 min/3", TimeControl(main=3600, period=60, period_moves=3)),
        (".25+.125", TimeControl(main=0.25, increment=0.125)),
        ("0.12345+0.0004", TimeControl(main=0.123)),
    ],
)
def test_a_time_control_reads_and_writes(text: str, control: TimeControl) -> None:
    assert TimeControl.parse(text) == control
    assert TimeControl.parse(str(control)) == control


@pytest.mark.parametrize(
    "text",
    [
        *("", "fast", "-1", "1e3", "nan", "inf", "60+", "+1", "60+1/", "1/5", "60 +x"),
        "9" * 400,
        "60+10/" + "9" * 5000,
    ],
)
def test_other_text_is_no_time_control(text: str) -> None:
    with pytest.raises(NotationError, match=r"^expected .{0,200}$"):
        TimeControl.parse(text)


@pytest.mark.parametrize(
    ("text", "charged", "left", "deadline"),
    [
        ("0.5", 0.2, (0.3, 1), 0.35),
        ("0.5", 0.7, (0.0, 1), -0.15),
        ("60+1", 2, (58.0, 0), 58.05),
        ("60+0", 61, (0.0, 0), -0.95),
        ("60+10/5", 2, (58.0, 0), 68.05),
        ("60+10/5", 63, (7.0, 5), 7.05),
        ("0+10/5", 3, (7.0, 5), 7.05),
    ],
)
def test_what_is_charged_between_moves_is_missing_from_the_next(
    text: str, charged: float, left: tuple[float, int], deadline: float
) -> None:
    clock = SideClock(TimeControl.parse(text))
    clock.charge(charged / 2)
    clock.charge(charged / 2)

    assert clock.time_left == pytest.approx(left)
    assert clock.deadline == pytest.approx(deadline)
    assert clock.is_overrun_by(0) is (deadline < 0)


def test_what_was_charged_is_spent_with_the_next_move() -> None:
    each, fischer = SideClock(TimeControl.parse("0.5")), SideClock(TimeControl.parse("60+1"))
    for clock in (each, fischer):
        clock.charge(0.2)
        clock.spend(0.25)

    assert each.time_left == (0.5, 1)
    assert fischer.time_left == pytest.approx((60.55, 0))


@pytest.mark.parametrize("text", ["0", "0+0", "0+1", "0+0/5", "10+5/0", "0.0004", "0.0004+1"])
def test_a_first_move_needs_time(text: str) -> None:
    with pytest.raises(NotationError, match="time for the first move"):
        TimeControl.parse(text)


def test_without_a_limit_no_move_is_late() -> None:
    clock = SideClock(TimeControl())
    clock.spend(1e6)

    assert clock.allowance == math.inf
    assert not clock.is_overrun_by(1e9)


@pytest.mark.parametrize(
    ("control", "spent", "left", "allowance"),
    [
        ("0.5", [], (0.5, 1), 0.5),
        ("0.5", [0.1, 0.1], (0.5, 1), 0.5),  # not carried over
        ("10+0", [4], (6, 0), 6),
        ("10+0", [4, 6.04], (0, 0), 0),
        ("10+2", [5], (7, 0), 7),
        ("10+2", [10.03], (2, 0), 2),  # after a move that ate the margin too
        ("10+6/3", [], (10, 0), 16),
        ("10+6/3", [12], (4, 2), 4),  # from main time into the first period within a move
        ("10+6/3", [12, 1], (3, 1), 3),
        ("10+6/3", [12, 1, 3], (6, 3), 6),
        ("0+6/3", [6.02], (0, 2), 0),  # nothing is left for its other moves
    ],
)
def test_what_is_spent_is_missing_until_more_is_due(
    control: str, spent: list[float], left: tuple[float, int], allowance: float
) -> None:
    clock = SideClock(TimeControl.parse(control))
    for seconds in spent:
        clock.spend(seconds)

    assert clock.time_left == left
    assert clock.allowance == allowance
    assert clock.is_overrun_by(allowance + 0.06)


def test_the_margin_is_forgiven_and_no_more() -> None:
    clock = SideClock(TimeControl.parse("0.5"))

    assert not clock.is_overrun_by(0.5 + GRACE_SECONDS)
    assert clock.is_overrun_by(0.501 + GRACE_SECONDS)


@given(
    main=st.floats(0, 100),
    increment=st.floats(0, 10),
    period=st.floats(0.125, 10),
    moves=st.integers(0, 5),
    shares=st.lists(st.floats(0, 1), max_size=30),
)
def test_a_side_that_keeps_to_its_allowance_never_has_less_than_nothing(
    main: float, increment: float, period: float, moves: int, shares: list[float]
) -> None:
    control = TimeControl(main, 0, period, moves) if moves else TimeControl(main, increment)
    clock = SideClock(control)
    for share in shares:
        clock.spend(share * clock.allowance)
        seconds, due = clock.time_left
        assert seconds >= 0
        assert 0 <= due <= moves
        assert clock.allowance >= seconds
