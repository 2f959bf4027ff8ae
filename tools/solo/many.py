"""Many deals one after the other, and what came of them."""

import json
import math
import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from outflank.engine.solo import DealerView
from outflank.engine.solodeal import Deal, Variant
from outflank.engine.soloplayer import SoloPlayer, solve
from outflank.tools.cli.live import live
from outflank.tools.show.board import say
from outflank.tools.solo.report import Report

Way = Callable[[DealerView, int, Variant], int]
"""Plays a deal of this seed to the end and gives the score."""


def by_player(game: DealerView, seed: int, variant: Variant) -> int:
    """The program with hidden chips."""
    player = SoloPlayer(variant, seed)
    while not game.is_over:
        game = game.play(player.choose(game.player_view()))
    return game.score(variant)


def by_chance(game: DealerView, seed: int, variant: Variant) -> int:
    """Any legal move, each as likely as the others."""
    source = random.Random(f"chance {seed}")  # the bare number draws the deal
    while not game.is_over:
        game = game.play(source.choice(game.legal_moves()))
    return game.score(variant)


def with_open_chips(game: DealerView, seed: int, variant: Variant) -> int:
    """The best play that the solver finds."""
    return solve(game, variant).score


@dataclass(frozen=True, slots=True)
class Results:
    """The scores of many deals."""

    scores: Sequence[int]
    perfect: int

    @property
    def mean(self) -> float:
        """The mean score."""
        return sum(self.scores) / len(self.scores)

    @property
    def deviation(self) -> float:
        """The standard deviation of a score."""
        squares = sum((score - self.mean) ** 2 for score in self.scores)
        return math.sqrt(squares / max(len(self.scores) - 1, 1))

    @property
    def perfect_share(self) -> float:
        """The share of games in which every chip was won."""
        return self.scores.count(self.perfect) / len(self.scores)


def play_many(way: Way, seeds: Iterable[int], layout: Iterable[int], report: Report) -> None:
    """Play the deals of these seeds and print a summary of the scores; Ctrl-C ends it with those there are."""
    scores: list[int] = []
    squares = tuple(layout)

    def draw() -> str:
        mean = f", mean {sum(scores) / len(scores):.2f}" if scores else ""
        return f"{len(scores)} deals{mean}"

    try:
        with live(draw):
            for seed in seeds:
                scores.append(way(DealerView.start(Deal.shuffled(seed, squares)), seed, report.variant))
                if report.as_json:
                    say(json.dumps({"kind": "deal", "seed": seed, "score": scores[-1]}))
    finally:
        if scores:
            _summarise(Results(scores, report.perfect), report)


def _summarise(results: Results, report: Report) -> None:
    """The figures of all deals."""
    if report.as_json:
        facts = {
            "deals": len(results.scores),
            "mean": round(results.mean, 3),
            "deviation": round(results.deviation, 3),
            "worst": min(results.scores),
            "best": max(results.scores),
            "perfect": round(results.perfect_share, 4),
        }
        say(json.dumps({"kind": "results", **facts}))
        return
    error = results.deviation / math.sqrt(len(results.scores))
    say(
        f"{len(results.scores)} deals: mean {results.mean:.2f} +/- {error:.2f} of {results.perfect}, "
        f"standard deviation {results.deviation:.2f}, worst {min(results.scores)}, best {max(results.scores)}, "
        f"perfect {results.perfect_share:.1%}"
    )
