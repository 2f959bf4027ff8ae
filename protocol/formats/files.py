"""Game files of every format behind one function, each game as soon as it has been read."""

import re
from collections.abc import Callable, Iterator, Mapping
from io import BufferedReader, RawIOBase
from pathlib import Path
from typing import BinaryIO, Literal, cast, get_args

from outflank.engine import FileFormatError, Rules
from outflank.protocol.formats import ggf, obf, sgf, transcript, wthor
from outflank.protocol.formats.annotated import AnnotatedGame, BadGame

FormatName = Literal["transcript", "obf", "sgf", "ggf", "wthor"]
FORMATS: tuple[FormatName, ...] = get_args(FormatName)
_GAMES_IN_BRACKETS = re.compile(rb"\(\s*;")
_GGF = re.compile(rb"GM\s*\[\s*(?:othello|reversi)\s*\]", re.IGNORECASE)
_BOARD = re.compile(rb"(?=.{0,63}[XxOo*BbWw12])[-._XxOo*BbWw12 ]{64}")  # a row of dashes is none
_MOVES = re.compile(rb"(?:[\d.,\s]*(?:[a-h][1-8](?:/[nesw]{1,2})?|pass|pa|ps))+[\d.,\s]*", re.IGNORECASE)

Entry = AnnotatedGame | BadGame
_TEXTS: Mapping[FormatName, Callable[[BinaryIO, Rules], Iterator[Entry]]] = {
    "transcript": transcript.read,
    "obf": obf.read_games,
    "sgf": sgf.read,
    "ggf": ggf.read,
}


def read_games(
    stream: BinaryIO,
    path: Path | None = None,
    rules: Rules | None = None,
    name: FormatName | None = None,
) -> Iterator[Entry]:
    """The games of a stream in order, and in the place of each that can't be read why not.

    Memory does not grow with the stream.

    Args:
        stream: of any length, open for reading bytes; a pipe will do.
        path: of the file, if it is one: names for WTHOR are looked up beside it.
        rules: for games that name none; Othello if left out.
        name: of the format; found out by the beginning of the stream if left out.

    Raises: OSError.
    """
    found = False
    try:
        # A raw stream or bytes in memory can't be looked into without taking them.
        source = stream if isinstance(stream, BufferedReader) else BufferedReader(cast(RawIOBase, stream))
        name = name or detect(source.peek(), path)
        entries = _wthor(source, path) if name == "wthor" else _TEXTS[name](source, rules or Rules())
        for entry in entries:
            found = True
            yield entry
    except FileFormatError as error:
        yield BadGame("", str(error))
        return
    if not found:
        yield BadGame("", f"expected games ({name}), got none")


def detect(beginning: bytes, path: Path | None = None) -> FormatName:
    """The format of a file.

    Args:
        beginning: its first bytes, the more the better.
        path: its name, if it has one.

    Raises: FileFormatError if it is no file of games.
    """
    if path is not None and path.suffix.lower() == ".wtb":
        return "wthor"
    if b"\0" in beginning:
        try:
            wthor.Header.unpack(beginning)
        except FileFormatError:
            raise FileFormatError(
                "expected a file of games, got bytes that are neither text nor WTHOR"
            ) from None
        return "wthor"
    lines = (line.strip() for line in beginning.removeprefix(b"\xef\xbb\xbf").splitlines())
    first = next((line for line in lines if line and line[:1] not in b"#%"), b"")
    if _BOARD.match(first):
        return "obf"
    # Brackets behind moves are a comment's, and those behind other words a game's.
    if _MOVES.fullmatch(first.partition(b"#")[0]) or not _GAMES_IN_BRACKETS.search(beginning):
        return "transcript"
    return "ggf" if _GGF.search(beginning) else "sgf"


def _wthor(stream: BinaryIO, path: Path | None) -> Iterator[Entry]:
    return wthor.read(stream, None if path is None else wthor.read_names(path))
