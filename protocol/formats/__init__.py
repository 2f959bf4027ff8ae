"""The file formats of games and positions. ``read_games`` reads a file of any format.

Each format has a module with the functions ``read(stream, rules)``, ``parse(text, rules)`` and ``write(game)``.
"""

import os
import re
from collections.abc import Callable, Iterator, Mapping
from io import BufferedReader, BytesIO, RawIOBase, TextIOBase
from pathlib import Path
from typing import BinaryIO, Literal, TextIO, cast, get_args

from outflank.engine import FileFormatError, Rules
from outflank.protocol.formats import edx, ggf, obf, pgn, sgf, transcript, wthor
from outflank.protocol.formats.annotated import RESULT_WORD, AnnotatedGame, BadGame
from outflank.protocol.formats.reading import decoded
from outflank.protocol.formats.samples import named_file

__all__ = ["FORMATS", "WRITTEN_FORMATS", "AnnotatedGame", "BadGame", "FormatName", "detect", "read_games"]


FormatName = Literal["transcript", "obf", "sgf", "ggf", "wthor", "pgn", "edx"]
FORMATS: tuple[FormatName, ...] = get_args(FormatName)
WRITTEN_FORMATS: tuple[FormatName, ...] = tuple(name for name in FORMATS if name not in ("pgn", "edx"))
_GAMES_IN_BRACKETS = re.compile(rb"\(\s*;")
_GGF = re.compile(rb"GM\s*\[\s*(?:othello|reversi)\s*\]", re.IGNORECASE)
_TAG = re.compile(rb'\[\s*\w{1,64}\s*"')
# The number of bytes that ``detect`` examines. It is limited, since `_MOVES` takes about 190 bytes of memory for each
# byte of a line, and ``peek`` returns 128 KiB from Python 3.14 on.
_MOST_FOR_DETECTION = 8192
_DISC, _EMPTY = "XxOo*BbWw012\u25cf\u25cb\u26ab\u26aa", "-._\u30fb"
# A board has at least one disc, unlike a row of dashes.
_BOARD = re.compile(f"(?:8\\s+)?(?=.{{0,63}}[{_DISC}])[{_EMPTY}{_DISC} |]{{64}}")
_FEN = re.compile(r"(?:[pPxXoObBwW*1-8]{1,8}/){7}[pPxXoObBwW*1-8]{1,8}(?:\s|$)")
# A line of moves that ends with a result.
_MOVES_OF_PGN = re.compile(rf"^[^\n#]*[\s}}](?:{RESULT_WORD})\s*$".encode(), re.MULTILINE)
_MOVES = re.compile(
    rb"(?:[-\d.,\s]*(?:[a-h][1-8](?:/[nesw]{1,2})?|pass|pa|ps|@@@@))+[-\d.,\s]*", re.IGNORECASE
)

Entry = AnnotatedGame | BadGame
_TEXTS: Mapping[FormatName, Callable[[BinaryIO, Rules], Iterator[Entry]]] = {
    "transcript": transcript.read,
    "obf": obf.read,
    "sgf": sgf.read,
    "ggf": ggf.read,
    "pgn": pgn.read,
    "edx": edx.read,
}


def read_games(
    source: str | os.PathLike[str] | BinaryIO | TextIO,
    path: str | os.PathLike[str] | None = None,
    rules: Rules | None = None,
    name: FormatName | None = None,
) -> Iterator[Entry]:
    """Yield the games of a file in order, with a ``BadGame`` in place of each game that can't be read.

    Memory use does not grow with the file.

    Args:
        source: the path of a file, the name of a sample (``sample``), or a stream at its beginning. A stream may be a
            pipe and have any length, and is left open.
        path: the path of the stream's file, in whose folder the name files of WTHOR are searched for.
        rules: the rules of games whose record names no rules; Othello by default.
        name: the name of the format; detected by default.

    Raises: TypeError for another type of `source`; OSError, when the first game is requested, for an unreadable file.
    """
    if isinstance(source, str | os.PathLike):
        return _games_of_file(Path(source), Path(source if path is None else path), rules, name)
    if not hasattr(source, "read"):
        raise TypeError(f"expected a path or an open file to read games from, got {type(source).__name__}")
    stream: object = source
    if isinstance(source, TextIOBase):
        in_memory = not hasattr(source, "buffer")
        stream = BytesIO(source.read().encode("utf-8", "surrogateescape")) if in_memory else source.buffer
    return _games(cast(BinaryIO, stream), None if path is None else Path(path), rules, name)


def _games_of_file(file: Path, path: Path, rules: Rules | None, name: FormatName | None) -> Iterator[Entry]:
    with open(named_file(os.fspath(file)), "rb") as stream:
        yield from _games(stream, path, rules, name)


def _games(
    stream: BinaryIO, path: Path | None, rules: Rules | None, name: FormatName | None
) -> Iterator[Entry]:
    found = False
    # Raw streams and bytes in memory have no ``peek``.
    source = stream if isinstance(stream, BufferedReader) else BufferedReader(cast(RawIOBase, stream))
    try:
        name = name or detect(source.peek(), path)
        entries = _wthor(source, path) if name == "wthor" else _TEXTS[name](source, rules or Rules())
        for entry in entries:
            found = True
            yield entry
    except FileFormatError as error:
        yield BadGame("", str(error))
        return
    finally:
        if source is not stream:
            source.detach()  # otherwise the destruction of `source` would close the caller's stream
    if not found:
        yield BadGame("", f"it contains no games ({name})")


def detect(beginning: bytes, path: Path | None = None) -> FormatName:
    """Return the format of a file.

    Args:
        beginning: the first bytes of the file, of which up to 8 KiB are used.
        path: the path of the file; None if unknown.

    Raises: FileFormatError if the file can't be a file of games.
    """
    beginning = beginning[:_MOST_FOR_DETECTION]
    suffix = "" if path is None else path.suffix.lower()
    if suffix == ".wtb":
        return "wthor"
    if suffix == ".edx":
        return "edx"
    if b"\0" in beginning:
        if edx.is_game(beginning):
            return "edx"
        try:
            wthor.Header.unpack(beginning)
        except FileFormatError:
            raise FileFormatError(
                "it is not a file of games: its contents are not text, WTHOR or edx"
            ) from None
        return "wthor"
    lines = (line.strip() for line in beginning.removeprefix(b"\xef\xbb\xbf").splitlines())
    first = next((line for line in lines if line and line[:1] not in b"#%"), b"")
    text = decoded(first)
    if _BOARD.match(text) or _FEN.match(text):
        return "obf"
    if suffix == ".pgn" or _TAG.match(first) or (first.startswith(b"1") and _MOVES_OF_PGN.search(beginning)):
        return "pgn"
    # If the first line consists of moves, brackets belong to a comment. Otherwise, they enclose an SGF or GGF game.
    if _MOVES.fullmatch(first.partition(b"#")[0]) or not _GAMES_IN_BRACKETS.search(beginning):
        return "transcript"
    return "ggf" if _GGF.search(beginning) else "sgf"


def _wthor(stream: BinaryIO, path: Path | None) -> Iterator[Entry]:
    return wthor.read(stream) if path is None else wthor.read(stream, names=wthor.read_names(path))
