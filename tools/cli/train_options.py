"""Options that several training commands share."""

from pathlib import Path
from typing import Any

import click

from outflank.engine.weights import SHIPPED

_UNITS = {"s": 1.0, "m": 60.0, "h": 3600.0}


class _Duration(click.ParamType[float]):
    """Seconds, written ``90s``, ``20m`` or ``3h``."""

    name = "duration"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        text = str(value)
        number, unit = text[:-1], text[-1:]
        try:
            seconds = float(number) * _UNITS[unit]
        except (ValueError, KeyError):
            self.fail(f"expected a duration like 90s, 20m or 3h, got {text!r}", param, ctx)
        if not 0 < seconds < float("inf"):
            self.fail(f"expected a duration above 0, got {text!r}", param, ctx)
        return seconds


DURATION = _Duration()
existing_folder = click.Path(path_type=Path, exists=True, file_okay=False)
any_folder = click.Path(path_type=Path, file_okay=False)
existing_file = click.Path(path_type=Path, exists=True, dir_okay=False)
any_file = click.Path(path_type=Path, dir_okay=False)

weights_option = click.option(
    "--weights",
    type=existing_file,
    default=SHIPPED,
    help="Evaluation to search with.  [default: the shipped one]",
)
weights_out_option = click.option(
    "--out", type=any_file, default="weights.bin", show_default=True, help="File for the weights."
)
solved_option = click.option(
    "--solved",
    type=existing_folder,
    multiple=True,
    metavar="FOLDER",
    help="Use the solved positions of these games too, but not how they began; may be repeated.",
)
trust_option = click.option(
    "--trust",
    type=click.FloatRange(0, 1),
    default=0.7,
    show_default=True,
    help="In what comes later in a game: 1 learns the result alone, 0 what the search guessed.",
)
seed_option = click.option(
    "--seed", type=click.IntRange(0, 2**31 - 1), default=1, show_default=True, help="Of all random choices."
)
shard_option = click.option(
    "--shard",
    type=click.IntRange(1, 1_000_000),
    default=1000,
    show_default=True,
    help="Games or boards in a file, the unit of work.",
)
budget_option = click.option(
    "--budget", type=DURATION, help="Stop after 90s, 20m, 3h ...  [default: when all is done]"
)
workers_option = click.option(
    "--workers", type=click.IntRange(1, 4096), help="Processes to start.  [default: one for each processor]"
)
cluster_option = click.option(
    "--cluster", metavar="ADDRESS", help="Dask scheduler to work on instead, tcp://host:port."
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
