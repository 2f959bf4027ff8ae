"""Games and positions as other programs write them: ``read_games`` reads a file of any format.

Each format has a module whose verbs are ``read(stream, rules)``, ``parse(text, rules)`` and ``write(game)``.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from outflank.protocol.formats.annotated import AnnotatedGame, BadGame
    from outflank.protocol.formats.files import read_games

__all__ = ["AnnotatedGame", "BadGame", "read_games"]


def __getattr__(name: str) -> Any:
    """Load a name when it is used: a program that speaks GTP reads no files of games."""
    if name == "read_games":
        from outflank.protocol.formats import files as module
    elif name in __all__:
        from outflank.protocol.formats import annotated as module  # type: ignore[no-redef]
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(module, name)
