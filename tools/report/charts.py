"""Computes the coordinates of line charts for a page. A template draws and colours the charts as inline SVG."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

WIDTH, HEIGHT = 720, 260
_LEFT, _RIGHT, _TOP, _BOTTOM = 70, 12, 14, 30
_TICKS = 6
# The first points of a long curve vary widely. So the scale ignores this share of the chart's width if a curve has at
# least _LONG points.
_SETTLED = 0.25
_LONG = 20


@dataclass(frozen=True, slots=True)
class Series:
    """A curve.

    Attributes:
        name: the name for the legend.
        colour: the index of the curve's colour in the page's colours, from 0.
        points: the points (x, y), in order of x.
        band: the points (x, low, high) of an interval around the curve; empty to draw no interval.
    """

    name: str
    colour: int
    points: tuple[tuple[float, float], ...]
    band: tuple[tuple[float, float, float], ...] = ()


def chart(
    title: str, caption: str, series: Sequence[Series], levels: Mapping[str, float], *, whole: bool = False
) -> dict[str, Any] | None:
    """Return the variables of ``chart.html`` for curves and labelled levels. Coordinates are in units of the SVG.

    If `whole` is False, the noisy start of a long curve may be outside the chart.

    Returns: the variables; None if every curve has fewer than two points.
    """
    series = [curve for curve in series if len(curve.points) > 1]
    if not series:
        return None
    last = max(x for curve in series for x, _ in curve.points)
    first = min(x for curve in series for x, _ in curve.points)
    settled = first if whole else _settled_from(series, first, last)
    low, high = _range([*_heights(series, settled), *levels.values()])

    def across(x: float) -> float:
        return round(_LEFT + (x - first) / (last - first) * (WIDTH - _LEFT - _RIGHT), 1)

    def up(y: float) -> float:
        return round(HEIGHT - _BOTTOM - (y - low) / (high - low) * (HEIGHT - _TOP - _BOTTOM), 1)

    def points(pairs: Iterable[tuple[float, float]]) -> str:
        return " ".join(f"{across(x):g},{up(y):g}" for x, y in pairs)

    return {
        "title": title,
        "caption": caption,
        "curves": [
            {
                "name": curve.name,
                "colour": curve.colour,
                "points": points(curve.points),
                "band": points(_outline(curve)),
            }
            for curve in series
        ],
        "across": [(across(x), f"{x:g}") for x in _ticks(first, last) if x == int(x)],
        "up": [(up(y), f"{y:g}") for y in _ticks(low, high)],
        "levels": [(up(y), label) for label, y in levels.items()],
        "width": WIDTH,
        "height": HEIGHT,
        "left": _LEFT,
        "right": WIDTH - _RIGHT,
        "top": _TOP,
        "bottom": HEIGHT - _BOTTOM,
    }


def thinned(numbers: Sequence[int], most: int) -> list[int]:
    """Select at most `most` of the numbers at even intervals, including the last number."""
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
    """Return the minimum minus a margin, and the maximum plus a margin. The two results always differ."""
    low, high = min(heights), max(heights)
    room = 0.06 * (high - low) or 1.0
    return low - room, high + room


def _ticks(low: float, high: float) -> list[float]:
    raw = (high - low) / _TICKS
    scale = 10 ** math.floor(math.log10(raw))
    step = next(factor * scale for factor in (1, 2, 5, 10) if factor * scale >= raw)
    return [round(number * step, 10) for number in range(math.ceil(low / step), math.floor(high / step) + 1)]


def strip(intervals: Mapping[str, tuple[float | None, float, float | None]]) -> dict[str, dict[str, float]]:
    """Map intervals to a shared scale from 0 to 100. Return ``low``, ``middle``, ``high`` and ``zero`` for each.

    If an end of an interval is None, the interval extends to the end of the scale.
    """
    ends = [end for interval in intervals.values() for end in interval if end is not None]
    if not ends:
        return {}
    low, high = _range([0.0, *ends])

    def place(value: float | None, otherwise: float) -> float:
        return round(100 * ((otherwise if value is None else value) - low) / (high - low), 1)

    return {
        name: {
            "low": place(least, low),
            "middle": place(middle, 0),
            "high": place(most, high),
            "zero": place(0, 0),
        }
        for name, (least, middle, most) in intervals.items()
    }
