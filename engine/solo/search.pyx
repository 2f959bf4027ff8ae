"""Searches the solo game if all chips are known; search.pyi documents the Python interface.

The value of a board depends on the chips that may still be won, so `solo_winnable` takes most of the time.
"""

cimport cython
from cpython.exc cimport PyErr_CheckSignals
from libc.stdint cimport int64_t, uint64_t
from libc.stdlib cimport calloc, free, malloc, qsort
from libc.string cimport memset

from outflank.errors import SettingsError
from outflank.engine.kernels cimport bit, first_square, popcount
from outflank.engine.solo.core cimport SoloBoard, SoloState, solo_moves, solo_play, solo_winnable
from outflank.engine.squares import Colour
from outflank.errors import mask, whole

cdef enum:
    # The weights of the three terms of a board's value, which search.pyi describes.
    _HOPE = 200
    _IN_HAND = 40
    _MOBILITY = 10
    _MOST_CHILDREN = 128  # two colours on 64 squares
    _MOST_PLIES = 64
    _SEEN_PER_LINE = 32  # slots of the table of known boards, for each line of the beam; a power of two

# The value of each chip: its number, or 1 in the variant that counts chips.
cdef struct _Points:
    bint sum_of_numbers
    int[64] numbers
    uint64_t blanks
    int perfect

cdef struct _Node:
    SoloState state
    uint64_t won
    int64_t key
    int parent
    int move  # 64 * colour + square

# The parent of a node and the move from the parent, which are stored for each line at each ply.
cdef struct _Origin:
    int parent
    int move

cdef struct _Best:
    int score
    int ply
    _Origin last
    uint64_t won

_COLOURS = (Colour.BLACK, Colour.WHITE)


cdef int _score(const _Points *points, uint64_t won) noexcept nogil:
    cdef int total = 0
    cdef bint doubled = won & points.blanks == points.blanks
    if not points.sum_of_numbers:
        return popcount(won)
    while won:
        total += points.numbers[first_square(won)]
        won &= won - 1
    return 2 * total if doubled else total


@cython.cdivision(True)  # `perfect` is at least 1
cdef int64_t _judge(const _Points *points, const SoloState *state, uint64_t won) noexcept nogil:
    """Return the value of a board in units of 1/200 of the average value of a chip."""
    cdef int hope = _score(points, won | solo_winnable(state)), in_hand = _score(points, won)
    cdef int mobility = popcount(solo_moves(state, 0)) + popcount(solo_moves(state, 1))
    return (_HOPE * hope + _IN_HAND * in_hand) * 24 // points.perfect + _MOBILITY * mobility


cdef uint64_t _draw(uint64_t *seed) noexcept nogil:
    """Return the next random number: xorshift64 (Marsaglia 2003)."""
    seed[0] ^= seed[0] << 13
    seed[0] ^= seed[0] >> 7
    seed[0] ^= seed[0] << 17
    return seed[0]


cdef bint _is_new(uint64_t *seen, int room, const _Node *node) noexcept nogil:
    """Return whether this board is new at this ply. A board whose slot was overwritten counts as new again."""
    cdef uint64_t key = node.state.discs[0] * <uint64_t>0x9E3779B97F4A7C15
    key ^= (node.state.discs[1] ^ (key >> 29)) * <uint64_t>0xC2B2AE3D27D4EB4F
    key ^= (node.won ^ (key >> 31)) * <uint64_t>0x165667B19E3779F9
    key ^= (node.state.closed ^ (key >> 30)) * <uint64_t>0xD6E8FEB86659FD93
    key ^= key >> 32
    if seen[key & (room - 1)] == key:
        return False
    seen[key & (room - 1)] = key
    return True


cdef int _better(const void *one, const void *other) noexcept nogil:
    """Compare two nodes for a sort that puts the best node first. Keys are never equal."""
    return -1 if (<const _Node *>one).key > (<const _Node *>other).key else 1


