"""The thirteen patterns and their 54 instances on the board, which are the features; patterns.pxd describes features.

The patterns are Edax's (corners, edges with both X squares, rows, and diagonals of four and more squares), and the 2x5
corner block of Logistello.
"""

from libc.stdint cimport int32_t, uint16_t, uint64_t
from libc.string cimport memcpy, memset

import zlib

from outflank.engine.kernels cimport bit, first_square, popcount
from outflank.engine.kernels cimport transform as transform_mask

from outflank.engine.evaluation.unpacking import PATTERNS
from outflank.engine.squares import parse_square, square_name


def _image(squares, symmetry):
    return tuple(square_name(first_square(transform_mask(bit(parse_square(name)), symmetry))) for name in squares)


def _instances():
    for table, squares in enumerate(PATTERNS):
        images = {}
        for symmetry in range(8):
            image = _image(squares, symmetry)
            images.setdefault(frozenset(image), image)
        for image in images.values():
            yield table, image


# The powers are Python integers in a table, since Cython computes powers of C integers as floats.
_POWERS_OF_3 = [1, 3, 9, 27, 81, 243, 729, 2187, 6561, 19683, 59049]
TABLE_OF, INSTANCES = zip(*_instances(), strict=True)
TABLE_OFFSETS = tuple(
    sum(_POWERS_OF_3[len(squares)] for squares in PATTERNS[:table]) for table in range(len(PATTERNS) + 1)
)

# The squares near each corner, in the order of their bits in the index of CORNER_CLASSES, the lowest bit first.
CORNER_SQUARES = (
    ("a1", "b1", "a2", "b2"), ("g2", "h2", "g1", "h1"), ("a7", "b7", "a8", "b8"), ("g8", "h8", "g7", "h7")
)


def layout_hash():
    """Return a hash of the patterns, their order, and the order of their digits."""
    return zlib.crc32(repr((PATTERNS, INSTANCES, MOST_MOVES, CORNER_SQUARES)).encode())


cdef void _fill_tables():
    for feature, (table, squares) in enumerate(zip(TABLE_OF, INSTANCES, strict=True)):
        OFFSETS[feature] = TABLE_OFFSETS[table]
        for place, name in enumerate(squares):
            STEPS[parse_square(name)][feature] = _POWERS_OF_3[len(squares) - 1 - place]
    for lane in range(FEATURES, LANES):
        OFFSETS[lane] = PADDING_WEIGHT


cdef int _corner_class(squares, int moves, bint turned):
    """Return a bit for each square near a corner to which a move is legal: X, C in the row, C in the file, corner.

    `moves` has these bits in the order of `squares`. If `turned`, the bits of the two C squares are swapped.
    """
    cdef int found = 0
    for place, (file, row) in enumerate(squares):
        if moves >> place & 1:
            in_corner_file, in_corner_row = file in "ah", row in "18"
            if turned:
                in_corner_file, in_corner_row = in_corner_row, in_corner_file
            found |= 1 << (2 * in_corner_file + in_corner_row)
    return found


cdef void _fill_corner_classes():
    """Fill CORNER_CLASSES. A board and its mirror image across the diagonal through the corner get the same class."""
    cdef int moves, one, other
    for corner, squares in enumerate(CORNER_SQUARES):
        for moves in range(256):
            one, other = (
                _corner_class(squares, moves & 15, turned) | _corner_class(squares, moves >> 4, turned) << 4
                for turned in (False, True)
            )
            CORNER_CLASSES[corner][moves] = min(one, other)


_fill_tables()
_fill_corner_classes()
assert TABLE_OFFSETS[len(PATTERNS)] == TABLE_WEIGHTS and len(INSTANCES) == FEATURES


cdef inline void _add_steps(uint16_t *view, int square, uint16_t digit) noexcept nogil:
    cdef int lane
    for lane in range(LANES):
        view[lane] += digit * STEPS[square][lane]


cdef void set_features(Features *features, uint64_t own, uint64_t opp, int side) noexcept nogil:
    """Compute the features of a board from scratch. `side` has the discs `own`."""
    cdef int square
    cdef uint16_t[2][LANES] views  # local, so that the compiler knows that they don't overlap STEPS
    memset(views, 0, sizeof(views))
    for square in range(64):
        if own & bit(square):
            _add_steps(views[1], square, 1)
        elif opp & bit(square):
            _add_steps(views[0], square, 1)
        else:
            _add_steps(views[0], square, 2)
            _add_steps(views[1], square, 2)
    memcpy(features.views[side], views[0], sizeof(views[0]))
    memcpy(features.views[1 - side], views[1], sizeof(views[1]))


def extract(const uint64_t[::1] own, const uint64_t[::1] opp, int32_t[:, ::1] out):
    """Write the indices of each board's weights to `out`, which has the shape (boards, WEIGHTS_OF_A_POSITION)."""
    cdef Py_ssize_t board
    cdef Features features
    cdef int32_t[LANES] weights
    cdef int empties
    if own.shape[0] != opp.shape[0] or out.shape[0] != own.shape[0] or out.shape[1] != WEIGHTS_OF_A_POSITION:
        raise ValueError(f"expected out of shape ({own.shape[0]}, {WEIGHTS_OF_A_POSITION}), got {tuple(out.shape)[:2]}")
    with nogil:
        for board in range(own.shape[0]):
            empties = 64 - popcount(own[board] | opp[board])
            set_features(&features, own[board], opp[board], 0)
            find_pattern_weights(weights, features.views[0], OFFSETS)
            find_other_weights(own[board], opp[board], empties, weights + FEATURES)
            memcpy(&out[board, 0], weights, WEIGHTS_OF_A_POSITION * sizeof(int32_t))
