"""Outflank: a Reversi/Othello engine for tournaments.

Every public name of ``outflank.engine`` can be imported from here: ``from outflank import Game, Limit, Position,
Searcher``. Other names are ``read_games`` for game files, ``review_game`` and ``curve_svg`` for the analysis of games,
``Archive`` for finding games by position, ``Book`` for opening books, and ``openings`` for the names of openings. Each
name is loaded on first use. ``outflank.protocol`` implements GTP, NBoard and UCI. ``outflank.tools`` is the
command-line program.
"""

import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from outflank.book import Book as Book
    from outflank.book.names import Opening as Opening
    from outflank.book.names import opening_at as opening_at
    from outflank.book.names import opening_called as opening_called
    from outflank.book.names import opening_line as opening_line
    from outflank.book.names import opening_of_game as opening_of_game
    from outflank.book.names import openings as openings
    from outflank.engine import *  # noqa: F403
    from outflank.protocol.formats import AnnotatedGame as AnnotatedGame
    from outflank.protocol.formats import BadGame as BadGame
    from outflank.protocol.formats import read_games as read_games
    from outflank.protocol.server.booksource import named_book as named_book
    from outflank.tools.analysis.review.game import ReviewSettings as ReviewSettings
    from outflank.tools.analysis.review.game import review_game as review_game
    from outflank.tools.analysis.review.page import curve_svg as curve_svg
    from outflank.tools.archive import Archive as Archive
    from outflank.tools.archive import ArchiveQuery as ArchiveQuery
    from outflank.tools.archive import add_to_archive as add_to_archive
    from outflank.tools.archive import build_archive as build_archive

# ruff: noqa: F405
# This list repeats the names of `engine.__all__`, so that they are known before the engine is loaded. A test compares
# the two lists.
__all__ = [
    "BUILD",
    "DEFAULT_LEVEL",
    "DIRECTIONS",
    "HIGHEST_LEVEL",
    "PASS",
    "PRESETS",
    "SELECTIVITIES",
    "SQUARES",
    "SQUARE_NAMES",
    "STARTS",
    "Analysis",
    "AnnotatedGame",
    "Archive",
    "ArchiveQuery",
    "BadGame",
    "Book",
    "Bound",
    "Clock",
    "Colour",
    "Direction",
    "FileFormatError",
    "Game",
    "IllegalMoveError",
    "LegalMoves",
    "Limit",
    "Line",
    "Move",
    "NotationError",
    "Opening",
    "OutOfRangeError",
    "Outcome",
    "OutflankError",
    "Parameters",
    "Percent",
    "Position",
    "Result",
    "ReviewSettings",
    "Rules",
    "Scoring",
    "SearchInfo",
    "SearchResult",
    "Searcher",
    "SettingsError",
    "Symmetry",
    "Tie",
    "Turn",
    "Turns",
    "add_to_archive",
    "build_archive",
    "curve_svg",
    "divide",
    "limit_for_level",
    "named_book",
    "opening_at",
    "opening_called",
    "opening_line",
    "opening_of_game",
    "openings",
    "parse_square",
    "perft",
    "read_games",
    "review_game",
    "square_name",
    "squares_of",
]

__version__ = "1.1.0"

_BEYOND_ENGINE = {
    "Book": "outflank.book",
    **dict.fromkeys(
        ("Opening", "opening_at", "opening_called", "opening_line", "opening_of_game", "openings"),
        "outflank.book.names",
    ),
    **dict.fromkeys(("AnnotatedGame", "BadGame", "read_games"), "outflank.protocol.formats"),
    **dict.fromkeys(("ReviewSettings", "review_game"), "outflank.tools.analysis.review.game"),
    "named_book": "outflank.protocol.server.booksource",
    "curve_svg": "outflank.tools.analysis.review.page",
    **dict.fromkeys(("Archive", "ArchiveQuery", "add_to_archive", "build_archive"), "outflank.tools.archive"),
}
"""The module of each public name that ``outflank.engine`` does not have."""

if not TYPE_CHECKING:  # type checkers read the imports above, and report names that are not imported there

    def __getattr__(name: str) -> Any:
        """Load a public name on first use, so that ``import outflank`` is fast."""
        if name in __all__:
            return getattr(import_module(_BEYOND_ENGINE.get(name, "outflank.engine")), name)
        raise AttributeError(f"module 'outflank' has no attribute {name!r}")

    def __dir__() -> list[str]:
        """Return the public names and the loaded packages."""
        loaded = {name for name in globals() if f"outflank.{name}" in sys.modules}
        return sorted({*__all__, *loaded, *(name for name in globals() if name.startswith("__"))})
