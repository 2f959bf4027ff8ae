"""The fit of all phases and its regression; and calibration: searches are right on average afterwards."""

import json
import random
import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array, random_array

from outflank.engine import OutflankError
from outflank.engine.evaluation import weights
from outflank.engine.evaluation.evaluate import HEADS, NUMBERS_OF_A_LAYER, Evaluator
from outflank.engine.evaluation.patterns import PHASES
from outflank.tests.support.transcripts import run
from outflank.tools.train.accuracy import calibration
from outflank.tools.train.bootstrap import BootstrapSettings, plan
from outflank.tools.train.calibrate import Shift, measure, shifted
from outflank.tools.train.dataset import Records, empties, load, position_of
from outflank.tools.train.fit import Block, Fit, Vector, fit, phases, solve
from outflank.tools.train.settings import SearchSettings, Trust

COLUMNS = 50
BOARDS = 12
SETTINGS: dict[str, Any] = {"depth": 1, "boards": BOARDS, "seed": 1, "workers": 1}


@pytest.fixture(scope="module")
def records(games: Path) -> Records:
    return load([games])


@pytest.fixture(scope="module")
def fitted(records: Records) -> Fit:
    return fit(records, Trust(1.0, 1.0), lambda report: None)


def test_every_position_that_is_not_set_aside_is_fitted_to_or_kept_out(records: Records, fitted: Fit) -> None:
    assert sum(report.positions + report.kept_out for report in fitted[1]) == records["learned"].sum()
    assert all(report.kept_out for report in fitted[1] if report.positions > 100)
    assert phases(records).min() >= 0
    assert phases(records).max() < PHASES


def test_what_was_fitted_is_better_than_nothing(fitted: Fit) -> None:
    late = [report for report in fitted[1] if report.empties <= 8 and report.kept_out]

    assert late
    assert all(report.rmse < report.spread for report in late)


def test_empty_phases_are_judged_like_the_next_and_padding_as_nothing(fitted: Fit) -> None:
    found = np.array(fitted[0], np.int16).reshape(PHASES, -1)
    fitted_phases = [report.phase for report in fitted[1] if report.positions]

    assert np.array_equal(found[0], found[min(fitted_phases)])
    assert found[-1].any()
    assert not found[:, -1].any()


def test_mirrored_boards_are_judged_alike(fitted: Fit, records: Records) -> None:
    evaluator = Evaluator(weights.unpacked(weights.Weights.of_tables(fitted[0])))

    for record in records[::97]:
        position = position_of(record)
        assert len({evaluator.score(image) for image in position.symmetries()}) == 1


def sparse_rows(count: int, seed: int) -> csr_array:
    rows = random_array((count, COLUMNS), density=0.2, rng=np.random.default_rng(seed), dtype=np.float32)
    rows.data[:] = 1
    return csr_array(rows)


def problem(noise: float) -> tuple[Block, Block, Vector]:
    """Return rows to fit, rows kept out, and the weights behind both; the last column is in no row."""
    rng = np.random.default_rng(7)
    truth = rng.normal(size=COLUMNS).astype(np.float32)
    blocks = []
    for seed, count in ((1, 2000), (2, 500)):
        rows = sparse_rows(count, seed)
        rows.data[rows.indices == COLUMNS - 1] = 0
        targets = rows @ truth + rng.normal(scale=noise, size=count).astype(np.float32)
        blocks.append((rows, targets.astype(np.float32), 1.0))
    fitted, kept_out = blocks
    return fitted, kept_out, truth


def test_weights_are_found_where_nothing_is_in_the_way_and_rows_of_no_weight_count_for_nothing() -> None:
    fitted, kept_out, truth = problem(noise=0)
    rows, targets, _ = fitted
    start = np.zeros(COLUMNS, np.float32)

    found = solve([fitted], kept_out, start, ridge=1e-6)[0]
    alone, with_wrong_ones = (
        solve(blocks, kept_out, start, ridge=1.0)[0] for blocks in ([fitted], [fitted, (rows, -targets, 0.0)])
    )

    assert np.allclose(found[:-1], truth[:-1], atol=0.01)
    assert np.allclose(alone, with_wrong_ones, atol=1e-4)


