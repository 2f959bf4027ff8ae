"""Stores the figures of measurements in docs/results.json, and updates the pages that quote figures.

A page quotes a figure by one of the names in `NAMES`, as in ``<!-- figure: signature -->92,515,206<!-- end -->``.
README has a table of some figures between markers, and docs/results.md has a table of all figures.
"""

import platform
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import groupby
from statistics import median, quantiles
from typing import Any

from outflank.engine import BUILD
from outflank.engine.machine import cpu_name, processors

_MANY = 20
BEGIN, END = "<!-- from results.json -->", "<!-- end of results.json -->"
BEGIN_SOME, END_SOME = "<!-- figures -->", "<!-- end of figures -->"
_QUOTE = re.compile(r"(<!-- figure: (.+?) -->).*?(<!-- end -->)", re.DOTALL)
# The figures that pages may quote, by name. Each entry is the measured quantity and the unit.
NAMES = {
    "signature": ("the signature of `outflank bench`", "nodes"),
    "nodes of 11 plies": ("its positions, 11 plies", "M nodes"),
    "nodes of 18 plies at 73 %": ("its positions, 18 plies at 73 %", "M nodes"),
    "nodes of FFO #40 to #49": ("FFO #40 to #49, exact, 1 thread", "M nodes"),
    "stop of 1 thread": ("a search of 1 thread stops", "ms"),
    "stop of 2 threads": ("a search of 2 threads stops", "ms"),
}
# The measured quantities in README's table.
SOME = (
    "perft 11, last ply counted",
    "FFO #40 to #49, exact, 1 thread",
    "FFO #40 to #49, exact, 2 threads",
    "evaluation: moves, tables and network",
    "`outflank gtp`, from its start to its first answer",
    "from there to the first move at level 1",
    "memory in use after the first move, table of 64 MB",
    "a search of 1 thread stops",
)


@dataclass(frozen=True, slots=True)
class MeasureEffort:
    """The effort of a measurement.

    Attributes:
        runs: the number of runs if values differ between runs.
        quick: True to do as little work as possible, which only tests that the measurement works.
    """

    runs: int = 5
    quick: bool = False


@dataclass(frozen=True, slots=True)
class Figure:
    """The result of a measurement.

    Attributes:
        what: the measured quantity.
        unit: the unit of the values.
        command: the command that repeats the measurement.
        values: the values of all runs; a single value if the result is reproducible.
    """

    what: str
    unit: str
    command: str
    values: tuple[float, ...]

    @property
    def median(self) -> float:
        """The median of the values."""
        return median(self.values)

    @property
    def spread(self) -> tuple[float, float]:
        """The minimum and the maximum of the values; the 5th and the 95th percentile if there are 20 values or more."""
        if len(self.values) < _MANY:
            return min(self.values), max(self.values)
        first, *_, last = quantiles(self.values, n=20)
        return first, last

    def as_json(self) -> dict[str, object]:
        """Return the figure's entry in docs/results.json."""
        return {
            "what": self.what,
            "unit": self.unit,
            "command": self.command,
            "runs": len(self.values),
            "median": _rounded(self.median),
            "spread": [_rounded(value) for value in self.spread],
        }


Measure = Callable[[MeasureEffort], Iterator[Figure]]
"""A function that makes a measurement and yields its figures."""


def _rounded(value: float) -> float:
    """Round a float to four significant digits, since further digits are noise. Return an integer unchanged."""
    return value if isinstance(value, int) else float(f"{value:.4g}")


def machine() -> dict[str, object]:
    """Return the properties of this machine that figures depend on."""
    return {
        "cpu": cpu_name(),
        "processors": processors(),
        "march": BUILD,
        "system": f"{platform.system()} {platform.release().split('-')[0]}",
        "python": platform.python_version(),
    }


