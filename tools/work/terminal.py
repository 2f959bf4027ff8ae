"""Progress on standard error, whether or not anybody is there to read it."""

import io
import os
import sys
from typing import IO, TextIO, cast

from rich.console import Console


def open_console() -> Console:
    """A console on standard error that outlives its terminal."""
    stream = _Patient(sys.stderr or io.StringIO())  # None if the program was started without one
    # rich asks for a text file and needs no more of it than this.
    return Console(file=cast(IO[str], stream), highlight=False)


class _Patient:
    """A stream that may vanish while we write to it: a lost terminal must not end a match."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self.encoding = stream.encoding

    def write(self, text: str) -> int:
        """Write `text`, if anybody is there to read it."""
        try:
            return self._stream.write(text)
        except OSError:
            return self._give_up(text)

    def flush(self) -> None:
        """Flush the stream."""
        try:
            self._stream.flush()
        except OSError:
            self._give_up("")

    def isatty(self) -> bool:
        """Whether it is a terminal."""
        return self._stream.isatty()

    def fileno(self) -> int:
        """The file descriptor, from which rich learns how wide a terminal is."""
        return self._stream.fileno()

    def _give_up(self, text: str) -> int:
        """Let the descriptor lead nowhere, so that buffered output can't fail again."""
        os.dup2(os.open(os.devnull, os.O_WRONLY), self._stream.fileno())
        return len(text)
