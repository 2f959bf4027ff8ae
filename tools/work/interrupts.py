"""Ctrl-C, SIGTERM and SIGHUP, noticed at places where stopping is safe.

An exception out of a signal handler could strike between starting an engine and noting that it runs. Here the
handler only takes a note, and the code that waits for engines looks at it ten times a second.
"""

import signal
from types import FrameType, TracebackType
from typing import Any, Self

from outflank.tools.work.ending import ENDING_SIGNALS


class Interrupted(Exception):
    """The run is to end: `number` is the signal that says so."""

    def __init__(self, number: int) -> None:
        super().__init__(signal.Signals(number).name)
        self.number = number

    @property
    def exit_code(self) -> int:
        """128 and the number of the signal, as shells have it."""
        return 128 + self.number


class Interrupts:
    """Catches the signals while the context lasts."""

    def __init__(self) -> None:
        self._number: int | None = None
        self._before: dict[signal.Signals, Any] = {}

    def __enter__(self) -> Self:
        self._before = {number: signal.signal(number, self._note) for number in ENDING_SIGNALS}
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def check(self) -> None:
        """Raise Interrupted if a signal has come."""
        if self._number is not None:
            raise Interrupted(self._number)

    def _note(self, number: int, frame: FrameType | None) -> None:
        self._number = self._number or number
