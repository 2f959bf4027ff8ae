"""How near SPSA comes to a known optimum, with and without nevergrad: ``python -m outflank.measure.tuning [PAIRS]``.

Eight values of 0 to 1 begin anywhere and have their best place anywhere else; each costs ELO times the square of its
distance. A pair of games is drawn from the difference in Elo that follows. For 20 seeds, the greatest distance of any
value from its best place is shown; nevergrad's optimizers take part where it is installed (``pip install nevergrad``).
"""

import contextlib
import sys
from collections.abc import Callable, Iterator
from importlib import import_module
from random import Random
from statistics import median

from outflank.tools.match.stats.spsa import Tuned, Tuning, ValuePath

VALUES, SEEDS = 8, 20
ELO = 800.0  # that a value costs which is as wrong as can be; 8 Elo at a tenth of the range
DRAWS = 0.06  # of games between equals
NEAR = 0.1
LAG = 4
OTHERS = ("SPSA", "TBPSA", "NaiveTBPSA", "OptimisticNoisyOnePlusOne", "CMA", "PSO", "NGOpt")


class Hidden:
    """The stub: where the best values are, and what a pair of games comes to. Its random numbers are its own."""

    def __init__(self, seed: int) -> None:
        self.random = Random(f"hidden {seed}")
        self.best = [self.random.uniform(0.15, 0.85) for _ in range(VALUES)]
        self.start = [self.random.uniform(0.05, 0.95) for _ in range(VALUES)]

    def strength(self, values: list[float]) -> float:
        """In Elo, 0 at best."""
        return -sum(ELO * (value - best) ** 2 for value, best in zip(values, self.best, strict=True))

    def pair(self, first: list[float], opponent: float) -> float:
        """Points of the first in two games against an opponent of this strength."""
        expected = 1 / (1 + 10 ** ((opponent - self.strength(first)) / 400))
        draw = DRAWS * 4 * expected * (1 - expected)
        points = 0.0
        for _ in range(2):
            tossed = self.random.random()
            points += 1.0 if tossed < expected - draw / 2 else 0.5 if tossed < expected + draw / 2 else 0.0
        return points

    def farthest(self, values: list[float]) -> float:
        """The greatest distance of a value from its best place."""
        return max(abs(value - best) for value, best in zip(values, self.best, strict=True))


def ours(seed: int, pairs: int) -> float:
    """Our SPSA with its usual step and rate."""
    hidden = Hidden(seed)
    tuned = [Tuned.parse(f"v{place} real {start} 0 1", pairs) for place, start in enumerate(hidden.start)]
    path = ValuePath(Tuning(tuple(tuned), LAG), pairs, seed)
    for pair in range(1, pairs + 1):
        plus, minus = ([float(text) for text in side.values()] for side in path.sides(pair))
        path.add(pair, hidden.pair(plus, hidden.strength(minus)))
    return hidden.farthest(path.values)


def theirs(name: str) -> Callable[[int, int], float]:
    """An optimizer of nevergrad, which values one candidate at a time.

    It plays each against an opponent 100 Elo below the best, a better yardstick than a real tuning has: against the
    start nearly every pair would soon be won.
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
    """Ours, and nevergrad's if it is there."""
    yield "ours", ours
    with contextlib.suppress(ModuleNotFoundError):
        for name in OTHERS:
            yield f"nevergrad {name}", theirs(name)


def main(pairs: int = 10_000) -> None:
    """Print a line for each method."""
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
