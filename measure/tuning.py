"""Compares our SPSA with nevergrad's optimizers on a known optimum: ``python -m outflank.measure.tuning [PAIRS]``.

Eight values from 0 to 1 have random starts and random optima. Each value costs ELO times the square of its distance
from its optimum. The result of a pair of games is drawn at random for the resulting Elo difference. The error of a run
is the largest distance of a value from its optimum. The program prints statistics of this error over 20 seeds. The
optimizers of nevergrad are measured if nevergrad is installed (``pip install nevergrad``).
"""

import contextlib
import sys
from collections.abc import Callable, Iterator
from importlib import import_module
from random import Random
from statistics import median

from outflank.tools.match.stats.spsa import TunedParameter, Tuning, ValuePath

VALUES, SEEDS = 8, 20
ELO = 800.0  # the cost of a value at a distance of 1 from its optimum; the cost grows with its square
DRAWS = 0.06  # the share of draws between equally strong players
NEAR = 0.1
LAG = 4
OTHERS = ("SPSA", "TBPSA", "NaiveTBPSA", "OptimisticNoisyOnePlusOne", "CMA", "PSO", "NGOpt")


class Hidden:
    """A simulated tuning problem with hidden optima and random results of games. It has its own random generator."""

    def __init__(self, seed: int) -> None:
        self.random = Random(f"hidden {seed}")
        self.best = [self.random.uniform(0.15, 0.85) for _ in range(VALUES)]
        self.start = [self.random.uniform(0.05, 0.95) for _ in range(VALUES)]

    def strength(self, values: list[float]) -> float:
        """Return the strength in Elo, 0 at the optimum."""
        return -sum(ELO * (value - best) ** 2 for value, best in zip(values, self.best, strict=True))

    def pair(self, first: list[float], opponent: float) -> float:
        """Return the points of a player with the values `first` in two games. `opponent`: the opponent's Elo."""
        expected = 1 / (1 + 10 ** ((opponent - self.strength(first)) / 400))
        draw = DRAWS * 4 * expected * (1 - expected)
        points = 0.0
        for _ in range(2):
            tossed = self.random.random()
            points += 1.0 if tossed < expected - draw / 2 else 0.5 if tossed < expected + draw / 2 else 0.0
        return points

    def farthest(self, values: list[float]) -> float:
        """Return the largest distance of a value from its optimum."""
        return max(abs(value - best) for value, best in zip(values, self.best, strict=True))


def ours(seed: int, pairs: int) -> float:
    """Run our SPSA with its default step and rate. Return the largest distance of a value from its optimum."""
    hidden = Hidden(seed)
    tuned = [
        TunedParameter.parse(f"v{place} real {start} 0 1", pairs) for place, start in enumerate(hidden.start)
    ]
    path = ValuePath(Tuning(tuple(tuned), LAG), pairs, seed)
    for pair in range(1, pairs + 1):
        plus, minus = ([float(text) for text in side.values()] for side in path.sides(pair))
        path.add(pair, hidden.pair(plus, hidden.strength(minus)))
    return hidden.farthest(path.values)


def theirs(name: str) -> Callable[[int, int], float]:
    """Return a function that runs an optimizer of nevergrad, which evaluates one candidate at a time.

    Each candidate plays against an opponent that is 100 Elo weaker than the optimum. In a real tuning, no such opponent
    is known. A player with the start values would be a bad opponent, since candidates would soon win nearly every pair.
    """
    nevergrad = import_module("nevergrad")

    def run(seed: int, pairs: int) -> float:
        hidden = Hidden(seed)
        space = nevergrad.p.Array(init=hidden.start).set_mutation(sigma=0.1).set_bounds(0, 1)
        space.random_state.seed(seed)
        optimizer = nevergrad.optimizers.registry[name](parametrization=space, budget=pairs)
        for _ in range(pairs):
            candidate = optimizer.ask()
            optimizer.tell(candidate, -hidden.pair([*map(float, candidate.value)], -100.0))
        return hidden.farthest([*map(float, optimizer.provide_recommendation().value)])

    return run


def methods() -> Iterator[tuple[str, Callable[[int, int], float]]]:
    """Yield our method, and the methods of nevergrad if it is installed."""
    yield "ours", ours
    with contextlib.suppress(ModuleNotFoundError):
        for name in OTHERS:
            yield f"nevergrad {name}", theirs(name)


def main(pairs: int = 10_000) -> None:
    """Print a line of statistics for each method."""
    for name, method in methods():
        found = sorted(method(seed, pairs) for seed in range(SEEDS))
        near = sum(distance <= NEAR for distance in found)
        print(
            f"{name}: within {NEAR:.0%} with {near} of {SEEDS} seeds after {2 * pairs} games, "
            f"median {median(found):.3f}, worst {found[-1]:.3f}",
            flush=True,
        )


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
