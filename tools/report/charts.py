"""Line charts for a page: computes the points of an inline SVG, which the template draws and colours."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

WIDTH, HEIGHT = 720, 260
_LEFT, _RIGHT, _TOP, _BOTTOM = 70, 12, 14, 30
_TICKS = 6
# The first points of a long curve vary widely; they may leave the chart so that the rest is legible.
_SETTLED = 0.25
_LONG = 20


@dataclass(frozen=True, slots=True)
class ReferenceLine:
    """A straight line with a label: `at` is a value of its axis, and in a ``Chart`` a place in units of the SVG."""

    at: float
    label: str


@dataclass(frozen=True, slots=True)
class Series:
    """A curve.

    Attributes:
        name: the name for the legend.
        colour: the index of the page's colour, from 0.
        points: two or more points (x, y), with x never falling.
        band: x, low and high of an interval around it; empty for no band.
    """

    name: str
    colour: int
    points: tuple[tuple[float, float], ...]
    band: tuple[tuple[float, float, float], ...] = ()


@dataclass(frozen=True, slots=True)
class SvgCurve:
    """A curve in the units of the SVG; both texts are for a ``points`` attribute, `band` may be empty."""

    name: str
    colour: int
    points: str
    band: str


@dataclass(frozen=True, slots=True)
class Chart:
    """The data of a chart for the template: curves, grid lines across and up, and labelled levels."""

    title: str
    caption: str
    curves: tuple[SvgCurve, ...]
    across: tuple[ReferenceLine, ...]
    up: tuple[ReferenceLine, ...]
    levels: tuple[ReferenceLine, ...]
    width: int = WIDTH
    height: int = HEIGHT
    left: int = _LEFT
    right: int = WIDTH - _RIGHT
    top: int = _TOP
    bottom: int = HEIGHT - _BOTTOM


def chart(
    title: str,
    caption: str,
    series: Sequence[Series],
    levels: Sequence[ReferenceLine] = (),
    *,
    whole: bool = False,
) -> Chart | None:
    """Return the chart of some curves and levels; None if no curve has two points.

    The noisy start of a long curve may leave the chart, unless `whole` is set.
    """
    series = [curve for curve in series if len(curve.points) > 1]
    if not series:
        return None
    last = max(x for curve in series for x, _ in curve.points)
    first = min(x for curve in series for x, _ in curve.points)
    settled = first if whole else _settled_from(series, first, last)
    low, high = _range([*_heights(series, settled), *(level.at for level in levels)])

    def across(x: float) -> float:
        return round(_LEFT + (x - first) / (last - first) * (WIDTH - _LEFT - _RIGHT), 1)

    def up(y: float) -> float:
        return round(HEIGHT - _BOTTOM - (y - low) / (high - low) * (HEIGHT - _TOP - _BOTTOM), 1)

    def points(pairs: Iterable[tuple[float, float]]) -> str:
        return " ".join(f"{across(x):g},{up(y):g}" for x, y in pairs)

    return Chart(
        title,
        caption,
        curves=tuple(
            SvgCurve(curve.name, curve.colour, points(curve.points), points(_outline(curve)))
            for curve in series
        ),
        across=tuple(ReferenceLine(across(x), f"{x:g}") for x in _ticks(first, last) if x == int(x)),
        up=tuple(ReferenceLine(up(y), f"{y:g}") for y in _ticks(low, high)),
        levels=tuple(ReferenceLine(up(level.at), level.label) for level in levels),
    )


def thinned(numbers: Sequence[int], most: int) -> list[int]:
    """Return at most `most` of the numbers, evenly spread, including the last."""
    step = math.ceil(len(numbers) / most) if numbers else 1
    return list(numbers[::-1][::step][::-1])


def _outline(curve: Series) -> list[tuple[float, float]]:
    lower = [(x, low) for x, low, _ in curve.band]
    return [*lower, *((x, high) for x, _, high in reversed(curve.band))]


def _settled_from(series: Sequence[Series], first: float, last: float) -> float:
    long = max(len(curve.points) for curve in series) >= _LONG
    return first + _SETTLED * (last - first) if long else first


def _heights(series: Sequence[Series], begin: float) -> list[float]:
    heights = [y for curve in series for x, y in curve.points if x >= begin]
    for curve in series:
        heights += [y for x, low, high in curve.band if x >= begin for y in (low, high)]
    return heights


def _range(heights: Sequence[float]) -> tuple[float, float]:
    """Return the lowest and the highest value with a margin; the two always differ."""
    low, high = min(heights), max(heights)
    room = 0.06 * (high - low) or 1.0
    return low - room, high + room


def _ticks(low: float, high: float) -> list[float]:
    """Return about six round numbers from `low` to `high`."""
    raw = (high - low) / _TICKS
    scale = 10 ** math.floor(math.log10(raw))
    step = next(factor * scale for factor in (1, 2, 5, 10) if factor * scale >= raw)
    return [round(number * step, 10) for number in range(math.ceil(low / step), math.floor(high / step) + 1)]


@dataclass(frozen=True, slots=True)
class Strip:
    """An interval on a scale of 0 to 100: its ends, its middle, and the position of the scale's zero."""

    low: float
    middle: float
    high: float
    zero: float


def strip(intervals: Mapping[str, tuple[float | None, float, float | None]]) -> dict[str, Strip]:
    """Return each interval on a shared scale; an end that is None is the scale's end."""
    ends = [end for interval in intervals.values() for end in interval if end is not None]
    if not ends:
        return {}
    low, high = _range([0.0, *ends])

    def place(value: float | None, otherwise: float) -> float:
        return round(100 * ((otherwise if value is None else value) - low) / (high - low), 1)

    return {
        name: Strip(place(least, low), place(middle, 0), place(most, high), place(0, 0))
        for name, (least, middle, most) in intervals.items()
    }