def updated(document: dict[str, Any], name: str, figures: list[Figure], load: float) -> dict[str, Any]:
    """Return the document with the figures of the measurement `name`. Drop figures from another machine."""
    here = machine()
    kept = document.get("measured", {}) if document.get("machine") == here else {}
    found = {"load": round(load, 1), "figures": [figure.as_json() for figure in figures]}
    return {"machine": here, "measured": {**kept, name: found}}


def with_figures(page: str, document: dict[str, Any]) -> str:
    """Return the page with updated tables and quoted figures.

    Raises: ValueError if the page has no markers for figures, or if it quotes an unknown figure.
    """
    made, quoted = _QUOTE.subn(lambda found: f"{found[1]}{_quoted(found[2], document)}{found[3]}", page)
    places = [(BEGIN, END, tables), (BEGIN_SOME, END_SOME, some_figures)]
    here = [place for place in places if place[0] in page and place[1] in page]
    if not quoted and not here:
        raise ValueError(f"the page has no place for figures, such as {BEGIN} and {END}")
    for begin, end, table in here:
        before, _, rest = made.partition(begin)
        made = f"{before}{begin}\n\n{table(document)}\n{end}{rest.partition(end)[2]}"
    return made


def _quoted(name: str, document: dict[str, Any]) -> str:
    """Return the value of a figure for a page, without its unit.

    Raises: ValueError if there is no figure with this name.
    """
    if name not in NAMES:
        raise ValueError(f"no figure is called {name!r}: the names are {', '.join(NAMES)}")
    for found in document["measured"].values():
        for each in found["figures"]:
            if (each["what"], each["unit"]) == NAMES[name]:
                value = each["median"]
                return f"{value:,}" if isinstance(value, int) else f"{value:.4g}"
    raise ValueError(f"the figure {name!r} has not been measured")


def some_figures(document: dict[str, Any]) -> str:
    """Return README's table, which has the median of each figure but not the spread."""
    measured = document["measured"].values()
    things = {thing[0]["what"]: thing for found in measured for thing in _things(found["figures"])}
    rows = [f"| {what} | {'; '.join(map(_value, things[what]))} |" for what in SOME if what in things]
    return "\n".join([_machine_line(document), "| what | median |", "| --- | --- |", *rows, ""])


def _machine_line(document: dict[str, Any]) -> str:
    here = document["machine"]
    build = f"built with -march={here['march']}"
    words = f"{here['cpu']}, {here['processors']} processors, {build}; {here['system']}"
    return f"Measured on {words}, Python {here['python']}.\n"


def tables(document: dict[str, Any]) -> str:
    """Return a line about the machine, a table with a row for each measured quantity, and a list of commands."""
    measured = list(document["measured"].values())
    commands = {each["command"]: found["load"] for found in measured for each in found["figures"]}
    numbers = {command: number for number, command in enumerate(commands, 1)}
    things = [thing for found in measured for thing in _things(found["figures"])]
    return "\n".join(
        [
            _machine_line(document),
            "| what | median (spread) | runs | by |",
            "| --- | --- | --- | --- |",
            *(_row(figures, numbers[figures[0]["command"]]) for figures in things),
            "",
            *(f"{numbers[command]}. `{command}` (load {load})" for command, load in commands.items()),
            "",
        ]
    )


def _things(figures: list[dict[str, Any]]) -> list[list[dict[str, Any]]]:
    return [list(same) for _, same in groupby(figures, key=lambda each: (each["what"], each["command"]))]


def _row(figures: list[dict[str, Any]], command: int) -> str:
    values = "; ".join(f"{_value(each)}{_spread(each)}" for each in figures)
    return f"| {figures[0]['what']} | {values} | {max(each['runs'] for each in figures)} | {command} |"


def _value(figure: dict[str, Any]) -> str:
    return f"{_number(figure['median'])} {figure['unit']}"


def _spread(figure: dict[str, Any]) -> str:
    least, most = figure["spread"]
    return f" ({_number(least)} to {_number(most)})" if least != most else ""


def _number(value: float) -> str:
    return f"{value:,}" if isinstance(value, int) else f"{value:,.0f}" if value >= 1000 else f"{value:.3g}"
