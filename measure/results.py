"""Measures the figures of docs/results.md: ``python -m outflank.measure.results``, or ``make results``.

The figures are stored in docs/results.json. The pages are updated from this file.
"""

import json
import os
import random
import shlex
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any
from unittest import mock

import click

from outflank.engine import Limit, Position, Rules, Searcher
from outflank.measure.figures import Figure, Measure, MeasureEffort, updated, with_figures
from outflank.protocol.drivers import GtpDriver
from outflank.tests.support import fake_engine
from outflank.tests.support.dialogue import Program
from outflank.tests.support.installation import ROOT
from outflank.tests.support.program import OUTFLANK
from outflank.tests.support.runs import conduct, instant, instant_settings
from outflank.tools.match.state.events import Event, GameEnded
from outflank.tools.match.state.store import Store
from outflank.tools.runtime.progress import counted

_FFO, _DEV_20 = (f"protocol/formats/data/{name}.obf" for name in ("ffo-40", "dev-20"))
_MILLION = 1e6
_MS = 1000.0
# Position #58 of the FFO endgame suite, from Edax (problem/fforum-40-59.obf). It takes minutes to solve.
_FFO_58 = "--XOOO----OOO----OOOXOO--OOOOXO--OXOXXX-OOXXXX----X-XX---------- X"
_LONGEST_SEARCH = 0.03  # the maximum time in seconds after which a search is stopped
_STRETCH = 10
_commit = Store._commit


def perft(effort: MeasureEffort) -> Iterator[Figure]:
    """Measure the leaves per second of perft from the start position."""
    command = f"outflank perft {7 if effort.quick else 11}"
    speeds = [found["leaves_per_second"] / _MILLION for found, *_ in _repeated(command, effort)]
    yield Figure("perft 11, last ply counted", "M leaves/s", command, tuple(speeds))


def bench(effort: MeasureEffort) -> Iterator[Figure]:
    """Measure ``outflank bench`` by kind of search. The numbers of nodes are reproducible."""
    command = "outflank bench"
    runs = list(_repeated(command, MeasureEffort(1) if effort.quick else effort))
    signature = runs[0][-1]["nodes"]
    assert all(run[-1]["nodes"] == signature for run in runs), "expected the same nodes in every run"
    yield Figure("the signature of `outflank bench`", "nodes", command, (signature,))
    for kind in ("11 plies", "18 plies at 73 %", "exact"):
        items = [[item for item in run if item["name"].endswith(f", {kind}")] for run in runs]
        totals = [(_total(item, "nodes"), _total(item, "seconds")) for item in items]
        what = f"its positions, {kind}"
        yield Figure(what, "M nodes", command, (totals[0][0] / _MILLION,))
        yield Figure(what, "s", command, tuple(seconds for _, seconds in totals))
        yield Figure(
            what, "M nodes/s", command, tuple(nodes / seconds / _MILLION for nodes, seconds in totals)
        )


def ffo(effort: MeasureEffort) -> Iterator[Figure]:
    """Measure the solving of FFO #40 to #49, with one thread and with two threads."""
    lines = (ROOT / _FFO).read_text().splitlines()[: 1 if effort.quick else 10]
    for threads in (1, 2):
        command = f"head -n {len(lines)} {_FFO} | outflank solve - --hash 512 --threads {threads} --check"
        yield from _solved(f"FFO #40 to #49, exact, {counted(threads, 'thread')}", command, lines, effort)


def accuracy(effort: MeasureEffort) -> Iterator[Figure]:
    """Compare scores and moves of searches with the exact scores of the sample dev-20. The results are reproducible."""
    lines = (ROOT / _DEV_20).read_text().splitlines()[: 4 if effort.quick else None]
    for depth in (0, 4) if effort.quick else (0, 4, 8, 12):
        command = f"outflank bench accuracy dev-20 --depth {depth}"
        (found,) = _asked(f"outflank bench accuracy - --depth {depth}", lines)
        what = f"{found['positions']} positions of 20 empty squares, {depth or 'no'} plies"
        yield Figure(what, "discs, mean absolute error", command, (found["mae"],))
        yield Figure(what, "within 3 discs", command, (found["within3"],))
        yield Figure(what, "best move", command, (found["best_move_rate"],))


def _solved(what: str, command: str, lines: list[str], effort: MeasureEffort) -> Iterator[Figure]:
    runs = list(_repeated(command.rpartition("| ")[2], effort, lines))
    nodes = [_total(run, "nodes") / _MILLION for run in runs]
    yield Figure(what, "M nodes", command, tuple(nodes))
    yield Figure(what, "s", command, tuple(_total(run, "seconds") for run in runs))


