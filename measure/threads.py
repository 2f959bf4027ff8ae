"""Measures the speed-up by threads: ``python -m outflank.measure.threads [OPTIONS]``.

Two kinds of positions are searched with each number of threads. The FFO positions #45 to #54 are solved. Positions from
games, with 32 to 52 empty squares, are searched to a fixed depth. Each position is searched with all numbers of
threads, the largest number first, before the next position. If the remaining time is too short for the smaller numbers,
the position is left out. So all rows of a table refer to the same positions, even if the time runs out before the last
position. Edax solves the same FFO positions afterwards.
"""

import itertools
import json
import os
import platform
import re
import shlex
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import click

from outflank.engine import Game, Limit, Position, Rules, Searcher
from outflank.engine.machine import processors
from outflank.protocol.formats.samples import samples
from outflank.tools.match.openings.sources import balanced_openings

# The numbers of the FFO positions, in increasing order of their nodes.
_FFO = (47, 46, 48, 49, 51, 45, 52, 50, 53, 54)
_EMPTIES = (52, 46, 40, 36, 32)  # the numbers of empty squares in the positions from games
_GAMES = 12
_PLIES = 6  # the depth of the searches that choose the moves of the games
# Edax' summary of a file: nodes, then the time with or without hours.
_EDAX_TOTAL = re.compile(r": ([\d,]+) nodes in +(?:(\d+):)?(\d+):([\d.]+)")


@dataclass(frozen=True, slots=True)
class Measurement:
    """One search of a position.

    Attributes:
        kind: the kind of search, the same for all searches of a table.
        position: the position's name.
        threads: the number of threads.
        nodes: the nodes of all threads.
        seconds: the wall time.
        user: the processor seconds of all threads in user mode.
        system: the processor seconds of all threads in system mode.
        score: the score in discs; None if the program does not print the score.
    """

    kind: str
    position: str
    threads: int
    nodes: int
    seconds: float
    user: float = 0.0
    system: float = 0.0
    score: float | None = None


Search = Callable[[int], Measurement]
"""A function that searches one position with a number of threads."""


def ffo_positions() -> Iterator[tuple[str, Position]]:
    """Yield the positions #45 to #54 of the FFO suite, in increasing order of their nodes."""
    lines = samples()["ffo-40"].read_text().splitlines()
    for number in _FFO:
        yield f"#{number}", Position.parse(lines[number - 40].partition(";")[0])


def game_positions() -> Iterator[tuple[str, Position]]:
    """Yield positions from games that the engine plays from balanced openings.

    There are at most `_GAMES` positions for each number of empty squares.
    """
    searcher = Searcher(hash_mb=16)
    openings = list(balanced_openings(_GAMES * len(_EMPTIES), Rules(), 1))
    for number, (moves, empties) in enumerate(zip(openings, itertools.cycle(_EMPTIES), strict=False)):
        game = Game()
        for move in moves:
            game.play(move)
        while game.position.empties > empties and not game.position.is_over:
            searcher.clear()
            game.play(searcher.search(game.position, depth=_PLIES, nodes=100_000).move)
        if len(game.position.legal_moves()) > 1:
            yield f"{number} ({empties})", game.position


class Searchers:
    """A searcher for each number of threads. Searchers are reused, so that each table is allocated only once."""

    def __init__(self, hash_mb: int) -> None:
        self._hash_mb = hash_mb
        self._made: dict[int, Searcher] = {}

    def search(self, kind: str, name: str, position: Position, limit: Limit, threads: int) -> Measurement:
        """Search a position with an empty table."""
        if threads not in self._made:
            self._made[threads] = Searcher(self._hash_mb, threads)
            # This search reads the weights. It also writes to the table, so that the system provides the memory.
            self._made[threads].search(Position.start(), Limit(depth=16, selectivity=73))
        searcher = self._made[threads]
        searcher.clear()
        before = os.times()
        found = searcher.search(position, limit)
        after = os.times()
        user, system = after.user - before.user, after.system - before.system
        return Measurement(kind, name, threads, found.nodes, found.seconds, user, system, found.score)


def edax_solves(command: Sequence[str], name: str, position: Position, threads: int) -> Measurement:
    """Let Edax solve a position. Read the nodes and the time from Edax' summary.

    Raises: click.ClickException if the output has no summary.
    """
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "one.obf")
        file.write_text(position.board_string() + ";\n")
        words = [*command, "-solve", str(file), "-n-tasks", str(threads), "-l", "60", "-h", "22"]
        before = os.times()
        ran = subprocess.run([*words, "-book-usage", "off"], capture_output=True, text=True)
        after = os.times()
    found = _EDAX_TOTAL.search(ran.stdout)
    if not found:
        raise click.ClickException(f"Edax printed no total: {(ran.stdout + ran.stderr)[-300:]!r}")
    nodes, hours, minutes, seconds = found.groups()
    spent = 3600 * int(hours or 0) + 60 * int(minutes) + float(seconds)
    user = after.children_user - before.children_user
    system = after.children_system - before.children_system
    return Measurement("Edax", name, threads, int(nodes.replace(",", "")), spent, user, system)


def measure(
    searches: Sequence[tuple[str, str, Search]], threads: Sequence[int], minutes: float
) -> Iterator[list[Measurement]]:
    """Search each position with all numbers of threads. Yield the measurements of each position.

    Each kind of search stops at the first position for which too little time remains.
    """
    until = time.monotonic() + 60 * minutes
    most, ended = max(threads), set()
    for kind, name, search in searches:
        if kind in ended:
            continue
        first = search(most)
        # With fewer threads a search takes longer. The time is at most inversely proportional to the threads.
        needed = sum(first.seconds * most / count for count in threads if count != most)
        if time.monotonic() + needed > until:
            ended.add(kind)
            click.echo(f"{kind} {name}: left out, about {needed:.0f} s more are needed", err=True)
            continue
        found = [first, *(search(count) for count in sorted(threads, reverse=True) if count != most)]
        click.echo(f"{kind} {name}: " + ", ".join(f"{each.seconds:.2f} s" for each in found), err=True)
        yield found


