"""The fit of all phases, on a handful of games."""

from pathlib import Path

import numpy as np
import pytest

from outflank.engine import Colour, Position, Searcher
from outflank.engine.evaluation import weights
from outflank.engine.evaluation.patterns import PHASES, WEIGHTS_OF_A_PHASE
from outflank.tools.train.dataset import Records, load
from outflank.tools.train.fit import Fit, FitSettings, fit, phases
from outflank.tools.train.targets import Trust


@pytest.fixture(scope="module")
def records(games: Path) -> Records:
    return load([games])


@pytest.fixture(scope="module")
def fitted(records: Records) -> Fit:
    return fit(records, FitSettings(Trust.everywhere(1.0)), lambda report: None)


def by_phase(fitted: Fit) -> np.ndarray[tuple[int, int], np.dtype[np.int16]]:
    return np.array(fitted.tables, np.int16).reshape(PHASES, WEIGHTS_OF_A_PHASE)


def test_every_position_that_is_not_set_aside_is_fitted_to_or_kept_out(records: Records, fitted: Fit) -> None:
    assert sum(report.positions + report.kept_out for report in fitted.reports) == records["learned"].sum()
    assert all(report.kept_out for report in fitted.reports if report.positions > 100)


def test_phases_are_those_of_the_engine(records: Records) -> None:
    assert phases(records).min() >= 0
    assert phases(records).max() < PHASES


def test_what_was_fitted_is_better_than_nothing(fitted: Fit) -> None:
    late = [report for report in fitted.reports if report.empties <= 8 and report.kept_out]

    assert late
    assert all(report.rmse < report.spread for report in late)


def test_phases_without_positions_are_judged_like_the_next(fitted: Fit) -> None:
    found = by_phase(fitted)
    fitted_phases = [report.phase for report in fitted.reports if report.positions]

    assert np.array_equal(found[0], found[min(fitted_phases)])
    assert found[-1].any()


def test_mirrored_boards_are_judged_alike(fitted: Fit, records: Records, tmp_path: Path) -> None:
    path = tmp_path / "fitted.bin"
    path.write_bytes(
        weights.packed(weights.Weights.of_tables(fitted.tables), {"command": "fitted in a test"})
    )
    searcher = Searcher(1, weights=path)

    for record in records[::97]:
        position = Position(int(record["own"]), int(record["opp"]), Colour.BLACK)
        assert len({searcher.evaluate(image) for image in position.symmetries()}) == 1


def test_the_padding_weighs_nothing(fitted: Fit) -> None:
    assert not by_phase(fitted)[:, -1].any()
