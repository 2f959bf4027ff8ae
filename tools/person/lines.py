"""Lines that somebody types or that come through a pipe, waited for no longer than a clock allows."""

import os
import select
import sys
import time

import click

from outflank.protocol.lines import LineSplitter

_CHUNK_BYTES = 1 << 16


class Lines:
    """The lines of standard input.

    Attributes:
        is_terminal: whether somebody types them.
    """

    def __init__(self) -> None:
        self._source = sys.stdin.fileno()
        self._splitter = LineSplitter()
        self._waiting: list[bytes] = []
        self._ended = False
        self.is_terminal = os.isatty(self._source)

    def next(self, prompt: str, seconds: float) -> str | None:
        """The next line; None at the end of the input. A last line needs no line feed.

        Args:
            prompt: written to standard error if somebody types.
            seconds: how long to wait.

        Raises: TimeoutError.
        """
        if self.is_terminal:
            click.echo(prompt, nl=False, err=True)
        deadline = time.monotonic() + seconds
        while not self._waiting:
            if self._ended:
                if self.is_terminal:
                    click.echo(err=True)  # what follows does not belong behind the prompt
                return None
            self._read(deadline)
        return self._waiting.pop(0).decode("utf-8", "replace")

    def _read(self, deadline: float) -> None:
        """Wait for something to come.

        Raises: TimeoutError.
        """
        left = deadline - time.monotonic()
        ready = select.select([self._source], [], [], None if left == float("inf") else max(left, 0))[0]
        if not ready:
            if self.is_terminal:
                click.echo(err=True)
            raise TimeoutError
        try:
            chunk = os.read(self._source, _CHUNK_BYTES)
        except OSError:  # the terminal has gone
            chunk = b""
        if not chunk:
            self._ended = True
            chunk = b"\n"
            self._waiting += [line for line in self._splitter.feed(chunk) if line]
            return
        self._waiting += self._splitter.feed(chunk)
