"""Sequential tests on the points and on the disc differences of pairs of games.

The sum of a pair's two disc differences carries more information than the pair's points. ``DiscTest`` tests the t-value
of these sums, which is their mean divided by their standard deviation, in units of normalized Elo. If the sums are
normally distributed with an unknown standard deviation s, the likelihood under a t-value t is greatest for the s with
s^2 + t m s = q, where m is the mean of the sums and q the mean of their squares.

The two tests may differ in their verdict: an engine that often wins narrowly passes the test on points, but may fail
the test on discs.
"""

import functools
import math
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import astuple, dataclass
from itertools import accumulate
from operator import truediv
from typing import Any

from outflank.errors import NotationError
from outflank.tools.match.stats.elo import NELO_PER_T, pentanomial, prefixes, scores, thinned_states

# The count of an outcome that has not occurred yet. A count of 0 would make logarithms infinite.
_UNSEEN = 1e-3
# The search for the Lagrange multiplier covers a logistic scale from minus this number to this number. This range
# suffices even for a count of 1e-3 among 1e12 outcomes.
_WIDEST = 60.0
_STEPS = 2**46  # the number of steps on this scale, each of 2e-12
_MOST_ROUNDS = 100
_PRECISION = 1e-10


def ratio_of_means(counts: Sequence[float], mean0: float, mean1: float) -> float:
    """Return the log-likelihood ratio of a mean score of `mean1` against `mean0`, both between 0 and 1."""
    shares = _shares(counts)
    values = scores(len(counts))
    null, other = (_fit(shares, [value - mean for value in values]) for mean in (mean0, mean1))
    return _log_ratio(counts, null, other)


def ratio_of_t_values(counts: Sequence[float], t0: float, t1: float) -> float:
    """Return the log-likelihood ratio of the t-value `t1` against `t0`.

    A t-value is (mean - 1/2) / standard deviation of a distribution of scores.
    """
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
    """Return the likeliest distribution under which `deviations`, some positive and some negative, have the mean 0.

    By Lagrange multipliers, this distribution is p_i / (1 + x d_i). Here p are the shares, d are the deviations, and x
    is between -1 / max d and -1 / min d. Let the divisor 1 + x d_i be a_i at the lower end of x, and b_i at the upper
    end. Then the divisor at a share w of the way from the lower to the upper end is a_i (1 - w) + b_i w. This form
    avoids cancellation close to an end.
    """
    lower = [1 - deviation / max(deviations) for deviation in deviations]
    upper = [1 - deviation / min(deviations) for deviation in deviations]
    moments = [share * deviation for share, deviation in zip(shares, deviations, strict=True)]

    def divisors(logit: float) -> list[float]:
        weight, rest = 1 / (1 + math.exp(-logit)), 1 / (1 + math.exp(logit))
        return [low * rest + high * weight for low, high in zip(lower, upper, strict=True)]

    def excess(logit: float) -> float:
        total: float = sum(map(truediv, moments, divisors(logit)))
        return total

    # The excess decreases along the scale, so bisection finds its zero.
    step = bisect_left(range(_STEPS), 0.0, key=lambda step: -excess(_logit(step)))
    return [share / divisor for share, divisor in zip(shares, divisors(_logit(step)), strict=True)]


def _logit(step: int) -> float:
    return _WIDEST * (2 * step / _STEPS - 1)


