"""``outflank tune`` as a user meets it: real games of an engine whose best values are known."""

import json
import random
import shlex
import shutil
from pathlib import Path

import pytest

from outflank.tests.support import fake_engine
from outflank.tests.support.fake_engine import BEST, RANGES
from outflank.tests.support.program import kill_at_random
from outflank.tests.support.runs import edit, expect_policy
from outflank.tests.support.transcripts import run
from outflank.tools.match.state.run import Run
from outflank.tools.match.state.store import read_run
from outflank.tools.report.figures import Figures

TUNABLE = shlex.join(fake_engine.command("values", speak="tunable"))
ENGINE = f"name=stub cmd={shlex.quote(TUNABLE)}"
RATE = "0.05 0.05"
EIGHT = [
    word
    for name in BEST
    for word in ("--param", f"{name} int 5 0 10 1 0.05" if name == "v8" else f"{name} real 0.5 0 1 {RATE}")
]
USUAL = ["--engine", ENGINE, *EIGHT, "--openings", "random:8", "--seed", "3"]


def values(run: Run) -> dict[str, str]:
    return {value.parameter.name: value.text for value in Figures(run).values}


def wrong(found: dict[str, str]) -> float:
    """Return the Elo that the found values lose."""
    return -fake_engine.strength({name: float(text) for name, text in found.items()})


@pytest.fixture(scope="module")
def tuned(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """Return the folder of a tuning, and what it printed."""
    folder = tmp_path_factory.mktemp("tune") / "t"
    return folder, run("tune", *USUAL, "--games", 240, "--concurrency", 2, "--out", folder).stdout


def test_values_go_towards_the_best_and_the_result_is_tested_reported_and_only_shown_again(
    tuned: tuple[Path, str],
) -> None:
    folder, printed = tuned
    found, test = values(read_run(folder)), read_run(folder / "test")
    start = {name: str(RANGES[name] / 2) for name in BEST}

    assert wrong(found) < 0.6 * wrong(start)
    assert "240 games to tune 8 parameters of othello" in printed
    assert all(f"{name} {text}, from" in printed for name, text in found.items())
    assert test.settings.names == ("stub tuned", "stub")
    assert {**dict(test.settings.engines[0].options)} == found
    assert test.settings.sprt is not None
    assert test.settings.seed != read_run(folder).settings.seed
    assert "stub tuned against stub: Elo +" in printed
    assert json.loads((folder / "summary.json").read_text())["values"] == found
    page = (folder / "report.html").read_text()
    assert all(f"<h3>{name}</h3>" in page for name in BEST)
    assert page.count('class="band"') == len(BEST)
    assert "stub: 8 parameters tuned" in page
    assert "test/report.html" in page
    expect_policy(page)
    before = read_run(folder), test
    assert run("tune", "--resume", folder).stdout == printed
    assert (read_run(folder), read_run(folder / "test")) == before


@pytest.mark.parametrize(
    ("key", "value"),
    [("lag", 0), ("lag", "x"), ("parameters", []), ("parameters", [{"name": "v1"}]), ("test", {"elo0": "x"})],
)
def test_a_run_file_with_a_tuning_that_can_not_be_is_refused_in_one_sentence(
    tuned: tuple[Path, str], tmp_path: Path, key: str, value: object
) -> None:
    shutil.copy(tuned[0] / "run.db", tmp_path / "run.db")
    place, new = f"$.tuning.{key}", json.dumps(value)
    edit(tmp_path, "UPDATE run SET value = json_set(value, ?, json(?)) WHERE name = 'settings'", place, new)
    said = run("report", tmp_path, code=1).stderr

    assert "as the file of a run" in said
    assert len(said.splitlines()) == 1


def test_a_tuning_that_is_killed_at_any_moment_takes_the_same_path(tmp_path: Path) -> None:
    options = [*USUAL, "--games", "60", "--concurrency", "2", "--sprt", "none"]
    run("tune", *options, "--out", tmp_path / "whole")
    rng = random.Random(5)
    folder = str(tmp_path / "t")
    kill_at_random(["tune", *options, "--out", folder, "--json"], rng)
    for _ in range(5):
        kill_at_random(["tune", "--resume", folder, "--json"], rng)
    run("tune", "--resume", folder, "--concurrency", 3)  # more at once than the lag allows for

    whole, broken = read_run(tmp_path / "whole"), read_run(tmp_path / "t")
    assert Figures(broken).values == Figures(whole).values
    assert [game.transcript for game in broken.games] == [game.transcript for game in whole.games]
    assert broken.finished
    assert not (tmp_path / "t" / "test").exists()


@pytest.mark.parametrize(
    ("setting", "script", "parameter", "prefix"),
    [
        ("", f"echo {{level_of_care}} >> LOG; exec {TUNABLE}", "level_of_care int 5 1 9 3 0.1", ""),
        *(
            (f"protocol={speak} depth=2", f"tee -a LOG | {command}", parameter, prefix)
            for speak, parameter, prefix in (
                ("nboard", "care real 0.5 0 1 0.2 0.1", "set care "),
                ("uci", "Threads int 4 1 8 2 0.1", "setoption name Threads value "),
            )
            for command in [shlex.join(fake_engine.command(speak=speak))]
        ),
    ],
    ids=["command", "nboard", "uci"],
)
def test_an_engine_gets_values_in_its_command_by_set_and_by_setoption(
    tmp_path: Path, setting: str, script: str, parameter: str, prefix: str
) -> None:
    log = tmp_path / "log"
    command = shlex.quote(shlex.join(["sh", "-c", script.replace("LOG", str(log))]))
    run(
        "tune",
        *("--engine", f"name=x {setting} cmd={command}", "--param", parameter, "--games", "6"),
        *("--sprt", "none", "--openings", "random:8" if not setting else "random:40", "--seed", "1"),
        *("--out", str(tmp_path / "t")),
    )

    sent = {line.removeprefix(prefix) for line in log.read_text().splitlines() if line.startswith(prefix)}
    least, most = map(float, parameter.split()[3:5])
    assert len(sent) > 1
    assert all(least <= float(value) <= most for value in sent)


def test_outflank_itself_is_tuned_without_being_started_anew(tmp_path: Path) -> None:
    ran = run(
        "tune",
        *("--engine", 'name=mine cmd="outflank gtp --nodes 50 --book none"', "--seed", "1"),
        *("--param", "mpc_probe real 0.5 0 2", "--param", "lmr_from_move int 3 1 10 1", "--games", "8"),
        *("--sprt", "none", "--out", str(tmp_path / "t")),
    )

    assert "mpc_probe " in ran.stdout
    assert read_run(tmp_path / "t").remarks == ()
