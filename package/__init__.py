"""Outflank: a Reversi/Othello engine for tournaments.

``from outflank import Game, Limit, Position, Searcher``: every public name of ``outflank.engine`` is a name here too.
So are ``read_games`` for files of games, ``review_game`` and ``curve_svg`` for their analysis, and ``Archive`` for
looking games up by position. Each is loaded when it is asked for. ``outflank.protocol`` turns lines into calls,
``outflank.book`` holds opening books, and ``outflank.tools`` is the program.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from outflank import engine
    from outflank.engine import *  # noqa: F403
    from outflank.protocol.formats import AnnotatedGame as AnnotatedGame
    from outflank.protocol.formats import BadGame as BadGame
    from outflank.protocol.formats import read_games as read_games
    from outflank.tools.analysis.review.game import ReviewSettings as ReviewSettings
    from outflank.tools.analysis.review.game import review_game as review_game
    from outflank.tools.analysis.review.page import curve_svg as curve_svg
    from outflank.tools.archive import Archive as Archive
    from outflank.tools.archive import Wanted as Wanted
    from outflank.tools.archive import build_archive as build_archive

    __all__ = [
        "AnnotatedGame",
        "Archive",
        "BadGame",
        "ReviewSettings",
        "Wanted",
        "build_archive",
        "curve_svg",
        "read_games",
        "review_game",
    ]
    __all__ += engine.__all__

__version__ = "1.1.0"

_DOORS = {
    **dict.fromkeys(("AnnotatedGame", "BadGame", "read_games"), "outflank.protocol.formats"),
    **dict.fromkeys(("ReviewSettings", "review_game"), "outflank.tools.analysis.review.game"),
    "curve_svg": "outflank.tools.analysis.review.page",
    **dict.fromkeys(("Archive", "Wanted", "build_archive"), "outflank.tools.archive"),
}

if not TYPE_CHECKING:  # type checkers read the imports above, and report a name that is not among them

    def __getattr__(name: str) -> Any:
        """Load a public name on first use, so that ``import outflank`` costs nothing."""
        if name == "__all__":  # for ``from outflank import *`` and ``help(outflank)``
            return sorted({*_DOORS, *import_module("outflank.engine").__all__})
        if not name.startswith("_"):
            module = import_module(_DOORS.get(name, "outflank.engine"))
            if name in _DOORS or name in module.__all__:
                return getattr(module, name)
        raise AttributeError(f"module 'outflank' has no attribute {name!r}")

    def __dir__() -> list[str]:
        return sorted({*globals(), *__getattr__("__all__")})
