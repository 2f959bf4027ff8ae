"""Formats search results: numbers with their units, and the certainty of scores."""

from collections.abc import Iterable
from string import Formatter
from typing import Any, Protocol

from outflank.engine import Limit, Line, Move, Searcher, SearchInfo
from outflank.engine.evaluation import weights
from outflank.tools.runtime.progress import counted


class SearchExtent(Protocol):
    """The extent of a search, which determines the certainty of its score. ``SearchInfo`` implements this protocol."""

    @property
    def depth(self) -> int:
        """The depth in plies; the number of empty squares if the search reached the end of the game."""

    @property
    def selectivity(self) -> int:
        """The selectivity of the search, in percent."""

    @property
    def exact(self) -> bool:
        """Whether the score is proven."""


def settings_line(searcher: Searcher, *settings: str) -> str:
    """Return the settings needed to repeat a search: ``outflank 1.1.0, evaluation f2eaca31, 1 thread, ...``."""
    threads = counted(searcher.threads, "thread")
    table = f"table of {searcher.hash_mb} MB"
    parameters = searcher.parameters.settings()
    return ", ".join([f"outflank {weights.version()}", threads, table, *parameters, *settings])


def limit_words(limit: Limit) -> list[str]:
    """Describe the depth, nodes, time, selectivity, `at_least` and `wld` of a limit: ``["14 plies", "95 %"]``."""
    limits = ((limit.depth, "plies"), (limit.nodes, "nodes"), (limit.seconds, "s"))
    words = [f"{value} {unit}" for value, unit in limits if value is not None]
    if limit.selectivity is not None:
        words.append(f"{limit.selectivity} %")
    if limit.at_least is not None:
        words.append(f"only whether {limit.at_least:+d} is reached")
    return [*words, "win, draw or loss only"] if limit.wld else words


def reached_end(info: SearchExtent, empties: int) -> bool:
    """Return whether a search reached the end of the game, at any selectivity, from `empties` empty squares."""
    return info.exact or info.depth >= empties


def certainty(info: SearchExtent, empties: int) -> str:
    """Describe the certainty of a score: ``exact``, ``to the end at 95 %``, ``14 plies`` or ``14 plies at 95 %``."""
    if info.exact:
        return "exact"
    reach = "to the end" if reached_end(info, empties) else counted(info.depth, "ply", "plies")
    return reach if info.selectivity == 100 else f"{reach} at {info.selectivity} %"


def score_text(score: float) -> str:
    """Return a score in discs as text: ``+18``, ``-1.75``."""
    return f"{score:+.4g}"


def score_number(score: float) -> float:
    """Return a score in discs as a number, which is an int if the score is whole."""
    return int(score) if score.is_integer() else round(score, 2)


def moves_text(moves: Iterable[Move]) -> str:
    """Return moves as text: ``d3 c5 pass f6``."""
    return " ".join(map(str, moves))


def nodes_a_second(nodes: int, seconds: float) -> int:
    """Return the speed in nodes per second. The time may be 0."""
    return round(nodes / max(seconds, 1e-9))


def heading(row: str) -> str:
    """Return the heading of a table. `row`: the format string of its rows, whose field names are the headings."""
    return row.format_map({name: name for _, name, _, _ in Formatter().parse(row) if name})


def search_cells(info: SearchInfo, empties: int) -> dict[str, str]:
    """Return the numbers and the best line of a search as text, by the headings of the columns.

    Args:
        info: the result of the search. The game must not be over in the searched position.
        empties: the number of empty squares of the position.
    """
    return {
        "plies": str(info.depth),
        "certainty": certainty(info, empties),
        "nodes": f"{info.nodes:,}",
        "nodes/s": f"{nodes_a_second(info.nodes, info.seconds):,}",
        "seconds": f"{info.seconds:.2f}",
        **line_cells(info.lines[0]),
    }


def line_cells(line: Line) -> dict[str, str]:
    """Return a principal variation, its first move and its score as text, by the headings of the columns."""
    return {"move": str(line.move), "score": score_text(line.score), "line": moves_text(line.pv)}


def facts(info: SearchInfo) -> dict[str, Any]:
    """Return the numbers of a search as JSON data."""
    return {
        "depth": info.depth,
        "selectivity": info.selectivity,
        "exact": info.exact,
        "nodes": info.nodes,
        "seconds": round(info.seconds, 6),
        "nodes_per_second": nodes_a_second(info.nodes, info.seconds),
    }
