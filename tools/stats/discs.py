"""Sequential test on disc differences: numbers in, numbers out.

A pair of games ends with a sum of two disc differences, which says more than its points. The test asks for the
t-value of that sum, its mean over its standard deviation, in the same units as normalised Elo. With the sums normal
of unknown deviation s, the likelihood under a t-value t is largest where s^2 + t m s = q, m being the mean of the
sums and q that of their squares.

It measures another thing than points do: who wins often but narrowly passes the one and may fail the other.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

from outflank.tools.stats.elo import NELO_PER_T
from outflank.tools.stats.sequential import SequentialTest

# In discs, added to the mean square: sums are whole, so differences within one disc are no sign of precision.
_ROUNDING = 1.0


@dataclass(frozen=True, slots=True)
class DiscTest(SequentialTest):
    """A test of elo1 against elo0, both normalised Elo of the disc difference; a pair's value is its sum."""

    def ratio(self, values: Sequence[float]) -> float:
        """The log-likelihood ratio after pairs of games with these sums of disc differences; 0 after none."""
        return self._ratio(len(values), math.fsum(values), math.fsum(value * value for value in values))

    def ratios(self, values: Sequence[float], most: int) -> Iterator[tuple[int, float]]:
        """Numbers of pairs, about `most` of them, and the log-likelihood ratio after each."""
        step = max(1, len(values) // most)
        totals = accumulate(values, initial=0.0)
        squares = accumulate((value * value for value in values), initial=0.0)
        for done, (total, square) in enumerate(zip(totals, squares, strict=True)):
            if done and (done % step == 0 or done == len(values)):
                yield done, self._ratio(done, total, square)

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
