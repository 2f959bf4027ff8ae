"""Large memory, in huge pages where the system has them: what is read all over the place misses fewer translations."""

import mmap
from array import array
from typing import TypeAlias

# Numbers of one kind, one after another, in an array or in memory that was reserved for them.
Numbers: TypeAlias = "array[int] | memoryview[int]"


def reserve(size: int) -> mmap.mmap:
    """Zeroed memory of `size` bytes, at the beginning of a page; the system fills it in when it is first touched.

    Raises: OSError if it can't be had.
    """
    memory = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    if hasattr(mmap, "MADV_HUGEPAGE"):
        memory.madvise(mmap.MADV_HUGEPAGE)
    return memory
