"""Reads files and pipes that may go on for ever, such as /dev/zero: so many bytes and no more."""

from io import BufferedReader, RawIOBase
from pathlib import Path
from typing import BinaryIO

from outflank.engine import FileFormatError


def read_capped(path: Path, most: int) -> bytes:
    """All of a file, which may be a pipe.

    Raises: FileFormatError if it has more than `most` bytes; OSError.
    """
    with path.open("rb") as stream:
        data = stream.read(most + 1)
    if len(data) > most:
        raise FileFormatError(_too_much(most))
    return data


def capped(stream: BinaryIO, most: int) -> BufferedReader:
    """`stream`, whose reading raises FileFormatError once there have been more than `most` bytes."""
    return BufferedReader(_Capped(stream, most))


class _Capped(RawIOBase):
    def __init__(self, stream: BinaryIO, most: int) -> None:
        self._stream, self._most, self._left = stream, most, most

    def readable(self) -> bool:
        """As it is."""
        return True

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        """Fill a buffer as far as there is something now."""
        data = (
            self._stream.read1(len(buffer))
            if hasattr(self._stream, "read1")
            else self._stream.read(len(buffer))
        )
        self._left -= len(data)
        if self._left < 0:
            raise FileFormatError(_too_much(self._most))
        buffer[: len(data)] = data
        return len(data)


def _too_much(most: int) -> str:
    return f"it has more than {most:,} bytes"
