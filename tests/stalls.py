"""How much of a measured time is the machine's: it was late to wake a thread, or had fewer processors than work."""

import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Self

_NAP_SECONDS = 0.002
_LOAD = Path("/proc/loadavg")


class StallMeter:
    """Watches the machine while it is entered.

    Attributes:
        worst: seconds by which a thread that only slept woke up too late, at worst.
        crowded: seconds, so far, in which more threads wanted to run than there are processors.
    """

    def __enter__(self) -> Self:
        self.worst = self.crowded = 0.0
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._measure)
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._ended.set()
        self._thread.join()

    def _measure(self) -> None:
        processors = os.cpu_count() or 1
        began = time.monotonic()
        while not self._ended.wait(_NAP_SECONDS):
            woke = time.monotonic()
            self.worst = max(self.worst, woke - began - _NAP_SECONDS)
            if _running() - 1 > processors:  # this thread is one of them
                self.crowded += woke - began
            began = woke


@contextmanager
def at_most(seconds: float) -> Iterator[None]:
    """Assert that a block takes no longer, but for the time in which the machine was crowded."""
    with StallMeter() as meter:
        began = time.monotonic()
        yield
        took = time.monotonic() - began
    assert took - meter.crowded < seconds + 2 * meter.worst, (
        f"{took:.3f} s, {meter.crowded:.3f} s of it crowded"
    )


def _running() -> int:
    """Threads of the whole machine that run or want to."""
    return int(_LOAD.read_text().split()[3].partition("/")[0])
