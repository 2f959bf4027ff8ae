"""``outflank solo``: the solo game of the Ravensburger edition of 2006, to play, to watch and to solve."""

import json
import random

import click

from outflank import __version__
from outflank.engine.solo.game import DEFAULT_LAYOUT, Deal, DealerView, Variant, never_winnable, parse_layout
from outflank.engine.solo.player import HINT_EFFORT, SoloPlayer, solve
from outflank.engine.squares import square_name
from outflank.tools.commands.options import COUNT, WholeNumber, json_option, read_by
from outflank.tools.play.solo import (
    SoloPrinter,
    Way,
    by_chance,
    by_player,
    play,
    play_many,
    watch,
    with_open_chips,
)
from outflank.tools.report.board import say

_HIGHEST_SEED = 2**31 - 1


@click.command()
@click.option("--seed", type=WholeNumber(0, _HIGHEST_SEED), help="Number of the deal.  [default: any]")
@click.option(
    "--layout",
    default="corners",
    metavar="SQUARES",
    callback=read_by(parse_layout),
    help="Squares of the chips: corners, or 24 squares such as a3,b2,c1,...",
)
@click.option(
    "--variant",
    type=click.Choice([str(variant) for variant in Variant]),
    default=str(Variant.CHIPS),
    callback=read_by(Variant),
    help="Score: chips won, or the sum of their numbers, doubled if all four blank chips are won.",
)
@click.option("--auto", is_flag=True, help="Watch the program play.")
@click.option("--open", "is_open", is_flag=True, help="Lay the chips open and find the best play.")
@click.option("--hint", "hints", is_flag=True, help="Show the most promising moves before each move.")
@click.option("--random", "by_random", is_flag=True, help="With --auto and --games: play any legal move.")
@click.option(
    "--games",
    type=COUNT,
    help="With --auto or --open: play this many deals from SEED on and print a summary.",
)
@json_option
def solo(
    seed: int | None,
    layout: tuple[int, ...],
    variant: Variant,
    auto: bool,
    is_open: bool,
    hints: bool,
    by_random: bool,
    games: int | None,
    as_json: bool,
) -> None:
    """Play the solo game of the sheet of 2006: move both colours and win the 24 hidden chips.

    Moves are read from standard input, one a line: black d3, or gd3 for a golden disc. The word help shows more; stop
    or the end of the input ends the game with the score as it is. docs/rules.md has the rules.
    """
    _expect_sense(auto, is_open, hints, by_random, games)
    if seed is None:
        seed = random.randrange(_HIGHEST_SEED)
    _begin(seed, layout, variant, as_json)
    report = SoloPrinter(variant, as_json)
    if games is not None:
        way: Way = with_open_chips if is_open else by_chance if by_random else by_player
        play_many(way, range(seed, seed + games), layout, report)
        return
    deal = Deal.shuffled(seed, layout)
    if is_open:
        report.solution(solve(DealerView.start(deal), variant), deal)
    elif auto:
        watch(DealerView.start(deal), SoloPlayer(variant, seed), report)
    else:
        play(DealerView.start(deal), report, SoloPlayer(variant, seed, HINT_EFFORT), hints)


def _expect_sense(auto: bool, is_open: bool, hints: bool, by_random: bool, games: int | None) -> None:
    """Raise click.UsageError unless the options go together."""
    if auto and is_open:
        raise click.UsageError("--auto (watch) and --open (solve) exclude each other")
    if hints and (auto or is_open):
        raise click.UsageError("--hint is for a game of your own, without --auto and --open")
    if games is not None and not (auto or is_open):
        raise click.UsageError("--games needs --auto or --open")
    if by_random and (games is None or not auto):
        raise click.UsageError("--random needs --auto and --games")


def _begin(seed: int, layout: tuple[int, ...], variant: Variant, as_json: bool) -> None:
    """Print the settings that give the same deal again, and warn of chips that no play can win."""
    names = [square_name(square) for square in layout]
    lost = [square_name(square) for square in never_winnable(layout)]
    if lost:
        say(f"outflank: chips on {' '.join(lost)} can never be won", err=True)
    if as_json:
        settings = {"version": __version__, "seed": seed, "layout": names, "variant": str(variant)}
        say(json.dumps({"kind": "settings", **settings}))
        return
    laid = "" if layout == DEFAULT_LAYOUT else f", layout {','.join(names)}"
    say(f"outflank {__version__}, solo game, seed {seed}, variant {variant}{laid}")
