"""Large memory, in huge pages where the system has them: what is read all over the place misses fewer translations."""

import mmap
from array import array
from contextlib import suppress
from typing import TypeAlias

# Numbers of one kind, one after another, in an array or in memory that was reserved for them.
Numbers: TypeAlias = "array[int] | memoryview[int]"
Bytes: TypeAlias = "bytes | bytearray | memoryview[int] | mmap.mmap"


def reserve(size: int) -> mmap.mmap:
    """Zeroed memory of `size` bytes, at the beginning of a page; the system fills it in when it is first touched.

    Raises: OSError if it can't be had.
    """
    return _in_huge_pages(mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS))


def shared(descriptor: int, size: int) -> mmap.mmap:
    """The first `size` bytes of a file, read-only: in memory once, however many processes map them.

    Raises: OSError if it can't be mapped; ValueError if the file is shorter.
    """
    return _in_huge_pages(mmap.mmap(descriptor, size, flags=mmap.MAP_SHARED, prot=mmap.PROT_READ))


def _in_huge_pages(memory: mmap.mmap) -> mmap.mmap:
    """The same memory, in larger pages if the system knows any."""
    if hasattr(mmap, "MADV_HUGEPAGE"):
        with suppress(OSError):
            memory.madvise(mmap.MADV_HUGEPAGE)
    return memory
