"""``outflank train devset``: boards that nothing is trained on, solved exactly."""

from pathlib import Path

import click

from outflank.tools.cli.numbers import WholeNumber
from outflank.tools.cli.options import EXISTING_FOLDER, cluster_option, seed_option, workers_option
from outflank.tools.cli.outputs import OUTPUT_FILE
from outflank.tools.work.words import counted


@click.command()
@click.argument("folders", type=EXISTING_FOLDER, nargs=-1, required=True)
@click.option(
    "--out", type=OUTPUT_FILE, default="devset.obf", show_default=True, help="OBF file for the boards."
)
@click.option(
    "--empties",
    type=WholeNumber(1, 59),
    default=20,
    show_default=True,
    help="Empty squares of each board.",
)
@click.option("--boards", type=WholeNumber(1), default=300, show_default=True, help="Boards to solve.")
@click.option("--all-moves", is_flag=True, help="Solve each move of a board, not just the board.")
@seed_option
@workers_option
@cluster_option
def devset(
    folders: tuple[Path, ...],
    out: Path,
    empties: int,
    boards: int,
    all_moves: bool,
    seed: int,
    workers: int | None,
    cluster: str | None,
) -> None:
    """Solve boards from the games in FOLDERS that training leaves out, to measure errors with.

    ``bench accuracy`` reads the file; an interrupted run goes on where it stopped.
    """
    from outflank.tools.train import devset as sets
    from outflank.tools.train.dataset import load

    settings = sets.DevsetSettings(empties, boards, seed, all_moves)
    done = sets.make_devset(load(folders), out, settings, workers=workers, cluster=cluster)
    click.echo(f"{counted(done, 'board')} in {out}, seed {seed}")
