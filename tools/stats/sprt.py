"""Sequential probability ratio test on the points of pairs of games: numbers in, numbers out.

The ratio is the generalised one of ``likelihood``, on the pentanomial counts, since the two games of a pair share an
opening and are not independent.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from outflank.engine.errors import NotationError
from outflank.tools.stats.elo import NELO_PER_T
from outflank.tools.stats.likelihood import ratio_of_means, ratio_of_t_values
from outflank.tools.stats.outcomes import pentanomial, prefixes
from outflank.tools.stats.sequential import SequentialTest

_SPELLINGS = {"normalised": "normalized"}  # as the tables spell it
# Such differences need no test. Beyond 200 normalised Elo the t-value can't be made linear at a distribution that is
# far from it; 2000 logistic Elo lose one point in 100,000, and some way beyond that none is left by rounding.
_LARGEST = {"normalized": 200.0, "logistic": 2000.0}
_KEYS = ("elo0", "elo1", "alpha", "beta", "model")


@dataclass(frozen=True, slots=True)
class Sprt(SequentialTest):
    """A test of elo1 against elo0; a pair's value is the first engine's points in it, 0 to 2.

    Attributes:
        model: what Elo means here. ``normalized``: 800 / ln 10 times the mean score above one half over the standard
            deviation of a game's score, so that a test takes as long whatever the share of draws. ``logistic``:
            400 log10 of the odds of a point.

    Raises: ValueError if no test can be made of the numbers.
    """

    model: str = "normalized"

    def __post_init__(self) -> None:
        if self.model not in _LARGEST:
            raise ValueError(f"expected a model out of {', '.join(_LARGEST)}, got {self.model!r}")
        if not self.elo0 < self.elo1:
            raise ValueError(f"expected elo0 below elo1, got {self.elo0:g} and {self.elo1:g}")
        largest = _LARGEST[self.model]
        if not -largest <= self.elo0 < self.elo1 <= largest:
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
            settings[key] = _SPELLINGS.get(value, value) if key == "model" else _number(value, text)
        try:
            return cls(**settings)
        except ValueError as error:
            raise NotationError(f"{error} in {text!r}") from None

    def __str__(self) -> str:
        """The text that ``parse`` reads back."""
        return " ".join(f"{key}={getattr(self, key)}" for key in _KEYS)

    def ratio(self, values: Sequence[float]) -> float:
        """The log-likelihood ratio after pairs of games worth 0 to 2 points each; 0 after none."""
        return self.ratio_of(pentanomial(values))

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

    def ratios(self, values: Sequence[float], most: int) -> Iterator[tuple[int, float]]:
        """Numbers of pairs, about `most` of them, and the log-likelihood ratio after each."""
        return ((done, self.ratio_of(counts)) for done, counts in prefixes(values, most))


def _number(value: str, text: str) -> float:
    try:
        return float(value)
    except ValueError:
        raise NotationError(f"expected a number, got {value!r} in {text!r}") from None


def expected_score(elo: float) -> float:
    """Mean score of a game for a logistic Elo difference."""
    return 1 / (1 + 10 ** (-elo / 400))
