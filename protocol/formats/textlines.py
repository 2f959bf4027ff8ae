"""Lines of text out of a stream of bytes that may be anything."""

from collections.abc import Iterator
from typing import BinaryIO

LINE_CAP = 1 << 16
"""The most bytes of a line that are kept: a hundred times what a position or a transcript needs."""


def read_lines(stream: BinaryIO, errors: str = "replace") -> Iterator[tuple[int, str]]:
    """Each line and its number, 1 for the first; of a longer line than LINE_CAP its beginning.

    A byte order mark is left out.

    Args:
        stream: of bytes.
        errors: what becomes of bytes that are no UTF-8, as for ``bytes.decode``; question marks if left out.
    """
    number, whole = 0, True
    while piece := stream.readline(LINE_CAP):
        if whole:
            number += 1
            yield number, piece.decode("utf-8-sig" if number == 1 else "utf-8", errors)
        whole = piece.endswith(b"\n")
