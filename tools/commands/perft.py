"""``outflank perft``: counts the leaves of the game tree, to prove the rules right and measure how fast."""

import json
import time
from dataclasses import dataclass, replace

import click

from outflank import __version__
from outflank.engine import STARTS, NotationError, Position, Rules, divide
from outflank.engine import perft as count_leaves
from outflank.tools.commands.options import WholeNumber, completed_by, json_object_option, rules_option

# A game has at most 64 discs to play with a pass before each; deeper counts are the same.
_DEEPEST = 128
_STARTS = f"{', '.join(STARTS)} or a board"


@dataclass(frozen=True, slots=True)
class _Count:
    """The leaves, by the first move if that was asked for, and the seconds it took to count them."""

    leaves: int
    parts: dict[str, int]
    seconds: float

    @property
    def leaves_per_second(self) -> int:
        return round(self.leaves / max(self.seconds, 1e-9))


@click.command()
@click.argument("depth", type=WholeNumber(0, _DEEPEST))
@rules_option
@click.option(
    "--start",
    metavar="START",
    shell_complete=completed_by(*STARTS),
    help=f"{_STARTS}: 64 squares of X O - and perhaps the side to move.  [default: the rules' own]",
)
@click.option("--pass-is-free", is_flag=True, help="Count only discs played as plies, not passes.")
@click.option("--divide", "divided", is_flag=True, help="Show the leaves after each move as well.")
@json_object_option
def perft(
    depth: int, rules: Rules, start: str | None, pass_is_free: bool, divided: bool, as_json: bool
) -> None:
    """Count the positions at the end of every line of DEPTH plies.

    A pass is a ply unless --pass-is-free is given, and a game that ends earlier counts as one leaf. From the
    standard start 9 plies lead to 3005288 positions by the first convention and to 3005320 by the second.
    """
    if divided and depth == 0:
        raise click.UsageError("--divide lists the first moves, so DEPTH has to be 1 or more")
    first = _first_position(rules, start)
    settings = {
        "version": __version__,
        "rules": str(first.rules),
        "start": first.rules.start if start is None or start in STARTS else first.board_string(),
        "side": str(first.side),
        "depth": depth,
        "convention": "a pass is free" if pass_is_free else "a pass is a ply",
    }
    if as_json:
        click.echo(json.dumps({**settings, **_facts(_count(first, depth, pass_is_free, divided))}))
        return
    click.echo("outflank {version}, {rules} from {start}, depth {depth}, {convention}".format_map(settings))
    click.echo(_table(_count(first, depth, pass_is_free, divided)))


def _first_position(rules: Rules, start: str | None) -> Position:
    """The position to count from; a board may name the side to move."""
    if start is None or start in STARTS:
        return Position.start(replace(rules, start=start or rules.start))
    try:
        return Position.parse(start, rules)
    except NotationError as error:
        raise click.BadParameter(f"expected {_STARTS}: {error}", param_hint="'--start'") from error


def _count(first: Position, depth: int, pass_is_free: bool, divided: bool) -> _Count:
    """Count; a finished game has no moves to divide by, yet is a leaf."""
    began = time.perf_counter()
    parts = divide(first, depth, pass_is_free) if divided else {}
    leaves = sum(parts.values()) or count_leaves(first, depth, pass_is_free)
    return _Count(leaves, parts, time.perf_counter() - began)


def _facts(count: _Count) -> dict[str, object]:
    """The count for machines; the moves only if they were asked for."""
    facts: dict[str, object] = {
        "leaves": count.leaves,
        "seconds": round(count.seconds, 6),
        "leaves_per_second": count.leaves_per_second,
    }
    return {**facts, "moves": count.parts} if count.parts else facts


def _table(count: _Count) -> str:
    """The count for people: a line for each move that was asked for, then the sum."""
    width = max(map(len, [*count.parts, "leaves"]))
    rows = [f"{move:<{width}} {leaves:>15}" for move, leaves in count.parts.items()]
    speed = f"{count.seconds:.3f} s, {count.leaves_per_second} leaves/s"
    return "\n".join([*rows, f"{'leaves':<{width}} {count.leaves:>15}   {speed}"])
