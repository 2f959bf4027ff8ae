"""Clocks: how a time control is written, what it allows move by move, and the commands by which GTP engines get it."""

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outflank.engine import NotationError
from outflank.protocol.drivers.clock import GRACE_SECONDS, SideClock, TimeControl
from outflank.protocol.drivers.dialect import Dialect, EngineCapabilities, choose_dialect

COMMANDS = frozenset({"time_settings", "time_left"})
SPEC = EngineCapabilities("strict", COMMANDS)
KATA = EngineCapabilities(
    "free",
    COMMANDS | {"kata-time_settings", "kata-list_time_settings"},
    frozenset({"none", "absolute", "canadian", "fischer"}),
)


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


def test_the_grace_period_is_forgiven_and_no_more() -> None:
    clock = SideClock(TimeControl.parse("0.5"))

    assert not clock.is_overrun_by(0.5 + GRACE_SECONDS)
    assert clock.is_overrun_by(0.501 + GRACE_SECONDS)


@pytest.mark.parametrize("left", [(7.5, 0), (0.0, 0), (3.0, 2)])
def test_a_clock_may_show_what_another_one_says(left: tuple[float, int]) -> None:
    assert SideClock.showing(TimeControl.parse("60+10/5" if left[1] else "60+1"), *left).time_left == left


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


@pytest.mark.parametrize(
    ("time", "spec", "kata"),
    [
        ("60+0", "time_settings 60 0 0", "time_settings 60 0 0"),
        ("60+10/5", "time_settings 60 10 5", "time_settings 60 10 5"),
        ("2", "time_settings 0 2 1", "time_settings 0 2 1"),
        ("60+1", "time_settings 60 0 0", "kata-time_settings fischer 60 1"),
        ("2.5", "time_settings 0 2 1", "kata-time_settings canadian 0 2.5 1"),
        ("10.5+0", "time_settings 10 0 0", "kata-time_settings absolute 10.5"),
        ("0.5", None, "kata-time_settings canadian 0 0.5 1"),
        ("0.5+0.1", None, "kata-time_settings fischer 0.5 0.1"),
        ("none", None, None),
    ],
)
def test_the_exact_form_is_preferred_and_rounding_never_grants_time(
    time: str, spec: str | None, kata: str | None
) -> None:
    control = TimeControl.parse(time)

    assert choose_dialect(control, SPEC).settings == spec
    assert choose_dialect(control, KATA).settings == kata


def test_a_kind_that_is_not_listed_is_not_used() -> None:
    capabilities = replace(KATA, kata_kinds=frozenset({"none", "absolute"}))
    dialect = choose_dialect(TimeControl.parse("60+1"), capabilities)

    assert dialect.settings == "time_settings 60 0 0"


def test_an_engine_without_time_commands_is_sent_nothing() -> None:
    dialect = choose_dialect(
        TimeControl.parse("60+0"), EngineCapabilities("deaf", frozenset({"play", "genmove"}))
    )

    assert (dialect.settings, dialect.sends_left) == (None, False)


def test_the_time_left_has_fractions_only_for_engines_that_take_them() -> None:
    strict = choose_dialect(TimeControl.parse("10+0"), SPEC)
    free = choose_dialect(TimeControl.parse("10+0"), KATA)

    assert strict.time_left("black", 7.9, 0) == "time_left black 7 0"
    assert free.time_left("black", 7.9, 0) == "time_left black 7.9 0"


def test_a_rounded_time_never_says_that_the_flag_has_fallen() -> None:
    assert choose_dialect(TimeControl.parse("10+0"), SPEC).time_left("white", 0.4, 0) == "time_left white 1 0"


@pytest.mark.parametrize(
    ("dialect", "time", "settings"),
    [
        (Dialect.SPEC, "60+1", "time_settings 60 0 0"),
        (Dialect.SPEC, "0.5", None),
        (Dialect.FISCHER, "60+0", "kata-time_settings absolute 60"),
        (Dialect.FISCHER, "2", "kata-time_settings canadian 0 2 1"),
        (Dialect.PER_MOVE, "2", "time_settings 2 0 1"),
        (Dialect.PER_MOVE, "0.5", None),
        (Dialect.PER_MOVE, "60+0", "time_settings 60 0 0"),
        (Dialect.PER_MOVE, "60+10/1", "time_settings 60 10 1"),
        (Dialect.INCREMENT, "60+2", "time_settings 60 2 0"),
        (Dialect.INCREMENT, "2", "time_settings 0 2 0"),
        (Dialect.INCREMENT, "60+0", "time_settings 60 0 0"),
        (Dialect.INCREMENT, "60+10/5", "time_settings 60 0 0"),
        (Dialect.INCREMENT, "0.5+0.5", None),
    ],
)
def test_a_dialect_that_is_named_is_spoken(dialect: Dialect, time: str, settings: str | None) -> None:
    assert choose_dialect(TimeControl.parse(time), KATA, dialect).settings == settings


def test_edax_is_known_by_its_name_and_gets_its_time_before_the_board_is_cleared() -> None:
    dialect = choose_dialect(TimeControl.parse("2"), EngineCapabilities("Edax 4.6", COMMANDS))

    assert (dialect.settings, dialect.before_board) == ("time_settings 2 0 1", True)
    assert not choose_dialect(TimeControl.parse("2"), SPEC).before_board


def test_a_dialect_whose_command_is_not_listed_can_tell_nothing() -> None:
    assert choose_dialect(TimeControl.parse("60+1"), SPEC, Dialect.FISCHER).settings is None
