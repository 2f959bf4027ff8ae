"""Cuts a stream into the games of SGF and GGF, ``(; ... )``, one at a time and in constant memory.

Nothing of a game is understood here but its brackets, so that a grammar sees one game and a bad one takes no other
with it: where a line begins like the root of a game, the one before it has lost its end.
"""

import re
from collections.abc import Iterator
from typing import BinaryIO

from outflank.engine import FileFormatError

GAME_CAP = 1 << 20
"""The most bytes that a game may have: 200 times one with a comment on every move."""
_LINE_CAP = 1 << 16
_START = re.compile(rb"\(\s*(?:;|$)")
_ROOT = re.compile(rb"\(;\s*(?:FF|GM|CA|AP|PC)\[")
_OUTSIDE_VALUE = re.compile(rb"[\[()]")
_VALUE_ENDS = {True: re.compile(rb"[\\\]]"), False: re.compile(rb"\]")}
# Whole values in a row, which are most of a game.
_VALUES = {
    True: re.compile(rb"(?:[^\[()]*+\[[^\\\]]*+(?:\\.[^\\\]]*+)*+\])++", re.DOTALL),
    False: re.compile(rb"(?:[^\[()]*+\[[^\]]*+\])++"),
}


def split_games(stream: BinaryIO, *, escapes: bool) -> Iterator[bytes | FileFormatError]:
    """The games of a stream, from bracket to bracket; what stands between them is left out.

    Args:
        stream: of any length.
        escapes: whether a backslash keeps the bracket behind it from ending a value (SGF), or means nothing (GGF).

    Yields: a game, or in its place an error if it has no end or is longer than GAME_CAP.
    """
    splitter = _Splitter(escapes)
    fresh = True  # whether a line begins, and not just another piece of a long one
    while line := stream.readline(_LINE_CAP):
        if fresh and splitter.inside and _ROOT.match(line):
            yield splitter.give_up()
        yield from splitter.feed(line)
        fresh = line.endswith(b"\n")
    if splitter.inside:
        yield splitter.give_up()


class _Splitter:
    """What has been seen of the game that has begun; nothing outside a game."""

    def __init__(self, escapes: bool) -> None:
        self._value_end, self._values = _VALUE_ENDS[escapes], _VALUES[escapes]
        self._reset()

    def _reset(self) -> None:
        self._game = bytearray()
        self._size = 0
        self._depth = 0
        self._in_value = False
        self._escaped = False  # by a backslash at the end of the line before
        self._tentative = False  # a bracket that ended its line, and begins a game if a semicolon follows

    @property
    def inside(self) -> bool:
        """Whether a game has begun and not ended."""
        return self._depth > 0 and not self._tentative

    def give_up(self) -> FileFormatError:
        """Drop the game that has begun, since it has no end."""
        beginning = bytes(self._game[:40]).decode("utf-8", "replace")
        self._reset()
        return FileFormatError(f"the bracket that ends the game is missing after {beginning!r}")

    def feed(self, line: bytes) -> Iterator[bytes | FileFormatError]:
        """The games that a line completes."""
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
        """Where the value ends, or the line."""
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

    def _taken(self) -> bytes | FileFormatError:
        """The game that has just ended, or why it is none."""
        game, size = bytes(self._game), self._size
        self._reset()
        if size > GAME_CAP:
            return FileFormatError(f"a game may have {GAME_CAP} bytes, and this one has {size}")
        return game
