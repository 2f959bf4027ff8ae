"""The solo game's board and the proof that no chip can be won any more; core.pyi documents the Python interface."""

from libc.stdint cimport uint64_t

from outflank.errors import IllegalMoveError, NotationError
from outflank.engine.kernels cimport bit, first_square
from outflank.engine.rules import PRESETS
from outflank.engine.squares import SQUARES, Colour, checked_square, square_name
from outflank.errors import mask, whole

_SHEET = PRESETS["ravensburger-2006"]


def _name(square):
    return square_name(square) if square in SQUARES else repr(square)


cdef dict _NUMBERS = {Colour.BLACK: 0, Colour.WHITE: 1}


cdef int _number(colour) except -1:
    """Return the number of a colour.

    Raises: NotationError if `colour` is not a colour.
    """
    return _NUMBERS[Colour(colour)]

# The sets of squares that the proof in `SoloBoard.winnable` extends step by step.
cdef struct _Hope:
    uint64_t[2] discs  # squares that may hold a disc of a colour
    uint64_t[2] placed  # squares on which a disc of a colour may be placed
    uint64_t opened  # chips that could be face up
    uint64_t won


cdef uint64_t _through(uint64_t start, uint64_t run, int direction) noexcept nogil:
    """Return the squares of `run` that a straight line from `start` reaches without leaving the run."""
    cdef uint64_t reached = step(start, direction) & run
    cdef int _again
    for _again in range(5):  # a run has at most six squares, since it is bracketed by two more squares
        reached |= step(reached, direction) & run
    return reached


cdef uint64_t _unknown(const SoloState *state) noexcept nogil:
    """Return the closed chips whose colour is unknown."""
    return state.closed & ~(state.chips[0] | state.chips[1])


cdef bint _grow_discs(_Hope *hope, const SoloState *state, int colour) noexcept nogil:
    """Extend the sets of squares where a disc of `colour` may lie or be placed; return whether a set grew."""
    cdef uint64_t own = hope.discs[colour], opp = hope.discs[colour ^ 1], placed, turned = 0
    cdef uint64_t[DIRECTIONS] reached
    cdef int direction
    placed = beyond_chips(own, hope.opened & (state.chips[colour ^ 1] | _unknown(state)))
    for direction in range(DIRECTIONS):
        placed |= step(_through(own, opp, direction), direction)
    placed &= free_squares(state) | hope.won
    placed |= hope.placed[colour]
    for direction in range(DIRECTIONS):
        reached[direction] = _through(own | placed, opp, direction)
    for direction in range(DIRECTIONS):
        turned |= _through(placed, opp, direction) & reached[opposite(direction)]
    turned |= own | placed
    if placed == hope.placed[colour] and turned == own:
        return False
    hope.placed[colour] = placed
    hope.discs[colour] = turned
    return True


cdef uint64_t _openers(const _Hope *hope, int but) noexcept nogil:
    """Return the squares that share a side with a square where a disc may be placed.

    A step from the disc in direction `but` does not count; DIRECTIONS excludes no step.
    """
    cdef uint64_t placed = hope.placed[0] | hope.placed[1], squares = 0
    cdef int direction
    for direction in range(SIDES):
        if direction != but:
            squares |= step(placed, direction)
    return squares


cdef bint _grow_chips(_Hope *hope, const SoloState *state) noexcept nogil:
    """Add chips that may be turned up, and chips that may be won; return whether the sets grew."""
    cdef uint64_t opened = hope.opened | (state.closed & _openers(hope, DIRECTIONS)), won = hope.won, before
    cdef int direction, colour
    for direction in range(DIRECTIONS):
        # An earlier move to another square than the bracketing disc's has to turn up a closed chip, since a move takes
        # chips before it turns any up.
        before = opened & (~state.closed | _openers(hope, direction))
        for colour in range(2):
            won |= (
                step(hope.placed[colour], direction)
                & step(hope.discs[colour], opposite(direction))
                & (state.chips[colour ^ 1] | _unknown(state))
                & before
            )
    if opened == hope.opened and won == hope.won:
        return False
    hope.opened = opened
    hope.won = won
    return True


cdef uint64_t solo_winnable(const SoloState *state) noexcept nogil:
    """Return the chips that are not proven to be lost; see `SoloBoard.winnable`."""
    cdef _Hope hope
    cdef uint64_t chips = state.chips[0] | state.chips[1] | state.closed
    cdef bint growing = True
    hope.discs[0], hope.discs[1] = state.discs[0], state.discs[1]
    hope.placed[0] = hope.placed[1] = hope.won = 0
    hope.opened = chips & ~state.closed
    while growing and hope.won != chips:
        growing = _grow_discs(&hope, state, 0)
        growing |= _grow_discs(&hope, state, 1)
        growing |= _grow_chips(&hope, state)
    return hope.won


