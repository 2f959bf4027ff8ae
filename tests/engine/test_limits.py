"""Limits and results: plain values that refuse nonsense."""

import dataclasses
import math
from typing import Any

import pytest

from outflank.engine import PASS, Clock, Limit, Move, SearchInfo, SearchResult, SettingsError
from outflank.engine.limits import Line
from outflank.engine.selectivity import SELECTIVITIES, Percent


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
        ({"clock": 60.0}, "expected a Clock, such as Clock(remaining=60.0), got 60.0"),
    ],
)
def test_a_limit_of_another_type_is_refused_in_one_sentence(limit: dict[str, Any], sentence: str) -> None:
    with pytest.raises(SettingsError) as caught:
        Limit(**limit)

    assert str(caught.value) == sentence


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
