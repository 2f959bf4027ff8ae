"""A disk that is full, without one."""

import resource
import signal
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def no_file_beyond(size: int) -> Iterator[None]:
    """In here no file grows larger, in bytes: it stands for the end of the disk."""
    ours = resource.getrlimit(resource.RLIMIT_FSIZE)
    before = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, ours[1]))
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, ours)
        signal.signal(signal.SIGXFSZ, before)
