"""Reviews games: the cost of each move, by side and by player.

``review_game`` reviews a game, ``curve_svg`` draws its curve.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from outflank.tools.analysis.review.game import GameReview, ReviewSettings, review_game
    from outflank.tools.analysis.review.page import curve_svg

__all__ = ["GameReview", "ReviewSettings", "curve_svg", "review_game"]


def __getattr__(name: str) -> Any:
    """Load a name when it is used: drawing needs more packages than reviewing."""
    if name == "curve_svg":
        from outflank.tools.analysis.review import page as module
    elif name in __all__:
        from outflank.tools.analysis.review import game as module  # type: ignore[no-redef]
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(module, name)
