"""SPSA: tunes the values of parameters by the results of pairs of games.

In each pair of games, each value is randomly raised or lowered by a step for one engine, and changed in the opposite
direction for the other engine. After the pair, the values move by ``rate * step`` towards the winner's values for each
game won. The step in pair `k` is ``c / k^gamma``. Step and rate follow the schedule that fishtest uses for Stockfish,
with Spall's gamma of 0.101 and alpha of 0.602, and reach their given sizes at the end of the run.

Source: J. C. Spall, Implementation of the simultaneous perturbation algorithm for stochastic optimization, IEEE
Transactions on Aerospace and Electronic Systems 34 (1998), pages 817-823.
"""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, Self

from outflank.errors import NotationError
from outflank.protocol.drivers.command import split_command
from outflank.tools.match.stats.sprt import Sprt

ALPHA, GAMMA = 0.602, 0.101
STABILITY = 0.1  # Spall's constant A as a share of all pairs; it limits the rate in the first pairs
_STEPS_IN_RANGE = 20  # the default step is the range of the parameter divided by this number
# The smallest default step of an int parameter. Rounding would cancel a smaller step in most pairs.
_LEAST_STEP_OF_WHOLE = 0.5
_NAME = re.compile(r"(?=.{1,40}$)[\w.-]+(?: [\w.-]+)*", re.ASCII)
_LARGEST = 1e12
_MOST_LAG = 100_000
_MOST_PARAMETERS = 200
_DIGITS = 6  # the significant digits of a real value that is sent to an engine
_KINDS = ("int", "real")


@dataclass(frozen=True, slots=True)
class TunedParameter:
    """A parameter that is tuned.

    Attributes:
        name: the name of the parameter in the engine.
        kind: ``int`` or ``real``.
        start: the initial value.
        least: the smallest permitted value.
        most: the largest permitted value.
        step: the amount by which the value is raised for one engine and lowered for the other, at the end of the run.
        rate: the change of the value for each game won, at the end of the run, as a fraction of `step`.

    Raises: NotationError if the values do not fit together.
    """

    name: str
    kind: str
    start: float
    least: float
    most: float
    step: float
    rate: float

    @classmethod
    def parse(cls, text: str, pairs: int) -> Self:
        """Read ``NAME int|real START LEAST MOST [STEP [RATE]]`` for a run of `pairs` pairs; NAME may contain blanks.

        Raises: NotationError.
        """
        try:
            words = split_command(text)
        except ValueError:  # an unclosed quote
            words = []
        after = next((at for at, word in enumerate(words) if word in _KINDS), 1)
        words = [" ".join(words[:after]), *words[after:]]
        if not 5 <= len(words) <= 7:
            raise NotationError(f"expected NAME int|real START LEAST MOST [STEP [RATE]], got {text[:80]!r}")
        name, kind = words[:2]
        start, least, most = (_number(name, word) for word in words[2:5])
        usual = max((most - least) / _STEPS_IN_RANGE, _LEAST_STEP_OF_WHOLE if kind == "int" else 0.0)
        step = _number(name, words[5]) if len(words) > 5 else usual
        # The default rate decreases with the number of pairs. For 250,000 pairs it is 0.002, the rate of fishtest.
        rate = _number(name, words[6]) if len(words) > 6 else min(1 / math.sqrt(pairs), 1.0)
        return cls(name, kind, start, least, most, step, rate)

    def __post_init__(self) -> None:
        numbers = (self.start, self.least, self.most, self.step, self.rate)
        if not isinstance(self.name, str) or not _NAME.fullmatch(self.name):
            raise NotationError(
                f"expected a parameter name of letters, digits, blanks, _ . -, got {str(self.name)[:40]!r}"
            )
        if self.kind not in _KINDS:
            raise NotationError(f"expected int or real for {self.name}, got {str(self.kind)[:40]!r}")
        if not all(type(value) in (int, float) and abs(value) <= _LARGEST for value in numbers):
            raise NotationError(f"expected numbers up to {_LARGEST:g} for {self.name}")
        if self.least >= self.most:
            raise NotationError(
                f"expected a range from a smaller number to a larger one for {self.name}, "
                f"got {self.least:g} to {self.most:g}"
            )
        if not self.least <= self.start <= self.most:
            raise NotationError(
                f"expected a start from {self.least:g} to {self.most:g} for {self.name}, got {self.start:g}"
            )
        if self.kind == "int" and any(value % 1 for value in (self.start, self.least, self.most)):
            raise NotationError(f"expected whole numbers for {self.name}, which is an int")
        if not 0 < self.step <= self.most - self.least or not 0 < self.rate <= 1:
            raise NotationError(f"expected a step within the range and a rate up to 1 for {self.name}")

    def text(self, value: float, toss: float = 0.5) -> str:
        """Return a value in the form that engines get. An int is rounded up if its fraction is at least 1 - `toss`."""
        if self.kind == "int":
            return str(int(self.clipped(math.floor(value + toss))))
        return f"{self.clipped(value):.{_DIGITS}g}"

    def clipped(self, value: float) -> float:
        """Return the nearest value in the range of the parameter."""
        return min(max(value, self.least), self.most)


