"""How engines are told about their clocks."""

import pytest

from outflank.tools.games.clock import TimeControl
from outflank.tools.games.dialect import choose_dialect

SPEC = frozenset({"time_settings", "time_left"})
KATA = SPEC | {"kata-time_settings", "kata-list_time_settings"}
KINDS = frozenset({"none", "absolute", "canadian", "fischer"})


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
    assert choose_dialect(control, KATA, KINDS).settings == kata


def test_a_kind_that_is_not_listed_is_not_used() -> None:
    dialect = choose_dialect(TimeControl.parse("60+1"), KATA, frozenset({"none", "absolute"}))

    assert dialect.settings == "time_settings 60 0 0"


def test_an_engine_without_time_commands_is_told_nothing() -> None:
    dialect = choose_dialect(TimeControl.parse("60+0"), frozenset({"play", "genmove"}))

    assert (dialect.settings, dialect.tells_left) == (None, False)


def test_the_time_left_has_fractions_only_for_engines_that_take_them() -> None:
    strict = choose_dialect(TimeControl.parse("10+0"), SPEC)
    free = choose_dialect(TimeControl.parse("10+0"), KATA, KINDS)

    assert strict.time_left("black", 7.9, 0) == "time_left black 7 0"
    assert free.time_left("black", 7.9, 0) == "time_left black 7.9 0"


def test_a_rounded_time_never_says_that_the_flag_has_fallen() -> None:
    assert choose_dialect(TimeControl.parse("10+0"), SPEC).time_left("white", 0.4, 0) == "time_left white 1 0"
