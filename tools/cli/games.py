"""Games as people hand them over: files of any format, standard input, transcripts."""

import os
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from io import BytesIO
from pathlib import Path

from outflank.engine import Rules
from outflank.protocol.formats.annotated import AnnotatedGame, BadGame
from outflank.protocol.formats.files import FormatName, read_games
from outflank.tools.cli.positions import STDIN, is_transcript, shown


def bad_game(name: str, entry: BadGame) -> str:
    """A sentence about what stands in a file where a game should."""
    return f"{shown(name)}, {entry}" if entry.where else f"{shown(name)}: {entry}"


def games_of(name: str, source: FormatName | None, rules: Rules) -> Iterator[AnnotatedGame | BadGame]:
    """The games of a file (``-`` is standard input); that it can't be read takes no other file with it.

    Args:
        name: of the file.
        source: its format; as found out if None.
        rules: for games that name none.
    """
    with ExitStack() as stack:
        try:
            path = None if name == STDIN else Path(name)
            stream = sys.stdin.buffer if path is None else stack.enter_context(path.open("rb"))
            yield from read_games(stream, path, rules, source)
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            yield BadGame("", f"can't be read ({reason})")


def games_given(text: str, source: FormatName | None, rules: Rules) -> Iterator[AnnotatedGame | BadGame]:
    """The game of a transcript, or those of the file of that name; otherwise as ``games_of``."""
    if not os.path.exists(text) and is_transcript(text):
        return read_games(BytesIO(text.encode()), rules=rules, name="transcript")
    return games_of(text, source, rules)
