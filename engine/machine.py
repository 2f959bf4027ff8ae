"""Properties of this machine, allocation of memory, and the choice of a build that the CPU can run.

The build is chosen before any module that was compiled for a specific CPU is loaded. So this module must not import
such a module.
"""

import mmap
import os
import platform
import sys
from collections.abc import Mapping, MutableSequence
from contextlib import suppress
from functools import cache

from outflank.engine import cpufeatures

_FORCED = "OUTFLANK_BUILD"
# The features that each level of the x86-64 psABI adds to the level before, as far as cpufeatures can detect them.
_LEVELS = {
    "x86-64-v2": {"popcnt", "sse4_2"},
    "x86-64-v3": {"avx", "avx2", "bmi", "bmi2", "fma", "lzcnt", "movbe"},
    "x86-64-v4": {"avx512bw", "avx512cd", "avx512dq", "avx512f", "avx512vl"},
}


def cpu_name() -> str:
    """Return the name of the CPU, or its architecture if it has no name, as on many Arm machines."""
    return cpufeatures.cpu_name() or platform.machine()


def cpu_level() -> str:
    """Return the highest level that the CPU reaches, such as ``x86-64-v3``; its architecture if it reaches no level."""
    reached = platform.machine()
    for level, features in _LEVELS.items():
        if not features <= cpufeatures.cpu_features():
            break
        reached = level
    return reached


def ticks_a_second() -> int:
    """Return the number of clock ticks per second; 100 if unknown. Times in ``/proc/stat`` are in clock ticks."""
    return os.sysconf("SC_CLK_TCK") if hasattr(os, "sysconf") else 100


def processors() -> int:
    """Return the number of processors that the calling thread may use; outside Linux, count all processors."""
    if sys.platform == "linux":
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def memory_mb() -> int | None:
    """Return the size of the machine's whole memory in MB (2^20 bytes).

    Returns None on Windows, where `reserve` fails if the memory is too small.
    """
    if sys.platform == "win32":
        return None
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") >> 20


def reserve(size: int) -> mmap.mmap:
    """Return `size` bytes of zeroed memory, aligned to a page. The system provides each page when it is first touched.

    Raises: OSError if there is not enough memory.
    """
    if sys.platform == "win32":
        return mmap.mmap(-1, size)
    return in_huge_pages(mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS))


def in_huge_pages(memory: mmap.mmap) -> mmap.mmap:
    """Request huge pages for `memory`, so that the CPU has fewer TLB misses. Return `memory`."""
    if sys.platform == "linux":
        with suppress(OSError):
            memory.madvise(mmap.MADV_HUGEPAGE)
    return memory


def choose(builds: Mapping[str, tuple[str, ...]], have: frozenset[str]) -> str:
    """Return the first build that the CPU can run, or the build that the environment variable OUTFLANK_BUILD names.

    Args:
        builds: the features that each build needs, by the name of the CPU that it was tuned for; the best build first.
        have: the features of this machine's CPU.

    Raises: ImportError, whose message names the missing features and the remedy.
    """
    names = list(builds)
    remedy = "build it here, or with OUTFLANK_MARCH=x86-64 for any x86-64 CPU"
    if forced := os.environ.get(_FORCED):
        if forced not in builds:
            raise ImportError(f"expected {_FORCED} to be one of {', '.join(names)}, got {forced!r}")
        names, remedy = [forced], f"unset {_FORCED} to use the best build for this CPU"
    for name in names:
        if have.issuperset(builds[name]):
            return name
    missing = sorted(set(builds[names[-1]]) - have)
    raise ImportError(
        f"this build of outflank was tuned for a CPU with {', '.join(missing)}, which this one lacks (built with "
        f"-march={names[-1]}): {remedy}"
    )


def use_build(path: MutableSequence[str]) -> str:
    """Put the folder of the build for this CPU first in a package's ``__path__``, and return the build's name.

    A wheel has several builds: each package has the compiled modules of a build in its folder ``builds/NAME``. A
    checkout has only one build, next to the package's other files.

    Raises: ImportError: see ``choose``.
    """
    from outflank.engine.buildinfo import BUILDS

    if len(BUILDS) > 1:
        path.insert(0, f"{path[0]}/builds/{_chosen()}")
    return _chosen()


@cache
def _chosen() -> str:
    from outflank.engine.buildinfo import BUILDS

    return choose(BUILDS, cpufeatures.cpu_features())