def _repeated(
    command: str, effort: MeasureEffort, lines: list[str] | None = None
) -> Iterator[list[dict[str, Any]]]:
    for _ in range(effort.runs):
        yield _asked(command, lines)


def _asked(command: str, lines: list[str] | None = None) -> list[dict[str, Any]]:
    """Run a command with ``--json``, send `lines` to its stdin, and return the objects that it prints."""
    _, *words = shlex.split(command)
    text = "\n".join(lines or [])
    ran = subprocess.run(
        [OUTFLANK, *words, "--json"], input=text, stdout=subprocess.PIPE, text=True, check=True
    )
    return [json.loads(line) for line in ran.stdout.splitlines()]


def _total(items: list[dict[str, Any]], key: str) -> float:
    return float(sum(item[key] for item in items))


def kernels(effort: MeasureEffort) -> Iterator[Figure]:
    """Measure the nanoseconds per call of each hot function, with pytest-benchmark."""
    command = 'make bench ARGS="tests/measure/test_kernels.py"'
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "kernels.json")
        words = [sys.executable, "-m", "pytest", "tests/measure/test_kernels.py", "--benchmark-only", "-q"]
        words += ["--override-ini", "addopts=--import-mode=importlib", f"--benchmark-json={path}"]
        words += ["--benchmark-max-time=0.01", "--benchmark-min-rounds=1"] if effort.quick else []
        # pytest-benchmark does not measure in a worker of pytest-xdist.
        here = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_XDIST")}
        subprocess.run(words, cwd=ROOT, env=here, stdout=sys.stderr, check=True)
        found = json.loads(path.read_text())["benchmarks"]
    for each in found:
        if "calls" in each["extra_info"]:
            nanoseconds = [1e9 * seconds / each["extra_info"]["calls"] for seconds in each["stats"]["data"]]
            yield Figure(each["extra_info"]["one"], "ns a call", command, tuple(nanoseconds))


def program(effort: MeasureEffort) -> Iterator[Figure]:
    """Measure the response times of ``outflank gtp``, and its memory use while it waits."""
    command = 'make results ARGS="--only program"'
    starts = [_start_up() for _ in range(effort.runs)]
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


def _start_up() -> tuple[float, float]:
    """Return the seconds from the program's start to its first response, and the seconds that ``genmove`` takes."""
    began = time.monotonic()
    with Program("--level", "1") as program:
        program.ask("name")
        answered = time.monotonic()
        program.ask("genmove b")
        return answered - began, time.monotonic() - answered


def runner(effort: MeasureEffort) -> Iterator[Figure]:
    """Measure the time that the runner adds to a game of 60 moves between engines that respond immediately.

    Two engines repeat the same game in three ways: with drivers alone, as a match with a sync after each game, and as a
    match without syncs. The first way gives the cost of pipes and processes. The processor time is the time of this
    program without the engines.
    """
    games = 12 if effort.quick else 300  # 12 games are enough for one stretch
    command = 'make results ARGS="--only runner"'
    ways: dict[str, Callable[[Callable[[], object]], None]] = {
        "the wire alone": partial(_wire, games),
        "a match, games not synced": partial(_match, games, 1, False),
        **{f"a match, concurrency {count}": partial(_match, games, count, True) for count in (1, 2, 4)},
    }
    for name, play in ways.items():
        walls, processor = _cost(play)
        yield Figure(name, "ms a game, stretches of 10", command, tuple(_MS * seconds for seconds in walls))
        yield Figure(name, "ms of processor time a game", command, (_MS * processor,))


def _wire(games: int, note: Callable[[], object]) -> None:
    """Send only the commands of the games to two engines."""
    black, white = (GtpDriver(instant(name), Rules()) for name in "AB")
    with black, white:
        for driver in (black, white):
            driver.open()
        for _ in range(games):
            for driver in (black, white):
                driver.order("boardsize 8")
                driver.order("clear_board")
            for ply, move in enumerate(fake_engine.MOVES):
                mover, other = (white, black) if ply % 2 else (black, white)
                mover.order("genmove black")
                other.order(f"play black {move}")
            note()


