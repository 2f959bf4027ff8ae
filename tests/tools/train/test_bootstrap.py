"""How the bootstrap shares out its time; what it makes is in commands/test_train.py."""

import pytest

pytest.importorskip("torch", reason="PyTorch is not installed")

from outflank.tools.train.bootstrap import work_seconds


def test_games_and_the_fit_to_them_fill_the_time() -> None:
    known = 3000

    seconds = work_seconds(120.0, known, found=200.0, fitted=0.005)

    assert seconds + (known + 200.0 * seconds) * 0.005 == pytest.approx(120.0)
    assert 0 < work_seconds(120.0, 2 * known, found=200.0, fitted=0.005) < seconds


def test_where_nothing_is_known_half_of_the_time_is_for_the_fit() -> None:
    assert work_seconds(120.0, 0) == 60.0


def test_some_games_are_played_even_if_the_fit_takes_too_long() -> None:
    assert work_seconds(120.0, 3000, found=200.0, fitted=1.0) == 12.0
