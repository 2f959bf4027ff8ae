"""``outflank analyze``: the best moves of a position, ever deeper, and what each is worth."""

import json
from collections import deque
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import asdict, replace
from typing import Any

import click
from rich.table import Table

from outflank.book.names import Opening, opening_of_game
from outflank.engine import Colour, Game, Limit, Position, Rules, Searcher, SearchInfo
from outflank.engine.levels import HIGHEST_LEVEL, limit_for_level
from outflank.engine.selectivity import Percent
from outflank.tools.cli.live import live
from outflank.tools.cli.options import (
    COUNT,
    SECONDS,
    hash_option,
    json_option,
    rules_option,
    selectivity_option,
    threads_option,
)
from outflank.tools.cli.positions import read_game
from outflank.tools.show.search import (
    certainty,
    facts,
    limit_words,
    moves_text,
    nodes_a_second,
    score_number,
    score_text,
    settings_line,
)
from outflank.tools.work.terminal import open_console

_SECONDS = 5.0
_NUMBERS = ("plies", "certainty", "nodes", "nodes/s", "seconds")
_FEWER_NUMBERS = ("plies", "certainty", "seconds")
_WIDE = 110  # columns that all numbers need, with room for a line of moves
_ITERATIONS_SHOWN = 12


# A board may begin with "--", and must not be taken for an option then.
@click.command(context_settings={"ignore_unknown_options": True})
@click.argument("text", metavar="POSITION")
@click.option("--depth", type=COUNT, help="Plies to search.  [default: no limit]")
@click.option(
    "--time",
    "seconds",
    type=SECONDS,
    help=f"Seconds to search.  [default: {_SECONDS:g} if nothing else is the limit]",
)
@click.option("--nodes", type=COUNT, help="Boards to reach.  [default: no limit]")
@click.option("--level", type=click.IntRange(0, HIGHEST_LEVEL), help="Search as at this level.")
@click.option(
    "--multipv", type=COUNT, default=1, show_default=True, help="How many of the best moves to show."
)
@selectivity_option
@rules_option
@threads_option
@hash_option
@json_option
def analyze(
    text: str,
    depth: int | None,
    seconds: float | None,
    nodes: int | None,
    level: int | None,
    multipv: int,
    selectivity: Percent | None,
    rules: Rules,
    threads: int,
    hash_mb: int,
    as_json: bool,
) -> None:
    """Search a position depth by depth and show its best moves.

    POSITION is a transcript (f5d6c3), a board (64 squares and the side to move) or a file that holds one of
    them, a line of OBF, or a game (SGF, GGF) whose end is meant; - is standard input. The first limit that
    is met ends the search, as does Ctrl-C.
    Scores are final disc differences from the side to move.
    """
    game = read_game(text, rules)
    position = game.position
    limit = Limit(depth, nodes, seconds, selectivity=selectivity)
    if level is not None:
        limit = _limit_of_level(level, position, limit)
    elif (depth, nodes, seconds) == (None, None, None):
        limit = replace(limit, seconds=_SECONDS)
    searcher = Searcher(hash_mb, threads)
    click.echo(settings_line(searcher, str(rules), *limit_words(limit)), err=as_json)
    report = _Report(game, as_json)
    try:
        with nullcontext() if as_json else live(report.draw):
            report.take(searcher.search(position, limit, multipv=multipv, on_info=report.update))
    finally:  # Ctrl-C ends it too, and what has been found by then is the result
        report.end()


def _limit_of_level(level: int, position: Position, given: Limit) -> Limit:
    """The limit of a level with what else was given.

    Raises: click.UsageError if that says how deep or how surely to search too.
    """
    if given.depth is not None or given.selectivity is not None:
        raise click.UsageError("expected --level or --depth and --selectivity, got both")
    return replace(limit_for_level(level, position.empties), nodes=given.nodes, seconds=given.seconds)


class _Report:
    """Tells what a search has found, while it runs and at its end.

    Args:
        game: its last position is searched.
        as_json: print an object for each finished iteration and one for the result.
    """

    def __init__(self, game: Game, as_json: bool) -> None:
        self._position, self._as_json = game.position, as_json
        self._opening = opening_of_game(game)
        self._infos: deque[SearchInfo] = deque(maxlen=_ITERATIONS_SHOWN)

    def take(self, info: SearchInfo) -> None:
        """Take down what was found."""
        self._infos.append(info)

    def update(self, info: SearchInfo) -> None:
        """Take down a finished iteration, and print it if that is to be JSON."""
        self.take(info)
        if self._as_json:
            click.echo(json.dumps({"kind": "info"} | self._facts(info)))

    def draw(self) -> Table:
        """The last iterations, each with its best moves; on a narrow terminal without nodes and speed."""
        table = Table(box=None, header_style="bold", pad_edge=False, padding=(0, 2, 0, 0))
        numbers = _NUMBERS if open_console().width >= _WIDE else _FEWER_NUMBERS
        for heading in (*numbers, "move", "score", "line"):
            table.add_column(heading, no_wrap=heading != "line")
        for info in self._infos:
            self._add_iteration(table, info, numbers)
        return table

    def end(self) -> None:
        """Print what was found last; nothing if that is nothing."""
        if not self._infos:
            return
        info = self._infos[-1]
        if self._as_json:
            click.echo(json.dumps({"kind": "result", "move": str(info.lines[0].move)} | self._facts(info)))
        else:
            click.echo(_as_text(self._position, self._opening, info))

    def _add_iteration(self, table: Table, info: SearchInfo, headings: Sequence[str]) -> None:
        """Add the rows of an iteration: its numbers before the best line, blanks before the others."""
        told = {
            "plies": str(info.depth),
            "certainty": certainty(info, self._position.empties),
            "nodes": f"{info.nodes:,}",
            "nodes/s": f"{nodes_a_second(info.nodes, info.seconds):,}",
            "seconds": f"{info.seconds:.2f}",
        }
        numbers = [told[heading] for heading in headings]
        for line in info.lines:
            table.add_row(*numbers, str(line.move), score_text(line.score), moves_text(line.pv))
            numbers = [""] * len(numbers)

    def _facts(self, info: SearchInfo) -> dict[str, Any]:
        lines = [
            {"move": str(line.move), "score": score_number(line.score), "pv": [str(move) for move in line.pv]}
            for line in info.lines
        ]
        return {
            "position": self._position.board_string(),
            "opening": None if self._opening is None else asdict(self._opening),
            "score": score_number(info.score),
            **facts(info),
            "lines": lines,
        }


def _as_text(position: Position, opening: Opening | None, info: SearchInfo) -> str:
    """The board, the opening's name, the best moves and how sure their scores are."""
    mover = position.rules.colour_names[position.side is Colour.WHITE]
    unit = f"final discs ahead for {mover}, {certainty(info, position.empties)}"
    speed = nodes_a_second(info.nodes, info.seconds)
    rows = [f"{line.move!s:<6} {score_text(line.score):>6}   {moves_text(line.pv)}" for line in info.lines]
    return "\n".join(
        [
            str(position),
            *([] if opening is None else [f"Opening: {opening}"]),
            "",
            f"move    score   line (scores: {unit})",
            *rows,
            f"{info.nodes:,} nodes in {info.seconds:.3f} s, {speed:,} nodes/s",
        ]
    )
