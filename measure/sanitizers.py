"""Exercises the compiled code under gcc's sanitizers: ``make sanitize`` and ``make races``.

Without arguments, the program runs under AddressSanitizer and UndefinedBehaviorSanitizer. It runs perft, searches of
random positions and boards of every preset, exact endgames, multi-threaded searches that are stopped, and the solo
game. Any finding is reported and aborts the program.

With ``races``, the program runs under ThreadSanitizer. It runs searches with four threads, which are stopped at
different moments. tests/data/races.supp lists the intended races with their reasons. Any other race is reported and
causes exit code 66.
"""

import random
import sys
import threading
import time

from outflank.engine import PRESETS, Game, Limit, OutflankError, Position, Rules, Searcher, perft
from outflank.engine.search.stability import stable_discs
from outflank.engine.solo.core import SoloBoard
from outflank.engine.solo.search import best_line, judged_moves

# A hand-made board with 24 empty squares and many moves for both sides.
BOARD = "--XXXXX--OOOXX-O-OOOXXOX-OXOXOXXOXXXOXXX--XOXOXX-XXXOOO--OOOOO-- X"
LEAVES = 55092  # the leaves of perft(7)
BOARDS = 12  # the number of boards of each preset
SEED = 1
STOPS = 20
RACING_STOPS = 30


def random_game(rules: Rules, rng: random.Random) -> Position:
    """Play a random number of random moves. Return the last position."""
    game = Game(rules)
    for _ in range(rng.randrange(58)):
        if game.position.must_pass:
            game.pass_()
        if game.position.is_over:
            break
        game.play(rng.choice(game.position.legal_moves()))
    return game.position


def random_board(rules: Rules, rng: random.Random) -> Position:
    """Return a board with random discs. It need not be reachable in a game."""
    taken, own = rng.getrandbits(64), rng.getrandbits(64)
    if rng.random() < 0.5:
        taken &= rng.getrandbits(64) | rng.getrandbits(64)
    return Position(taken & own, taken & ~own, rng.choice(["black", "white"]), rules)  # type: ignore[arg-type]


def search(position: Position, searcher: Searcher, rng: random.Random) -> None:
    """Run perft, stability, symmetries, evaluation and searches on a position."""
    perft(position, 2)
    stable_discs(position.own, position.opp)
    for image in position.symmetries():
        image.canonical()
    searcher.evaluate(position)
    searcher.search(
        position,
        Limit(depth=rng.randint(1, 7), selectivity=rng.choice([73, 100, None])),
        multipv=rng.randint(1, 5),
    )
    if position.empties <= 12:
        searcher.search(position, Limit.solve(wld=rng.random() < 0.5))


def solo(rng: random.Random) -> None:
    """Search a random board of the solo game."""
    masks = [rng.getrandbits(64) & rng.getrandbits(64) for _ in range(4)]
    try:
        board = SoloBoard(*masks)
    except OutflankError:
        masks[1] &= ~masks[0]
        masks[2] &= ~(masks[0] | masks[1])
        masks[3] &= ~(masks[0] | masks[1] | masks[2])
        board = SoloBoard(*masks)
    best_line(board, width=4)
    judged_moves(board)
    board.can_win(1000)
    board.winnable()


def stops(rng: random.Random) -> None:
    """Stop multi-threaded searches at random moments, and clear the transposition table between them."""
    searcher, position = Searcher(1, threads=4), Position.parse(BOARD)
    for _ in range(STOPS):
        timer = threading.Timer(rng.uniform(0, 0.05), searcher.stop)
        timer.start()
        searcher.search(position, Limit(depth=20))
        timer.join()
        searcher.clear()


def races() -> None:
    """Search to several depths with four threads, solve an endgame, then start and stop searches."""
    position = Position.parse(BOARD)
    searcher = Searcher(hash_mb=1, threads=4)
    for depth in (8, 10, 12):
        searcher.search(position, Limit(depth=depth))
    late = position
    while late.empties > 15:
        late = late.play(searcher.search(late, Limit(depth=6)).move)
    alone = Searcher(hash_mb=1).search(late, Limit.solve()).score
    together = searcher.search(late, Limit.solve()).score
    for number in range(RACING_STOPS):
        timer = threading.Timer(0.001 * number, searcher.stop)
        timer.start()
        searcher.search(position, Limit(depth=20))
        timer.join()
        searcher.clear()
    print(
        f"{RACING_STOPS} searches stopped; {late.empties} empty squares: {alone:+.0f} alone, {together:+.0f} together"
    )


def main() -> None:
    """Run everything except `races`, and print a summary."""
    rng, began, count = random.Random(SEED), time.monotonic(), 0
    assert perft(Position.start(), 7) == LEAVES
    for rules in PRESETS.values():
        for threads in (1, 3):
            searcher = Searcher(1, threads=threads)
            for make in (random_game, random_board):
                for _ in range(BOARDS // 4):
                    search(make(rules, rng), searcher, rng)
                    count += 1
    for _ in range(20):
        solo(rng)
    stops(rng)
    did = f"{count} boards of {len(PRESETS)} presets, {STOPS} searches stopped"
    print(f"{did}, {time.monotonic() - began:.0f} s: nothing found")


if __name__ == "__main__":
    races() if sys.argv[1:] == ["races"] else main()
