"""Tournaments of four engines whose runner is killed at random moments and resumed, until they are over."""

import os
import random
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

from outflank.tests import fake_engine
from outflank.tests.processes import living_with
from outflank.tools.match.state.run import Run
from outflank.tools.match.state.store import read_run

OUTFLANK = str(Path(sys.executable).with_name("outflank"))
_SIGNALS = (signal.SIGKILL, signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
# Before our first line runs, the system or Python ends the process by the signal itself, or by 1 and these words.
_ALLOWED = {0, *(128 + number for number in _SIGNALS), *(-number for number in _SIGNALS)}
_PYTHON_WAS_INTERRUPTED = "Fatal Python error: init_import_site"
_GAMES = 4  # of each encounter


def repeat(folder: Path, seconds: float, rng: random.Random) -> dict[str, object]:
    """Tournament after tournament until time is up; what was seen.

    Raises: AssertionError if a result is lost, or another than that of a run that nobody disturbs, or if a process
    stays behind.
    """
    deadline, kills, games, rounds = time.monotonic() + seconds, 0, 0, 0
    while time.monotonic() < deadline or not rounds:
        rounds += 1
        killed = _until_over(folder / f"killed-{rounds}", rounds, rng)
        whole, code = folder / f"whole-{rounds}", 0
        code = _start(whole, _begin(whole, rounds)).wait()
        assert code == 0, f"exit code {code} of the run that nobody disturbed"
        disturbed, undisturbed = (read_run(place) for place in (folder / f"killed-{rounds}", whole))
        assert _results(disturbed) == _results(undisturbed), f"tournament {rounds} ended otherwise"
        kills, games = kills + killed, games + len(disturbed.games)
    return {"tournaments": rounds, "kills": kills, "games": games, "lost": 0, "left behind": 0}


def _until_over(folder: Path, seed: int, rng: random.Random) -> int:
    """Kill and resume a tournament until it is over; how often it was killed."""
    kills, counted, printed = 0, 0, Path(f"{folder}.log")
    command = _begin(folder, seed)
    while True:
        printed.unlink(missing_ok=True)
        running = _start(folder, command)
        try:
            code = running.wait(rng.uniform(0.2, 8.0))
        except subprocess.TimeoutExpired:
            running.send_signal(rng.choice(_SIGNALS))
            code = running.wait(600)
            kills += 1
        assert code in _ALLOWED or _PYTHON_WAS_INTERRUPTED in printed.read_text(), (
            f"exit code {code}, see {printed}"
        )
        assert living_with(_mark(folder)) == [], "an engine outlives its runner"
        if not (folder / "run.db").exists():
            continue  # killed before it began
        run = read_run(folder)
        assert len(run.games) >= counted, "a game that had ended is lost"
        counted = len(run.games)
        if run.finished:
            return kills
        command = ["tournament", "--resume", str(folder)]


def _begin(folder: Path, seed: int) -> list[str]:
    ours = f"{OUTFLANK} gtp --hash 1 --book none"
    commands = {
        "first": shlex.join(fake_engine.command()),
        "crashing": shlex.join(fake_engine.command("crash", 22)),
        "shallow": f"{ours} --depth 1",
        "deeper": f"{ours} --nodes 2000",
    }
    engines = [
        word
        for name, cmd in commands.items()
        for word in ("--engine", f"name={name} restart=yes cmd={shlex.quote(cmd)}")
    ]
    options = ["--games", str(_GAMES), "--seed", str(seed), "--openings", "random:8", "--concurrency", "2"]
    return ["tournament", *engines, *options, "--out", str(folder)]


def _start(folder: Path, arguments: list[str]) -> subprocess.Popen[bytes]:
    name, value = _mark(folder).split("=", 1)
    with Path(f"{folder}.log").open("ab") as log:
        return subprocess.Popen(
            [OUTFLANK, *arguments], stdout=log, stderr=log, env={**os.environ, name: value}
        )


def _mark(folder: Path) -> str:
    return f"OUTFLANK_SOAK={folder}"


def _results(run: Run) -> list[tuple[object, ...]]:
    return [
        (game.pairing.number, game.pairing.names, game.transcript, game.ending, game.winner, game.margin)
        for game in run.games
    ]
