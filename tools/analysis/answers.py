"""Formats and prints answers of the analysis service: as JSON objects for programs, as table rows for people."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import click

from outflank import __version__
from outflank.engine import OutflankError, SearchInfo, SearchResult, square_name, squares_of
from outflank.engine.evaluation.weights import checksum
from outflank.engine.position import Position
from outflank.engine.search.stability import stable_discs
from outflank.tools.analysis.requests import Action, Diagnostic, Item, Query
from outflank.tools.report.board import end_text
from outflank.tools.report.search import facts, heading, moves_text, score_number, search_cells
from outflank.tools.runtime.progress import Complaints, counted

_ANSWER_ROW = "{#:>6}  {move:<5} {score:>6}  {certainty:<16}  {line}"
"""The row layout that ``_answer_row`` fills in."""
_LINE_SHOWN = 12  # the maximum number of moves that the table shows of a line


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer to an item.

    Attributes:
        found: the result or the progress of a query's search; None if the item is not a query, or if the query was
            cancelled before its search began.
        count: the number of queries that the action has terminated; 0 if the item is not an action.
    """

    item: Item
    found: SearchInfo | None = None
    count: int = 0

    @property
    def is_last(self) -> bool:
        """Whether this is the last answer to its item. A warning is a separate item, with a single answer."""
        return self.found is None or isinstance(self.found, SearchResult)


def answer_facts(answer: Answer) -> dict[str, Any]:
    """Return an answer as JSON data."""
    item = answer.item
    if isinstance(item, Diagnostic):
        kind = "warning" if item.is_warning else "error"
        return {**item.tags, "kind": kind, "field": item.field, kind: item.sentence}
    if isinstance(item, Action):
        done: dict[str, Any] = {**item.tags, "kind": "action", "action": item.name}
        if item.name == "query_version":
            return done | {"version": __version__, "evaluation": checksum()}
        return done | {"terminated": answer.count}
    return {**item.tags, **_found(item, answer.found)}


def search_facts(position: Position, info: SearchInfo) -> dict[str, Any]:
    """Return the result of a search as JSON data, without the fields `kind` and `move`."""
    lines = [
        {"move": str(line.move), "score": score_number(line.score), "pv": [str(move) for move in line.pv]}
        for line in info.lines
    ]
    made = {"position": position.board_string(), "score": score_number(info.score), **facts(info)}
    outcome = position.outcome()
    if outcome is None:
        return made | {"lines": lines}
    winner = None if outcome.winner is None else str(outcome.winner)
    return made | {"lines": [], "outcome": {"winner": winner, "margin": outcome.margin}}


def best_move(position: Position, info: SearchInfo) -> str | None:
    """Return the best move as text; None if the game is over."""
    return None if position.is_over else str(info.lines[0].move)


def stable_facts(position: Position) -> dict[str, list[str]]:
    """Return the squares of each side's discs that are proven to be stable."""
    sides = {"black": (position.black, position.white), "white": (position.white, position.black)}
    return {
        name: [square_name(square) for square in squares_of(stable_discs(*discs))]
        for name, discs in sides.items()
    }


def _answer_row(query: Query, found: SearchInfo) -> str:
    cells = search_cells(found, query.position.empties) | {"#": str(query.identity)}
    cells["line"] = moves_text(found.pv[:_LINE_SHOWN])
    if query.position.is_over:
        cells |= {"move": "over", "line": end_text(query.position)}
    return _ANSWER_ROW.format_map(cells)


def _found(query: Query, found: SearchInfo | None) -> dict[str, Any]:
    if found is None:
        return {"kind": "result", "position": query.position.board_string(), "stopped": True, "lines": []}
    made = search_facts(query.position, found)
    if query.search.stable:
        made["stable"] = stable_facts(query.position)
    if not isinstance(found, SearchResult):
        return {"kind": "info", **made}
    return {"kind": "result", "move": best_move(query.position, found), "stopped": found.stopped, **made}


def print_answers(given: Iterable[Answer], as_json: bool) -> None:
    """Print answers as they arrive. Raises: OutflankError at the end if items could not be read."""
    bad, remarks = 0, Complaints("remark")
    if not as_json:
        click.echo(heading(_ANSWER_ROW))
    for answer in given:
        bad += isinstance(answer.item, Diagnostic) and not answer.item.is_warning
        if as_json:
            click.echo(json.dumps(answer_facts(answer)))
        elif isinstance(answer.item, Query):
            if answer.found is not None:
                click.echo(_answer_row(answer.item, answer.found))
        elif isinstance(answer.item, Diagnostic):
            origin = answer.item.tags.get("file") or f"request {answer.item.tags['id']}"
            remarks.add(f"{origin}: {answer.item.sentence}")
        else:
            assert isinstance(answer.item, Action)
    remarks.end()
    if bad:
        raise OutflankError(f"{counted(bad, 'position')} can't be read ({remarks.where})")
