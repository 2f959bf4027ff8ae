"""The commands that set the clock of a GTP engine."""

from typing import Any

import pytest

from outflank.protocol.clock import TimeControl
from outflank.protocol.drivers.dialect import Dialect, choose_dialect

COMMANDS = frozenset({"time_settings", "time_left"})
SPEC = ("strict", COMMANDS)
KATA = (
    "free",
    COMMANDS | {"kata-time_settings", "kata-list_time_settings"},
    frozenset({"none", "absolute", "canadian", "fischer"}),
)


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

    assert choose_dialect(control, *SPEC).settings == spec
    assert choose_dialect(control, *KATA).settings == kata


@pytest.mark.parametrize(
    ("time", "engine", "settings"),
    [
        ("60+1", (*KATA[:2], {"none", "absolute"}), "time_settings 60 0 0"),  # without fischer
        ("60+1", (*SPEC, frozenset(), Dialect.FISCHER), None),
        ("60+0", ("deaf", {"play", "genmove"}), None),
    ],
)
def test_what_is_not_listed_is_not_used(time: str, engine: tuple[Any, ...], settings: str | None) -> None:
    dialect = choose_dialect(TimeControl.parse(time), *engine)

    assert dialect.settings == settings
    assert engine[0] != "deaf" or not dialect.sends_left


def test_the_time_left_has_fractions_if_the_engine_takes_them_and_is_never_rounded_to_nothing() -> None:
    strict, free = (choose_dialect(TimeControl.parse("10+0"), *engine) for engine in (SPEC, KATA))

    assert strict.time_left("black", 7.9, 0) == "time_left black 7 0"
    assert free.time_left("black", 7.9, 0) == "time_left black 7.9 0"
    assert strict.time_left("white", 0.4, 0) == "time_left white 1 0"


@pytest.mark.parametrize(
    ("dialect", "time", "settings"),
    [
        (Dialect.SPEC, "60+1", "time_settings 60 0 0"),
        (Dialect.SPEC, "0.5", None),
        (Dialect.FISCHER, "60+0", "kata-time_settings absolute 60"),
        (Dialect.FISCHER, "2", "kata-time_settings canadian 0 2 1"),
        (Dialect.PER_MOVE, "2", "time_settings 2 0 1"),
        (Dialect.PER_MOVE, "0.5", "time_settings 0 1 1"),
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
    assert choose_dialect(TimeControl.parse(time), *KATA, dialect).settings == settings


def test_edax_is_known_by_its_name_and_gets_its_time_before_the_board_is_cleared() -> None:
    dialect = choose_dialect(TimeControl.parse("2"), "Edax 4.6", COMMANDS)

    assert (dialect.settings, dialect.before_board) == ("time_settings 2 0 1", True)
    assert not choose_dialect(TimeControl.parse("2"), *SPEC).before_board
