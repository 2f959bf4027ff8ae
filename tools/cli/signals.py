"""What Ctrl-C, SIGTERM and SIGHUP do to the program: before and after the command they end it at once, without a word.

A handler that raises can strike anywhere. In a command that is what is wanted, since everything that holds something
is a context manager; while modules are imported, or when the interpreter ends, it would become a traceback or be lost.
"""

import os
import signal
import sys
from types import FrameType

from outflank.tools.work.ending import ENDING_SIGNALS


def end_at_once() -> None:
    """From now on these signals end the process, with 128 and their number as its exit code.

    A shell has what it runs in the background ignore SIGINT, and so we do.
    """
    for number in ENDING_SIGNALS:
        if number != signal.SIGINT or signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, _leave)


def end_tidily() -> None:
    """From now on SIGINT raises KeyboardInterrupt and the others SystemExit; no effect without ``end_at_once``."""
    for number in ENDING_SIGNALS:
        if signal.getsignal(number) is _leave:
            signal.signal(number, _raise)


def end_at_once_again() -> None:
    """Undo ``end_tidily``."""
    for number in ENDING_SIGNALS:
        if signal.getsignal(number) is _raise:
            signal.signal(number, _leave)


def _leave(number: int, frame: FrameType | None) -> None:
    os._exit(128 + number)


def _raise(number: int, frame: FrameType | None) -> None:
    if number == signal.SIGINT:
        raise KeyboardInterrupt
    sys.exit(128 + number)
