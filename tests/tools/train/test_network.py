"""The training of the network, on a handful of games."""

from array import array
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from outflank.engine import Colour, FileFormatError, Position, SettingsError
from outflank.engine.evaluation import weights
from outflank.engine.evaluation.evaluate import HEADS, MOST_IN_ROW, STAGES, SUMS, Evaluator
from outflank.engine.evaluation.patterns import PHASES
from outflank.engine.evaluation.weights import unpacked
from outflank.tools.train.dataset import Records, empties, game_numbers, load, position_of
from outflank.tools.train.fit import COLUMNS, KEPT_OUT, PADDING_COLUMN, columns_of, phases
from outflank.tools.train.settings import NEVER_LINEAR, NetworkSettings, Trust

torch = pytest.importorskip("torch", reason="PyTorch is not installed")
from outflank.tools.train import network, networkmodel  # noqa: E402
from outflank.tools.train.networkmodel import StagePositions  # noqa: E402

torch.set_num_threads(1)  # several wait for each other for ages where others want the processors too
SETTINGS = NetworkSettings(Trust(1.0, 1.0), epochs=40, rate=1e-2, min_count=1)
NOTHING = weights.Weights.nothing()
Trained = tuple[weights.Weights, list[network.EpochReport]]


def unheard(report: network.EpochReport) -> None:
    pass


@pytest.fixture(scope="module")
def records(games: Path) -> Records:
    return load([games])


@pytest.fixture(scope="module")
def trained(records: Records) -> Trained:
    reports: list[network.EpochReport] = []
    return network.train(NOTHING, records, SETTINGS, reports.append), reports


def test_the_errors_shrink_and_the_engine_finds_what_was_trained(records: Records, trained: Trained) -> None:
    given, reports = trained
    evaluator = Evaluator(unpacked(given))
    stages = phases(records) * STAGES // PHASES
    used = records["learned"] & (game_numbers(records) % KEPT_OUT != 0)

    assert [(report.stage, report.epoch) for report in reports] == [
        (stage, epoch) for stage in (2, 1, 0) for epoch in range(SETTINGS.epochs + 1)
    ]
    for stage in range(STAGES):
        first, *_, last = (report for report in reports if report.stage == stage)
        errors = [
            evaluator.score(position_of(row)) - int(row["result"])
            for row in records[used & (stages == stage)]
        ]
        assert last.trained < first.trained / 2
        assert float(np.sqrt(np.mean(np.square(errors)))) == pytest.approx(last.trained, abs=0.2)
    assert last.kept_out < first.kept_out  # the games kept out have hardly a position in the stages before
    assert given.tables == NOTHING.tables


