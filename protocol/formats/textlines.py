"""Lines of text out of a stream of bytes that may be anything."""

from collections.abc import Iterator
from typing import BinaryIO, NamedTuple

LINE_CAP = 1 << 16
"""A line has fewer bytes: a hundred times what a position or a transcript needs."""
TOO_LONG = f"the line has {LINE_CAP} bytes or more, which is too long"


class Line(NamedTuple):
    """A line of a stream.

    Attributes:
        number: 1 for the first.
        text: of a line that is too long its beginning.
        is_whole: whether this is all of it; if not, the rest may say anything, and the line has to be refused.
    """

    number: int
    text: str
    is_whole: bool = True


def read_lines(stream: BinaryIO, errors: str = "replace") -> Iterator[Line]:
    """Each line; a byte order mark is left out.

    Args:
        stream: of bytes.
        errors: what becomes of bytes that are no UTF-8, as for ``bytes.decode``; U+FFFD if left out.
    """
    number, fresh = 0, True
    while piece := stream.readline(LINE_CAP):
        ended = piece.endswith(b"\n")
        if fresh:
            number += 1
            text = piece.decode("utf-8-sig" if number == 1 else "utf-8", errors)
            yield Line(number, text, ended or len(piece) < LINE_CAP)
        fresh = ended