def test_a_firm_ridge_keeps_weights_near_their_start_and_what_no_row_mentions_stays_there() -> None:
    fitted, kept_out, _ = problem(noise=1)
    start = np.full(COLUMNS, 0.25, np.float32)

    loose, firm = (solve([fitted], kept_out, start, ridge=ridge)[0] for ridge in (1.0, 1e5))

    assert np.abs(firm - start).max() < 0.1 * np.abs(loose - start).max()
    assert loose[-1] == 0.25

    none = csr_array((0, COLUMNS), dtype=np.float32), np.empty(0, np.float32), 1.0
    start = np.ones(COLUMNS, np.float32)

    assert solve([none], none, start, ridge=1.0)[0].tolist() == start.tolist()


@pytest.fixture(scope="module")
def random_records(games: Path) -> Records:
    """Positions of random play in which nobody is wiped out at the next move."""
    found = load([games])
    near: Records = found[(empties(found) > 8) & (np.abs(found["result"].astype(int)) < 40)]
    return near


def test_a_shift_moves_the_scores_of_its_head_alone() -> None:
    given = weights.Weights.nothing()

    found = np.array(shifted(given, [Shift(31, 1, 0.0, 0.0, 1.5, 0.0, 0.0)]).layers).reshape(
        HEADS, NUMBERS_OF_A_LAYER
    )

    assert found[60 - 31, -1] == 192
    assert np.count_nonzero(found) == 1


def test_what_even_and_odd_depths_are_off_by_is_weighed_against_each_other(
    nothing: Path, random_records: Records
) -> None:
    same = random_records.copy()
    same["result"] = 5  # for the side to move, whoever that is: no shift of a leaf can say so

    shifts = [shift for shift in measure(nothing, same, **SETTINGS) if shift.boards == 2 * BOARDS]

    assert len(shifts) > 5
    for shift in shifts:
        assert shift.even == pytest.approx(-5, abs=1)
        assert shift.odd == pytest.approx(-5, abs=1)
        assert abs(shift.even) <= shift.even_error < 6
        assert abs(shift.odd) <= shift.odd_error < 6
        assert shift.discs == pytest.approx(0, abs=1)


def test_searches_are_right_on_average_afterwards(
    nothing: Path, random_records: Records, tmp_path: Path
) -> None:
    out = tmp_path / "calibrated.bin"
    tempo = random_records.copy()
    tempo["result"] = np.where(empties(random_records) % 2 == 0, 5, -5)  # worth 5 discs to have the last move
    shifts = measure(nothing, tempo, **SETTINGS)
    out.write_bytes(
        weights.packed(shifted(weights.read(nothing), shifts), {"command": "calibrated for a test"})
    )

    again = measure(out, tempo, **SETTINGS)

    full = [pair for pair in zip(shifts, again, strict=True) if pair[0].boards == 2 * BOARDS]
    assert len(full) > 5
    for before, after in full:
        assert before.discs == pytest.approx(5 if before.empties % 2 == 0 else -5, abs=1)
        assert (after.even, after.odd, after.discs) == pytest.approx((0, 0, 0), abs=1)


def test_the_command_prints_and_writes_the_shifts(nothing: Path, games: Path, tmp_path: Path) -> None:
    out, picture = tmp_path / "calibrated.bin", tmp_path / "errors.svg"
    files = [games, "--weights", nothing, "-o", out, "--plot", picture]
    options = ["--depth", "2", "--boards", "5", "--workers", "1", "--json"]
    result = run("train", "calibrate", *files, *options)

    shifts = [Shift(**shift) for shift in json.loads(result.stdout)]
    assert weights.read(out) == shifted(weights.read(nothing), shifts)
    assert weights.provenance(out)["command"] == "nothing"
    assert weights.provenance(out)["calibration"]["boards"] == 5
    assert "empty squares at the leaves" in picture.read_text()


