"""``outflank bench`` and ``perft``: the speed of search and move generation, and the accuracy of scores."""

import json
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import BinaryIO, cast

import click

from outflank import __version__
from outflank.engine import STARTS, Limit, NotationError, OutflankError, Parameters, Position, Rules, Searcher
from outflank.engine import perft as count_leaves
from outflank.engine.search.limits import Percent
from outflank.protocol.formats import obf
from outflank.tools.cli.command import Command, CommandGroup, completed_by
from outflank.tools.cli.options import (
    hash_option,
    json_object_option,
    json_option,
    rules_option,
    search_options,
    selectivity_option,
    threads_option,
    weights_option,
)
from outflank.tools.cli.types import FileOrSample, WholeNumber
from outflank.tools.report.search import nodes_a_second, settings_line
from outflank.tools.runtime.kept import KeptResults
from outflank.tools.train.accuracy import errors_table, measure_accuracy

_SUITE = Path(__file__).parent / "data" / "bench.obf"
_MIDGAME = Limit(depth=11)
_SELECTIVE_MIDGAME = Limit(depth=18, selectivity=73)
_PERFT_DEPTH = 9
# A deeper perft is split into parts of this depth, and each part's count is saved. A part takes a few seconds at most.
_PLIES_OF_A_PART = 9
# At most 64 discs are played, each after at most one pass, so a deeper perft has the same count.
_DEEPEST = 128
_STARTS = f"{', '.join(STARTS)} or a board"


@click.group(cls=CommandGroup, invoke_without_command=True)
@search_options
@json_option
@click.pass_context
def bench(ctx: click.Context, threads: int, hash_mb: int, parameters: Parameters, as_json: bool) -> None:
    """Search fixed positions; print nodes, speed and signature.

    The signature is the total number of nodes. With one thread, each item's number of nodes is the same on every
    machine, and changes only with the search or the evaluation. bench accuracy compares scores with exact ones
    instead.
    """
    if ctx.invoked_subcommand is not None:
        return
    searcher = Searcher(hash_mb=hash_mb, threads=threads, parameters=parameters)
    searcher.prepare()  # otherwise the time of the first position would include the setup
    if not as_json:
        click.echo(settings_line(searcher))
    show = _print_json if as_json else _print_row
    all_nodes, all_seconds = 0, 0.0
    for name, work in _work(searcher):
        began = time.perf_counter()
        nodes = work()
        seconds = time.perf_counter() - began
        show(name, nodes, seconds)
        all_nodes, all_seconds = all_nodes + nodes, all_seconds + seconds
    show("signature", all_nodes, all_seconds)


def _work(searcher: Searcher) -> Iterator[tuple[str, Callable[[], int]]]:
    """Yield the name of each benchmark item, and a function that runs the item and returns its nodes (or leaves)."""
    yield f"perft {_PERFT_DEPTH}", partial(count_leaves, Position.start(), _PERFT_DEPTH)
    problems, _ = obf.read_problems(_SUITE.read_text().splitlines(), _SUITE.name, Rules())
    for problem in problems:
        position, name = problem.position, f"{problem.position.empties} empties"
        if problem.scores:
            yield f"{name}, exact", partial(_nodes, searcher, position, Limit.solve())
        else:
            yield f"{name}, {_MIDGAME.depth} plies", partial(_nodes, searcher, position, _MIDGAME)
            yield (
                f"{name}, {_SELECTIVE_MIDGAME.depth} plies at 73 %",
                partial(_nodes, searcher, position, _SELECTIVE_MIDGAME),
            )


def _nodes(searcher: Searcher, position: Position, limit: Limit) -> int:
    """Search with an empty transposition table. Clearing the table is part of the measured time."""
    searcher.clear()
    return searcher.search(position, limit).nodes


def _print_json(name: str, nodes: int, seconds: float) -> None:
    click.echo(json.dumps({"name": name, "nodes": nodes, "seconds": seconds}))


def _print_row(name: str, nodes: int, seconds: float) -> None:
    speed = nodes_a_second(nodes, seconds)
    click.echo(f"{name:<30} {nodes:>13,} nodes {seconds:>8.3f} s {speed:>13,} nodes/s")


