"""The generalised likelihood ratio of two hypotheses about the outcomes of games or pairs.

Each hypothesis is a set of distributions over the cells; the likelihood of a set is that of its best member, and

    log-likelihood ratio = n sum_i p_i ln(p1_i / p0_i)

with p the shares that were seen and p0, p1 the members of the two sets that make them likeliest. The sets are all
distributions of a given mean (logistic Elo) or of a given mean over its standard deviation, the t-value
(normalised Elo). M. Van den Bergh, Comments on Normalized Elo, and The generalized maximum likelihood ratio for the
expectation value of a distribution.
"""

import math
from collections.abc import Sequence

from outflank.tools.stats.outcomes import scores

# A cell that is still empty is not impossible: it counts as this many outcomes, or logarithms would be infinite.
_UNSEEN = 1e-3
_WIDEST = (
    60.0  # of the multiplier on its logistic scale: far beyond what shares of 1e-3 in 1e12 outcomes ask for
)
_MOST_ROUNDS = 100
_PRECISION = 1e-10


def ratio_of_means(counts: Sequence[float], mean0: float, mean1: float) -> float:
    """The log-likelihood ratio of a mean score of `mean1` against `mean0`, both between 0 and 1."""
    shares = _shares(counts)
    values = scores(len(counts))
    null, other = (_fit(shares, [value - mean for value in values]) for mean in (mean0, mean1))
    return _log_ratio(counts, null, other)


def ratio_of_t_values(counts: Sequence[float], t0: float, t1: float) -> float:
    """The log-likelihood ratio of (mean - 1/2) / standard deviation of `t1` against `t0`."""
    shares = _shares(counts)
    return _log_ratio(counts, _fit_t_value(shares, t0), _fit_t_value(shares, t1))


def _shares(counts: Sequence[float]) -> list[float]:
    seen = _at_least_unseen(counts)
    return [count / sum(seen) for count in seen]


def _at_least_unseen(counts: Sequence[float]) -> list[float]:
    return [count or _UNSEEN for count in counts]


def _log_ratio(counts: Sequence[float], null: Sequence[float], other: Sequence[float]) -> float:
    return math.fsum(
        count * math.log(better / worse)
        for count, worse, better in zip(_at_least_unseen(counts), null, other, strict=True)
    )


def _fit(shares: Sequence[float], deviations: Sequence[float]) -> list[float]:
    """The likeliest distribution under which the mean of `deviations`, some of either sign, is 0.

    By Lagrange it is p_i / (1 + x d_i), with x between -1 / max d and -1 / min d. At weight w of the upper end that
    divisor is a_i (1 - w) + b_i w, with nothing to cancel out however close to an end w is.
    """
    lower = [1 - deviation / max(deviations) for deviation in deviations]
    upper = [1 - deviation / min(deviations) for deviation in deviations]

    def divisors(logit: float) -> list[float]:
        weight, rest = 1 / (1 + math.exp(-logit)), 1 / (1 + math.exp(logit))
        return [low * rest + high * weight for low, high in zip(lower, upper, strict=True)]

    def excess(logit: float) -> float:
        terms = zip(shares, deviations, divisors(logit), strict=True)
        return sum(share * deviation / divisor for share, deviation, divisor in terms)

    from scipy.optimize import brentq  # half a second, which only those pay who test

    root = brentq(excess, -_WIDEST, _WIDEST, xtol=1e-12)
    return [share / divisor for share, divisor in zip(shares, divisors(root), strict=True)]


def _fit_t_value(shares: Sequence[float], t_value: float) -> list[float]:
    """The likeliest distribution of that t-value.

    The t-value is made linear at a distribution, the likeliest one under the linear constraint is found, and so on
    from there until nothing changes.
    """
    values = scores(len(shares))
    fitted = [1 / len(shares)] * len(shares)
    for _ in range(_MOST_ROUNDS):
        before = fitted
        mean = sum(share * value for share, value in zip(before, values, strict=True))
        spread = math.sqrt(
            sum(share * (value - mean) ** 2 for share, value in zip(before, values, strict=True))
        )
        slopes = [
            value - 0.5 - t_value * spread * (1 + ((value - mean) / spread) ** 2) / 2 for value in values
        ]
        fitted = _fit(shares, slopes)
        if max(abs(now - then) for now, then in zip(fitted, before, strict=True)) < _PRECISION:
            break
    return fitted