def _fit_t_value(shares: Sequence[float], t_value: float) -> list[float]:
    """Return the likeliest distribution with the given t-value.

    The t-value is linearized at a distribution, and the likeliest distribution under the linear constraint is found.
    Both steps are repeated from the new distribution until the distributions converge.
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


_SPELLINGS = {"normalised": "normalized"}  # other accepted spellings of a model
# The largest Elo differences of a test; larger differences need no test. Beyond 200 normalized Elo, the linear
# approximation of the t-value fails at a distribution with a very different t-value. At 2000 logistic Elo, the stronger
# engine loses one point in 100,000. At much larger differences, rounding would make this loss zero.
_LARGEST = {"normalized": 200.0, "logistic": 2000.0}
_KEYS = ("elo0", "elo1", "alpha", "beta", "model")


@dataclass(frozen=True, slots=True)
class Sprt:
    """A sequential test of elo1 against elo0. The value of a pair is the first engine's points in the pair, 0 to 2.

    Attributes:
        elo0: the Elo difference of a worthless change.
        elo1: the Elo difference of a good change.
        alpha: the probability of accepting a worthless change.
        beta: the probability of rejecting a good change.
        model: the meaning of Elo. ``normalized``: 800 / ln 10 times (mean - 1/2) / standard deviation of a game's
            score; with this model, the length of a test does not depend on the share of draws. ``logistic``: 400 times
            log10 of the odds, mean / (1 - mean).

    Raises: ValueError if the numbers define no valid test.
    """

    elo0: float = 0.0
    elo1: float = 10.0
    alpha: float = 0.05
    beta: float = 0.05
    model: str = "normalized"

    def __post_init__(self) -> None:
        if self.model not in _LARGEST:
            raise ValueError(f"expected one of {', '.join(_LARGEST)} for the model, got {self.model!r}")
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
        """Read ``elo0=0 elo1=20 alpha=0.05 beta=0.05 model=normalized``; commas may replace the blanks.

        Missing keys have their defaults. The text ``0,20`` sets elo0 and elo1.

        Raises: NotationError if the text can't be read or the numbers define no valid test.
        """
        words = text.replace(",", " ").split()
        if len(words) == 2 and "=" not in text:
            words = [f"elo0={words[0]}", f"elo1={words[1]}"]
        settings: dict[str, Any] = {}
        for word in words:
            key, equals, value = word.partition("=")
            if key not in _KEYS or not equals or key in settings:
                raise NotationError(f"expected a test like 0,10 or {cls()}, got {word!r} in {text!r}")
            settings[key] = _SPELLINGS.get(value, value) if key == "model" else _number(value, text)
        try:
            return cls(**settings)
        except ValueError as error:
            raise NotationError(f"{error} in {text!r}") from None

    def on_discs(self) -> "DiscTest":
        """Return the same test on disc differences."""
        return DiscTest(*astuple(self))

    def __str__(self) -> str:
        """Return the text that ``parse`` reads back."""
        return " ".join(f"{key}={getattr(self, key)}" for key in _KEYS)

    def ratio(self, values: Sequence[float]) -> float:
        """Return the log-likelihood ratio after pairs with these points, 0 to 2 for each pair; 0 without pairs."""
        return self.ratio_of(pentanomial(values))

    def ratio_of(self, counts: Sequence[int]) -> float:
        """Return the log-likelihood ratio after outcomes with these counts.

        Args:
            counts: the numbers of pairs with 0, 1/2, 1, 3/2 and 2 points, or of games lost, drawn and won.
        """
        return _ratio_of(self, tuple(counts))

    def path(self, values: Sequence[float], most: int) -> Iterator[tuple[int, float]]:
        """Yield numbers of pairs, each with the log-likelihood ratio after this number of pairs.

        The last ratio is after all pairs.

        Args:
            values: the values of the pairs, in the order of the schedule.
            most: the approximate maximum number of ratios, which are evenly spaced.
        """
        return ((done, self.ratio_of(counts)) for done, counts in prefixes(values, most))

    @property
    def bounds(self) -> tuple[float, float]:
        """The log-likelihood ratios at which elo0 and elo1 are accepted."""
        return math.log(self.beta / (1 - self.alpha)), math.log((1 - self.beta) / self.alpha)

    def verdict_at(self, ratio: float) -> bool | None:
        """Return whether elo1 is accepted at this ratio; None between the bounds."""
        low, high = self.bounds
        return True if ratio >= high else False if ratio <= low else None

    def verdict(self, values: Sequence[float]) -> bool | None:
        """Return whether elo1 is accepted after all these pairs; None without a verdict."""
        return self.verdict_at(self.ratio(values))

    def decided(self, values: Sequence[float]) -> tuple[int, bool] | None:
        """Return the number of pairs at the first verdict, and the verdict; None if there is none."""
        for done, ratio in self.path(values, most=max(1, len(values))):
            accepted = self.verdict_at(ratio)
            if accepted is not None:
                return done, accepted
        return None

    def outcome(self, values: Sequence[float]) -> tuple[int, float, bool | None]:
        """Return the number of pairs that count, the ratio after these pairs, and the verdict.

        Pairs after the first verdict don't count, since this verdict is final.
        """
        done, accepted = self.decided(values) or (len(values), None)
        return done, self.ratio(values[:done]), accepted


# After each new pair, reports and live pages need the ratios of all earlier pairs again.
@functools.lru_cache(maxsize=1 << 14)
def _ratio_of(test: Sprt, counts: tuple[int, ...]) -> float:
    if not sum(counts):
        return 0.0
    if test.model == "logistic":
        return ratio_of_means(counts, expected_score(test.elo0), expected_score(test.elo1))
    # The standard deviation of a pair's mean score is sqrt(2) times smaller than a single game's.
    scale = math.sqrt((len(counts) - 1) / 2) / NELO_PER_T
    return ratio_of_t_values(counts, scale * test.elo0, scale * test.elo1)


def _number(value: str, text: str) -> float:
    try:
        return float(value)
    except ValueError:
        raise NotationError(f"expected a number, got {value!r} in {text!r}") from None


def expected_score(elo: float) -> float:
    """Return the mean score of a game for a logistic Elo difference."""
    return 1 / (1 + 10 ** (-elo / 400))


_PRIOR = 0.5


def bayesian_ratio(losses: int, draws: int, wins: int, elo0: float, elo1: float) -> float:
    """Return the log-likelihood ratio of elo1 against elo0, both logistic, by the BayesElo model; 0 without games."""
    if not losses + draws + wins:
        return 0.0
    draw_elo = _draw_elo(losses, draws, wins)
    null, other = (elo / _scale(draw_elo) for elo in (elo0, elo1))
    won = _log_share(other - draw_elo) - _log_share(null - draw_elo)
    lost = _log_share(-other - draw_elo) - _log_share(-null - draw_elo)
    return (wins + draws) * won + (losses + draws) * lost


def _draw_elo(losses: int, draws: int, wins: int) -> float:
    lost, drawn, won = (count + _PRIOR for count in (losses, draws, wins))
    return 200 * math.log10((drawn + won) / lost * (lost + drawn) / won)


def _scale(draw_elo: float) -> float:
    """Return the logistic Elo difference that corresponds to one BayesElo point between equal engines."""
    odds = 10 ** (-draw_elo / 400)
    return 4 * odds / (1 + odds) ** 2


def _log_share(elo: float) -> float:
    """Return the natural logarithm of the expected score at an Elo difference."""
    odds = elo * math.log(10) / 400  # the logarithm of the odds
    return min(odds, 0.0) - math.log1p(math.exp(-abs(odds)))


# A constant in discs squared that is added to the mean square of the disc sums. These sums are whole numbers, so a
# standard deviation below one disc is not significant.
_ROUNDING = 1.0


@dataclass(frozen=True, slots=True)
class DiscTest(Sprt):
    """The test on disc differences, in normalized Elo. The value of a pair is the sum of its two disc differences."""

    def ratio(self, values: Sequence[float]) -> float:
        """Return the log-likelihood ratio after pairs with these sums of disc differences; 0 without pairs."""
        return self._ratio(len(values), math.fsum(values), math.fsum(value * value for value in values))

    def path(self, values: Sequence[float], most: int) -> Iterator[tuple[int, float]]:
        """See ``Sprt``."""
        totals = accumulate(values, initial=0.0)
        squares = accumulate((value * value for value in values), initial=0.0)
        for done, sums in thinned_states(zip(totals, squares, strict=True), len(values), most):
            yield done, self._ratio(done, *sums)

    def _ratio(self, count: int, total: float, square: float) -> float:
        if not count:
            return 0.0
        mean, mean_square = total / count, square / count + _ROUNDING
        scale = math.sqrt(2) / NELO_PER_T
        null, other = (_log_likelihood(mean, mean_square, scale * elo) for elo in (self.elo0, self.elo1))
        return count * (other - null)


def _log_likelihood(mean: float, mean_square: float, t_value: float) -> float:
    """Return the log-likelihood per value, maximized over the standard deviation, without its constant part."""
    half = t_value * mean / 2
    deviation = math.sqrt(half * half + mean_square) - half
    return (
        -math.log(deviation) - (mean_square / deviation**2 - 2 * t_value * mean / deviation + t_value**2) / 2
    )
