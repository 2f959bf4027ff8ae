"""Products of words, eight chains at once, about as fast as memory is read; checksum.pyi documents it."""

from libc.stdint cimport uint64_t
from libc.string cimport memcpy

cdef enum:
    _LANES = 8
    _BLOCK = 8 * _LANES  # bytes
cdef uint64_t _FACTOR = 0x9E3779B97F4A7C15  # odd, so that no step loses anything


cdef inline uint64_t _mixed(uint64_t sum, uint64_t word) noexcept nogil:
    """One step of a chain. A product only carries bits up; the shift brings them down again."""
    sum = (sum ^ word) * _FACTOR
    return sum ^ sum >> 32


def checksum(const unsigned char[::1] memory):
    """A number of 64 bits that depends on every byte of `memory` and on where it stands."""
    cdef uint64_t[_LANES] sums, words
    cdef Py_ssize_t block, size = memory.shape[0]
    cdef uint64_t total = size
    cdef int lane
    if size % _BLOCK:
        raise ValueError(f"expected a multiple of {_BLOCK} bytes, got {size}")
    for lane in range(_LANES):
        sums[lane] = lane
    with nogil:
        for block in range(size // _BLOCK):
            memcpy(words, &memory[block * _BLOCK], _BLOCK)
            for lane in range(_LANES):
                sums[lane] = _mixed(sums[lane], words[lane])
    for lane in range(_LANES):
        total = _mixed(_mixed(total, _mixed(sums[lane], lane)), 0)
    return total
