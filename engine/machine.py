"""Properties of this machine, and memory."""

import mmap
import os
import platform
import sys
from contextlib import suppress

from outflank.engine import cpufeatures


def cpu_name() -> str:
    """Return the name of the CPU, or its architecture if it has no name, as on many Arm machines."""
    return cpufeatures.cpu_name() or platform.machine()


def processors() -> int:
    """Return the number of processors that the calling thread may run on; where the system has no limits, all."""
    if sys.platform == "linux":
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def memory_mb() -> int | None:
    """Return the machine's memory in MB (2^20 bytes), used or not; None on Windows, where `reserve` fails instead."""
    if sys.platform == "win32":
        return None
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") >> 20


def reserve(size: int) -> mmap.mmap:
    """Zeroed memory of `size` bytes, at the beginning of a page; the system fills it in when it is first touched.

    Raises: OSError if it can't be had.
    """
    if sys.platform == "win32":
        return mmap.mmap(-1, size)
    return in_huge_pages(mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS))


def in_huge_pages(memory: mmap.mmap) -> mmap.mmap:
    """The same memory, in larger pages if the system has them: scattered reads miss fewer address translations."""
    if sys.platform == "linux":
        with suppress(OSError):
            memory.madvise(mmap.MADV_HUGEPAGE)
    return memory
