"""What commands of the program measure themselves: the rules, the search, exact solving, the evaluation."""

import json
import os
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from outflank.tests.bench.results.figures import Effort, Figure, number
from outflank.tests.installation import ROOT

_PROGRAM = Path(sys.executable).with_name("outflank")
_FFO = "tests/data/ffo/fforum-40-59.obf"
_MILLION = 1e6


def perft(effort: Effort) -> Iterator[Figure]:
    """Leaves from the start."""
    command = f"outflank perft {7 if effort.quick else 11}"
    speeds = [found["leaves_per_second"] / _MILLION for found, *_ in _repeated(command, effort)]
    yield Figure("perft 11, last ply counted", "M leaves/s", command, tuple(speeds))


def bench(effort: Effort) -> Iterator[Figure]:
    """The fixed positions of ``outflank bench``, by kind of search; the nodes repeat exactly."""
    command = "outflank bench"
    runs = list(_repeated(command, Effort(1) if effort.quick else effort))
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


def ffo(effort: Effort) -> Iterator[Figure]:
    """FFO #40 to #49, by one thread and by two."""
    lines = (ROOT / _FFO).read_text().splitlines()[: 1 if effort.quick else 10]
    for threads in (1, 2):
        command = f"head -n {len(lines)} {_FFO} | outflank solve - --hash 512 --threads {threads} --check"
        yield from _solved(f"FFO #40 to #49, exact, {number(threads, 'thread')}", command, lines, effort)


def hard20(effort: Effort) -> Iterator[Figure]:
    """Every fourth of the 276 positions of hard-20."""
    lines = _hard20().read_text().splitlines()[:: 100 if effort.quick else 4]
    command = 'awk "NR % 4 == 1" $OUTFLANK_SUITES/hard-20.obf | outflank solve - --hash 512 --check'
    yield from _solved(f"{len(lines)} positions of 20 empty squares, exact", command, lines, effort)


def accuracy(effort: Effort) -> Iterator[Figure]:
    """Scores and moves of hard-20 against the exact ones; they repeat exactly."""
    lines = _hard20().read_text().splitlines()[: 4 if effort.quick else None]
    for depth in (0, 4) if effort.quick else (0, 4, 8, 12):
        command = f"outflank bench accuracy $OUTFLANK_SUITES/hard-20.obf --depth {depth}"
        (found,) = _asked(f"outflank bench accuracy - --depth {depth}", lines)
        what = f"{found['positions']} positions of 20 empty squares, {depth or 'no'} plies"
        yield Figure(what, "discs, mean absolute error", command, (found["mae"],))
        yield Figure(what, "within 3 discs", command, (found["within3"],))
        yield Figure(what, "best move", command, (found["best_move_rate"],))


def _solved(what: str, command: str, lines: list[str], effort: Effort) -> Iterator[Figure]:
    runs = list(_repeated(command.rpartition("| ")[2], effort, lines))
    nodes = [_total(run, "nodes") / _MILLION for run in runs]
    yield Figure(what, "M nodes", command, tuple(nodes))
    yield Figure(what, "s", command, tuple(_total(run, "seconds") for run in runs))


def _hard20() -> Path:
    """Raises: click.UsageError if the suite is not there."""
    folder = os.environ.get("OUTFLANK_SUITES")
    if folder is None or not (path := Path(folder, "hard-20.obf")).is_file():
        raise click.UsageError("expected OUTFLANK_SUITES to name a folder with hard-20.obf in it")
    return path


def _repeated(command: str, effort: Effort, lines: list[str] | None = None) -> Iterator[list[dict[str, Any]]]:
    for _ in range(effort.runs):
        yield _asked(command, lines)


def _asked(command: str, lines: list[str] | None = None) -> list[dict[str, Any]]:
    """The objects that a command prints with ``--json``, these lines being its input."""
    _, *words = shlex.split(command)
    text = "\n".join(lines or [])
    ran = subprocess.run(
        [_PROGRAM, *words, "--json"], input=text, stdout=subprocess.PIPE, text=True, check=True
    )
    return [json.loads(line) for line in ran.stdout.splitlines()]


def _total(items: list[dict[str, Any]], key: str) -> float:
    return float(sum(item[key] for item in items))
