"""One position: a table that grows while it is searched, the best moves at the end, or JSON instead."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from outflank.book import Book, BookEntry
from outflank.book.names import opening_of_game
from outflank.engine import Game, OutflankError, Position, SearchInfo
from outflank.tools.analysis.answers import Answer, best_move, search_facts, stable_facts
from outflank.tools.analysis.requests import Query, Remark, SearchRequest
from outflank.tools.analysis.service import AnalysisService, AnswerStream
from outflank.tools.report.board import board_text, end_text, is_coloured, say
from outflank.tools.report.search import heading, line_cells, score_text, search_cells
from outflank.tools.runtime.progress import live, open_console

if TYPE_CHECKING:
    from rich.table import Table

_NUMBERS = ("plies", "certainty", "nodes", "nodes/s", "seconds")
_FEWER_NUMBERS = ("plies", "certainty", "seconds")
_WIDE = 110  # columns that all numbers need, with room for a line of moves
_ITERATIONS_SHOWN = 12
_LINE_ROW = "{move:<6} {score:>6}   {line}"


def book_entry(books: Sequence[Path], position: Position, expected: bool) -> BookEntry | None:
    """The entry of a position in the first book that knows it; None if none does.

    Args:
        books: files; those for other rules are left out.
        position: the position.
        expected: whether the books have to be for its rules.

    Raises: OutflankError if a book can't be read, or is for other rules and must not.
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
    """Search the last position of a game, and print each iteration and the result with the moves of the book.

    Ctrl-C ends the search; the last iteration is the result then.
    """
    report = PositionReport(game, as_json, search.stable, entry)
    query = Query({}, game.position, replace(search, report_every=0))
    try:
        with nullcontext() if as_json or game.position.is_over else live(report.draw):
            for answer in AnswerStream(service, [query]):
                report.take(answer)
    finally:
        report.end()


class PositionReport:
    """Prints the search of one position, while it runs and at its end.

    Args:
        game: the game whose last position is searched.
        as_json: whether to print an object for each finished iteration and one for the result.
        stable: whether to show the discs that can never be turned again.
        entry: the position's entry in an opening book; None if no book knows it.
    """

    def __init__(self, game: Game, as_json: bool, stable: bool, entry: BookEntry | None = None) -> None:
        self._entry = entry
        self._game, self._position = game, game.position
        self._as_json, self._stable = as_json, stable
        self._opening = opening_of_game(game)
        self._infos: deque[SearchInfo] = deque(maxlen=_ITERATIONS_SHOWN)

    def take(self, answer: Answer) -> None:
        """Keep a finished iteration or the result, and print the iteration as JSON if that is wanted.

        Raises: OutflankError if the search has failed.
        """
        if isinstance(answer.item, Remark):
            raise OutflankError(answer.item.sentence)
        assert answer.found is not None
        self._infos.append(answer.found)
        if self._as_json and not answer.is_last:
            click.echo(json.dumps({"kind": "info"} | self._facts(answer.found)))

    def draw(self) -> Table:
        """Return the last iterations, each with its best moves; on a narrow terminal without nodes and speed."""
        from rich.table import Table  # not at the top: all but the display does without it

        table = Table(box=None, header_style="bold", pad_edge=False, padding=(0, 2, 0, 0))
        numbers = _NUMBERS if open_console().width >= _WIDE else _FEWER_NUMBERS
        for name in (*numbers, "move", "score", "line"):
            table.add_column(name, no_wrap=name != "line")
        for info in self._infos:
            self._add_iteration(table, info, numbers)
        return table

    def end(self) -> None:
        """Print the result, or the last iteration if the search was interrupted."""
        if not self._infos:
            return
        info = self._infos[-1]
        if self._as_json:
            click.echo(
                json.dumps(
                    {"kind": "result", "move": best_move(self._position, info)}
                    | self._facts(info)
                    | {"book": _book_facts(self._entry)}
                )
            )
        else:
            say(self._text(info))

    def _add_iteration(self, table: Table, info: SearchInfo, names: Sequence[str]) -> None:
        """Add the rows of an iteration: its numbers before the best line, blanks before the others."""
        cells = search_cells(info, self._position.empties)
        numbers = [cells[name] for name in names]
        for line in info.lines:
            table.add_row(*numbers, *line_cells(line).values())
            numbers = [""] * len(numbers)

    def _facts(self, info: SearchInfo) -> dict[str, Any]:
        opening = None if self._opening is None else asdict(self._opening)
        made = search_facts(self._position, info) | {"opening": opening}
        return made | {"stable": stable_facts(self._position)} if self._stable else made

    def _text(self, info: SearchInfo) -> str:
        """Return the board, the opening's name, and the best moves with their scores or the result of the game."""
        position = self._position
        mover = position.rules.colour_name(position.side)
        cells = search_cells(info, position.empties)
        last = self._game.turns[-1].move if len(self._game) else None
        head = [
            board_text(position, last=last, coloured=is_coloured()),
            *([] if self._opening is None else [f"Opening: {self._opening.in_both_languages}"]),
            *(_stable_lines(position) if self._stable else []),
            "",
        ]
        if position.is_over:
            return "\n".join([*head, end_text(position)])
        return "\n".join(
            [
                *head,
                f"{heading(_LINE_ROW)} (scores: final discs ahead for {mover}, {cells['certainty']})",
                *(_LINE_ROW.format_map(line_cells(line)) for line in info.lines),
                *_book_lines(self._entry),
                f"{cells['nodes']} nodes in {info.seconds:.3f} s, {cells['nodes/s']} nodes/s",
            ]
        )


def _book_facts(entry: BookEntry | None) -> list[dict[str, Any]] | None:
    """The moves of a book with their scores and bounds, best first; None if it does not know the position."""
    if entry is None:
        return None
    names = ("score", "lower", "upper")
    return [{"move": str(move.move)} | {name: getattr(move, name) for name in names} for move in entry.moves]


def _book_lines(entry: BookEntry | None) -> list[str]:
    """``Book: d6 -1, f6 -2``, from the side to move."""
    if entry is None:
        return []
    return ["Book: " + ", ".join(f"{move.move} {score_text(move.score)}" for move in entry.moves)]


def _stable_lines(position: Position) -> list[str]:
    """``Stable: Black 5 (a1 b1 ...), White 0``."""
    sides = zip(position.rules.colour_names, stable_facts(position).values(), strict=True)
    return [
        "Stable: "
        + ", ".join(
            f"{name} {len(discs)}" + (f" ({' '.join(discs)})" if discs else "") for name, discs in sides
        )
    ]
