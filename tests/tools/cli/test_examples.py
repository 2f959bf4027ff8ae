"""The examples work as they stand."""

import json
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from outflank.tests.installation import ROOT

OUTFLANK = str(Path(sys.executable).with_name("outflank"))
TOURNAMENT = ROOT / "examples" / "tournament.toml"
needs_rhino = pytest.mark.skipif(
    not Path("/usr/games/gtp-rhino").exists(), reason="gtp-rhino is not installed"
)


def tournament(*arguments: str) -> subprocess.CompletedProcess[str]:
    words = [OUTFLANK, "tournament", "--config", str(TOURNAMENT), *arguments]
    return subprocess.run(words, capture_output=True, text=True, timeout=550)


def test_the_tournament_says_what_it_means(tmp_path: Path) -> None:
    """Written down again it is the same, but for what it leaves to the defaults."""
    ran = tournament("--save-config", str(tmp_path / "same.toml"))
    given, same = tomllib.loads(TOURNAMENT.read_text()), tomllib.loads((tmp_path / "same.toml").read_text())

    assert ran.returncode == 0, ran.stderr
    assert [{**engine, "time": "none"} for engine in given.pop("engine")] == same.pop("engine")
    assert given.items() <= same.items()


def test_the_tournament_has_as_many_games_as_it_says() -> None:
    given = tomllib.loads(TOURNAMENT.read_text())
    encounters = len(given["engine"]) * (len(given["engine"]) - 1) // 2

    assert f"{encounters * given['games']} games" in TOURNAMENT.read_text()


@needs_rhino
@pytest.mark.slow
@pytest.mark.timeout(600)
def test_a_short_form_of_the_tournament_is_played(tmp_path: Path) -> None:
    ran = tournament("--games", "2", "--solve", "0", "--out", str(tmp_path / "run"))
    summary = json.loads((tmp_path / "run" / "summary.json").read_text())

    assert ran.returncode == 0, ran.stderr
    assert summary["games"] == 30
