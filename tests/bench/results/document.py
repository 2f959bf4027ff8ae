"""docs/results.json, the machine it was measured on, and the tables of docs/results.md that are made from it."""

import os
import platform
from itertools import groupby
from pathlib import Path
from typing import Any

from outflank.engine import BUILD
from outflank.tests.bench.results.figures import Figure

BEGIN, END = "<!-- from results.json -->", "<!-- end of results.json -->"


def machine() -> dict[str, object]:
    """What the figures depend on beside the program."""
    names = [line for line in Path("/proc/cpuinfo").read_text().splitlines() if line.startswith("model name")]
    return {
        "cpu": names[0].partition(":")[2].strip() if names else platform.machine(),
        "processors": len(os.sched_getaffinity(0)),
        "march": BUILD,
        "system": f"{platform.system()} {platform.release().split('-')[0]}",
        "python": platform.python_version(),
    }


def updated(document: dict[str, Any], name: str, figures: list[Figure], load: float) -> dict[str, Any]:
    """The document with what was measured now, at that load; what another machine measured is dropped."""
    here = machine()
    kept = document.get("measured", {}) if document.get("machine") == here else {}
    found = {"load": round(load, 1), "figures": [figure.as_json() for figure in figures]}
    return {"machine": here, "measured": {**kept, name: found}}


def with_tables(page: str, document: dict[str, Any]) -> str:
    """The page with its tables made anew.

    Raises: ValueError if it has no place for them.
    """
    if BEGIN not in page or END not in page:
        raise ValueError(f"expected a page with {BEGIN} and {END}")
    before, _, rest = page.partition(BEGIN)
    return f"{before}{BEGIN}\n\n{tables(document)}\n{END}{rest.partition(END)[2]}"


def tables(document: dict[str, Any]) -> str:
    """The machine in a line, a table with a row for each thing measured, and the commands that its rows name."""
    here = document["machine"]
    words = f"{here['cpu']}, {here['processors']} processors, built for {here['march']}; {here['system']}"
    measured = list(document["measured"].values())
    commands = {each["command"]: found["load"] for found in measured for each in found["figures"]}
    numbers = {command: number for number, command in enumerate(commands, 1)}
    things = [thing for found in measured for thing in _things(found["figures"])]
    return "\n".join(
        [
            f"Measured on {words}, Python {here['python']}.\n",
            "| what | median (spread) | runs | by |",
            "| --- | --- | --- | --- |",
            *(_row(figures, numbers[figures[0]["command"]]) for figures in things),
            "",
            *(f"{numbers[command]}. `{command}` (load {load})" for command, load in commands.items()),
            "",
        ]
    )


def _things(figures: list[dict[str, Any]]) -> list[list[dict[str, Any]]]:
    """The figures in order, those of one thing together."""
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
