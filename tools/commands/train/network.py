"""``outflank train network``: the evaluation's network, on what the tables leave."""

import json
from dataclasses import asdict
from pathlib import Path

import click

from outflank.engine.network import STAGES
from outflank.tools.cli.numbers import Number, WholeNumber
from outflank.tools.cli.options import EXISTING_FILE, EXISTING_FOLDER, json_object_option, seed_option
from outflank.tools.commands.train.options import fitting_options


@click.command()
@click.argument("folders", type=EXISTING_FOLDER, nargs=-1, required=True)
@click.option(
    "--tables",
    type=EXISTING_FILE,
    required=True,
    help="Weights file with the tables: fit makes one. If it has a network, the training begins there.",
)
@fitting_options
@click.option(
    "--epochs", type=WholeNumber(1), default=4, show_default=True, help="How often each position is used."
)
@click.option(
    "--rate",
    type=Number(0, 1, min_open=True),
    default=2e-3,
    show_default=True,
    help="Highest learning rate; to touch a network up with few positions, take half of it.",
)
@click.option(
    "--decay",
    type=Number(0),
    default=2.0,
    show_default=True,
    help="How firmly rows are tied to where they began; 30 is good for training a network on with few positions.",
)
@click.option(
    "--fewest",
    type=WholeNumber(1),
    default=300,
    show_default=True,
    help="The rows of configurations that occur less often stay as they were.",
)
@click.option(
    "--linear-from",
    type=Number(0, min_open=True),
    metavar="DISCS",
    help="Count what errors exceed this by in proportion, not squared; 4 is good for close games.  [default: never]",
)
@click.option(
    "--stage",
    "stages",
    type=WholeNumber(0, STAGES - 1),
    multiple=True,
    help="Train this third of the game and leave the others as they are; may be repeated.  [default: all]",
)
@click.option("--device", default="cpu", show_default=True, help="PyTorch's device: cpu, cuda, ...")
@seed_option
@json_object_option
def network(
    folders: tuple[Path, ...],
    tables: Path,
    solved: tuple[Path, ...],
    out: Path,
    trust: float,
    early_trust: float,
    least_depth: int,
    epochs: int,
    rate: float,
    decay: float,
    fewest: int,
    linear_from: float | None,
    stages: tuple[int, ...],
    device: str,
    seed: int,
    as_json: bool,
) -> None:
    """Train the evaluation's network on what its tables leave unexplained in the games in FOLDERS.

    One game in 20 is kept out to measure with, the same as in fit; boards that other games have too don't count there.
    The state of the training is saved every two minutes: an interrupted run goes on where it stopped.
    """
    from outflank.tools.train import network as networks
    from outflank.tools.train import weights_file
    from outflank.tools.train.targets import Trust

    settings = networks.NetworkSettings(
        Trust(trust, early_trust, least_depth),
        epochs,
        rate,
        decay,
        fewest,
        networks.NEVER_LINEAR if linear_from is None else linear_from,
        seed=seed,
        stages=tuple(sorted(set(stages))) or tuple(range(STAGES)),
        device=device,
    )
    reports = weights_file.train_network(tables, folders, solved, out, settings)
    click.echo(
        json.dumps([asdict(report) for report in reports])
        if as_json
        else "\n".join(["stage  epoch  trained  kept out  bias even  bias odd  slope", *map(str, reports)])
    )
