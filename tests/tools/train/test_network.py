"""The training of the network, on a handful of games."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from outflank.engine import Colour, Position, SettingsError, weights
from outflank.engine.evaluate import GAME_STAGES, Evaluator
from outflank.tools.train.dataset import Records, load
from outflank.tools.train.fit import phases
from outflank.tools.train.patternmatrix import PADDING_COLUMN, columns_of

torch = pytest.importorskip("torch", reason="PyTorch is not installed")
from outflank.tools.train import network  # noqa: E402  # it imports PyTorch

SETTINGS = network.Settings(trust=1.0, epochs=30, rate=1e-2)
TABLES = weights.Weights.nothing().tables


@pytest.fixture(scope="module")
def records(games: Path) -> Records:
    return load([games])


@pytest.fixture(scope="module")
def trained(records: Records) -> tuple[weights.Weights, list[network.EpochReport]]:
    reports: list[network.EpochReport] = []
    return network.train(TABLES, records, SETTINGS, reports.append), reports


def test_the_errors_shrink(trained: tuple[weights.Weights, list[network.EpochReport]]) -> None:
    _, reports = trained

    assert [(report.stage, report.epoch) for report in reports] == [
        (stage, epoch) for stage in range(GAME_STAGES) for epoch in range(SETTINGS.epochs + 1)
    ]
    for stage in range(GAME_STAGES):
        first, *_, last = (report for report in reports if report.stage == stage)
        assert last.trained < first.trained / 2
    assert last.kept_out < first.kept_out  # the games kept out have hardly a position in the stages before


def test_phases_that_no_position_is_of_add_nothing(records: Records) -> None:
    late = network.train(TABLES, records[phases(records) >= 20], SETTINGS, lambda report: None)
    evaluator = Evaluator(late)

    scores = [
        (phase, evaluator.score(Position(int(row["own"]), int(row["opp"]), Colour.BLACK)))
        for phase, row in zip(phases(records), records, strict=True)
    ]

    assert {score for phase, score in scores if phase < 20} == {0}
    assert {score for phase, score in scores if phase >= 20} != {0}


def test_the_engine_finds_what_was_trained(
    records: Records, trained: tuple[weights.Weights, list[network.EpochReport]]
) -> None:
    given, reports = trained
    evaluator = Evaluator(given)
    stages = phases(records) * GAME_STAGES // weights.PHASES

    for stage in range(GAME_STAGES):
        errors = [
            evaluator.score(Position(int(row["own"]), int(row["opp"]), Colour.BLACK)) - int(row["result"])
            for row in records[stages == stage]
        ]
        trained_error = [report.trained for report in reports if report.stage == stage][-1]
        # Rounding to whole numbers costs little, and the games kept out are few.
        assert float(np.sqrt(np.mean(np.square(errors)))) == pytest.approx(trained_error, abs=3)
    assert given.tables == TABLES


def test_the_same_seed_gives_the_same_weights(records: Records) -> None:
    settings = replace(SETTINGS, epochs=1)

    first, again = (network.train(TABLES, records, settings, lambda report: None) for _ in range(2))
    other = network.train(TABLES, records, replace(settings, seed=1), lambda report: None)

    assert first == again
    assert first != other


@pytest.mark.parametrize("device", ["abacus", "cuda:77", ""])
def test_a_device_that_is_not_there_is_named(records: Records, device: str) -> None:
    with pytest.raises(SettingsError, match=f"expected a device .* got {device!r}"):
        network.train(TABLES, records, replace(SETTINGS, device=device), lambda report: None)


def test_the_padding_counts_nothing(records: Records) -> None:
    model = network.Network()
    with torch.no_grad():
        model.rows.weight[PADDING_COLUMN] = 5.0
        model.rows.weight[0] = 0.25
    columns = torch.from_numpy(columns_of(records[:1]))
    padded = torch.cat([columns, torch.full((1, 1), PADDING_COLUMN, dtype=torch.int32)], 1)

    assert torch.equal(model.rows(columns), model.rows(padded))