def _number(name: str, word: str) -> float:
    try:
        return float(word)
    except ValueError:
        raise NotationError(f"expected a number for {name[:40]}, got {word[:40]!r}") from None


@dataclass(frozen=True, slots=True)
class Tuning:
    """The parameters and the settings of a tuning.

    Attributes:
        parameters: the parameters that are tuned together.
        lag: the number of pairs that may be played at the same time and finish in any order. The values for pair n
            depend only on the results of the pairs up to n - lag.
        test: the test of the final values against the initial values, in a match after the run; None for no test.

    Raises: NotationError if the parameters are too many or too few, if two have the same name, or if the lag is out of
        range.
    """

    parameters: tuple[TunedParameter, ...]
    lag: int
    test: Sprt | None = None

    def __post_init__(self) -> None:
        names = {parameter.name for parameter in self.parameters}
        if not 0 < len(names) <= _MOST_PARAMETERS or len(names) < len(self.parameters):
            raise NotationError(f"expected 1 to {_MOST_PARAMETERS} parameters with different names")
        if type(self.lag) is not int or not 1 <= self.lag <= _MOST_LAG:
            raise NotationError(f"expected a lag from 1 to {_MOST_LAG}, got {str(self.lag)[:40]}")

    @classmethod
    def from_plain(cls, plain: Mapping[str, Any]) -> Self:
        """Read the output of ``asdict``. Raises: ValueError, KeyError, TypeError if `plain` is invalid."""
        test = Sprt(**plain["test"]) if plain["test"] else None
        return cls(tuple(TunedParameter(**values) for values in plain["parameters"]), plain["lag"], test)

    def texts(self, values: Sequence[float]) -> dict[str, str]:
        """Return the values, one for each parameter, in the form that engines get."""
        return {each.name: each.text(value) for each, value in zip(self.parameters, values, strict=True)}


class ValuePath:
    """The values of a tuning, which move with each result. They don't depend on the order in which results arrive.

    Attributes:
        pairs: the number of pairs before the first pair without a result. Only these pairs have moved the values.
        values: the values after these pairs, one for each parameter.

    Args:
        tuning: the parameters and settings of the tuning.
        length: the number of pairs of the whole run.
        seed: the seed for all random choices.
    """

    def __init__(self, tuning: Tuning, length: int, seed: int) -> None:
        self.pairs = 0
        self.values = [each.start for each in tuning.parameters]
        self._tuning = tuning
        self._length = length
        self._seed = seed
        self._ahead: dict[int, float] = {}
        self._before: dict[int, list[float]] = {0: self.values}

    def add(self, pair: int, points: float) -> None:
        """Add the first engine's points in a pair, 0 to 2. Points take effect when all earlier pairs have results."""
        self._ahead[pair] = points
        while (points_of_next := self._ahead.pop(self.pairs + 1, None)) is not None:
            self.pairs += 1
            self._move(points_of_next)
            self._before[self.pairs] = self.values
            self._before.pop(self.pairs - self._tuning.lag, None)

    def is_due(self, pair: int) -> bool:
        """Return whether the values for a pair are known, so that the pair can be played."""
        return pair - self._tuning.lag <= self.pairs

    def sides(self, pair: int) -> tuple[dict[str, str], dict[str, str]]:
        """Return the values of the first and of the second engine in a pair, in the form that engines get."""
        middle = self._before[max(pair - self._tuning.lag, 0)]
        random = self._random(pair)
        plus, minus = {}, {}
        for parameter, value in zip(self._tuning.parameters, middle, strict=True):
            moved, toss = _sign(random) * self.step(parameter, pair), random.random()
            plus[parameter.name] = parameter.text(value + moved, toss)
            minus[parameter.name] = parameter.text(value - moved, toss)
        return plus, minus

    def step(self, parameter: TunedParameter, pair: int) -> float:
        """Return the amount by which a value is raised for one engine and lowered for the other in a pair."""
        growth: float = (self._length / max(pair, 1)) ** GAMMA
        return parameter.step * growth

    def _move(self, points: float) -> None:
        pair, random, moved = self.pairs, self._random(self.pairs), []
        settled = STABILITY * self._length
        growth = ((settled + self._length) / (settled + pair)) ** ALPHA
        for parameter, value in zip(self._tuning.parameters, self.values, strict=True):
            sign = _sign(random)
            random.random()  # skip the random number that `sides` used for rounding
            gain = parameter.rate * parameter.step**2 * growth / self.step(parameter, pair)
            moved.append(parameter.clipped(value + sign * gain * (2 * points - 2)))
        self.values = moved

    def _random(self, pair: int) -> Random:
        return Random(f"{self._seed} {pair}")


def _sign(random: Random) -> int:
    return 1 if random.random() < 0.5 else -1
