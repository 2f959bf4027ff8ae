"""Makes entries; entries.pyi documents it."""

from libc.stdint cimport int8_t, int16_t, int32_t, uint64_t
from libc.string cimport memcmp, memcpy

from array import array

from outflank.engine.evaluation.memory import reserve

cdef enum:
    _PLACE_BITS = 20  # of a hash table with room for all rows of a stage


def distinct_rows(const int8_t[::1] rows, int width, int stages):
    """Each stage's rows of `width` numbers, int8, every one once."""
    cdef Py_ssize_t count = rows.shape[0] // width // stages, stage, row, place
    cdef int32_t kept = 0, begin
    numbers = array("i", bytes(4 * stages * count))
    firsts = array("i", bytes(4 * stages * count))
    starts = array("i")
    cdef int32_t[::1] number_of = numbers, first_of = firsts
    cdef int32_t[::1] kept_at = memoryview(reserve(4 << _PLACE_BITS)).cast("i")  # how many are kept up to a row
    for stage in range(stages):
        begin = kept
        starts.append(begin)
        kept_at[:] = 0
        for row in range(stage * count, (stage + 1) * count):
            place = _place_of(&rows[row * width], width)
            while kept_at[place] and memcmp(&rows[first_of[kept_at[place] - 1] * width], &rows[row * width], width):
                place = (place + 1) & ((1 << _PLACE_BITS) - 1)
            if not kept_at[place]:
                first_of[kept] = row
                kept += 1
                kept_at[place] = kept
            number_of[row] = kept_at[place] - 1 - begin
        if kept - begin > MOST_ROWS:
            raise ValueError(f"expected at most {MOST_ROWS} different rows in a stage, got {kept - begin}")
    memory = memoryview(reserve(kept * width)).cast("b")
    cdef int8_t[::1] distinct = memory
    for row in range(kept):
        memcpy(&distinct[row * width], &rows[first_of[row] * width], width)
    return memory, starts, numbers


cdef inline Py_ssize_t _place_of(const int8_t *row, int width) noexcept nogil:
    """Where to look first for a row."""
    cdef uint64_t mixed = 0, word
    cdef int place
    for place in range(width // 8):
        memcpy(&word, row + 8 * place, 8)
        mixed = (mixed ^ word) * <uint64_t>0x9E3779B97F4A7C15
        mixed ^= mixed >> 32
    return mixed * <uint64_t>0x9E3779B97F4A7C15 >> (64 - _PLACE_BITS)


def with_rows(const int16_t[::1] tables, const int32_t[::1] numbers, int phases, int stages):
    """The entries, int32, of weights, int16, whose rows have these numbers; in memory made for them."""
    cdef Py_ssize_t count = tables.shape[0] // phases, phase, weight
    memory = memoryview(reserve(4 * tables.shape[0])).cast("i")
    cdef int32_t[::1] entries = memory
    for phase in range(phases):
        for weight in range(count):
            entries[phase * count + weight] = (
                tables[phase * count + weight] * MOST_ROWS + numbers[phase * stages // phases * count + weight]
            )
    return memory
