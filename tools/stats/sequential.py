"""What sequential probability ratio tests have in common, whatever they are made on: numbers in, numbers out.

Two hypotheses say how much stronger one engine is. After each pair of games the log-likelihood ratio of the second
against the first is compared with Wald's bounds. Reference: A. Wald, Sequential tests of statistical hypotheses, 1945.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SequentialTest(ABC):
    """A test of elo1 against elo0; a kind of test says how a ratio comes from the values of pairs.

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

    @abstractmethod
    def ratio(self, values: Sequence[float]) -> float:
        """The log-likelihood ratio after pairs of games with these values; 0 after none."""

    @abstractmethod
    def ratios(self, values: Sequence[float], most: int) -> Iterator[tuple[int, float]]:
        """Numbers of pairs, about `most` of them, and the log-likelihood ratio after each; one by one."""

    @property
    def bounds(self) -> tuple[float, float]:
        """The log-likelihood ratio at which elo0 is accepted, and that at which elo1 is."""
        return math.log(self.beta / (1 - self.alpha)), math.log((1 - self.beta) / self.alpha)

    def verdict_at(self, ratio: float) -> bool | None:
        """Whether elo1 is accepted at this ratio; None between the bounds."""
        low, high = self.bounds
        return True if ratio >= high else False if ratio <= low else None

    def verdict(self, values: Sequence[float]) -> bool | None:
        """Whether elo1 is accepted after all these pairs; None as long as they don't say."""
        return self.verdict_at(self.ratio(values))

    def path(self, values: Sequence[float], most: int = 400) -> list[tuple[int, float]]:
        """Numbers of pairs and the log-likelihood ratio after each, the last one after all.

        Args:
            values: of each pair, in the order of the schedule.
            most: about how many points the path may have; it is thinned out evenly.
        """
        return list(self.ratios(values, most))

    def decided(self, values: Sequence[float]) -> tuple[int, bool] | None:
        """After how many pairs there was a verdict for the first time, and which; None if there is none yet."""
        for done, ratio in self.ratios(values, most=max(1, len(values))):
            accepted = self.verdict_at(ratio)
            if accepted is not None:
                return done, accepted
        return None
