"""Lines between the thread that reads them and the one that executes them."""

import sys
import threading
from collections import deque

from outflank.protocol.lines import LineKind

# Enough for any controller that sends without reading; beyond it the reader waits, so memory stays bounded.
_BUDGET_BYTES = 16 << 20
_COST_OF_A_LINE = 100  # what Python keeps for it besides its bytes
_ALL_LINES = sys.maxsize


class Inbox:
    """Lines in the order of their arrival.

    Every line has a number, so a line that came before the running command is never taken for an interruption
    of it, and one that came after it always is, even if the command has not begun to search yet.
    """

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._waiting: deque[tuple[int, bytes]] = deque()
        self._size = 0
        self._closed = False
        self._quits = False
        self._last = 0  # number of the newest line, blank ones and comments counted
        self._interrupt = 0  # number of the newest line that interrupts
        self._running = 0  # number of the line being executed

    def put(self, line: bytes, kind: LineKind) -> None:
        """Add a line that asks for `kind`; waits while too much is waiting already."""
        cost = len(line) + _COST_OF_A_LINE
        with self._changed:
            self._changed.wait_for(lambda: self._size == 0 or self._size + cost <= _BUDGET_BYTES)
            self._last += 1
            self._quits = self._quits or kind.quits
            if kind.is_command:
                self._waiting.append((self._last, line))
                self._size += cost
            if kind.interrupts:
                self._interrupt = max(self._interrupt, self._last)
            self._changed.notify_all()

    def close(self) -> None:
        """No more lines will come."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    @property
    def quits(self) -> bool:
        """Whether a line has come that ends the dialogue, so that the end of the lines is no surprise."""
        return self._quits

    def interrupt(self) -> None:
        """Interrupt the running command and all that wait."""
        self._interrupt = _ALL_LINES

    def take(self) -> bytes | None:
        """The next line to execute; None when there are no more. Waits for one."""
        with self._changed:
            self._changed.wait_for(lambda: self._waiting or self._closed)
            if not self._waiting:
                return None
            self._running, line = self._waiting.popleft()
            self._size -= len(line) + _COST_OF_A_LINE
            self._changed.notify_all()
            return line

    @property
    def interrupted(self) -> bool:
        """Whether the command being executed was asked to come to an end."""
        return self._interrupt > self._running

    def wait_for_input(self, seconds: float | None = None) -> bool:
        """Wait until any line has come after the one being executed, or none can come any more.

        Returns: whether that is so; False once `seconds` are over.
        """
        with self._changed:
            return self._changed.wait_for(lambda: self._closed or self._last > self._running, seconds)
