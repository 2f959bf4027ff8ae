"""Tests marked ``alone`` measure time: while one of them runs, no other test does, in any of pytest-xdist's workers.

They come last, so that the others keep all processors busy first. Two locks make sure that nothing runs beside
them. A test holds the room while it runs, together with others or alone. It comes in by the door, and whoever
waits to be alone stands in it, so that nobody else comes in meanwhile.
"""

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

_DOOR, _ROOM = Path(__file__), Path(__file__).with_name("conftest.py")


def is_alone(item: pytest.Item) -> bool:
    """Whether a test is marked ``alone``."""
    return item.get_closest_marker("alone") is not None


@contextmanager
def turn(alone: bool) -> Iterator[None]:
    """Wait until a test may run, and let no other run beside it that must not."""
    with _ROOM.open() as room:  # closing a file unlocks it
        with _DOOR.open() as door:
            fcntl.flock(door, fcntl.LOCK_EX)
            fcntl.flock(room, fcntl.LOCK_EX if alone else fcntl.LOCK_SH)
        yield
        fcntl.flock(room, fcntl.LOCK_UN)  # a child that the test forked may hold the file open
