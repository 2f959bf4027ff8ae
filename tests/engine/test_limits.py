"""Limits and results: plain values that refuse nonsense."""

import dataclasses
import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from outflank.engine import PASS, Clock, Limit, Move, SearchInfo, SearchResult, SettingsError, limit_for_level
from outflank.engine.search.limits import SELECTIVITIES, Line, Percent


@pytest.mark.parametrize(
    ("setting", "value"),
    [("depth", 1), ("depth", 60), ("nodes", 1), ("seconds", 0), ("seconds", 0.001), ("exact_from", 0)],
)
def test_a_sensible_limit_is_taken_as_it_is(setting: str, value: float) -> None:
    limit = Limit(**{setting: value})  # type: ignore[arg-type]

    assert getattr(limit, setting) == value


@pytest.mark.parametrize(
    ("setting", "value", "least"),
    [
        ("depth", 0, 1),
        ("depth", -3, 1),
        ("nodes", 0, 1),
        ("seconds", -0.5, 0),
        ("seconds", math.nan, 0),
        ("exact_from", -1, 0),
    ],
)
def test_a_senseless_limit_is_refused_in_one_sentence(setting: str, value: float, least: int) -> None:
    with pytest.raises(SettingsError) as caught:
        Limit(**{setting: value})  # type: ignore[arg-type]

    assert str(caught.value) == f"expected {setting} of at least {least}, got {value!r}"


@pytest.mark.parametrize(
    ("limit", "sentence"),
    [
        ({"seconds": "5"}, "expected seconds of at least 0, got '5'"),
        ({"seconds": 10**400}, "seconds may be 1e+12 seconds at most"),
        ({"clock": 60.0}, "expected a Clock, such as Clock(remaining=60.0), got 60.0"),
    ],
)
def test_a_limit_of_another_type_is_refused_in_one_sentence(limit: dict[str, Any], sentence: str) -> None:
    with pytest.raises(SettingsError) as caught:
        Limit(**limit)

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


@pytest.mark.parametrize("selectivity", [0, 72, 101, -1])
def test_a_selectivity_that_was_not_fitted_is_refused_with_those_that_were(selectivity: int) -> None:
    with pytest.raises(SettingsError) as caught:
        Limit(selectivity=selectivity)  # type: ignore[arg-type]

    fitted = ", ".join(map(str, SELECTIVITIES))
    assert str(caught.value) == f"expected a selectivity out of {fitted}, got {selectivity}"


def test_no_limit_at_all_is_a_limit() -> None:
    limit = Limit()

    assert (limit.depth, limit.nodes, limit.seconds, limit.clock, limit.exact_from) == (None,) * 5
    assert limit.selectivity is None
    assert not limit.wld


@pytest.mark.parametrize("selectivity", [None, *SELECTIVITIES])
def test_a_selectivity_that_was_fitted_is_taken_as_it_is(selectivity: Percent | None) -> None:
    assert Limit(selectivity=selectivity).selectivity == selectivity


@pytest.mark.parametrize(
    ("clock", "sentence"),
    [
        ({"remaining": math.nan}, "expected remaining of at least -1e+12, got nan"),
        ({"remaining": math.inf}, "remaining may be 1e+12 seconds at most"),
        ({"remaining": 10**400}, "remaining may be 1e+12 seconds at most"),
        ({"remaining": "5"}, "expected remaining of at least -1e+12, got '5'"),
        ({"remaining": 5.0, "overhead": math.nan}, "expected overhead of at least 0, got nan"),
        ({"remaining": 5.0, "increment": -1.0}, "expected increment of at least 0, got -1.0"),
        ({"remaining": 5.0, "moves": 0}, "expected moves of at least 1, got 0"),
        ({"remaining": 5.0, "moves": 2.5}, "expected a whole number for moves, got 2.5"),
        ({"remaining": 5.0, "period_moves": -1}, "expected period_moves of at least 0, got -1"),
    ],
)
def test_a_senseless_clock_is_refused_in_one_sentence(clock: dict[str, Any], sentence: str) -> None:
    with pytest.raises(SettingsError) as caught:
        Clock(**clock)

    assert str(caught.value) == sentence


@pytest.mark.parametrize(("level", "empties"), [(2.5, 3), ("3", 3), (-1, 3), (61, 3), (60, -3), (60, 65)])
def test_a_level_that_there_is_not_is_refused(level: Any, empties: int) -> None:
    with pytest.raises(SettingsError, match=r"expected .*(level|empties)"):
        limit_for_level(level, empties)


def test_a_clock_has_no_increment_and_no_period_unless_told() -> None:
    assert Clock(60.0) == Clock(remaining=60.0, moves=None, increment=0.0, period=0.0, period_moves=0)


def test_a_result_is_an_info_whose_first_line_holds_the_move_its_score_and_its_variation() -> None:
    lines = (Line(PASS, 2.0, (PASS, Move(3))), Line(Move(5), -1.0, (Move(5),)))
    result = SearchResult(depth=1, selectivity=100, exact=True, nodes=0, seconds=0.0, lines=lines)

    assert isinstance(result, SearchInfo)
    assert (result.move, result.score, result.pv) == (PASS, 2.0, (PASS, Move(3)))
    assert not result.stopped


@pytest.mark.parametrize("value", [Limit(), Clock(1.0)])
def test_limits_and_clocks_cannot_be_changed(value: Limit | Clock) -> None:
    field = dataclasses.fields(value)[0].name

    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(value, field, 1)
