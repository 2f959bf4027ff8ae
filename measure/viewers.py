"""Measures how much viewers of a match slow down its engines: ``python -m outflank.measure.viewers [VIEWERS [GAMES]]``.

The defaults are 1,000 viewers and 4 games of each kind. Matches without a page alternate with matches that have a page
and viewers on loopback. The first kind of match measures nodes per second: engines search a fixed number of nodes for
each move. The second kind measures the longest time overrun: engines search for a fixed time. A single process connects
as all viewers and discards its input. It has the same low priority as the process of the page.
"""

import multiprocessing
import os
import resource
import selectors
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from multiprocessing.synchronize import Event
from pathlib import Path
from statistics import median
from urllib.parse import urlsplit

from outflank.tests.support.processes import children
from outflank.tests.support.program import OUTFLANK
from outflank.tools.match.state.store import read_run
from outflank.tools.web.run_page import NICENESS

ROUNDS = 3
NODES = 200_000  # the nodes for a move in the first kind of match
SECONDS = 0.1  # the time for a move in the second kind of match, in seconds
LEAST_EMPTIES = 24  # with 24 empty squares or fewer, a search may end before it has used its nodes
_WAIT_SECONDS = 60


def _stare(address: str, count: int, ready: Event) -> None:
    os.nice(NICENESS)
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    place = urlsplit(address)
    asked = (
        f"GET /feed HTTP/1.1\r\nHost: {place.netloc}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
    )
    chosen = selectors.DefaultSelector()
    for _ in range(count):
        viewer = socket.create_connection((place.hostname or "", place.port or 0), _WAIT_SECONDS)
        viewer.sendall(asked.encode())
        assert viewer.recv(12) == b"HTTP/1.1 101"
        chosen.register(viewer, selectors.EVENT_READ)
    ready.set()
    while True:
        for key, _ in chosen.select():
            if not key.fileobj.recv(1 << 16):  # type: ignore[union-attr]
                chosen.unregister(key.fileobj)


@contextmanager
def playing(folder: Path, games: int, engine: str, clock: str, viewers: int) -> Iterator[float]:
    """Play a match that viewers watch from its start. Yield the share of a processor that the page used."""
    entries = [f"--engine=name={name} cmd='outflank gtp --book none {engine}' tc={clock}" for name in "AB"]
    command = [OUTFLANK, "match", "--games", str(games), "--seed", "1"]
    page = ["--listen"] if viewers else []
    runner = subprocess.Popen(
        [*command, *page, "--out", str(folder), *entries],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert runner.stderr is not None
    share, began = 0.0, time.monotonic()
    with ExitStack() as stack:
        stack.callback(runner.stderr.close)
        for line in runner.stderr:
            if line.startswith("The run is shown at "):
                ready = multiprocessing.Event()
                staring = multiprocessing.Process(target=_stare, args=(line.split()[-1], viewers, ready))
                staring.start()
                stack.callback(staring.join)
                stack.callback(staring.kill)
                assert ready.wait(_WAIT_SECONDS), "the viewers got no answer"
            if line.startswith("The page stays"):
                share = sum(map(_served, children(runner.pid))) / (time.monotonic() - began)
                runner.terminate()
        assert runner.wait() in (0, 1), line  # 1 if games were voided because the machine was busy
        yield share


def _served(process: int) -> float:
    """Return the processor seconds of a process if the process serves the page, else 0."""
    if b"tools.web.run_page" not in Path(f"/proc/{process}/cmdline").read_bytes():
        return 0.0
    user, system = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


def cost(games: int, viewers: int) -> tuple[float, float, float]:
    """Play a match of each kind.

    Returns: the median nodes per second of a move, the longest time overrun of a move in seconds, and the largest
        share of a processor that the page used. The share is 0 without a page.
    """
    speeds, oversteps, shares = [], [], []
    with tempfile.TemporaryDirectory() as folder:
        with playing(Path(folder) / "nodes", games, f"--nodes {NODES}", "none", viewers) as share:
            shares.append(share)
            turns = [turn for game in read_run(Path(folder) / "nodes").games for turn in game.turns]
        for turn in turns:
            if turn.seconds and turn.before.empties > LEAST_EMPTIES:
                speeds.append(NODES / turn.seconds)
        with playing(Path(folder) / "time", games, "", f"{SECONDS:g}", viewers) as share:
            shares.append(share)
            turns = [turn for game in read_run(Path(folder) / "time").games for turn in game.turns]
        oversteps += [turn.seconds - SECONDS for turn in turns if turn.seconds]
    return median(speeds), max(oversteps), max(shares)


def main() -> None:
    """Print a table of the costs with and without viewers."""
    viewers = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000
    games = int(sys.argv[2]) if len(sys.argv) > 2 else 4
    print(
        f"load {os.getloadavg()[0]:.1f} on {len(os.sched_getaffinity(0))} processors, {games} games of each kind\n"
    )
    print("| viewers | nodes/s (median move) | longest overstep in ms | the page's share of a processor |")
    print("| --- | --- | --- | --- |")
    for _ in range(ROUNDS):
        for count in (0, viewers):
            speed, overstep, page = cost(games, count)
            print(f"| {count:,} | {speed:,.0f} | {1000 * overstep:.1f} | {page:.0%} |", flush=True)


if __name__ == "__main__":
    main()
