"""Measures the speed of book probes: ``python -m outflank.measure.book_speed BOOK``."""

import random
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from outflank.book import Book
from outflank.engine import Position

_PROBES = 5000


def probe(path: Path) -> None:
    """Print the times of probes of positions in the book and of positions after its leaves, in random order."""
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
    times = []
    for position in positions:
        began = time.perf_counter_ns()
        book.probe(position)
        times.append((time.perf_counter_ns() - began) / 1000)
    times.sort()
    median, late = times[len(times) // 2], times[len(times) * 99 // 100]
    return f"p50 {median:.0f} us, p99 {late:.0f} us, longest {times[-1]:.0f} us"


if __name__ == "__main__":
    probe(Path(sys.argv[1]))
