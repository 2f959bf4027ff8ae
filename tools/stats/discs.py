"""Sequential test on disc differences: numbers in, numbers out.

A pair of games ends with a sum of two disc differences, which says more than its points. The test asks for the
t-value of that sum, its mean over its standard deviation, in the same units as normalised Elo. With the sums normal
of unknown deviation s, the likelihood under a t-value t is largest where s^2 + t m s = q, m being the mean of the
sums and q that of their squares.

It measures another thing than points do: who wins often but narrowly passes the one and may fail the other.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from outflank.tools.stats.sprt import NELO_PER_T, verdict, walds_bounds

# In discs, added to the mean square: sums are whole, so differences within one disc are no sign of precision.
_ROUNDING = 1.0


@dataclass(frozen=True, slots=True)
class DiscTest:
    """A test of elo1 against elo0, both normalised Elo of the disc difference.

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
        return walds_bounds(self.alpha, self.beta)

    def ratio(self, sums: Sequence[float]) -> float:
        """The log-likelihood ratio after pairs of games with these sums of disc differences; 0 after none."""
        return self._ratio(len(sums), math.fsum(sums), math.fsum(value * value for value in sums))

    def verdict(self, sums: Sequence[float]) -> bool | None:
        """Whether elo1 is accepted after all these pairs; None as long as they don't say."""
        return verdict(self.ratio(sums), self.bounds)

    def path(self, sums: Sequence[float], most: int = 400) -> list[tuple[int, float]]:
        """Numbers of pairs and the log-likelihood ratio after so many; as ``Sprt.path``."""
        step = max(1, len(sums) // most)
        totals = accumulate(sums, initial=0.0)
        squares = accumulate((value * value for value in sums), initial=0.0)
        return [
            (done, self._ratio(done, total, square))
            for done, (total, square) in enumerate(zip(totals, squares, strict=True))
            if done and (done % step == 0 or done == len(sums))
        ]

    def decided(self, sums: Sequence[float]) -> tuple[int, bool] | None:
        """After how many pairs there was a verdict for the first time, and which; None if there is none yet."""
        for done, ratio in self.path(sums, most=max(1, len(sums))):
            accepted = verdict(ratio, self.bounds)
            if accepted is not None:
                return done, accepted
        return None

    def _ratio(self, count: int, total: float, square: float) -> float:
        if not count:
            return 0.0
        mean, mean_square = total / count, square / count + _ROUNDING
        scale = math.sqrt(2) / NELO_PER_T
        null, other = (_log_likelihood(mean, mean_square, scale * elo) for elo in (self.elo0, self.elo1))
        return count * (other - null)


def _log_likelihood(mean: float, mean_square: float, t_value: float) -> float:
    """Of one value, at the deviation that makes it largest; what all t-values share is left out."""
    half = t_value * mean / 2
    deviation = math.sqrt(half * half + mean_square) - half
    return (
        -math.log(deviation) - (mean_square / deviation**2 - 2 * t_value * mean / deviation + t_value**2) / 2
    )
