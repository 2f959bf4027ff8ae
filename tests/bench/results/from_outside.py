"""What no command of the program measures: kernels, the program from outside, the match runner."""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from outflank.tests.bench import runner_overhead, stopping
from outflank.tests.bench.gtp_speed import start_up
from outflank.tests.bench.results.figures import Effort, Figure, number
from outflank.tests.installation import ROOT
from outflank.tests.protocol.dialogue import Program

_MS = 1000.0


def kernels(effort: Effort) -> Iterator[Figure]:
    """Nanoseconds of one call of each hot function, by pytest-benchmark."""
    command = 'make bench ARGS="tests/bench/test_kernels.py"'
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "kernels.json")
        words = [sys.executable, "-m", "pytest", "tests/bench/test_kernels.py", "--benchmark-only", "-q"]
        words += ["--override-ini", "addopts=--import-mode=importlib", f"--benchmark-json={path}"]
        words += ["--benchmark-max-time=0.01", "--benchmark-min-rounds=1"] if effort.quick else []
        # In a worker of pytest-xdist it would not measure.
        here = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_XDIST")}
        subprocess.run(words, cwd=ROOT, env=here, stdout=sys.stderr, check=True)
        found = json.loads(path.read_text())["benchmarks"]
    for each in found:
        if "calls" in each["extra_info"]:
            nanoseconds = [1e9 * seconds / each["extra_info"]["calls"] for seconds in each["stats"]["data"]]
            yield Figure(each["extra_info"]["one"], "ns a call", command, tuple(nanoseconds))


def program(effort: Effort) -> Iterator[Figure]:
    """How soon ``outflank gtp`` answers, and the memory it has in use while it waits."""
    command = 'make results ARGS="--only program"'
    starts = [start_up() for _ in range(effort.runs)]
    answers, moves = (tuple(_MS * seconds for seconds in each) for each in zip(*starts, strict=True))
    yield Figure("`outflank gtp`, from its start to its first answer", "ms", command, answers)
    yield Figure("from there to the first move at level 1", "ms", command, moves)
    with Program() as idle:
        idle.ask("name")
        before = _resident_mb(idle)
        idle.ask("genmove b")
        yield Figure("memory in use before the first search", "MB", command, (before,))
        yield Figure(
            "memory in use after the first move, table of 64 MB", "MB", command, (_resident_mb(idle),)
        )


def runner(effort: Effort) -> Iterator[Figure]:
    """What a game of 60 moves costs the runner when the engines answer at once."""
    games = 20 if effort.quick else 300
    command = f"python -m outflank.tests.bench.runner_overhead {games}"
    for cost in runner_overhead.costs(games):
        walls = tuple(_MS * seconds for seconds in cost.seconds_a_game)
        yield Figure(cost.name, "ms a game, stretches of 10", command, walls)
        yield Figure(
            cost.name, "ms of processor time a game", command, (_MS * cost.processor_seconds_a_game,)
        )


def stops(effort: Effort) -> Iterator[Figure]:
    """From asking a search to stop to its end."""
    times = 10 if effort.quick else 1000
    command = f"python -m outflank.tests.bench.stopping {times}"
    for threads in (1, 2):
        found = tuple(_MS * seconds for seconds in stopping.times_to_stop(times, threads))
        yield Figure(f"a search of {number(threads, 'thread')} stops", "ms", command, found)


def _resident_mb(running: Program) -> float:
    status = Path(f"/proc/{running.process.pid}/status").read_text()
    (line,) = (line for line in status.splitlines() if line.startswith("VmRSS:"))
    return int(line.split()[1]) / 1024
