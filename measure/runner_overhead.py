"""Measures the cost of a game in the match runner: ``python -m outflank.measure.runner_overhead [GAMES]``.

The number of games of each run may follow; 200 if it does not. Two engines that answer at once play one game of
60 moves again and again: through the bare driver, which is what pipes and processes cost, and as a match, with and
without the sync that ends each game. Processor time is that of this program, engines not included.
"""

import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from unittest import mock

from outflank.engine import Rules
from outflank.protocol.drivers import GtpDriver
from outflank.tests.support import fake_engine
from outflank.tests.support.runs import conduct, instant, instant_settings
from outflank.tools.match.game.results import GameRecord
from outflank.tools.match.state.events import Event
from outflank.tools.match.state.store import Store

_STRETCH = 10
_commit = Store._commit


def wire(games: int, note: Callable[[], object]) -> None:
    """The commands of the games and nothing else."""
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


def match(games: int, concurrency: int, synced: bool, note: Callable[[], object]) -> None:
    """Play a match, with or without the sync after each game."""

    def on_event(event: Event) -> None:
        if isinstance(event, GameRecord):
            note()

    def unsynced(store: Store, statements: object, durable: bool) -> None:
        _commit(store, statements, durable=False)  # type: ignore[arg-type]

    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(dir=Path.cwd())))
        if not synced:
            stack.enter_context(mock.patch.object(Store, "_commit", unsynced))
        conduct(instant_settings(folder, games=games, concurrency=concurrency), folder / "m", on_event)


def cost(play: Callable[[Callable[[], object]], None]) -> tuple[tuple[float, ...], float, float]:
    """Play, and return the cost of a game.

    Returns: the wall time of a game in each stretch of ten games and its processor time over all games, in seconds, and
        the games a second.
    """
    ends = [(time.perf_counter(), time.process_time())]
    play(lambda: ends.append((time.perf_counter(), time.process_time())))
    started, *_, (last, last_cpu) = ends = ends[len(ends) // 10 :]  # engines have started by then
    first, first_cpu = started
    walls = [
        (later[0] - earlier[0]) / _STRETCH
        for earlier, later in zip(ends[::_STRETCH], ends[_STRETCH::_STRETCH], strict=False)
    ]
    games = len(ends) - 1
    return tuple(walls), (last_cpu - first_cpu) / games, games / (last - first)


def ways(games: int) -> Iterator[tuple[str, Callable[[Callable[[], object]], None]]]:
    """Yield the bare client, a match without sync, and matches of one, two and four concurrent games."""
    yield "the wire alone", partial(wire, games)
    yield "a match, games not synced", partial(match, games, 1, False)
    for concurrency in (1, 2, 4):
        yield f"a match, concurrency {concurrency}", partial(match, games, concurrency, True)


def main() -> None:
    """Print the table."""
    games = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    print(f"load {os.getloadavg()[0]:.1f} on {len(os.sched_getaffinity(0))} processors, {games} games each\n")
    print("| | ms a game (median) | ms of processor time a game | games/s |")
    print("| --- | --- | --- | --- |")
    for name, play in ways(games):
        walls, processor, speed = cost(play)
        median = statistics.median(walls)
        print(f"| {name} | {1000 * median:.2f} | {1000 * processor:.2f} | {speed:.0f} |", flush=True)


if __name__ == "__main__":
    main()