def _match(games: int, concurrency: int, synced: bool, note: Callable[[], object]) -> None:
    """Play a match. `synced`: whether its records are synced to the disk after each game."""

    def on_event(event: Event) -> None:
        if isinstance(event, GameEnded):
            note()

    def unsynced(store: Store, statements: object, durable: bool) -> None:
        _commit(store, statements, durable=False)  # type: ignore[arg-type]

    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(dir=Path.cwd())))
        if not synced:
            stack.enter_context(mock.patch.object(Store, "_commit", unsynced))
        conduct(instant_settings(folder, games=games, concurrency=concurrency), folder / "m", on_event)


def _cost(play: Callable[[Callable[[], object]], None]) -> tuple[tuple[float, ...], float]:
    """Run `play` with a function that `play` calls at the end of each game.

    Returns: the mean wall time per game of each stretch of ten games, and the mean processor time per game, in
        seconds. Both leave out the first tenth of the games.
    """
    ends = [(time.perf_counter(), time.process_time())]
    play(lambda: ends.append((time.perf_counter(), time.process_time())))
    ends = ends[len(ends) // 10 :]  # skip the first games, in which the engines start
    walls = [
        (later[0] - earlier[0]) / _STRETCH
        for earlier, later in zip(ends[::_STRETCH], ends[_STRETCH::_STRETCH], strict=False)
    ]
    return tuple(walls), (ends[-1][1] - ends[0][1]) / (len(ends) - 1)


def stops(effort: MeasureEffort) -> Iterator[Figure]:
    """Measure the time from the call of ``stop()`` to the end of the search."""
    times = 10 if effort.quick else 1000
    command = 'make results ARGS="--only stops"'
    for threads in (1, 2):
        chance, searcher = random.Random(1), Searcher(hash_mb=16, threads=threads)
        searcher.prepare()
        found = sorted(_MS * _seconds_to_stop(searcher, chance) for _ in range(times))
        yield Figure(f"a search of {counted(threads, 'thread')} stops", "ms", command, tuple(found))


def _seconds_to_stop(searcher: Searcher, chance: random.Random) -> float:
    """Return the seconds from the call of ``stop()`` at a random moment to the end of the search in its thread."""
    searcher.clear()  # with a table full of results, the next search would finish early
    ended: list[float] = []

    def search() -> None:
        searcher.search(Position.parse(_FFO_58), Limit.solve())
        ended.append(time.perf_counter())

    thread = threading.Thread(target=search)
    thread.start()
    time.sleep(chance.uniform(0.002, _LONGEST_SEARCH))
    asked = time.perf_counter()
    searcher.stop()
    thread.join()
    return ended[0] - asked


def _resident_mb(running: Program) -> float:
    status = Path(f"/proc/{running.process.pid}/status").read_text()
    (line,) = (line for line in status.splitlines() if line.startswith("VmRSS:"))
    return int(line.split()[1]) / 1024


MEASUREMENTS: dict[str, Measure] = {
    "perft": perft,
    "bench": bench,
    "ffo": ffo,
    "accuracy": accuracy,
    "kernels": kernels,
    "program": program,
    "stops": stops,
    "runner": runner,
}


@click.command()
@click.option(
    "--only", multiple=True, type=click.Choice([*MEASUREMENTS]), help="Measure this; may be repeated."
)
@click.option("--runs", type=click.IntRange(1), default=5, show_default=True, help="Runs if values vary.")
@click.option("--quick", is_flag=True, help="Do as little work as possible, only to test that it works.")
@click.option("--out", type=click.Path(path_type=Path), help="Update this JSON file.  [default: print JSON]")
@click.option(
    "--page",
    "pages",
    multiple=True,
    type=click.Path(path_type=Path, exists=True),
    help="Update the figures on this page; may be repeated.",
)
def main(only: tuple[str, ...], runs: int, quick: bool, out: Path | None, pages: tuple[Path, ...]) -> None:
    """Measure what docs/results.md shows, or the measurements named with --only."""
    if quick and pages:
        raise click.UsageError("expected a page to be made without --quick: its figures say little")
    effort = MeasureEffort(runs, quick)
    document = json.loads(out.read_text()) if out and out.exists() else {}
    for name in only or MEASUREMENTS:
        click.echo(f"measuring {name}", err=True)
        load = os.getloadavg()[0]
        document = updated(document, name, list(MEASUREMENTS[name](effort)), load)
        # The file is written after each measurement, so that an interruption loses only the current measurement.
        if out:
            out.write_text(json.dumps(document, indent=1) + "\n")
    if not out:
        click.echo(json.dumps(document, indent=1))
    for page in pages:
        page.write_text(with_figures(page.read_text(), document))


if __name__ == "__main__":
    main()