cdef int _look_for_a_win(const SoloState *state, long *nodes) noexcept nogil:
    """Return 1 if a line of moves wins a chip, 0 if no line does, or -1 if the nodes ran out before an answer."""
    cdef SoloState[128] children  # two colours, 64 squares
    cdef int colour, square, count = 0, found, answer = 0
    cdef uint64_t moves
    if not solo_winnable(state):
        return 0
    for colour in range(2):
        moves = solo_moves(state, colour)
        while moves:
            square = first_square(moves)
            moves &= moves - 1
            children[count] = state[0]
            if solo_play(&children[count], colour, square):
                return 1
            count += 1
    for square in range(count):
        if nodes[0] <= 0:
            return -1
        nodes[0] -= 1
        found = _look_for_a_win(&children[square], nodes)
        if found == 1:
            return 1
        answer = min(answer, found)
    return answer


cdef class SoloBoard:
    """The board. Boards are immutable values: equal boards are interchangeable."""

    def __init__(self, black, white, black_chips, white_chips, closed=0):
        if self._made:
            raise TypeError("a board is immutable: create a new one instead of calling __init__ again")
        self.state.discs = [mask(black), mask(white)]
        self.state.chips = [mask(black_chips), mask(white_chips)]
        self.state.closed = mask(closed)
        cdef uint64_t *discs = self.state.discs
        cdef uint64_t *chips = self.state.chips
        twice = (discs[0] & discs[1]) | (chips[0] & chips[1]) | (
            (discs[0] | discs[1]) & (chips[0] | chips[1] | self.state.closed)
        )
        if twice:
            raise NotationError(f"expected one disc or chip on a square, got two on {square_name(first_square(twice))}")
        self._made = True

    @property
    def black(self):
        """The black discs."""
        return self.state.discs[0]

    @property
    def white(self):
        """The golden discs."""
        return self.state.discs[1]

    @property
    def closed(self):
        """The chips that lie face down."""
        return self.state.closed

    @property
    def chips(self):
        """All remaining chips."""
        return self.state.chips[0] | self.state.chips[1] | self.state.closed

    def chips_of(self, colour):
        """Return the chips that are known to have this colour."""
        return self.state.chips[_number(colour)]

    def hidden(self):
        """Return the same board without the colours of closed chips."""
        return SoloBoard(
            self.state.discs[0],
            self.state.discs[1],
            open_chips(&self.state, 0),
            open_chips(&self.state, 1),
            self.state.closed,
        )

    def legal_mask(self, colour):
        """Return the free squares on which a disc of this colour turns a disc or wins a chip."""
        return solo_moves(&self.state, _number(colour))

    def turned(self, colour, square):
        """Return the discs that a disc of this colour on `square` turns. A chip stops a row as a free square does."""
        self._expect_legal(colour, square)
        return solo_turned(&self.state, _number(colour), square)

    def taken(self, colour, square):
        """Return the chips that a disc of this colour on `square` wins."""
        self._expect_legal(colour, square)
        return solo_taken(&self.state, _number(colour), square)

    def opened(self, square):
        """Return the closed chips that a disc on `square` turns face up: the chips that share a side with the disc."""
        return self.state.closed & beside(bit(checked_square(square)))

    def play(self, colour, square):
        """Return the board after a move: discs are turned, then chips are taken, then chips are turned face up."""
        cdef SoloBoard after = SoloBoard.__new__(SoloBoard)
        self._expect_legal(colour, square)
        if _unknown(&self.state) & beside(bit(square)):
            raise IllegalMoveError(
                "this move needs the dealer's board, since only the dealer knows the chips that it turns up"
            )
        after.state = self.state
        after._made = True
        solo_play(&after.state, _number(colour), square)
        return after

    def winnable(self):
        """Return the chips that are not proven to be lost. No line of moves wins any other chip."""
        return solo_winnable(&self.state)

    def can_win(self, nodes):
        """Return whether any line of moves wins a chip; None if a search of `nodes` boards gives no answer."""
        cdef long left = whole("nodes", nodes, 0, 1 << 62)
        cdef int answer
        with nogil:
            answer = _look_for_a_win(&self.state, &left)
        return None if answer < 0 else bool(answer)

    def _expect_legal(self, colour, square):
        if not (square in SQUARES and solo_moves(&self.state, _number(colour)) & bit(square)):
            name = _SHEET.colour_name(Colour(colour))
            raise IllegalMoveError(f"{_name(square)} is illegal; {name} needs a free square that brackets something")

    def _key(self):
        return tuple(self.state.discs), tuple(self.state.chips), self.state.closed

    def __eq__(self, other):
        return isinstance(other, SoloBoard) and self._key() == (<SoloBoard>other)._key()

    def __hash__(self):
        return hash(self._key())
