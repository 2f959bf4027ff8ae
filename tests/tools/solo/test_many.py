"""The figures of many deals."""

import pytest

from outflank.tools.play.solo import Results


def test_figures_of_three_games() -> None:
    results = Results([24, 20, 22], perfect=24)

    assert results.mean == 22
    assert results.deviation == pytest.approx(2)
    assert results.perfect_share == pytest.approx(1 / 3)


def test_one_game_has_no_deviation() -> None:
    assert Results([5], perfect=24).deviation == 0
