"""Numbers on the command line: what is no number or out of bounds is refused in one sentence, bounds included."""

import math
from typing import Any

import click


class WholeNumber(click.IntRange):
    """A whole number within bounds, which belong to it; the help shows them."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Read it.

        Raises: click.BadParameter.
        """
        try:
            return int(super().convert(value, param, ctx))
        except click.BadParameter:
            self.fail(f"expected a whole number{_within(self)}, got {value!r}", param, ctx)


class Number(click.FloatRange):
    """A number within bounds, neither infinite nor nan; the help shows the bounds."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Read it.

        Raises: click.BadParameter.
        """
        try:
            number = float(super().convert(value, param, ctx))
        except click.BadParameter:
            number = math.nan
        if not math.isfinite(number):
            self.fail(f"expected a number{_within(self)}, got {value!r}", param, ctx)
        return number


def _within(kind: click.IntRange | click.FloatRange) -> str:
    """The bounds in words; the upper ones that are used here are never left out themselves."""
    if kind.min is None:
        return ""
    if kind.min_open:
        return f" above {kind.min:g}" + ("" if kind.max is None else f" up to {kind.max:g}")
    return f" of at least {kind.min}" if kind.max is None else f" from {kind.min} to {kind.max}"
