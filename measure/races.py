"""Searches with four threads, stopped at any moment, under ThreadSanitizer: ``make races``.

tests/data/races.supp lists the intended races, each with its reason. Any other race is reported and causes exit code
66.
"""

import threading

from outflank.engine import Limit, Position, Searcher

# Hand-made: 24 empty squares, both sides have moves everywhere.
BOARD = "--XXXXX--OOOXX-O-OOOXXOX-OXOXOXXOXXXOXXX--XOXOXX-XXXOOO--OOOOO-- X"
STOPS = 30


def main() -> None:
    """Search to a few depths, solve the end of the game, then start and stop."""
    position = Position.parse(BOARD)
    searcher = Searcher(hash_mb=1, threads=4)
    for depth in (8, 10, 12):
        searcher.search(position, Limit(depth=depth))
    late = position
    while late.empties > 15:
        late = late.play(searcher.search(late, Limit(depth=6)).move)
    alone = Searcher(hash_mb=1).search(late, Limit.solve()).score
    together = searcher.search(late, Limit.solve()).score
    for number in range(STOPS):
        timer = threading.Timer(0.001 * number, searcher.stop)
        timer.start()
        searcher.search(position, Limit(depth=20))
        timer.join()
        searcher.clear()
    print(
        f"{STOPS} searches stopped; {late.empties} empty squares: {alone:+.0f} alone, {together:+.0f} together"
    )


if __name__ == "__main__":
    main()