def test_bias_and_slope_tell_scores_too_low_and_too_narrow_and_are_those_of_least_squares() -> None:
    rng, truths = random.Random(1), [-8.0, 0.0, 20.0]
    bias, slope = calibration([truth / 2 - 1 for truth in truths], truths)
    scores = [rng.gauss(0, 10) for _ in range(50)]
    measured = [1.1 * score + rng.gauss(1, 5) for score in scores]

    assert calibration([1, -2, 3], [1, -2, 3]) == (0.0, 1.0)
    assert slope == pytest.approx(2.0)
    assert bias == pytest.approx(-1 - 2)  # half of a mean of 4 is missing too
    assert calibration(scores, measured)[1] == pytest.approx(np.polyfit(scores, measured, 1)[0])


@pytest.mark.parametrize("scores", [[], [3.0], [3.0, 3.0]])
def test_where_scores_don_not_differ_the_slope_is_1(scores: list[float]) -> None:
    assert calibration(scores, scores) == (0.0, 1.0)


def test_a_missing_package_or_too_small_a_disk_is_said_before_the_first_game(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = BootstrapSettings(tmp_path / "all", 7200, SearchSettings(4, 14), SearchSettings(8, 20), seed=1)
    bootstrap = "outflank.tools.train.bootstrap"

    monkeypatch.setattr(f"{bootstrap}.find_spec", lambda name: None)
    with pytest.raises(ModuleNotFoundError, match="No module named 'torch'"):
        plan(settings, workers=2)
    monkeypatch.setattr(f"{bootstrap}.find_spec", lambda name: name)
    monkeypatch.setattr(f"{bootstrap}.shutil.disk_usage", lambda path: SimpleNamespace(free=400_000_000))
    with pytest.raises(
        OutflankError, match=r"the games of 2.0 hours may take 438 MB, but .*all has only 400 MB free"
    ):
        plan(settings, workers=2)
    monkeypatch.setattr(f"{bootstrap}.shutil.disk_usage", lambda path: SimpleNamespace(free=5_000_000_000))
    said = plan(settings, workers=2)

    room = "at most about 438 MB of the 5,000 MB free in"
    assert re.fullmatch(rf"2.0 hours of work, until about ..:.., and {room} .*all", said)
    assert list(tmp_path.iterdir()) == []


def test_a_generation_gets_the_time_that_earlier_ones_did_not_use() -> None:
    pytest.importorskip("torch", reason="PyTorch is not installed")
    from outflank.tools.train.bootstrap import generation_seconds

    assert generation_seconds(100.0, 0, earlier=0.0) == pytest.approx(8.0)
    assert generation_seconds(100.0, 1, earlier=5.0) == pytest.approx(11.0)
    assert generation_seconds(100.0, 4, earlier=30.0) == pytest.approx(68.0)
    assert generation_seconds(100.0, 1, earlier=50.0) == pytest.approx(4.0)  # half of its share at least


def test_the_bootstrap_fills_its_time_with_games_and_the_fit_to_them() -> None:
    pytest.importorskip("torch", reason="PyTorch is not installed")
    from outflank.tools.train.bootstrap import work_seconds

    seconds = work_seconds(120.0, 3000, found=200.0, fitted=0.005)

    assert seconds + (3000 + 200.0 * seconds) * 0.005 == pytest.approx(120.0)
    assert 0 < work_seconds(120.0, 6000, found=200.0, fitted=0.005) < seconds
    assert work_seconds(120.0, 0) == 60.0  # half of it where nothing is known
    assert work_seconds(120.0, 3000, found=200.0, fitted=1.0) == 12.0  # however long the fit takes
