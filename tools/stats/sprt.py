"""Sequential probability ratio test on pairs of games: numbers in, numbers out.

Two hypotheses say how much stronger one engine is. After each pair the log-likelihood ratio of the second against
the first is compared with Wald's bounds; it is the generalised one of ``likelihood``, on the pentanomial counts,
since the two games of a pair share an opening and are not independent.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from outflank.engine.errors import NotationError
from outflank.tools.stats.likelihood import ratio_of_means, ratio_of_t_values
from outflank.tools.stats.outcomes import pentanomial, prefixes

MODELS = ("normalized", "logistic")
NELO_PER_T = 800 / math.log(10)
"""Normalised Elo of a t-value of 1: (mean - 1/2) / standard deviation of the score of a game."""
# Beyond it the t-value can't be made linear at a distribution that is far from it; such a difference needs no test.
_LARGEST_NELO = 200.0
_KEYS = ("elo0", "elo1", "alpha", "beta", "model")


@dataclass(frozen=True, slots=True)
class Sprt:
    """A test of elo1 against elo0.

    Attributes:
        elo0: what the difference is if the change is worth nothing.
        elo1: what it is if the change is good.
        alpha: how often a worthless change may pass.
        beta: how often a good one may fail.
        model: what Elo means here. ``normalized``: 800 / ln 10 times the mean score above one half over the standard
            deviation of a game's score, so that a test takes as long whatever the share of draws. ``logistic``:
            400 log10 of the odds of a point.

    Raises: ValueError if no test can be made of the numbers.
    """

    elo0: float = 0.0
    elo1: float = 20.0
    alpha: float = 0.05
    beta: float = 0.05
    model: str = "normalized"

    def __post_init__(self) -> None:
        if self.model not in MODELS:
            raise ValueError(f"expected a model out of {', '.join(MODELS)}, got {self.model!r}")
        if not self.elo0 < self.elo1:
            raise ValueError(f"expected elo0 below elo1, got {self.elo0:g} and {self.elo1:g}")
        largest = _LARGEST_NELO if self.model == "normalized" else math.inf
        if not -largest <= self.elo0 < self.elo1 <= largest or math.isinf(self.elo1 - self.elo0):
            raise ValueError(
                f"expected {self.model} bounds from {-largest:g} to {largest:g} Elo, "
                f"got {self.elo0:g} and {self.elo1:g}"
            )
        if not (0 < self.alpha < 0.5 and 0 < self.beta < 0.5):
            raise ValueError(
                f"expected alpha and beta between 0 and 0.5, got {self.alpha:g} and {self.beta:g}"
            )

    @classmethod
    def parse(cls, text: str) -> "Sprt":
        """Read ``elo0=0 elo1=20 alpha=0.05 beta=0.05 model=normalized``; commas may stand for the blanks.

        What is left out has its default, and ``0,20`` alone names the two differences.

        Raises: NotationError if it can't be read or if no test can be made of the numbers.
        """
        words = text.replace(",", " ").split()
        if len(words) == 2 and "=" not in text:
            words = [f"elo0={words[0]}", f"elo1={words[1]}"]
        settings: dict[str, Any] = {}
        for word in words:
            key, equals, value = word.partition("=")
            if key not in _KEYS or not equals or key in settings:
                raise NotationError(f"expected a test like {cls()}, got {word!r} in {text!r}")
            settings[key] = value if key == "model" else _number(value, text)
        try:
            return cls(**settings)
        except ValueError as error:
            raise NotationError(f"{error} in {text!r}") from None

    def __str__(self) -> str:
        """The text that ``parse`` reads back."""
        return " ".join(f"{key}={getattr(self, key)}" for key in _KEYS)

    @property
    def bounds(self) -> tuple[float, float]:
        """The log-likelihood ratio at which elo0 is accepted, and that at which elo1 is."""
        return walds_bounds(self.alpha, self.beta)

    def ratio(self, pairs: Sequence[float]) -> float:
        """The log-likelihood ratio after pairs of games worth 0 to 2 points each; 0 after none."""
        return self.ratio_of(pentanomial(pairs))

    def ratio_of(self, counts: Sequence[int]) -> float:
        """The log-likelihood ratio after so many outcomes.

        Args:
            counts: pairs that brought 0, 1/2, 1, 3/2 and 2 points, or games that were lost, drawn and won.
        """
        if not sum(counts):
            return 0.0
        if self.model == "logistic":
            return ratio_of_means(counts, expected_score(self.elo0), expected_score(self.elo1))
        scale = math.sqrt((len(counts) - 1) / 2) / NELO_PER_T  # the mean of two games deviates less than one
        return ratio_of_t_values(counts, scale * self.elo0, scale * self.elo1)

    def verdict(self, pairs: Sequence[float]) -> bool | None:
        """Whether elo1 is accepted after all these pairs; None as long as they don't say."""
        return verdict(self.ratio(pairs), self.bounds)

    def path(self, pairs: Sequence[float], most: int = 400) -> list[tuple[int, float]]:
        """Numbers of pairs and the log-likelihood ratio after so many, the last one after all.

        Args:
            pairs: points of each, in the order of the schedule.
            most: about how many points the path may have; it is thinned out evenly.
        """
        return [(done, self.ratio_of(counts)) for done, counts in prefixes(pairs, most)]

    def decided(self, pairs: Sequence[float]) -> tuple[int, bool] | None:
        """After how many pairs there was a verdict for the first time, and which; None if there is none yet."""
        for done, counts in prefixes(pairs, most=max(1, len(pairs))):
            accepted = verdict(self.ratio_of(counts), self.bounds)
            if accepted is not None:
                return done, accepted
        return None


def _number(value: str, text: str) -> float:
    try:
        return float(value)
    except ValueError:
        raise NotationError(f"expected a number, got {value!r} in {text!r}") from None


def walds_bounds(alpha: float, beta: float) -> tuple[float, float]:
    """The log-likelihood ratios at which a test with these errors ends."""
    return math.log(beta / (1 - alpha)), math.log((1 - beta) / alpha)


def verdict(ratio: float, bounds: tuple[float, float]) -> bool | None:
    """Whether the second hypothesis is accepted; None between the bounds."""
    low, high = bounds
    return True if ratio >= high else False if ratio <= low else None


def expected_score(elo: float) -> float:
    """Mean score of a game for a logistic Elo difference."""
    return 1 / (1 + 10 ** (-elo / 400))
