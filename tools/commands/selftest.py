"""``outflank selftest``: an engine against itself gives mirrored pairs, or something does not repeat itself."""

import json
import random

import click

from outflank import __version__
from outflank.engine import OutflankError, Rules
from outflank.protocol.drivers.spec import EngineSpec
from outflank.tools.commands.options import WholeNumber, json_option, read_by, rules_option
from outflank.tools.match.game.mirror import MirrorPair, play_mirror_pair
from outflank.tools.match.openings.sources import random_openings
from outflank.tools.work.progress import counted
from outflank.tools.work.signals import Interrupted, Interrupts

_ENGINE = 'cmd="outflank gtp --level 4" restart=yes'
_MOST_MOVES = 40
_SEEDS = 2**31


@click.command()
@click.option(
    "--engine",
    "entry",
    callback=read_by(EngineSpec.parse),
    default=_ENGINE,
    metavar="TEXT",
    help="The engine. Its play has to be reproducible: one thread, and a fixed level, depth or number of nodes.",
)
@click.option("--pairs", type=WholeNumber(1, 10_000), default=5, help="Pairs of games.")
@click.option("--moves", type=WholeNumber(0, _MOST_MOVES), default=8, help="Random moves at the beginning.")
@rules_option
@click.option("--seed", type=WholeNumber(0, _SEEDS - 1), help="Seed of the random moves.  [default: drawn]")
@json_option
@click.pass_context
def selftest(
    ctx: click.Context,
    entry: EngineSpec,
    pairs: int,
    moves: int,
    rules: Rules,
    seed: int | None,
    as_json: bool,
) -> None:
    """Play an engine against itself: the two games of a pair must be mirror images.

    If one is not, the referee or the engine depends on something that it should not depend on: the colour, earlier
    games, the time. Exit code 1 says so. docs/compliance.md has more.
    """
    seed = random.randrange(_SEEDS) if seed is None else seed
    if not as_json:
        click.echo(f"outflank {__version__}, {entry.cmd}, {counted(pairs, 'pair')} of {rules}, seed {seed}")
    broken = 0
    try:
        with Interrupts() as interrupts:
            for number, opening in enumerate(random_openings(moves, pairs, rules, seed), 1):
                pair = play_mirror_pair(entry, rules, opening, number, interrupts.check)
                broken += bool(pair.trouble)
                click.echo(json.dumps(_summary(pair)) if as_json else _line(pair))
    except Interrupted as interruption:
        ctx.exit(interruption.exit_code)
    if broken:
        raise OutflankError(f"no mirror images: {broken} of {counted(pairs, 'pair')} (named above)")
    if not as_json:
        click.echo("Engine and referee repeat themselves.")


def _line(pair: MirrorPair) -> str:
    return f"pair {pair.number:<4d} {pair.trouble or f'mirrored: {pair.outcome}'}"


def _summary(pair: MirrorPair) -> dict[str, object]:
    return {
        "pair": pair.number,
        "mirrored": not pair.trouble,
        "trouble": pair.trouble,
        "points": pair.points,
        "margins": [pair.first.margin, pair.second.margin],
        "transcripts": [pair.first.transcript, pair.second.transcript],
    }