@bench.command()
@click.argument("file", type=FileOrSample(stdin=True), default="dev-20")
@click.option(
    "--depth", type=WholeNumber(0, 60), default=8, help="Plies to search; 0 for the evaluation alone."
)
@selectivity_option(default="100")
@weights_option
@threads_option
@hash_option
@json_option
def accuracy(
    file: Path, depth: int, selectivity: Percent | None, threads: int, hash_mb: int, as_json: bool
) -> None:
    """Compare search scores with the exact ones of an OBF file.

    FILE is a file or a sample of docs/formats.md, by default dev-20; - is standard input. Exactly --depth plies are
    searched, without a book or further solving. Moves are judged where the file has the scores of all moves; any of
    several best moves is right. If searches end at both even and odd numbers of empty squares, errors are also shown
    for each parity, since an evaluation may be wrong for only one parity.
    """
    with click.open_file(str(file), "rb") as stream:
        found, errors = obf.read_suite(cast(BinaryIO, stream), str(file), Rules())
    for error in errors:
        raise error
    problems = [problem for problem in found if problem.score is not None]
    if not problems:
        raise OutflankError(f"{file} has no positions with scores")
    searcher = Searcher(hash_mb=hash_mb, threads=threads)
    began = time.perf_counter()
    facts, all_nodes = measure_accuracy(problems, searcher, depth, selectivity)
    seconds = time.perf_counter() - began
    if as_json:
        click.echo(json.dumps({**facts.pop("all"), **facts, "nodes": all_nodes, "seconds": seconds}))
    else:
        click.echo(errors_table(facts, all_nodes, seconds))


@click.command(cls=Command)
@click.argument("depth", type=WholeNumber(0, _DEEPEST))
@rules_option
@click.option(
    "--start",
    metavar="START",
    shell_complete=completed_by(*STARTS),
    help=f"{_STARTS}: 64 squares of X O - and optionally the side to move.  [default: that of the rules]",
)
@click.option("--pass-is-free", is_flag=True, help="Count only discs played as plies, not passes.")
@click.option("--divide", "divided", is_flag=True, help="Also show the leaves after each move.")
@json_object_option
def perft(
    depth: int, rules: Rules, start: str | None, pass_is_free: bool, divided: bool, as_json: bool
) -> None:
    """Count the positions at the end of every line of DEPTH plies.

    A pass is a ply unless --pass-is-free is given, and a game that ends earlier counts as one leaf. From the standard
    start, 9 plies lead to 3005288 positions if passes count and to 3005320 with --pass-is-free.
    """
    if divided and depth == 0:
        raise click.UsageError("--divide lists the first moves, so DEPTH must be at least 1")
    first = _first_position(rules, start)
    settings = {
        "version": __version__,
        "rules": str(first.rules),
        "start": first.rules.start if start is None or start in STARTS else first.board_string(),
        "side": str(first.side),
        "depth": depth,
        "convention": "a pass is free" if pass_is_free else "a pass is a ply",
    }
    if not as_json:
        click.echo(
            "outflank {version}, {rules} from {start}, depth {depth}, {convention}".format_map(settings)
        )
    parts: dict[str, int] = {}
    seconds = 0.0

    def leaves_below(position: Position, plies: int) -> int:
        nonlocal seconds
        found = results.in_order(_parts(position, plies, pass_is_free), str, partial(map, counted_part))
        counts, times = zip(*found, strict=True)
        seconds += sum(times)
        return sum(counts)

    counted_part = partial(_count_part, pass_is_free)
    with KeptResults("perft", tuple[int, float], pass_is_free=pass_is_free) as results:
        if divided:
            for move in first.legal_moves():
                plies = depth - (not (move.is_pass and pass_is_free))
                parts[str(move)] = leaves_below(first.play(move), plies)
        # A finished game has no moves to sum over, but the position itself is a leaf.
        leaves = sum(parts.values()) or leaves_below(first, depth)
    speed = round(leaves / max(seconds, 1e-9))
    if as_json:
        counts = {"leaves": leaves, "seconds": round(seconds, 6), "leaves_per_second": speed}
        click.echo(json.dumps(settings | counts | ({"moves": parts} if parts else {})))
        return
    width = max(map(len, [*parts, "leaves"]))
    for text, count in parts.items():
        click.echo(f"{text:<{width}} {count:>15}")
    click.echo(f"{'leaves':<{width}} {leaves:>15}   {seconds:.3f} s, {speed} leaves/s")


_Part = tuple[Position, int]
"""A position, and the number of plies to count below it."""


def _parts(position: Position, plies: int, pass_is_free: bool) -> Iterator[_Part]:
    """Yield parts whose numbers of leaves add up to the number of leaves `plies` plies below `position`."""
    if plies <= _PLIES_OF_A_PART or position.is_over:
        yield position, plies
        return
    for move in position.legal_moves():
        yield from _parts(position.play(move), plies - (not (move.is_pass and pass_is_free)), pass_is_free)


def _count_part(pass_is_free: bool, part: _Part) -> tuple[int, float]:
    """Return the number of leaves of a part, and the seconds that the counting took."""
    began = time.perf_counter()
    return count_leaves(*part, pass_is_free), time.perf_counter() - began


def _first_position(rules: Rules, start: str | None) -> Position:
    if start is None or start in STARTS:
        return Position.start(replace(rules, start=start or rules.start))
    try:
        return Position.parse(start, rules)
    except NotationError as error:
        raise click.BadParameter(f"expected {_STARTS}: {error}", param_hint="'--start'") from error