def test_phases_that_no_position_is_of_and_stages_that_are_not_trained_add_nothing(records: Records) -> None:
    late = Evaluator(unpacked(network.train(NOTHING, records[phases(records) >= 20], SETTINGS, unheard)))
    last = replace(SETTINGS, epochs=1, stages=(STAGES - 1,))
    one_stage = Evaluator(unpacked(network.train(NOTHING, records, last, unheard)))
    boards = [(phase, position_of(row)) for phase, row in zip(phases(records), records, strict=True)]

    assert {late.score(board) for phase, board in boards if phase < 20} == {0}
    assert {late.score(board) for phase, board in boards if phase >= 20} != {0}
    assert {one_stage.score(board) for phase, board in boards if phase < PHASES - PHASES // STAGES} == {0}


def test_the_same_seed_gives_the_same_weights(records: Records) -> None:
    settings = replace(SETTINGS, epochs=1)

    first, again = (network.train(NOTHING, records, settings, unheard) for _ in range(2))
    other = network.train(NOTHING, records, replace(settings, seed=1), unheard)

    assert first == again
    assert first != other


@pytest.mark.parametrize("device", ["abacus", "cuda:77", ""])
def test_a_device_that_is_not_there_is_named(records: Records, device: str) -> None:
    with pytest.raises(SettingsError, match=f"expected a device .* got {device!r}"):
        network.train(NOTHING, records, replace(SETTINGS, device=device), unheard)


def test_the_sum_of_rows_and_its_gradient_are_those_of_pytorch(records: Records) -> None:
    model = networkmodel.Network(torch.arange(COLUMNS - 1))
    columns = torch.from_numpy(columns_of(records[:200]))
    whole = torch.randint(-128, 128, model.rows.shape).float()
    with torch.no_grad():
        model.rows.copy_((whole + 0.4) / 128)  # the model rounds to `whole`
    wanted = (whole / 128).requires_grad_()

    theirs = torch.nn.functional.embedding_bag(columns, wanted, mode="sum")
    ours = model.sums(columns)
    for sums in (theirs, ours):
        (sums.cos() * torch.arange(SUMS)).sum().backward()  # gradients that differ from place to place

    assert torch.equal(ours, theirs)
    torch.testing.assert_close(model.rows.grad, wanted.grad, rtol=1e-4, atol=1e-3)


def test_the_rows_stay_within_what_the_engine_adds() -> None:
    model = networkmodel.Network(torch.arange(COLUMNS - 1))
    with torch.no_grad():
        model.rows[:] = torch.linspace(-1, 1, len(model.rows))[:, None]

    model.limit_rows()

    assert float(model.rows.detach().abs().max()) * 128 == MOST_IN_ROW
    assert not model.all_rows()[PADDING_COLUMN].any()


def test_rare_configurations_have_no_row(records: Records) -> None:
    settings = replace(SETTINGS, epochs=2, min_count=40)
    kept_out = game_numbers(records) % KEPT_OUT == 0

    given = network.train(NOTHING, records, settings, unheard)

    late = np.frombuffer(given.rows, np.int8).reshape(STAGES, -1, SUMS)[-1]
    used = columns_of(records[~kept_out & (phases(records) >= 20)])
    counts = np.bincount(used.ravel(), minlength=COLUMNS)
    loud = np.flatnonzero(late.any(axis=1))
    assert len(loud) > 50
    assert counts[loud].min() >= 40


def test_boards_that_are_trained_to_are_not_measured_with(records: Records) -> None:
    own, images = records[::2], records[1::2].copy()
    for row in images[:50]:
        image = position_of(row).symmetries()[3]
        row["own"], row["opp"] = image.own, image.opp
    trained, measured, both = (
        StagePositions(some, np.zeros(len(some), np.float32), NOTHING.tables)
        for some in (images, own, records)
    )

    assert len(both.without(trained)) == len(measured.without(trained)) > 0
    assert len(trained.without(both)) == 0


def test_boards_that_are_set_aside_are_not_trained_to(records: Records) -> None:
    alone = records.copy()
    alone["place"] = 0  # so that no position's target depends on another's guess
    changed = alone.copy()
    changed["result"][~alone["learned"]] = 60
    settings = replace(SETTINGS, epochs=1)

    first, other = (network.train(NOTHING, some, settings, unheard) for some in (alone, changed))

    assert (changed["result"] != alone["result"]).sum() > 50
    assert first == other


@pytest.mark.parametrize(("linear_from", "wanted"), [(NEVER_LINEAR, 20), (1.0, 1)])
def test_far_errors_count_in_proportion_where_that_is_wanted(
    records: Records, linear_from: float, wanted: int
) -> None:
    same = records[np.full(300, np.flatnonzero(records["learned"])[-1])]
    same["place"], same["depth"] = 0, 1
    same["guess"] = np.where(np.arange(300) % 3, 0, 60)  # the mean is 20, the median 0

    settings = replace(SETTINGS, epochs=150, linear_from=linear_from)
    made = network.train(NOTHING, same, settings, unheard)

    board = Position(int(same["own"][0]), int(same["opp"][0]), Colour.BLACK)
    assert Evaluator(unpacked(made)).score(board) == pytest.approx(wanted, abs=2)


def test_a_training_goes_on_from_the_weights_it_is_given(records: Records, trained: Trained) -> None:
    given, before = trained
    reports: list[network.EpochReport] = []

    again = network.train(given, records, replace(SETTINGS, epochs=1, rate=1e-9), reports.append)

    assert again == given
    last = [report for report in before if report.epoch == SETTINGS.epochs]
    for first, report in zip(last, reports[::2], strict=True):
        assert report.kept_out == pytest.approx(first.kept_out, abs=1e-3)  # rounding changes nothing


def test_changes_smaller_than_the_engines_units_are_kept_on_average(
    records: Records, trained: Trained
) -> None:
    """Ten steps of Adam change a number by at most ten times the learning rate, here a fifth of a unit."""
    slightly = replace(SETTINGS, epochs=10, rate=0.02 / 128, decay=0.0)

    again = network.train(trained[0], records, slightly, unheard)

    rows, before = (np.frombuffer(each.rows, np.int8).astype(int) for each in (again, trained[0]))
    used = before != 0
    assert np.abs(rows - before).max() == 1
    assert 0.02 < float((rows != before)[used].mean()) < 0.2


def test_a_stage_without_a_network_starts_from_that_of_the_next_stage(
    records: Records, trained: Trained
) -> None:
    """Its configurations have the rows of the next stage, its heads the numbers of the next stage's heads."""
    barely = replace(SETTINGS, epochs=1, rate=1e-9)
    begin = weights.Weights(trained[0].tables, trained[0].rows[:], trained[0].layers[:])
    stage = len(begin.rows) // STAGES
    begin.rows[:stage] = array("b", bytes(stage))

    made = network.train(begin, records, replace(barely, stages=(0,)), unheard)

    first, second = np.reshape(made.rows, (STAGES, -1, SUMS))[:2]
    here = records[
        (phases(records) < PHASES // STAGES) & records["learned"] & (game_numbers(records) % KEPT_OUT != 0)
    ]
    used = np.isin(np.arange(COLUMNS), columns_of(here)) & (np.arange(COLUMNS) != PADDING_COLUMN)
    assert (first[used] == second[used]).all()
    assert first[used].any()
    assert not first[~used].any()
    heads = np.reshape(made.layers, (STAGES, HEADS // STAGES, -1))
    seen = np.isin(np.arange(HEADS // STAGES), networkmodel.heads(here))
    assert (heads[0][seen] == heads[1][seen]).all()
    assert not heads[0][~seen, -1].any()


def test_rows_decay_towards_where_they_began(records: Records, trained: Trained) -> None:
    firmly = replace(SETTINGS, epochs=2, rate=1e-2, decay=100.0)  # all the way, at the highest rate

    again = network.train(trained[0], records, firmly, unheard)

    rows, before = (np.frombuffer(each.rows, np.int8).astype(int) for each in (again, trained[0]))
    assert np.abs(rows - before).max() <= 1
    assert again.layers != trained[0].layers


def test_stages_that_are_not_trained_stay_as_they_are(records: Records, trained: Trained) -> None:
    settings, last = replace(SETTINGS, epochs=10), STAGES - 1
    reports: list[network.EpochReport] = []

    again = network.train(trained[0], records, replace(settings, stages=(last,)), reports.append)

    for numbers, before in ((again.rows, trained[0].rows), (again.layers, trained[0].layers)):
        same = np.reshape(numbers, (STAGES, -1)) == np.reshape(before, (STAGES, -1))
        assert [bool(stage.all()) for stage in same] == [True] * last + [False]
    assert {report.stage for report in reports} == {last}


class Interrupted(Exception):
    pass


def test_an_interrupted_training_goes_on_where_it_was_and_no_other_one_does(
    records: Records, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(network, "_SECONDS_BETWEEN", 0.0)
    settings, kept = replace(SETTINGS, epochs=3), tmp_path / "kept"
    reports: list[network.EpochReport] = []
    whole = network.train(NOTHING, records, settings, unheard)

    def stop_in_the_first_stage(report: network.EpochReport) -> None:
        if (report.stage, report.epoch) == (0, 2):
            raise Interrupted

    with pytest.raises(Interrupted):
        network.train(NOTHING, records, settings, stop_in_the_first_stage, keep_in=kept)
    with pytest.raises(FileFormatError, match="of a training run with other settings or data"):
        network.train(NOTHING, records, replace(settings, epochs=2), unheard, keep_in=kept)
    again = network.train(NOTHING, records, settings, reports.append, keep_in=kept)

    assert again == whole
    assert {report.stage for report in reports} == {0}
    assert [path.name for path in tmp_path.iterdir()] == []
    kept.write_bytes(b"nothing of the kind")
    with pytest.raises(FileFormatError, match=f"{kept.name} does not contain the state of a training run"):
        network.train(NOTHING, records, settings, unheard, keep_in=kept)


def test_odd_and_even_numbers_of_empty_squares_have_heads_of_their_own(records: Records) -> None:
    swayed = records.copy()
    swayed["result"] = np.where(empties(records) % 2 == 1, 9, -3)
    swayed["guess"] = swayed["result"]
    late = swayed[empties(swayed) <= 20]
    reports: list[network.EpochReport] = []

    network.train(NOTHING, late, replace(SETTINGS, decay=100.0, trust=Trust(0.0, 0.0)), reports.append)

    assert reports[-1].trained < 1.0
    assert abs(reports[-1].bias_even) < 1.0
    assert abs(reports[-1].bias_odd) < 1.0
