"""Options that several training commands share."""

from pathlib import Path

import click

from outflank.engine.evaluation.weights import SHIPPED
from outflank.engine.search.limits import FULL_WIDTH
from outflank.tools.commands.options import (
    EXISTING_FILE,
    EXISTING_FOLDER,
    OUTPUT_FILE,
    SELECTIVITY,
    Number,
    WholeNumber,
    json_object_option,
    place_options,
    read_by,
    seed_option,
    together,
)

weights_option = click.option(
    "--weights",
    type=EXISTING_FILE,
    default=SHIPPED,
    show_default=False,
    help="Evaluation to search with.  [default: the shipped one]",
)
weights_out_option = click.option(
    "--out", type=OUTPUT_FILE, default="weights.bin", help="File for the weights."
)


def _picture(context: click.Context, parameter: click.Parameter, path: Path | None) -> Path | None:
    """Refuse a picture of an unknown format before hours of work."""
    if path is not None:
        from matplotlib.backend_bases import FigureCanvasBase

        kinds = FigureCanvasBase.get_supported_filetypes()
        if path.suffix[1:].lower() not in kinds:
            raise click.BadParameter(f"the name has to end in .{' or .'.join(kinds)}, unlike {str(path)!r}")
    return path


plot_option = click.option(
    "--plot", type=OUTPUT_FILE, callback=_picture, help="Draw the errors by phase (.svg, .png, ...)."
)
solved_option = click.option(
    "--solved",
    type=EXISTING_FOLDER,
    multiple=True,
    metavar="FOLDER",
    help="Use the solved positions of these games too, and no others of them; may be repeated.",
)
_trust_option = click.option(
    "--trust",
    type=Number(0, 1),
    default=0.7,
    help="Weight of later positions in a target: 1 learns the result alone, 0 the search's score alone.",
)
_early_trust_option = click.option(
    "--early-trust", type=Number(0, 1), default=0.9, help="The same at more than 22 empty squares."
)
_least_depth_option = click.option(
    "--least-depth",
    type=WholeNumber(1, 60),
    default=1,
    help="Scores of searches of fewer plies don't count.",
)
_selectivity_option = click.option(
    "--selectivity",
    type=SELECTIVITY,
    callback=read_by(int),
    default=str(FULL_WIDTH.percent),
    help="Certainty of selective cuts in percent; 100 is full width.",
)
_end_selectivity_option = click.option(
    "--end-selectivity",
    type=SELECTIVITY,
    callback=read_by(int),
    default=str(FULL_WIDTH.percent),
    help="The same for searches to the end of the game.",
)
shard_option = click.option(
    "--shard",
    type=WholeNumber(1, 1_000_000),
    default=1000,
    help="Games or boards in a file, the unit of work.",
)

fitting_options = together(
    solved_option, weights_out_option, _trust_option, _early_trust_option, _least_depth_option
)
"""Of commands that fit something to games."""
selectivity_options = together(_selectivity_option, _end_selectivity_option)
"""Of the searches that judge positions."""
shard_options = together(shard_option, weights_option, seed_option, place_options, json_object_option)
"""Of commands that work shard by shard."""
