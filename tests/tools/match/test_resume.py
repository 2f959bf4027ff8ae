"""A run goes on where it was, however it ended: the runner is killed at random moments again and again."""

import json
import random
import shlex
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from outflank.engine import SettingsError
from outflank.tests.support.program import kill_at_random, running
from outflank.tests.support.runs import conduct, fake, random_run, settings
from outflank.tests.support.transcripts import run
from outflank.tools.match.runner.conductor import with_games
from outflank.tools.match.state.run import Format, Run
from outflank.tools.match.state.store import read_run
from outflank.tools.match.stats.sprt import Sprt

ENGINES = fake("A"), fake("B", "resign", 22)
SEED = 3


def results(run: Run) -> list[tuple[object, ...]]:
    return [
        (game.pairing.number, game.pairing.names, game.transcript, game.ending, game.winner, game.margin)
        for game in run.games
    ]


def begin(folder: Path, games: int, concurrency: int) -> list[str]:
    engines = [f"--engine=name={spec.name} cmd={shlex.quote(spec.cmd)}" for spec in ENGINES]
    options = ["--games", str(games), "--seed", str(SEED), "--openings", "random:8"]
    return ["match", *engines, *options, "--concurrency", str(concurrency), "--out", str(folder), "--json"]


def kill_and_resume(folder: Path, games: int, kills: int, concurrency: int) -> Run:
    rng = random.Random(SEED)
    kill_at_random(begin(folder, games, concurrency), rng)
    counted = 0
    again = [["match", "--resume", str(folder), "--json"], begin(folder, games, concurrency)]
    for number in range(kills - 1):
        found = read_run(folder)
        assert len(found.games) >= counted
        assert not found.finished or len(found.games) == games
        counted = len(found.games)
        kill_at_random(again[number % 2], rng)
    summary = json.loads(run("match", "--resume", folder, "--json").stdout.splitlines()[-1])
    ended = read_run(folder)
    assert summary["games"] == len(ended.games) == len((folder / "games.ggf").read_text().splitlines())
    return ended


@pytest.mark.parametrize(
    ("games", "kills", "concurrency"),
    [(12, 3, 1), (12, 3, 3), pytest.param(200, 200, 2, marks=[pytest.mark.slow, pytest.mark.timeout(1800)])],
)
def test_a_match_that_is_killed_again_and_again_ends_as_if_nothing_had_happened(
    tmp_path: Path, games: int, kills: int, concurrency: int
) -> None:
    run = kill_and_resume(tmp_path / "m", games, kills, concurrency)

    assert results(run) == results(conduct(settings(*ENGINES, games=games, seed=SEED), tmp_path / "whole"))
    assert run.finished
    assert run.voids == ()


def test_the_same_command_continues_its_run_and_another_one_leaves_it_alone(tmp_path: Path) -> None:
    folder = tmp_path / "m"
    command = [word for word in begin(folder, 2, 1) if word not in ("--seed", str(SEED))]
    run(*command)
    before = read_run(folder)
    run(*command, "--concurrency", "2")
    others = {
        "rules othello there, reversi here": ["--rules", "reversi"],
        "engine B: tc none there, 9 here": ["--engine", f"name=B tc=9 cmd={shlex.quote(ENGINES[1].cmd)}"],
        "games 2 there, 1 here": ["--games", "1"],
    }
    for difference, words in others.items():
        shorter = command[:2] + command[3:] if "--engine" in words else command
        assert (
            f"contains a run with different settings ({difference})" in run(*shorter, *words, code=2).stderr
        )
    assert read_run(folder) == before
    run(*command, "--games", "4")

    assert len(read_run(folder).games) == 4
    assert results(read_run(folder))[:2] == results(before)


def test_a_finished_run_is_only_shown_without_a_report_that_fails(tmp_path: Path) -> None:
    run(*begin(tmp_path / "m", 2, 1))
    before = read_run(tmp_path / "m")
    shown = run("match", "--resume", tmp_path / "m")
    (tmp_path / "m" / "report.html").unlink()
    (tmp_path / "m" / "report.html").mkdir()
    unwritten = run("match", "--resume", tmp_path / "m", code=1)

    assert "A" in shown.stdout
    assert read_run(tmp_path / "m") == before
    assert "Records and report are in" not in unwritten.stderr
    assert unwritten.stderr.endswith(
        f"can't write '{tmp_path}/m/report.html' (Is a directory); the games are safe in '{tmp_path}/m/run.db'\n"
    )


def test_a_finished_match_gets_more_games_and_equals_one_that_had_them_from_the_start(tmp_path: Path) -> None:
    run(*begin(tmp_path / "m", 3, 1))
    grown = run("match", "--resume", tmp_path / "m", "--games", "8")
    again = run("match", "--resume", tmp_path / "m", "--games", "8")
    fewer = run("match", "--resume", tmp_path / "m", "--games", "7", code=1)
    longer = read_run(tmp_path / "m")

    assert results(longer) == results(conduct(settings(*ENGINES, games=8, seed=SEED), tmp_path / "whole"))
    assert (longer.finished, longer.settings.games) == (True, 8)
    assert "8 games" in grown.stdout
    assert again.stdout == grown.stdout
    assert fewer.stderr == "outflank: the run already has 8 games, so it can't be reduced to 7\n"


@pytest.mark.parametrize(
    ("others", "sentence"),
    [
        (
            {"format": Format.ROUND_ROBIN},
            r"games can be added only to a match, and this run is a tournament \(round-robin\)",
        ),
        (
            {"sprt": Sprt(0, 200, alpha=0.4, beta=0.4)},
            "this run's test reached its verdict after 80 games, so it needs no more games",
        ),
    ],
)
def test_a_run_that_can_t_have_more_games_says_why(others: dict[str, Any], sentence: str) -> None:
    with pytest.raises(SettingsError, match=f"^{sentence}$"):
        with_games(random_run(("A", "B"), 40, others), 100)


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """Yield a file system of 200 KiB; the test is skipped where none can be mounted, which takes root."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=200k", "none", str(folder)], check=False)
    if mounted.returncode:
        pytest.skip("nothing can be mounted here")
    yield folder
    subprocess.run(["umount", "--lazy", str(folder)], check=True)


def test_a_disk_that_is_really_full_ends_in_words_and_the_run_can_go_on(disk: Path, tmp_path: Path) -> None:
    with running(*begin(disk / "m", 24, 1)[:-1], stdout=subprocess.DEVNULL) as match:
        assert match.stderr is not None
        while "results are kept in memory" not in (line := match.stderr.readline()):
            assert line, "the disk was never full"
        subprocess.run(["mount", "-o", "remount,size=100m", str(disk)], check=True)
        _, errors = match.communicate(timeout=100)
    run = read_run(disk / "m")

    assert match.returncode == 0
    assert "nothing was lost" in errors
    assert len(run.games) == 24
    assert results(run) == results(conduct(settings(*ENGINES, games=24, seed=SEED), tmp_path / "whole"))


def test_a_disk_that_stays_full_shows_the_whole_result_and_fails(disk: Path) -> None:
    with running(*begin(disk / "m", 24, 1)[:-1]) as match:
        assert match.stderr is not None
        while not match.stderr.readline().startswith("game 24"):
            assert match.poll() is None
        match.send_signal(signal.SIGINT)
        output, errors = match.communicate(timeout=30)
    rows = [line.split() for line in output.splitlines() if line.startswith(("A  ", "B  "))]

    assert match.returncode == 1
    assert "(database or disk is full)" in errors.splitlines()[-1]
    assert "Records and report are in" not in errors
    assert [row[2] for row in rows] == ["24", "24"]
