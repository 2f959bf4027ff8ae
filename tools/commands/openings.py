"""``outflank openings``: finds openings by name, and generates suites of balanced openings for matches."""

from pathlib import Path
from typing import Unpack

import click

from outflank import __version__
from outflank.book import names
from outflank.engine import Limit, NotationError, OutflankError
from outflank.engine.evaluation.weights import checksum
from outflank.storage.files import STDOUT, open_output
from outflank.tools.cli.command import CommandGroup, handing
from outflank.tools.cli.options import output_option, place_options, selectivity_option, weights_option
from outflank.tools.cli.types import Number, WholeNumber, shown_output
from outflank.tools.match.openings.sources import make_suite
from outflank.tools.runtime.cluster import Place


@click.group(cls=CommandGroup)
def openings() -> None:
    """Find openings by name, or generate openings for matches."""


@openings.command()
@click.argument("words", metavar="NAME", nargs=-1, required=True)
def find(words: tuple[str, ...]) -> None:
    """Print the openings whose English or Japanese names contain NAME.

    Each line is an opening; a match accepts a file of such lines as --openings FILE.
    """
    try:
        lines = names.openings(" ".join(words))
    except NotationError as error:
        raise OutflankError(str(error)) from None
    width = max(len(opening.moves) for opening in lines)
    for opening in lines:
        click.echo(f"{opening.moves:<{width}}  # {opening.in_both_languages}")


@openings.command()
@output_option("Write the openings to FILE, one transcript per line", required=True)
@click.option("--moves", type=WholeNumber(1, 10), default=8, help="Moves of each opening.")
@click.option(
    "--within", type=Number(min=0), default=2.0, help="Maximum score of an opening for either side, in discs."
)
@click.option("--depth", type=WholeNumber(1, 60), default=14, help="Plies to search.")
@selectivity_option(value="73")
@weights_option
@place_options
@handing({"deep": Limit})
def make(output: Path, moves: int, within: float, deep: Limit, **place: Unpack[Place]) -> None:
    """Write all Othello openings that the engine judges to be balanced.

    Symmetric positions are written only once. Without further options, this command writes a suite like the one that
    Outflank ships (docs/statistics.md), in ten minutes on one processor. --openings FILE of a match accepts any file of
    transcripts.
    """
    balanced, judged = make_suite(moves, within, deep, **place)
    settings = f"--moves {moves} --within {within:g} --depth {deep.depth} --selectivity {deep.selectivity}"
    text = (
        f"# {len(balanced)} of the {judged} positions after {moves} moves of Othello, symmetric ones counted once:\n"
        f"# those in which neither side is more than {within:g} discs ahead, according to Outflank {__version__}\n"
        f"# with the weights of CRC-32 {checksum()}. Each opening is followed by its score, in discs from\n"
        "# Black's point of view. This command generated the suite:\n"
        f"# outflank openings make {settings}\n" + "".join(balanced)
    )
    with open_output(output) as file:
        file.write(text.encode())
    click.echo(f"wrote {len(balanced)} of {judged} openings to {shown_output(output)}", err=output is STDOUT)
