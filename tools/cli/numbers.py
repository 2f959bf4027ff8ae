"""Numbers on the command line: what is no number or out of bounds is refused in one sentence, bounds included."""

import math
from typing import Any

import click

BEYOND_USE = 2**31 - 1
"""An upper bound that keeps numbers in a C int."""


class WholeNumber(click.IntRange):
    """A whole number within bounds, which belong to it; the help shows those that somebody may meet."""

    name = "integer"

    def _describe_range(self) -> str:
        if self.max in (None, BEYOND_USE):
            return "" if self.min is None else f"x>={self.min}"
        return super()._describe_range()

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

    name = "number"

    def _describe_range(self) -> str:
        return "" if self.min is None and self.max is None else super()._describe_range()

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
