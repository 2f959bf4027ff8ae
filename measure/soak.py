"""Plays matches for hours while engines fail and the runner is killed: ``make soak ARGS="--minutes 60"``.

A match of instant engines runs at the same time as tournaments that are killed and resumed. The program prints a JSON
object about the match and a JSON object about the tournaments. The exit code is 1 if a check fails, for example because
a result was lost or a process was still running.
"""

import json
import os
import random
import shlex
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

import click

from outflank.tests.support import fake_engine
from outflank.tests.support.processes import children, living_with
from outflank.tests.support.program import OUTFLANK
from outflank.tools.match.game.results import Ending
from outflank.tools.match.state.run import Run
from outflank.tools.match.state.store import read_run

_SIGNALS = (signal.SIGKILL, signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
# A signal that arrives before our code runs kills the process, or Python exits with code 1 and the message below.
_ALLOWED = {0, *(128 + number for number in _SIGNALS), *(-number for number in _SIGNALS)}
_PYTHON_WAS_INTERRUPTED = "Fatal Python error: init_import_site"
_GAMES = 4  # the number of games between any two engines
_LATER = 3  # the first third of the samples is skipped, since caches are filled in this time
FAULTY_SHARE = 0.05
TABLES = 8  # the number of concurrent games, most of which wait for a silent engine
STALL_SECONDS = 30  # a long limit, since a busy machine may delay even an instant engine for seconds
# The endings that the runner records for the faults of the faulty engine.
ENDINGS: Mapping[str, Ending] = {
    "crash": Ending.CRASH,
    "illegal": Ending.ILLEGAL_MOVE,
    "refuse": Ending.PROTOCOL_ERROR,
    "silence": Ending.STALL,
}


def repeat(folder: Path, seconds: float, rng: random.Random) -> dict[str, object]:
    """Play tournaments that are killed and resumed, until the time is up. Return a summary.

    Raises: AssertionError if a result is lost or differs from that of an undisturbed run, or if a process remains.
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
    """Kill and resume a tournament until the tournament is over. Return the number of kills."""
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
            continue  # the runner was killed before the run began
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


def sample(pid: int) -> dict[str, float]:
    """Return a process's memory in MiB and numbers of files, threads and children; an empty dict if it has exited."""
    process = Path(f"/proc/{pid}")
    try:
        pages = int((process / "statm").read_text().split()[1])
        files = len(list((process / "fd").iterdir()))
        threads = len(list((process / "task").iterdir()))
    except OSError:
        return {}
    mib = round(pages * os.sysconf("SC_PAGE_SIZE") / 2**20, 1)
    return {"mib": mib, "files": files, "threads": threads, "children": len(children(pid))}


def ranges(samples: list[dict[str, float]]) -> dict[str, object]:
    """Return the minimum and maximum of each figure, and the growth of memory. Skip the first third of the samples."""
    later = samples[len(samples) // _LATER :]
    if not later:
        return {"samples": 0}
    found = {
        name: [min(each[name] for each in later), max(each[name] for each in later)] for name in later[0]
    }
    return {"samples": len(samples), **found, "grown_mib": round(later[-1]["mib"] - later[0]["mib"], 1)}


def play(folder: Path, games: int, seconds: float, interval: float = 10.0) -> dict[str, object]:
    """Play games of instant engines until the time is up. Return a summary.

    Raises: AssertionError if a game is missing or is counted incorrectly.
    """
    log, openings = folder / "faults.log", folder / "openings.txt"
    log.touch()
    openings.write_text(fake_engine.GAME[:2])
    good, faulty = (
        fake_engine.command(fault, speak="instant") for fault in ("none", f"{FAULTY_SHARE} {log}")
    )
    engines = [
        f"name={name} cmd={shlex.quote(shlex.join(cmd))}"
        for name, cmd in (("good", good), ("faulty", faulty))
    ]
    command = [OUTFLANK, "match", "--engine", engines[0], "--engine", engines[1], "--games", str(games)]
    command += [
        "--openings",
        str(openings),
        "--concurrency",
        str(TABLES),
        "--stall",
        str(STALL_SECONDS),
        "--seed",
        "1",
    ]
    with (folder / "progress.txt").open("wb") as errors:
        running = subprocess.Popen(
            [*command, "--out", str(folder / "run")], stdout=subprocess.DEVNULL, stderr=errors
        )
        samples, deadline = [sample(running.pid)], time.monotonic() + seconds
        try:
            while running.poll() is None and time.monotonic() < deadline:
                time.sleep(min(interval, max(0.0, deadline - time.monotonic())))
                samples.append(sample(running.pid))
        finally:
            running.send_signal(signal.SIGINT)
            code = running.wait(1200)  # a long limit, since the runner writes a report of many games
    return {"exit code": code, **ranges([each for each in samples if each]), **_counted(folder, log)}


def _counted(folder: Path, log: Path) -> dict[str, object]:
    run = read_run(folder / "run")
    seen = [*run.games, *run.voids]
    numbers = [game.pairing.number for game in run.games]
    assert len(set(numbers)) == len(numbers), "a game counts twice"
    missing = set(range(1, max(numbers))) - set(numbers)
    # Each concurrent game belongs to an unfinished pair.
    assert len(missing) <= 2 * TABLES, f"games {sorted(missing)} are missing"
    endings = Counter(game.ending for game in seen)
    faults = Counter(log.read_text().splitlines())
    for ending in set(ENDINGS.values()):
        committed = sum(faults[fault] for fault in ENDINGS if ENDINGS[fault] is ending)
        # Unfinished games are not recorded.
        assert committed - TABLES <= endings[ending] <= committed, (ending, committed, endings[ending])
    good = [game for game in seen if game.ending is not Ending.DISCS and game.winner_name != "good"]
    assert all(game in run.voids for game in good), "the good engine was blamed"
    return {
        "games": len(run.games),
        "voids": len(run.voids),
        "faults": dict(faults),
        "endings": {str(ending): count for ending, count in endings.items()},
    }


@click.command()
@click.option("--minutes", type=float, default=30.0, show_default=True, help="The duration in minutes.")
@click.option(
    "--games", "count", type=int, default=100_000, show_default=True, help="Maximum games of instant engines."
)
@click.option(
    "--seed", type=int, default=1, show_default=True, help="Seed for the moments at which runners are killed."
)
@click.option(
    "--folder", type=click.Path(path_type=Path), help="New folder to keep.  [default: a temporary folder]"
)
def soak(minutes: float, count: int, seed: int, folder: Path | None) -> None:
    """Play for a long time, check that no result is lost and no process remains, and print the growth of memory."""
    # A shell makes background processes and their children ignore SIGINT.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    failed = False
    with tempfile.TemporaryDirectory(prefix="outflank-soak-") as temporary:
        place = folder or Path(temporary)
        place.mkdir(parents=True, exist_ok=True)
        with ThreadPoolExecutor(2) as threads:
            under_way = {
                threads.submit(play, place, count, 60 * minutes): "games",
                threads.submit(repeat, place, 60 * minutes, random.Random(seed)): "kills",
            }
            for done in as_completed(under_way):
                seen = done.exception() is None
                facts = done.result() if seen else {"failed": repr(done.exception())}
                click.echo(json.dumps({"soak": under_way[done], **facts}))
                failed |= not seen
    sys.exit(failed)


if __name__ == "__main__":
    soak()
