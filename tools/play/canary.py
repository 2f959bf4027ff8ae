"""Notices when this machine does not let us run in time: then a flag that falls may be our fault alone.

A thread sleeps a little again and again. Whenever it wakes up much too late, everything that ran here at that
time may have been held up as much: the processor was taken, or this program was busy with itself.
"""

import math
import threading
import time
from collections import deque
from typing import Self

# Half of what a clock forgives: fixed, so that no run can be judged to its liking.
THRESHOLD_SECONDS = 0.025
_NAP_SECONDS = 0.01
_LATE_SECONDS = 0.005  # waking up later than that is no longer the usual way of a system
_REMEMBERED = 10_000
_BUSY_SHARE = 1.1  # of the threads that an engine declared: what measuring may be off by


class Canary:
    """Remembers when this process was held up; a context manager that watches while it lasts."""

    def __init__(self) -> None:
        self._stalls: deque[tuple[float, float]] = deque(maxlen=_REMEMBERED)
        self._due = math.inf
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="canary", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def held_up(self, began: float, ended: float) -> float:
        """Seconds for which this program was held up in a span of ``time.monotonic()``."""
        stalls = [*self._stalls, (self._due, time.monotonic())]  # the last may be going on
        overlapping = (late - due for due, late in stalls if due < ended and late > began)
        return sum(stall for stall in overlapping if stall > _LATE_SECONDS)

    def _watch(self) -> None:
        while not self._over.is_set():
            due = self._due = time.monotonic() + _NAP_SECONDS
            time.sleep(_NAP_SECONDS)
            now = time.monotonic()
            if now - due > _LATE_SECONDS:
                self._stalls.append((due, now))


def is_own_doing(cpu_seconds: float, threads: int, seconds: float) -> bool:
    """Whether an engine that used `cpu_seconds` within `seconds` ran more threads than it had declared."""
    return cpu_seconds > threads * seconds * _BUSY_SHARE
