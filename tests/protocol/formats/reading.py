"""Games out of the text of a file, as its format is found out."""

import io

from outflank.engine import Rules
from outflank.protocol.formats.annotated import AnnotatedGame
from outflank.protocol.formats.files import FormatName, read_games


def read(text: str | bytes, name: FormatName | None = None, rules: Rules | None = None) -> list[object]:
    data = text if isinstance(text, bytes) else text.encode()
    return list(read_games(io.BytesIO(data), name=name, rules=rules))


def only(text: str | bytes, name: FormatName | None = None, rules: Rules | None = None) -> AnnotatedGame:
    (game,) = read(text, name, rules)
    assert isinstance(game, AnnotatedGame), game
    return game
