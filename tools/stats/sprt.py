"""Sequential probability ratio test on pairs of games: numbers in, numbers out.

Two hypotheses, elo0 and elo1, give the mean score of a pair; with n pairs of mean m and variance v the logarithm of
the likelihood ratio is about ``n (s1 - s0) (2 m - s0 - s1) / (2 v)`` (the normal approximation of the generalised
SPRT; M. Van den Bergh, A practical introduction to the GSPRT). Wald's bounds end the test.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, pvariance

# Of a pair's mean score: between equals it is about 0.1. A first few pairs that end alike must not decide the test.
_LEAST_VARIANCE = 0.06


@dataclass(frozen=True, slots=True)
class Sprt:
    """A test of elo1 against elo0.

    Attributes:
        elo0: what the difference is if the change is worth nothing.
        elo1: what it is if the change is good.
        alpha: how often a worthless change may pass.
        beta: how often a good one may fail.
    """

    elo0: float = 0.0
    elo1: float = 20.0
    alpha: float = 0.05
    beta: float = 0.05

    @property
    def bounds(self) -> tuple[float, float]:
        """The log-likelihood ratio at which elo0 is accepted, and that at which elo1 is."""
        return math.log(self.beta / (1 - self.alpha)), math.log((1 - self.beta) / self.alpha)

    def ratio(self, pairs: Sequence[float]) -> float:
        """The log-likelihood ratio after pairs of games worth 0 to 2 points each."""
        if not pairs:
            return 0.0
        means = [pair / 2 for pair in pairs]
        low, high = _expected_score(self.elo0), _expected_score(self.elo1)
        variance = max(pvariance(means), _LEAST_VARIANCE)
        return len(means) * (high - low) * (2 * fmean(means) - low - high) / (2 * variance)

    def verdict(self, pairs: Sequence[float]) -> bool | None:
        """Whether elo1 is accepted; None as long as the pairs don't say."""
        low, high = self.bounds
        ratio = self.ratio(pairs)
        return True if ratio >= high else False if ratio <= low else None


def _expected_score(elo: float) -> float:
    return 1 / (1 + 10 ** (-elo / 400))
