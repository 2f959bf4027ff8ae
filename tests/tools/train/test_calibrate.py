"""Calibration: searches of the games' positions are right on average afterwards."""

import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from outflank.engine.evaluation import weights
from outflank.engine.evaluation.network import HEADS, NUMBERS_OF_A_LAYER
from outflank.tools.commands.train import train
from outflank.tools.train.calibrate import CalibrateSettings, Shift, measure, shifted
from outflank.tools.train.dataset import Records, empties, load

SETTINGS = CalibrateSettings(depth=1, boards=12)


@pytest.fixture(scope="module")
def records(games: Path) -> Records:
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
    nothing: Path, records: Records
) -> None:
    same = records.copy()
    same["result"] = 5  # for the side to move, whoever that is: no shift of a leaf can say so

    shifts = [
        shift for shift in measure(nothing, same, SETTINGS, workers=1) if shift.boards == 2 * SETTINGS.boards
    ]

    assert len(shifts) > 5
    for shift in shifts:
        assert shift.even == pytest.approx(-5, abs=1)
        assert shift.odd == pytest.approx(-5, abs=1)
        assert abs(shift.even) <= shift.even_error < 6
        assert abs(shift.odd) <= shift.odd_error < 6
        assert shift.discs == pytest.approx(0, abs=1)


def test_searches_are_right_on_average_afterwards(nothing: Path, records: Records, tmp_path: Path) -> None:
    out = tmp_path / "calibrated.bin"
    tempo = records.copy()
    tempo["result"] = np.where(empties(records) % 2 == 0, 5, -5)  # worth 5 discs to have the last move
    shifts = measure(nothing, tempo, SETTINGS, workers=1)
    out.write_bytes(
        weights.packed(shifted(weights.read(nothing), shifts), {"command": "calibrated for a test"})
    )

    again = measure(out, tempo, SETTINGS, workers=1)

    full = [pair for pair in zip(shifts, again, strict=True) if pair[0].boards == 2 * SETTINGS.boards]
    assert len(full) > 5
    for before, after in full:
        assert before.discs == pytest.approx(5 if before.empties % 2 == 0 else -5, abs=1)
        assert (after.even, after.odd, after.discs) == pytest.approx((0, 0, 0), abs=1)


def test_the_command_prints_and_writes_the_shifts(nothing: Path, games: Path, tmp_path: Path) -> None:
    out, picture = tmp_path / "calibrated.bin", tmp_path / "errors.svg"
    arguments = [
        "calibrate",
        games,
        "--weights",
        nothing,
        "--out",
        out,
        "--depth",
        2,
        "--boards",
        20,
        "--plot",
        picture,
        "--workers",
        1,
    ]

    result = CliRunner().invoke(train, [*map(str, arguments), "--json"], catch_exceptions=False)

    shifts = [Shift(**shift) for shift in json.loads(result.stdout)]
    assert weights.read(out) == shifted(weights.read(nothing), shifts)
    assert weights.provenance(out)["command"] == "nothing"
    assert weights.provenance(out)["calibration"]["boards"] == 20
    assert "empty squares at the leaves" in picture.read_text()
