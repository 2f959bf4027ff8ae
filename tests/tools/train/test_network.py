"""The training of the network, on a handful of games."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from outflank.engine import Colour, Position, SettingsError, weights
from outflank.engine.evaluate import Evaluator
from outflank.engine.network import MOST_IN_ROW, STAGES, SUMS
from outflank.engine.patterns import PHASES
from outflank.tools.train.dataset import Records, game_numbers, load
from outflank.tools.train.fit import KEPT_OUT, phases
from outflank.tools.train.patternmatrix import COLUMNS, PADDING_COLUMN, column_weights, columns_of

torch = pytest.importorskip("torch", reason="PyTorch is not installed")
from outflank.tools.train import network, networkmodel  # noqa: E402  # it imports PyTorch

SETTINGS = network.NetworkSettings(trust=1.0, epochs=60, rate=1e-2, fewest=1)
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
        (stage, epoch) for stage in range(STAGES) for epoch in range(SETTINGS.epochs + 1)
    ]
    for stage in range(STAGES):
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
    stages = phases(records) * STAGES // PHASES

    for stage in range(STAGES):
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


def test_the_sum_of_rows_and_its_gradient_are_those_of_pytorch(records: Records) -> None:
    model = networkmodel.Network()
    columns = torch.from_numpy(columns_of(records[:200]))
    with torch.no_grad():
        model.rows.copy_(torch.randn(model.rows.shape))
    wanted = model.rows.detach().clone().requires_grad_()

    theirs = torch.nn.functional.embedding_bag(columns, wanted, mode="sum")
    ours = model.sums(columns)
    for sums in (theirs, ours):
        (sums.cos() * torch.arange(SUMS)).sum().backward()  # gradients that differ from place to place

    assert torch.equal(ours, theirs)
    torch.testing.assert_close(model.rows.grad, wanted.grad, rtol=1e-4, atol=1e-3)


def test_the_rows_stay_within_what_the_engine_adds() -> None:
    model = networkmodel.Network()
    with torch.no_grad():
        model.rows[:] = torch.linspace(-1, 1, len(model.rows))[:, None]

    model.limit_rows()

    assert float(model.rows.detach().abs().max()) * 128 == MOST_IN_ROW
    assert not model.rows[PADDING_COLUMN].any()


def test_rare_configurations_have_no_row(records: Records) -> None:
    settings = replace(SETTINGS, epochs=2, fewest=40)
    kept_out = game_numbers(records) % KEPT_OUT == 0

    given = network.train(TABLES, records, settings, lambda report: None)

    late = np.frombuffer(given.rows, np.int8).reshape(STAGES, -1, SUMS)[-1]
    used = columns_of(records[~kept_out & (phases(records) >= 20)])
    counts = np.bincount(used.ravel(), minlength=COLUMNS)
    loud = np.flatnonzero(column_weights(late.any(axis=1).astype(np.int16)))
    assert len(loud) > 50
    assert counts[loud].min() >= 40


def test_boards_that_are_trained_to_are_not_measured_with(records: Records) -> None:
    own, images = records[::2], records[1::2].copy()
    for row in images[:50]:
        image = Position(int(row["own"]), int(row["opp"]), Colour.BLACK).symmetries()[3]
        row["own"], row["opp"] = image.own, image.opp
    trained, measured = (
        network._positions(TABLES, some, np.zeros(len(some), np.float32)) for some in (images, own)
    )
    both = network._positions(TABLES, records, np.zeros(len(records), np.float32))

    assert len(both.without(trained).left) == len(measured.without(trained).left) > 0
    assert len(trained.without(both).left) == 0
