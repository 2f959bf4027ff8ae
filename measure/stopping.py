"""Measures how soon a stopped search ends: ``python -m outflank.measure.stopping [STOPS]``.

STOPS is the number of stops, 1000 by default. The time is that from the call of ``stop()`` to the end of the search in
its thread.
"""

import random
import sys
import threading
import time

from outflank.engine import Limit, Position, Searcher

# Number 58 of the FFO endgame suite, as published with Edax (problem/fforum-40-59.obf): minutes of work.
FFO_58 = "--XOOO----OOO----OOOXOO--OOOOXO--OXOXXX-OOXXXX----X-XX---------- X"
_LONGEST_SEARCH = 0.03


def seconds_to_stop(searcher: Searcher, position: Position, after: float) -> float:
    """Return the seconds from the call of ``stop()`` to the end of a search that has run for `after` seconds."""
    searcher.clear()  # the results of many searches would let the next one finish early
    ended: list[float] = []

    def search() -> None:
        searcher.search(position, Limit.solve())
        ended.append(time.perf_counter())

    thread = threading.Thread(target=search)
    thread.start()
    time.sleep(after)
    asked = time.perf_counter()
    searcher.stop()
    thread.join()
    return ended[0] - asked


def times_to_stop(stops: int, threads: int) -> list[float]:
    """Return the seconds of each stop, sorted."""
    position, chance = Position.parse(FFO_58), random.Random(1)
    searcher = Searcher(hash_mb=16, threads=threads)
    searcher.prepare()
    return sorted(
        seconds_to_stop(searcher, position, chance.uniform(0.002, _LONGEST_SEARCH)) for _ in range(stops)
    )


def main(stops: int) -> None:
    """Print median, 99th percentile and maximum for one thread and for two."""
    for threads in (1, 2):
        found = [1000 * seconds for seconds in times_to_stop(stops, threads)]
        late = sum(each >= 10 for each in found)
        median, most = found[stops // 2], found[-1]
        print(
            f"{threads} threads, {stops} stops: median {median:.2f} ms, 99 % {found[stops * 99 // 100]:.2f} ms, "
            f"maximum {most:.2f} ms, {late} of 10 ms or more",
            flush=True,
        )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000)
