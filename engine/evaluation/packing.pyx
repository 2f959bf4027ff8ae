"""The weights' numbers in less room: in the file, in memory, and how both are checked; packing.pyi documents it."""

from libc.stdint cimport int8_t, int16_t, int32_t, uint64_t
from libc.string cimport memcmp, memcpy

import mmap
from array import array
from contextlib import suppress

from outflank.engine.evaluation.patterns import PATTERNS, TABLE_OFFSETS, WEIGHTS_OF_A_PHASE, mirrored_places

# Not by way of evaluate.pxd: that module asks this one for memory.
cdef extern from "evaluate.h":
    cpdef enum:
        MOST_ROWS "OF_MOST_ROWS"
        MOST_IN_TABLE "OF_MOST_IN_TABLE"

# Where a mapped file is shorter than it was, reading ends the process by SIGBUS. No Python code runs then.
cdef extern from *:
    """
    #include <signal.h>
    #include <unistd.h>

    static const char *of_mapped, *of_mapped_end;

    static void of_say_why(int number, siginfo_t *info, void *context)
    {
        static const char why[] = "outflank: the unpacked evaluation in the cache folder was shortened while it was "
            "in use, or its disk failed: start again\\n";
        const char *at = info->si_addr;

        (void)context;
        if (of_mapped <= at && at < of_mapped_end && write(STDERR_FILENO, why, sizeof why - 1) < 0)
            at = 0;  /* nobody reads it */
        raise(number);  /* ends the process when this handler returns */
    }

    static void of_explain_faults(const void *begin, Py_ssize_t size)
    {
        struct sigaction before, ours = {0};

        of_mapped = begin;
        of_mapped_end = of_mapped + size;
        ours.sa_sigaction = of_say_why;
        ours.sa_flags = SA_SIGINFO | SA_RESETHAND;
        if (!sigaction(SIGBUS, 0, &before) && !(before.sa_flags & SA_SIGINFO) && before.sa_handler == SIG_DFL)
            sigaction(SIGBUS, &ours, 0);
    }
    """
    void of_explain_faults(const void *begin, Py_ssize_t size) noexcept nogil

cdef enum:
    _PLACE_BITS = 20  # of a hash table with room for all rows of a stage
    _LANES = 8  # chains of a checksum
    _BLOCK = 8 * _LANES  # bytes

cdef uint64_t _FACTOR = 0x9E3779B97F4A7C15  # odd, so that no step loses anything


def reserve(size):
    """Zeroed memory of `size` bytes, at the beginning of a page; the system fills it in when it is first touched."""
    return _in_huge_pages(mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS))


def shared(descriptor, size):
    """The first `size` bytes of a file, read-only: in memory once, however many processes map them."""
    memory = mmap.mmap(descriptor, size, flags=mmap.MAP_SHARED, prot=mmap.PROT_READ)
    cdef const unsigned char[::1] view = memory
    of_explain_faults(&view[0], size)
    return _in_huge_pages(memory)


def _in_huge_pages(memory):
    """The same memory, in larger pages if the system knows any."""
    if hasattr(mmap, "MADV_HUGEPAGE"):
        with suppress(OSError):
            memory.madvise(mmap.MADV_HUGEPAGE)
    return memory


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
    """The weights of all phases, int16, without the ones that `unfold` computes: last phase first, int16."""
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


cdef inline uint64_t _mixed(uint64_t sum, uint64_t word) noexcept nogil:
    """One step of a chain. A product only carries bits up; the shift brings them down again."""
    sum = (sum ^ word) * _FACTOR
    return sum ^ sum >> 32


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
        mixed = _mixed(mixed, word)
    return mixed * _FACTOR >> (64 - _PLACE_BITS)


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
