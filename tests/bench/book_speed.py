"""How fast a book answers, and how it grows.

``python -m outflank.tests.bench.book_speed probe BOOK`` times probes, ``grow LEVEL MINUTES`` in their place prints a
line for each minute of a new book.
"""

import random
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from outflank.book import Book, BookWriter
from outflank.book.growing import Grower, Progress, Reach
from outflank.book.judging import Judge
from outflank.engine import Position, Rules
from outflank.tools.work.searcher import cleared_searcher

_PROBES = 5000
_MINUTE = 60.0


def probe(path: Path) -> None:
    """Print how long probes take of positions in the book and of such as its leaves lead to, in random order."""
    rng = random.Random(1)
    with Book.open(path) as book:
        entries = list(book.entries())
        known = [rng.choice(entries).position for _ in range(_PROBES)]
        outside = [
            after
            for entry in entries
            for move in entry.moves
            if not move.linked and not (after := entry.position.play(move.move)).is_over
        ]
        unknown = [rng.choice(outside) for _ in range(_PROBES)]
        print(f"{len(entries):,} positions, {path.stat().st_size / len(entries):.0f} bytes each")
        for name, positions in (("in the book", known), ("not in the book", unknown)):
            for position in positions[:200]:
                book.probe(position)
            print(f"{name:<16} {_percentiles(book, positions)}")


def _percentiles(book: Book, positions: Sequence[Position]) -> str:
    """Microseconds of a probe by the wall clock: the median, the 99th percentile, the longest."""
    times = []
    for position in positions:
        began = time.perf_counter_ns()
        book.probe(position)
        times.append((time.perf_counter_ns() - began) / 1000)
    times.sort()
    median, late = times[len(times) // 2], times[len(times) * 99 // 100]
    return f"p50 {median:.0f} us, p99 {late:.0f} us, longest {times[-1]:.0f} us"


def grow(level: int, minutes: int) -> None:
    """Print how a new book of Othello grows in this process, by the minute of processor time."""
    following = [_MINUTE]
    began = time.process_time()

    def show(progress: Progress) -> None:
        seconds = time.process_time() - began
        if seconds >= following[0] and progress.root:
            score, lower, upper = progress.root
            print(
                f"minute {round(following[0] / _MINUTE):>3}  {progress.positions:>7,} positions  "
                f"root {score:+d} ({lower:+d} to {upper:+d})  {progress.error:g} discs at ply {progress.ply}",
                flush=True,
            )
            following[0] += _MINUTE
        if seconds >= minutes * _MINUTE:
            raise TimeoutError

    with tempfile.TemporaryDirectory() as folder, BookWriter.create(Path(folder) / "b", Rules()) as book:
        grower = Grower(book, Judge(cleared_searcher, level), on_progress=show)
        try:
            grower.grow(Reach())
        except TimeoutError:
            rate = 3600 * grower.progress().added / (time.process_time() - began)
            print(f"level {level}: {rate:,.0f} positions in an hour of one core")


if __name__ == "__main__":
    what, *values = sys.argv[1:]
    if what == "probe":
        probe(Path(values[0]))
    else:
        grow(*map(int, values))
