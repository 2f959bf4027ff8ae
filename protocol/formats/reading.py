"""Reads untrusted files line by line or game by game in bounded memory, and parses values that several formats share.

All bytes of game files are decoded here; see ``decoded``.
"""

import codecs
import re
from collections.abc import Iterator
from contextlib import suppress
from io import BufferedReader, RawIOBase
from typing import BinaryIO, NamedTuple

from outflank.engine import Colour, FileFormatError, Move, Rules

OTHELLO = Rules()
"""The default rules of games whose file names no rules."""


def capped(stream: BinaryIO, most: int) -> BufferedReader:
    """Return a reader of `stream` that raises FileFormatError after more than `most` bytes."""
    return BufferedReader(_Capped(stream, most))


class _Capped(RawIOBase):
    def __init__(self, stream: BinaryIO, most: int) -> None:
        self._stream, self._most, self._left = stream, most, most

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        data = (
            self._stream.read1(len(buffer))
            if hasattr(self._stream, "read1")
            else self._stream.read(len(buffer))
        )
        self._left -= len(data)
        if self._left < 0:
            raise FileFormatError(f"it has more than {self._most:,} bytes")
        buffer[: len(data)] = data
        return len(data)


_UTF_8 = "utf-8"
_LATIN_1 = "outflank.latin-1"  # the error handler for bytes that are not in the charset
_CHARSET = re.compile(rb"(?<![A-Za-z])CA\s*\[\s*([\w.:+-]{1,40})\s*\]")
# The characters of SGF's syntax. A charset that decodes them differently, such as UTF-7, is refused.
_SYNTAX = rb"AZaz09 ()[];:+-\\\u0041"


def _as_latin_1(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeDecodeError):
        raise error
    return error.object[error.start : error.end].decode("latin-1"), error.end


codecs.register_error(_LATIN_1, _as_latin_1)


def decoded(data: bytes, charset: str = _UTF_8) -> str:
    """Decode a file or a part of a file, without a byte order mark and without DOS's Ctrl-Z at its end.

    Bytes that are invalid in the charset are decoded as Latin-1, which servers and old programs use for names. The
    bytes 0x80 to 0x9f then become control characters, which an ``AnnotatedGame`` counts and replaces.
    """
    return data.decode(charset, _LATIN_1).removeprefix("﻿").rstrip("")


def charset_in(data: bytes) -> str:
    """Return the charset in an SGF game's first CA; UTF-8 if CA is missing, or names no superset of ASCII."""
    if found := _CHARSET.search(data):
        name = found[1].decode("ascii", "replace")
        with suppress(LookupError, ValueError):
            read = {_SYNTAX.decode(name), _SYNTAX.decode(name, _LATIN_1)}
            if read == {_SYNTAX.decode()} and codecs.lookup(name).incrementaldecoder:
                return name
    return _UTF_8


LINE_CAP = 1 << 16
"""The size in bytes from which a line is too long: a hundred times the size of a position or a transcript."""
TOO_LONG = f"the line has {LINE_CAP} bytes or more, which is too long"


class TextLine(NamedTuple):
    """A line of a stream.

    Attributes:
        number: the number of the line, 1 for the first line.
        text: the text; only its beginning if the line is too long.
        is_whole: True if the text is complete. Incomplete lines have to be refused.
    """

    number: int
    text: str
    is_whole: bool = True


def read_lines(stream: BinaryIO, errors: str = _LATIN_1) -> Iterator[TextLine]:
    """Yield each line, without a byte order mark and without DOS's Ctrl-Z at the end.

    Args:
        stream: the stream of bytes.
        errors: the error handler for bytes that are not UTF-8, see ``bytes.decode``; by default the handler of
            ``decoded``.
    """
    number, fresh = 0, True
    while piece := stream.readline(LINE_CAP):
        ended = piece.endswith(b"\n")
        if fresh:
            number += 1
            text = piece.decode("utf-8-sig" if number == 1 else "utf-8", errors)
            yield TextLine(number, text.rstrip("\x1a"), ended or len(piece) < LINE_CAP)
        fresh = ended


COLOURS = {"B": Colour.BLACK, "W": Colour.WHITE}
_NUMBER = re.compile(r"[+-]?\d{1,9}(\.\d{0,9})?")


def read_number(text: str) -> float | None:
    """Return `text` as a number; None if it is not a number, since a wrong number does not make a game invalid."""
    return float(text) if _NUMBER.fullmatch(text) else None


def move_name(move: Move) -> str:
    """Return a move as ``F5``, or ``PA`` for a pass."""
    return "PA" if move.is_pass else str(move).upper()


