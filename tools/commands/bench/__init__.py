"""``outflank bench``: a fixed amount of work, whose nodes show a change of the search, and whose time its speed."""

import json
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

import click

from outflank.engine import Limit, Parameters, Position, Rules, Searcher, perft
from outflank.protocol.formats import obf
from outflank.tools.commands.options import (
    hash_option,
    json_option,
    param_option,
    threads_option,
    weights_option,
)
from outflank.tools.commands.program import LazyGroup
from outflank.tools.report.search import nodes_a_second, settings_line

COMMANDS = {"accuracy": "Compare searched scores with the exact ones of an OBF file."}
_SUITE = Path(__file__).parent / "data" / "bench.obf"
_MIDGAME = Limit(depth=11)
_SELECTIVE_MIDGAME = Limit(depth=18, selectivity=73)
_PERFT_DEPTH = 9


@dataclass(frozen=True, slots=True)
class _Item:
    """A piece of work: its name, its nodes (leaves for perft) and its seconds."""

    name: str
    nodes: int
    seconds: float

    @property
    def nodes_per_second(self) -> int:
        return nodes_a_second(self.nodes, self.seconds)


@click.group(cls=LazyGroup, package=__name__, summaries=COMMANDS, invoke_without_command=True)
@threads_option
@hash_option
@param_option
@weights_option
@json_option
@click.pass_context
def bench(ctx: click.Context, threads: int, hash_mb: int, parameters: Parameters, as_json: bool) -> None:
    """Search a fixed set of positions and print nodes and speed; the total of the nodes is the signature.

    With one thread the nodes of each item are the same on every machine: a change that does not mean to change
    the search leaves them alone. `bench accuracy` measures scores against exact ones instead.
    """
    if ctx.invoked_subcommand is not None:
        return
    searcher = Searcher(hash_mb=hash_mb, threads=threads, parameters=parameters)
    searcher.prepare()  # otherwise the first position would seem slow
    if not as_json:
        click.echo(settings_line(searcher))
    done = []
    for item in _work(searcher):
        done.append(item)
        click.echo(json.dumps(asdict(item)) if as_json else _row(item))
    total = _Item("signature", sum(item.nodes for item in done), sum(item.seconds for item in done))
    click.echo(json.dumps(asdict(total)) if as_json else _row(total))


def _work(searcher: Searcher) -> Iterator[_Item]:
    """Do the work, item by item, each with an empty table."""
    began = time.perf_counter()
    leaves = perft(Position.start(), _PERFT_DEPTH)
    yield _Item(f"perft {_PERFT_DEPTH}", leaves, time.perf_counter() - began)
    for problem in _suite():
        if problem.scores:
            yield _search(searcher, problem, Limit.solve(), "exact")
        else:
            yield _search(searcher, problem, _MIDGAME, f"{_MIDGAME.depth} plies")
            yield _search(searcher, problem, _SELECTIVE_MIDGAME, f"{_SELECTIVE_MIDGAME.depth} plies at 73 %")


def _search(searcher: Searcher, problem: obf.Problem, limit: Limit, what: str) -> _Item:
    """One position; clearing the table is part of the time."""
    began = time.perf_counter()
    searcher.clear()
    result = searcher.search(problem.position, limit)
    name = f"{problem.position.empties} empties, {what}"
    return _Item(name, result.nodes, time.perf_counter() - began)


def _suite() -> tuple[obf.Problem, ...]:
    """The positions that ship with the program: those with scores are solved, the others searched to a depth."""
    return obf.read_problems(_SUITE.read_text().splitlines(), _SUITE.name, Rules()).problems


def _row(item: _Item) -> str:
    return (
        f"{item.name:<30} {item.nodes:>13,} nodes {item.seconds:>8.3f} s {item.nodes_per_second:>13,} nodes/s"
    )