def in_turns(*kinds: Sequence[tuple[str, str, Search]]) -> list[tuple[str, str, Search]]:
    """Mix the searches of all kinds evenly. Keep the order within each kind."""
    placed = [((place + 0.5) / len(kind), each) for kind in kinds for place, each in enumerate(kind)]
    return [each for _, each in sorted(placed, key=lambda pair: pair[0])]


def table(found: Sequence[Measurement]) -> Iterator[str]:
    """Yield the lines of a table. Speed-up and nodes are relative to the searches with the fewest threads."""
    yield (
        f"{'threads':>7} {'seconds':>9} {'M nodes':>9} {'M nodes/s':>9} {'speed-up':>8} {'by nodes/s':>10} "
        f"{'nodes':>6} {'busy':>5} {'system':>6}"
    )
    base: tuple[float, float] | None = None
    for threads in sorted({each.threads for each in found}):
        same = [each for each in found if each.threads == threads]
        seconds, nodes = sum(each.seconds for each in same), sum(each.nodes for each in same) / 1e6
        user, system = sum(each.user for each in same), sum(each.system for each in same)
        base = base or (seconds, nodes)
        yield (
            f"{threads:7} {seconds:9.2f} {nodes:9.1f} {nodes / seconds:9.2f} {base[0] / seconds:8.2f} "
            f"{nodes / seconds / (base[1] / base[0]):10.2f} {nodes / base[1]:6.3f} "
            f"{(user + system) / seconds / threads:5.0%} {system / seconds / threads:6.1%}"
        )


def machine() -> dict[str, Any]:
    """Return the properties of this machine that figures depend on: processors, shared cores, memory, system."""
    facts: dict[str, Any] = {"system": platform.platform(), "processors": processors()}
    if Path("/proc/cpuinfo").exists():
        models = re.findall(r"model name\s*: (.*)", Path("/proc/cpuinfo").read_text())
        facts["models"] = sorted(set(models))
    siblings = Path("/sys/devices/system/cpu").glob("cpu[0-9]*/topology/thread_siblings_list")
    facts["cores"] = sorted({path.read_text().strip() for path in siblings})
    nodes = Path("/sys/devices/system/node").glob("node[0-9]*")
    facts["memory nodes"] = sorted(path.name for path in nodes)
    huge = Path("/sys/kernel/mm/transparent_hugepage/enabled")
    facts["huge pages"] = huge.read_text().strip() if huge.exists() else None
    facts["load"] = os.getloadavg()[0]
    return facts


@click.command()
@click.option("--threads", default="1,2,4,8,16", show_default=True, help="Numbers of threads.")
@click.option("--minutes", type=float, default=4.0, show_default=True, help="Time for our searches.")
@click.option(
    "--depth", type=click.IntRange(1), default=28, show_default=True, help="Plies for positions from games."
)
@click.option("--selectivity", type=int, default=73, show_default=True, help="Selectivity at this depth.")
@click.option("--hash", "hash_mb", type=int, default=512, show_default=True, help="MB of each table.")
@click.option("--edax", help="Edax' command, which solves the FFO positions that we have solved.")
@click.option("--edax-minutes", type=float, default=2.0, show_default=True, help="Time for Edax.")
@click.option("--json", "json_file", type=click.Path(path_type=Path), help="Write all searches to this file.")
def main(
    threads: str,
    minutes: float,
    depth: int,
    selectivity: Any,
    hash_mb: int,
    edax: str | None,
    edax_minutes: float,
    json_file: Path | None,
) -> None:
    """Measure searches with each given number of threads for which the machine has enough processors."""
    counts = [int(word) for word in threads.split(",")]
    counts = [count for count in counts if count <= processors()]
    facts, searchers = machine(), Searchers(hash_mb)
    click.echo(json.dumps(facts))
    fixed = Limit(depth=depth, selectivity=selectivity)

    def ours(kind: str, name: str, position: Position, limit: Limit) -> tuple[str, str, Search]:
        return kind, name, lambda count: searchers.search(kind, name, position, limit, count)

    solved = [ours("FFO", name, position, Limit.solve()) for name, position in ffo_positions()]
    deep = [ours("games", name, position, fixed) for name, position in game_positions()]
    found: list[Measurement] = []

    def note(news: list[Measurement]) -> None:
        found.extend(news)
        if news[0].kind == "FFO" and len({each.score for each in news}) > 1:
            raise click.ClickException(f"the scores of {news[0].position} differ: {news}")
        # The file is written after each position, so that an interruption loses only the current position.
        if json_file:
            json_file.write_text(json.dumps({"machine": facts, "found": [asdict(each) for each in found]}))

    for news in measure(in_turns(solved, deep), counts, minutes):
        note(news)
    if edax:
        done = {each.position for each in found if each.kind == "FFO"}
        theirs = [
            (
                "Edax",
                name,
                lambda count, name=name, board=board: edax_solves(shlex.split(edax), name, board, count),
            )
            for name, board in ffo_positions()
            if name in done
        ]
        for news in measure(theirs, counts, edax_minutes):
            note(news)
    for kind in dict.fromkeys(each.kind for each in found):
        of_kind = [each for each in found if each.kind == kind]
        names = list(dict.fromkeys(each.position for each in of_kind))
        click.echo(f"\n{kind}, {len(names)} positions: {', '.join(names)}")
        for line in table(of_kind):
            click.echo(line)


if __name__ == "__main__":
    main()
