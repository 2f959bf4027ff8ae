"""Analyzes one position. Prints a table that grows during the search, then the best moves; or prints JSON."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Iterable, Sequence
from contextlib import nullcontext
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from outflank.book import Book, BookEntry
from outflank.book.names import opening_of_game
from outflank.engine import Game, OutflankError, Position, SearchInfo
from outflank.tools.analysis.answers import best_move, search_facts, stable_facts
from outflank.tools.analysis.requests import Diagnostic, Query, SearchRequest
from outflank.tools.analysis.service import AnalysisService, answers
from outflank.tools.report.board import board_text, end_text, is_coloured, say
from outflank.tools.report.search import heading, line_cells, score_text, search_cells
from outflank.tools.runtime.progress import live, open_console

if TYPE_CHECKING:
    from rich.table import Table

_NUMBERS = ("plies", "certainty", "nodes", "nodes/s", "seconds")
_FEWER_NUMBERS = ("plies", "certainty", "seconds")
_WIDE = 110  # the least terminal width at which the table has all of ``_NUMBERS``
_ITERATIONS_SHOWN = 12
_LINE_ROW = "{move:<6} {score:>6}   {line}"


def book_entry(books: Sequence[Path], position: Position, expected: bool) -> BookEntry | None:
    """Return the entry for the position in the first book that contains it; None if no book contains it.

    Raises: OutflankError if a book can't be read, or if `expected` is set and a book is for other rules.
    """
    for path in () if position.is_over else books:
        with Book.open(path) as book:
            if expected:
                book.expect(position.rules)
            if book.serves(position.rules) and (entry := book.probe(position)) is not None:
                return entry
    return None


def analyze_game(
    game: Game, search: SearchRequest, service: AnalysisService, as_json: bool, entry: BookEntry | None
) -> None:
    """Search the last position of a game. Print each iteration, then the result and the moves of the book.

    Ctrl-C stops the search. The result is then that of the last complete iteration.

    Raises: OutflankError if the search has failed.
    """
    position, opening = game.position, opening_of_game(game)
    infos: deque[SearchInfo] = deque(maxlen=_ITERATIONS_SHOWN)

    def facts(info: SearchInfo) -> dict[str, Any]:
        made = search_facts(position, info) | {"opening": None if opening is None else asdict(opening)}
        return made | {"stable": stable_facts(position)} if search.stable else made

    query = Query({}, position, replace(search, report_every=0))
    try:
        with nullcontext() if as_json or position.is_over else live(lambda: _iterations(position, infos)):
            for answer in answers(service, [query]):
                if isinstance(answer.item, Diagnostic):
                    raise OutflankError(answer.item.sentence)
                assert answer.found is not None
                infos.append(answer.found)
                if as_json and not answer.is_last:
                    click.echo(json.dumps({"kind": "info"} | facts(answer.found)))
    finally:
        if infos and as_json:
            head = {"kind": "result", "move": best_move(position, infos[-1])}
            click.echo(json.dumps(head | facts(infos[-1]) | {"book": _book_facts(entry)}))
        elif infos:
            say(_text(game, infos[-1], search.stable, entry))


def _iterations(position: Position, infos: Iterable[SearchInfo]) -> Table:
    from rich.table import Table  # imported here because only the live display needs it

    table = Table(box=None, header_style="bold", pad_edge=False, padding=(0, 2, 0, 0))
    names = _NUMBERS if open_console().width >= _WIDE else _FEWER_NUMBERS
    for name in (*names, "move", "score", "line"):
        table.add_column(name, no_wrap=name != "line")
    for info in infos:
        cells = search_cells(info, position.empties)
        numbers = [cells[name] for name in names]
        for line in info.lines:
            table.add_row(*numbers, *line_cells(line).values())
            numbers = [""] * len(numbers)
    return table


def _text(game: Game, info: SearchInfo, stable: bool, entry: BookEntry | None) -> str:
    position, opening = game.position, opening_of_game(game)
    last = game.turns[-1].move if len(game) else None
    lines = [
        board_text(position, last=last, coloured=is_coloured()),
        *([] if opening is None else [f"Opening: {opening.in_both_languages}"]),
        *(_stable_lines(position) if stable else []),
        "",
    ]
    if position.is_over:
        return "\n".join([*lines, end_text(position)])
    mover, cells = position.rules.colour_name(position.side), search_cells(info, position.empties)
    lines.append(f"{heading(_LINE_ROW)} (scores: final discs ahead for {mover}, {cells['certainty']})")
    lines += [_LINE_ROW.format_map(line_cells(line)) for line in info.lines]
    if entry is not None:
        lines.append("Book: " + ", ".join(f"{move.move} {score_text(move.score)}" for move in entry.moves))
    return "\n".join([*lines, f"{cells['nodes']} nodes in {info.seconds:.3f} s, {cells['nodes/s']} nodes/s"])


def _book_facts(entry: BookEntry | None) -> list[dict[str, Any]] | None:
    if entry is None:
        return None
    names = ("score", "lower", "upper")
    return [{"move": str(move.move)} | {name: getattr(move, name) for name in names} for move in entry.moves]


def _stable_lines(position: Position) -> list[str]:
    """Describe the stable discs, as in ``Stable: Black 5 (a1 b1 ...), White 0``."""
    sides = zip(position.rules.colour_names, stable_facts(position).values(), strict=True)
    return [
        "Stable: "
        + ", ".join(
            f"{name} {len(discs)}" + (f" ({' '.join(discs)})" if discs else "") for name, discs in sides
        )
    ]
