"""What a measurement finds: figures, each with the value of every run."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from statistics import median, quantiles

_MANY = 20


@dataclass(frozen=True, slots=True)
class Effort:
    """How much work a measurement may be.

    Attributes:
        runs: how often to repeat what varies.
        quick: only to see that it works: the least work there is.
    """

    runs: int = 5
    quick: bool = False


@dataclass(frozen=True, slots=True)
class Figure:
    """One thing measured.

    Attributes:
        what: what it is.
        unit: of the values.
        command: what repeats it.
        values: of each run; one alone for what repeats exactly.
    """

    what: str
    unit: str
    command: str
    values: tuple[float, ...]

    @property
    def median(self) -> float:
        """The middle of the values."""
        return median(self.values)

    @property
    def spread(self) -> tuple[float, float]:
        """The least value and the greatest, or of many the 5th and the 95th percentile."""
        if len(self.values) < _MANY:
            return min(self.values), max(self.values)
        first, *_, last = quantiles(self.values, n=20)
        return first, last

    def as_json(self) -> dict[str, object]:
        """What docs/results.json keeps of it."""
        return {
            "what": self.what,
            "unit": self.unit,
            "command": self.command,
            "runs": len(self.values),
            "median": _rounded(self.median),
            "spread": [_rounded(value) for value in self.spread],
        }


Measure = Callable[[Effort], Iterator[Figure]]
"""A measurement: does its work and yields its figures."""


def number(count: int, noun: str) -> str:
    """``1 thread``, ``2 threads``."""
    return f"{count} {noun}{'s' if count != 1 else ''}"


def _rounded(value: float) -> float:
    """Four significant digits, more would be noise; but a count is exact."""
    return value if isinstance(value, int) else float(f"{value:.4g}")
