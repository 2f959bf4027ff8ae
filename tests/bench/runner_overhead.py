"""What a game costs the match runner: ``python -m outflank.tests.bench.runner_overhead``.

The number of games of each run may follow; 200 if it does not. Two engines that answer at once play one game of
60 moves again and again: through the bare client, which is what pipes and processes cost, and as a match, with and
without the sync that ends each game. Processor time is that of this program, engines not included.
"""

import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from unittest import mock

from outflank.protocol.opponent.client import GtpClient
from outflank.tests import instant_engine
from outflank.tests.tools.play.halls import conduct, instant_settings
from outflank.tools.state.events import Event, GameEnded
from outflank.tools.state.store import Store

_commit = Store._commit


def wire(games: int, note: Callable[[], object]) -> None:
    """The commands of the games and nothing else."""
    with GtpClient(instant_engine.command()) as black, GtpClient(instant_engine.command()) as white:
        for client in (black, white):
            client.handshake()
        for _ in range(games):
            for client in (black, white):
                client.order("boardsize 8")
                client.order("clear_board")
            for ply, move in enumerate(instant_engine.MOVES):
                mover, other = (white, black) if ply % 2 else (black, white)
                mover.order("genmove black")
                other.order(f"play black {move}")
            note()


def match(games: int, concurrency: int, synced: bool, note: Callable[[], object]) -> None:
    """A match; without sync the disk writes when it likes to."""

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


def measure(name: str, play: Callable[[Callable[[], object]], None]) -> None:
    """Print a row: wall time of the median stretch of games, processor time and games per second."""
    ends = [(time.perf_counter(), time.process_time())]
    play(lambda: ends.append((time.perf_counter(), time.process_time())))
    started, *_, (last, last_cpu) = ends = ends[len(ends) // 10 :]  # engines have started by then
    first, first_cpu = started
    stretch = 10
    walls = [
        (later[0] - earlier[0]) / stretch
        for earlier, later in zip(ends[::stretch], ends[stretch::stretch], strict=False)
    ]
    games = len(ends) - 1
    print(
        f"| {name} | {1000 * statistics.median(walls):.2f} | {1000 * (last_cpu - first_cpu) / games:.2f} "
        f"| {games / (last - first):.0f} |",
        flush=True,
    )


def main() -> None:
    """Print the table."""
    games = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    print(f"load {os.getloadavg()[0]:.1f} on {len(os.sched_getaffinity(0))} processors, {games} games each\n")
    print("| | ms a game (median) | ms of processor time a game | games/s |")
    print("| --- | --- | --- | --- |")
    measure("the wire alone", partial(wire, games))
    measure("a match, games not synced", partial(match, games, 1, False))
    for concurrency in (1, 2, 4):
        measure(f"a match, concurrency {concurrency}", partial(match, games, concurrency, True))


if __name__ == "__main__":
    main()
