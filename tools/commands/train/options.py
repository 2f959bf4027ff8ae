"""Options that several training commands share."""

from typing import Any

import click

from outflank.engine.selectivity import FULL_WIDTH
from outflank.engine.weights import SHIPPED
from outflank.tools.cli.numbers import Number, WholeNumber
from outflank.tools.cli.options import ANY_FILE, EXISTING_FILE, EXISTING_FOLDER, SELECTIVITY, read_by

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

weights_option = click.option(
    "--weights",
    type=EXISTING_FILE,
    default=SHIPPED,
    help="Evaluation to search with.  [default: the shipped one]",
)
weights_out_option = click.option(
    "--out", type=ANY_FILE, default="weights.bin", show_default=True, help="File for the weights."
)
solved_option = click.option(
    "--solved",
    type=EXISTING_FOLDER,
    multiple=True,
    metavar="FOLDER",
    help="Use the solved positions of these games too, but not how they began; may be repeated.",
)
trust_option = click.option(
    "--trust",
    type=Number(0, 1),
    default=0.7,
    show_default=True,
    help="In what comes later in a game: 1 learns the result alone, 0 what the search guessed.",
)
early_trust_option = click.option(
    "--early-trust",
    type=Number(0, 1),
    default=0.9,
    show_default=True,
    help="The same at more than 22 empty squares.",
)
least_depth_option = click.option(
    "--least-depth",
    type=WholeNumber(1, 60),
    default=1,
    show_default=True,
    help="Guesses of searches of fewer plies don't count.",
)
selectivity_option = click.option(
    "--selectivity",
    type=SELECTIVITY,
    callback=read_by(int),
    default=str(FULL_WIDTH.percent),
    show_default=True,
    help="How sure a cut on a guess has to be, in percent; 100 cuts nothing on a guess.",
)
end_selectivity_option = click.option(
    "--end-selectivity",
    type=SELECTIVITY,
    callback=read_by(int),
    default=str(FULL_WIDTH.percent),
    show_default=True,
    help="The same for searches to the end of the game.",
)
seed_option = click.option(
    "--seed", type=WholeNumber(0, 2**31 - 1), default=1, show_default=True, help="Of all random choices."
)
shard_option = click.option(
    "--shard",
    type=WholeNumber(1, 1_000_000),
    default=1000,
    show_default=True,
    help="Games or boards in a file, the unit of work.",
)
budget_option = click.option(
    "--budget", type=DURATION, help="Stop after 90s, 20m, 3h ...  [default: when all is done]"
)
