"""Handling of SIGINT, SIGTERM, SIGHUP and SIGBREAK: exit immediately, raise an exception, or stop at a checkpoint.

A handler that raises can interrupt any code. In a command this is safe, since context managers release all resources.
During imports or the interpreter's exit, the exception would be printed as a traceback or lost.
"""

import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any, NoReturn, Self

ENDING_SIGNALS = tuple(
    each for each in signal.Signals if each.name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK")
)

_SLICE_SECONDS = 0.1


def heeded_signals() -> list[signal.Signals]:
    """Return the signals that end the program, except signals that this process ignores.

    A shell starts background jobs with SIGINT ignored, and ``nohup`` starts its command with SIGHUP ignored; Unix
    programs leave these signals ignored.
    """
    return [number for number in ENDING_SIGNALS if signal.getsignal(number) != signal.SIG_IGN]


class Interrupted(Exception):
    """The run was interrupted by the signal `number`."""

    def __init__(self, number: int) -> None:
        super().__init__(signal.Signals(number).name)
        self.number = number

    @property
    def exit_code(self) -> int:
        """128 plus the number of the signal, the convention of shells."""
        return 128 + self.number


class Stopped(Exception):
    """The current work was abandoned or interrupted; raised by callbacks of long work."""


class Interrupts:
    """Records signals that would end the program, until the context ends. ``check`` raises Interrupted."""

    def __init__(self) -> None:
        self._number: int | None = None
        self._before: dict[signal.Signals, Any] = {}

    def __enter__(self) -> Self:
        self._before = {number: signal.signal(number, self._note) for number in heeded_signals()}
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def check(self) -> None:
        """Raise Interrupted if a signal has arrived."""
        if self._number is not None:
            raise Interrupted(self._number)

    def wait(self) -> NoReturn:
        """Wait for a signal. Raises: Interrupted when a signal arrives."""
        while True:
            self.check()
            time.sleep(_SLICE_SECONDS)

    def _note(self, number: int, frame: FrameType | None) -> None:
        self._number = self._number or number


@contextmanager
def held_back() -> Iterator[None]:
    """Defer signals that end the program until the context ends. Has no effect outside the main thread."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    try:
        with Interrupts() as interrupts:
            yield
    finally:  # the block may have failed because the signal also stopped a process that the block needed
        try:
            interrupts.check()
        except Interrupted as interrupted:
            signal.raise_signal(interrupted.number)


def end_at_once() -> None:
    """Make the signals that end the program do so immediately. The exit code is 128 plus the signal's number."""
    for number in heeded_signals():
        signal.signal(number, _leave)


def end_tidily() -> None:
    """Make the signals of ``end_at_once`` raise exceptions: KeyboardInterrupt for SIGINT, SystemExit for others."""
    for number in ENDING_SIGNALS:
        if signal.getsignal(number) is _leave:
            signal.signal(number, _raise)


def end_at_once_again() -> None:
    """Undo ``end_tidily``."""
    for number in ENDING_SIGNALS:
        if signal.getsignal(number) is _raise:
            signal.signal(number, _leave)


def end_within(seconds: float, code: int) -> None:
    """Exit with this code after `seconds`, in case a thread blocks the interpreter's exit."""
    timer = threading.Timer(seconds, os._exit, (code,))
    timer.daemon = True
    timer.start()


def _leave(number: int, frame: FrameType | None) -> None:
    os._exit(128 + number)


def _raise(number: int, frame: FrameType | None) -> None:
    if number == signal.SIGINT:
        raise KeyboardInterrupt
    sys.exit(128 + number)