cdef class _Beam:
    """A beam search: after each ply, keeps the `width` lines whose boards have the highest values."""
    cdef int width, room, ply
    cdef _Node *lines
    cdef _Node *children
    cdef uint64_t *seen
    cdef _Origin *origins
    cdef _Points points
    cdef _Best best
    cdef uint64_t seed

    def __cinit__(self, int width, uint64_t seed):
        self.width = width
        self.room = _SEEN_PER_LINE
        while self.room < _SEEN_PER_LINE * width:
            self.room *= 2
        self.seed = 2 * seed + 1
        self.lines = <_Node *>malloc(width * sizeof(_Node))
        self.children = <_Node *>malloc(width * _MOST_CHILDREN * sizeof(_Node))
        self.seen = <uint64_t *>malloc(self.room * sizeof(uint64_t))
        self.origins = <_Origin *>calloc(_MOST_PLIES * width, sizeof(_Origin))
        if not (self.lines and self.children and self.seen and self.origins):
            raise MemoryError

    def __dealloc__(self):
        free(self.lines)
        free(self.children)
        free(self.seen)
        free(self.origins)

    cdef void run(self, const SoloState *state, uint64_t won) except *:
        """Search until no line has a legal move or the score reaches its upper bound."""
        cdef int count = 1
        cdef int bound = _score(&self.points, won | solo_winnable(state))
        self.lines[0].state = state[0]
        self.lines[0].won = won
        self.best.score = _score(&self.points, won)
        self.best.won = won
        self.best.ply = -1
        for self.ply in range(_MOST_PLIES):
            with nogil:
                count = self.keep_best(self.grow(count))
            PyErr_CheckSignals()
            if not count or self.best.score == bound:
                return

    cdef int grow(self, int count) noexcept nogil:
        """Write the children of all lines to `children`, and return their number."""
        cdef int line, colour, square, made = 0
        cdef uint64_t moves
        memset(self.seen, 0, self.room * sizeof(uint64_t))
        for line in range(count):
            for colour in range(2):
                moves = solo_moves(&self.lines[line].state, colour)
                while moves:
                    square = first_square(moves)
                    moves &= moves - 1
                    made += self.add(&self.children[made], line, colour, square, made)
        return made

    cdef bint add(self, _Node *child, int line, int colour, int square, int number) noexcept nogil:
        """Write to `child` the board after a move. Return False if the board is known from another move."""
        cdef int score
        child.state = self.lines[line].state
        child.won = self.lines[line].won | solo_play(&child.state, colour, square)
        if not _is_new(self.seen, self.room, child):
            return False
        child.parent = line
        child.move = 64 * colour + square
        child.key = _judge(&self.points, &child.state, child.won) << 40
        # Ties are broken at random. `number` makes all keys different, so that every sort algorithm gives the same
        # order.
        child.key |= (_draw(&self.seed) & 0xFFFF) << 24 | number
        score = _score(&self.points, child.won)
        if score > self.best.score:
            self.best = _Best(score, self.ply, _Origin(child.parent, child.move), child.won)
        return True

    cdef int keep_best(self, int made) noexcept nogil:
        """Keep the best children as the beam for the next ply, and return their number."""
        cdef int line, count = min(made, self.width)
        if made > 1:
            qsort(self.children, made, sizeof(_Node), &_better)
        for line in range(count):
            self.lines[line] = self.children[line]
            self.origins[self.ply * self.width + line] = _Origin(self.lines[line].parent, self.lines[line].move)
        return count

    def moves(self):
        """Return the moves that lead to the best score, as colours and squares."""
        cdef _Origin origin = self.best.last
        cdef int ply = self.best.ply
        found = []
        while ply >= 0:
            found.append((_COLOURS[origin.move // 64], origin.move % 64))
            ply -= 1
            origin = self.origins[ply * self.width + origin.parent] if ply >= 0 else origin
        return tuple(reversed(found))


cdef _Points _points(SoloBoard board, uint64_t won, numbers):
    cdef _Points points
    cdef uint64_t chips = board.chips | won
    cdef int square
    if (board.state.closed & ~(board.state.chips[0] | board.state.chips[1])) or (won & board.chips):
        raise SettingsError("the colour of every chip must be known, and the chips won must be removed")
    if numbers is not None and len(numbers) != 64:
        raise SettingsError(f"expected the numbers of 64 squares, got {len(numbers)}")
    points.sum_of_numbers = numbers is not None
    points.blanks = 0
    for square in range(64):
        points.numbers[square] = numbers[square] if numbers is not None else 1
        if chips & bit(square) and not points.numbers[square]:
            points.blanks |= bit(square)
    points.perfect = max(_score(&points, chips), 1)
    return points


def best_line(SoloBoard board, won=0, numbers=None, width=1, seed=0):
    """Search by a beam search, which keeps the `width` boards with the highest values after each ply."""
    cdef _Beam beam = _Beam(whole("a width", width, 1, 1 << 16), whole("a seed", seed, 0, 1 << 63))
    beam.points = _points(board, mask(won), numbers)
    beam.run(&board.state, mask(won))
    return beam.best.won, beam.moves()


def judged_moves(SoloBoard board, won=0, numbers=None):
    """Return the value of the board after each legal move, in units of 1/200 of the average value of a chip."""
    cdef uint64_t already = mask(won)
    cdef _Points points = _points(board, already, numbers)
    cdef SoloState after
    cdef int colour, square
    cdef uint64_t moves, taken
    values = {}
    for colour in range(2):
        moves = solo_moves(&board.state, colour)
        while moves:
            square = first_square(moves)
            moves &= moves - 1
            after = board.state
            taken = solo_play(&after, colour, square)
            values[_COLOURS[colour], square] = _judge(&points, &after, already | taken)
    return values
