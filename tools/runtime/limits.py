"""A rate limiter for peers, and the limit on this process's file descriptors."""

import sys
import time
from contextlib import suppress


class Budget:
    """A token bucket.

    Args:
        burst: the maximum number of tokens in the bucket.
        rate: the number of tokens that are added in a second.
    """

    def __init__(self, burst: float, rate: float) -> None:
        self._burst, self._rate = burst, rate
        self._left = burst
        self._at = time.monotonic()

    def spend(self) -> bool:
        """Take one token; return whether one was available."""
        now = time.monotonic()
        self._left = min(self._burst, self._left + (now - self._at) * self._rate)
        self._at = now
        if self._left < 1:
            return False
        self._left -= 1
        return True


def allow_descriptors(count: int) -> int:
    """Raise the limit on file descriptors to `count` or the system's maximum, and return the resulting limit."""
    if sys.platform == "win32":
        return count
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = count if hard == resource.RLIM_INFINITY else min(count, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        with suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
            soft = wanted
    return count if soft == resource.RLIM_INFINITY else soft