GAME_CAP = 1 << 20
"""The maximum size of a game in bytes: 200 times the size of a game with a comment on every move."""
_START = re.compile(rb"\(\s*(?:;|$)")
_ROOT = re.compile(rb"\(;\s*(?:FF|GM|CA|AP|PC)\[")
_OUTSIDE_VALUE = re.compile(rb"[\[()]")
_VALUE_ENDS = {True: re.compile(rb"[\\\]]"), False: re.compile(rb"\]")}
# A fast path: a match skips a sequence of complete values, which make up most of a game. No group is possessive, since
# Python 3.11.2, which Debian 12 has, ends the match of such a group too late (CPython issue 100061).
_VALUES = {
    True: re.compile(rb"(?:[^\[()]*+\[[^\\\]]*+(?:\\.[^\\\]]*+)*\])+", re.DOTALL),
    False: re.compile(rb"(?:[^\[()]*+\[[^\]]*+\])+"),
}


def split_games(stream: BinaryIO, *, escapes: bool) -> Iterator[str | FileFormatError]:
    """Yield the games of a stream, each from its opening to its closing bracket, without the text between them.

    Args:
        stream: the stream, of any length.
        escapes: True for SGF, with backslash escapes and the charset in CA; False for GGF, which has neither.

    Yields: a game, or an error for a game that has no end or is longer than GAME_CAP.
    """
    splitter, decoder = _Splitter(escapes), _utf8()
    head, may_name_charset = bytearray(), escapes  # ``head``: the beginning of the current game
    fresh = True  # whether the next piece is the beginning of a line
    while line := stream.readline(LINE_CAP):
        if fresh and splitter.inside and _ROOT.match(line):
            yield splitter.give_up()
        fresh = line.endswith(b"\n")
        if not splitter.has_begun:
            decoder, may_name_charset = _utf8(), escapes
            head.clear()
        if may_name_charset:
            head += line
            charset = charset_in(line)
            may_name_charset = charset == _UTF_8 and len(head) < LINE_CAP
            if charset != _UTF_8:
                # Decode before splitting, since the second byte of a character may look like a bracket.
                line, splitter = bytes(head), _Splitter(escapes)
                decoder = codecs.getincrementaldecoder(charset)(_LATIN_1)
        yield from splitter.feed(decoder.decode(line).encode())
    if splitter.inside:
        yield splitter.give_up()


def _utf8() -> codecs.IncrementalDecoder:
    return codecs.getincrementaldecoder(_UTF_8)(_LATIN_1)


class _Splitter:
    """Extracts games from lines of UTF-8. Stores only the text of the current game."""

    def __init__(self, escapes: bool) -> None:
        self._value_end, self._values = _VALUE_ENDS[escapes], _VALUES[escapes]
        self._reset()

    def _reset(self) -> None:
        self._game = bytearray()
        self._size = 0
        self._depth = 0
        self._in_value = False
        self._escaped = False  # whether the previous line ended with a backslash
        self._tentative = False  # whether a line ended after "(", which begins a game only if ";" follows

    @property
    def has_begun(self) -> bool:
        return self._depth > 0

    @property
    def inside(self) -> bool:
        return self._depth > 0 and not self._tentative

    def give_up(self) -> FileFormatError:
        """Drop the current game, and return an error, since the game has no end."""
        beginning = bytes(self._game[:40]).decode("utf-8", "replace")
        self._reset()
        return FileFormatError(f"the closing bracket of the game is missing after {beginning!r}")

    def feed(self, line: bytes) -> Iterator[str | FileFormatError]:
        at = begin = 0
        if self._tentative and (text := line.lstrip()):
            if not text.startswith(b";"):
                self._reset()
            self._tentative = False
        while at < len(line):
            if not self._depth:
                start = _START.search(line, at)
                if start is None:
                    return
                begin, at = start.start(), start.start() + 1
                self._depth, self._tentative = 1, not start[0].endswith(b";")
            elif self._in_value:
                at = self._pass_value(line, at)
            elif (values := self._values.match(line, at)) is not None:
                at = values.end()
            elif (found := _OUTSIDE_VALUE.search(line, at)) is None:
                break
            else:
                at = found.end()
                self._in_value = found[0] == b"["
                self._depth += (found[0] == b"(") - (found[0] == b")")
                if not self._depth:
                    self._keep(line[begin:at])
                    yield self._taken()
        if self._depth:
            self._keep(line[begin:])

    def _pass_value(self, line: bytes, at: int) -> int:
        if self._escaped:
            self._escaped = False
            return at + 1
        found = self._value_end.search(line, at)
        if found is None:
            return len(line)
        self._escaped = found[0] == b"\\"
        self._in_value = self._escaped
        return found.end()

    def _keep(self, piece: bytes) -> None:
        self._size += len(piece)
        self._game += piece[: max(GAME_CAP - len(self._game), 0)]

    def _taken(self) -> str | FileFormatError:
        game, size = self._game, self._size
        self._reset()
        if size > GAME_CAP:
            return FileFormatError(f"a game may have at most {GAME_CAP} bytes, but this one has {size}")
        return game.decode()
