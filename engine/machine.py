"""Properties of this machine, from Linux; in pure Python, since ``engine/cpu.py`` uses them to choose a build."""

import mmap
import os
import platform
from contextlib import suppress
from pathlib import Path

_CPUINFO = Path("/proc/cpuinfo")


def cpu_features(cpuinfo: Path = _CPUINFO) -> frozenset[str] | None:
    """Return the names of the CPU's features, or None if the system does not report them."""
    found = _entry(cpuinfo, "flags", "Features")
    return None if found is None else frozenset(found.split())


def cpu_name(cpuinfo: Path = _CPUINFO) -> str:
    """Return the name of the CPU, or its architecture if it has no name, as on many Arm machines."""
    return " ".join((_entry(cpuinfo, "model name") or platform.machine()).split())


def processors() -> int:
    """Return the number of processors that the calling thread may run on."""
    return len(os.sched_getaffinity(0))


def memory_mb() -> int:
    """Return the machine's memory in MB (2^20 bytes), used or not."""
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") >> 20


def reserve(size: int) -> mmap.mmap:
    """Zeroed memory of `size` bytes, at the beginning of a page; the system fills it in when it is first touched.

    Raises: OSError if it can't be had.
    """
    return in_huge_pages(mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS))


def in_huge_pages(memory: mmap.mmap) -> mmap.mmap:
    """The same memory, in larger pages if the system has them: scattered reads miss fewer address translations."""
    if hasattr(mmap, "MADV_HUGEPAGE"):
        with suppress(OSError):
            memory.madvise(mmap.MADV_HUGEPAGE)
    return memory


def _entry(cpuinfo: Path, *keys: str) -> str | None:
    try:
        lines = cpuinfo.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return None
    for line in lines:
        key, _, value = line.partition(":")
        if key.strip() in keys:
            return value.strip()
    return None
