"""SIGINT, SIGTERM, SIGHUP and SIGBREAK: they end the program at once, by an exception, or at checkpoints of long work.

A handler that raises can interrupt any code. In a command this is intended, since all resources are held by context
managers; during imports, or when the interpreter exits, the exception would become a traceback or be lost.
"""

import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any, Self

ENDING_SIGNALS = tuple(
    each for each in signal.Signals if each.name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK")
)


def heeded_signals() -> list[signal.Signals]:
    """Return the ending signals that this process does not ignore.

    A shell lets background jobs ignore SIGINT, and ``nohup`` SIGHUP; programs of Unix keep ignoring them.
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
    """Nobody waits for the work under way any more; raised by the callbacks of long work."""


class Interrupts:
    """Catches the signals during the context."""

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

    def _note(self, number: int, frame: FrameType | None) -> None:
        self._number = self._number or number


@contextmanager
def held_back() -> Iterator[None]:
    """Defer the signals to the end of the context; only the main thread receives them."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    try:
        with Interrupts() as interrupts:
            yield
    finally:  # also where the signal has ended a process that the work needed
        try:
            interrupts.check()
        except Interrupted as interrupted:
            signal.raise_signal(interrupted.number)


def end_at_once() -> None:
    """Let these signals end the process from now on, with 128 plus their number as the exit code."""
    for number in heeded_signals():
        signal.signal(number, _leave)


def end_tidily() -> None:
    """Let SIGINT raise KeyboardInterrupt and the others SystemExit from now on; no effect without ``end_at_once``."""
    for number in ENDING_SIGNALS:
        if signal.getsignal(number) is _leave:
            signal.signal(number, _raise)


def end_at_once_again() -> None:
    """Undo ``end_tidily``."""
    for number in ENDING_SIGNALS:
        if signal.getsignal(number) is _raise:
            signal.signal(number, _leave)


def end_within(seconds: float, code: int) -> None:
    """End the process with this exit code if it still runs then: a thread may keep the interpreter from ending."""
    timer = threading.Timer(seconds, os._exit, (code,))
    timer.daemon = True
    timer.start()


def _leave(number: int, frame: FrameType | None) -> None:
    os._exit(128 + number)


def _raise(number: int, frame: FrameType | None) -> None:
    if number == signal.SIGINT:
        raise KeyboardInterrupt
    sys.exit(128 + number)
