"""The games of a page as files to save: packed into it, so that they are exactly what ``outflank export`` writes."""

import json
import zlib
from base64 import b64encode
from collections.abc import Callable, Sequence

from outflank.protocol.formats import ggf, sgf_write
from outflank.protocol.formats.annotated import AnnotatedGame

_FORMATS: dict[str, Callable[[AnnotatedGame], str]] = {"sgf": sgf_write.write, "ggf": ggf.write}


def packed_files(games: Sequence[AnnotatedGame]) -> dict[str, str]:
    """For each format the files of all games, one a game: a JSON list of texts, deflated, in base 64."""
    return {name: _packed([write(game) for game in games]) for name, write in _FORMATS.items()}


def _packed(texts: list[str]) -> str:
    return b64encode(zlib.compress(json.dumps(texts).encode(), 9)).decode()
