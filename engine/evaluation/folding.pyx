"""Configurations that mirror each other share a weight; folding.pyi documents it."""

from libc.stdint cimport int8_t, int16_t, int32_t
from libc.string cimport memcpy

from array import array

from outflank.engine.evaluation.memory import reserve
from outflank.engine.evaluation.patterns import PATTERNS, TABLE_OFFSETS, WEIGHTS_OF_A_PHASE, mirrored_places


def representatives():
    """For each weight of a phase the first weight that has to be equal to it; int32."""
    found = array("i", range(WEIGHTS_OF_A_PHASE))
    cdef int32_t[::1] view = found
    cdef int table
    for table in range(len(PATTERNS)):
        _pair_up(view[TABLE_OFFSETS[table] : TABLE_OFFSETS[table + 1]], TABLE_OFFSETS[table], mirrored_places(table))
    return found


def _pair_up(int32_t[::1] found, int32_t offset, places):
    """Fill one table: digit by digit, `places` telling where each digit of the mirrored index comes from."""
    cdef int length = len(places), place
    cdef int32_t index, mirrored, digits
    cdef int[16] worth  # of each digit, counted from the last one, in the mirrored index
    for place in range(length):
        worth[length - 1 - place] = 3 ** (length - 1 - places.index(place))
    for index in range(found.shape[0]):
        digits, mirrored = index, 0
        for place in range(length):
            mirrored += worth[place] * (digits % 3)
            digits //= 3
        found[index] = offset + min(index, mirrored)


def weights_kept(const int32_t[::1] representative):
    """How many weights of a phase are kept: those that are their own representatives."""
    cdef Py_ssize_t weight, found = 0
    for weight in range(representative.shape[0]):
        found += representative[weight] == weight
    return found


def unfold(const int16_t[::1] folded, const int32_t[::1] representative, int phases):
    """The weights of all phases, phase by phase, from what `fold` kept; in memory made for them."""
    cdef Py_ssize_t count = representative.shape[0]
    weights = memoryview(reserve(2 * count * phases)).cast("h")
    cdef int16_t[::1] out = weights
    cdef Py_ssize_t weight, source = 0
    cdef int phase
    cdef int16_t step
    for phase in range(phases - 1, -1, -1):
        for weight in range(count):
            if representative[weight] != weight:
                out[phase * count + weight] = out[phase * count + representative[weight]]
                continue
            step = folded[source]
            source += 1
            if phase < phases - 1:
                step += out[(phase + 1) * count + weight]
            out[phase * count + weight] = step
    return weights


def fold(const int16_t[::1] weights, const int32_t[::1] representative, int phases):
    """The weights of all phases, int16, without those that `unfold` works out: last phase first, int16."""
    cdef Py_ssize_t count = representative.shape[0]
    cdef list steps = []
    cdef Py_ssize_t weight
    cdef int phase
    cdef int16_t step
    for phase in range(phases - 1, -1, -1):
        for weight in range(count):
            if representative[weight] == weight:
                step = weights[phase * count + weight]
                if phase < phases - 1:
                    step -= weights[(phase + 1) * count + weight]
                steps.append(step)
    return array("h", steps)


def unfold_rows(
    const unsigned char[::1] flags, const int8_t[::1] kept, const int32_t[::1] representative, int width, int stages
):
    """The rows of all stages, int8, from both answers of `fold_rows`, the second as numbers, in new memory."""
    cdef Py_ssize_t count = representative.shape[0]
    rows = memoryview(reserve(stages * count * width)).cast("b")
    cdef int8_t[::1] out = rows
    cdef Py_ssize_t stage, row, flag = 0, source = 0
    if flags.shape[0] != -(-stages * weights_kept(representative) // 8):
        raise ValueError("rows of another number")
    for stage in range(0, stages * count, count):
        for row in range(count):
            if representative[row] == row:
                if flags[flag >> 3] >> (flag & 7) & 1:
                    if source + width > kept.shape[0]:
                        raise ValueError("too few rows")
                    memcpy(&out[(stage + row) * width], &kept[source], width)
                    source += width
                flag += 1
            else:
                memcpy(&out[(stage + row) * width], &out[(stage + representative[row]) * width], width)
    if source != kept.shape[0]:
        raise ValueError("too many rows")
    return rows


def fold_rows(const int8_t[::1] rows, const int32_t[::1] representative, int width):
    """Rows of `width` numbers, int8, one for each weight of a phase, for several stages, stage by stage."""
    cdef Py_ssize_t count = representative.shape[0], row, flag = 0
    cdef bytes nothing = bytes(width), numbers
    cdef bytearray flags = bytearray(-(-rows.shape[0] // width // count * weights_kept(representative) // 8))
    cdef list kept = []
    for row in range(rows.shape[0] // width):
        if representative[row % count] == row % count:
            numbers = bytes(rows[row * width : (row + 1) * width])
            if numbers != nothing:
                flags[flag >> 3] |= 1 << (flag & 7)
                kept.append(numbers)
            flag += 1
    return bytes(flags), b"".join(kept)


ctypedef fused _Number:
    int8_t
    int16_t


def farthest(const _Number[::1] numbers):
    """How far from 0 the numbers go, int8 or int16."""
    # In numbers of their own size, of which the compiler compares many at once.
    cdef _Number lowest = 0, highest = 0
    cdef Py_ssize_t place
    for place in range(numbers.shape[0]):
        lowest = numbers[place] if numbers[place] < lowest else lowest
        highest = numbers[place] if numbers[place] > highest else highest
    return max(<int>highest, -<int>lowest)
