"""Lines of stdin, from a terminal or a pipe, read with a timeout."""

import os
import sys
import threading
import time
from queue import Empty, SimpleQueue

import click

from outflank.protocol.lines import LineSplitter

_CHUNK_BYTES = 1 << 16
_SLICE_SECONDS = 0.2  # the longest wait that Ctrl-C can't interrupt on Windows


class InputLines:
    """Reads lines from stdin with a timeout.

    Attributes:
        is_terminal: True if stdin is a terminal.
    """

    def __init__(self) -> None:
        self._source = sys.stdin.fileno()
        self._splitter = LineSplitter()
        self._waiting: list[bytes] = []
        self._ended = False
        self._chunks: SimpleQueue[bytes] = SimpleQueue()
        self._is_reading = False
        self.is_terminal = os.isatty(self._source)

    def next(self, prompt: str, seconds: float) -> str | None:
        """Return the next line, or None at the end of the input. The last line may lack a line feed.

        Args:
            prompt: the prompt, written to stderr if stdin is a terminal.
            seconds: the timeout.

        Raises: TimeoutError if no line arrives in time.
        """
        if self.is_terminal:
            click.echo(prompt, nl=False, err=True)
        deadline = time.monotonic() + seconds
        while not self._waiting:
            if self._ended:
                if self.is_terminal:
                    click.echo(err=True)  # completes the prompt's line
                return None
            self._read(deadline)
        return self._waiting.pop(0).decode("utf-8", "replace")

    def _read(self, deadline: float) -> None:
        if not self._is_reading:
            self._is_reading = True
            threading.Thread(target=self._receive, daemon=True).start()
        while True:
            try:
                chunk = self._chunks.get(timeout=min(max(deadline - time.monotonic(), 0), _SLICE_SECONDS))
                break
            except Empty:
                if time.monotonic() >= deadline:
                    if self.is_terminal:
                        click.echo(err=True)
                    raise TimeoutError from None
        self._is_reading = False
        if not chunk:
            self._ended = True
            chunk = b"\n"
            self._waiting += [line for line in self._splitter.feed(chunk) if line]
            return
        self._waiting += self._splitter.feed(chunk)

    def _receive(self) -> None:
        """Read one chunk; runs in a thread, since Windows can't wait for a terminal with a timeout."""
        try:
            self._chunks.put(os.read(self._source, _CHUNK_BYTES))
        except OSError:  # the terminal was closed
            self._chunks.put(b"")
