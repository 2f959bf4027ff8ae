"""Position: an immutable value, which calls the bitboard kernels. position.pyi documents the class."""

from libc.stdint cimport uint64_t

from outflank.engine.kernels cimport (
    bit,
    first_square,
    legal_moves,
    popcount,
    transform,
    turned_discs,
    turned_one_way,
)

from outflank.engine.boardtext import framed_board, read_board, write_board
from outflank.errors import IllegalMoveError, NotationError, OutflankError, OutOfRangeError
from outflank.engine.moves import MOVES, PASS, LegalMoves, Move, as_move
from outflank.engine.rules import Outcome, Rules, checked_rules
from outflank.engine.squares import DIRECTIONS, Colour, checked_square, parse_square, square_name, squares_of
from outflank.engine.symmetry import Symmetry
from outflank.errors import mask

_OTHELLO = Rules()
_SYMMETRIES = tuple(Symmetry)


cdef class Position:
    """A board, the side to move and the rules. Positions are immutable values: equal positions are interchangeable."""

    def __init__(self, own, opp, side, rules=_OTHELLO):
        if self.rules is not None:
            raise TypeError("a position is immutable: create a new one instead of calling __init__ again")
        self.own = mask(own)
        self.opp = mask(opp)
        if self.own & self.opp:
            both = square_name(first_square(self.own & self.opp))
            raise NotationError(f"{both} has discs of both colours")
        self.side = Colour(side)
        self.rules = checked_rules(rules)

    @classmethod
    def start(cls, rules=_OTHELLO):
        """Return the position in which a game under `rules` begins."""
        black, white = checked_rules(rules).start_discs
        return cls(black, white, Colour.BLACK, rules).with_side(rules.begins)

    @classmethod
    def parse(cls, str text, rules=_OTHELLO):
        """Read 64 squares a1..h8 row by row, optionally followed by the side to move."""
        black, white, side = read_board(text)
        rules = checked_rules(rules)
        return cls(black, white, Colour.BLACK, rules).with_side(rules.begins if side is None else side)

    @property
    def black(self):
        """Black's discs, one bit per square."""
        return self.own if self.side is Colour.BLACK else self.opp

    @property
    def white(self):
        """White's discs, one bit per square."""
        return self.own if self.side is Colour.WHITE else self.opp

    @property
    def empties(self):
        """The number of empty squares."""
        return 64 - popcount(self.own | self.opp)

    @property
    def is_over(self):
        """Whether neither side can move."""
        return not self.can_move(False) and not self.can_move(True)

    @property
    def must_pass(self):
        """Whether the side to move has no legal move although the other side has one."""
        return not self.can_move(False) and self.can_move(True)

    cdef bint can_move(self, bint opponent) noexcept:
        """Return whether the side to move has a legal move or, with `opponent`, whether the other side has one."""
        return legal_moves(self.opp, self.own) != 0 if opponent else legal_moves(self.own, self.opp) != 0

    def legal_mask(self, colour=None):
        """Return the squares where `colour` (by default the side to move) could play, one bit per square."""
        if colour is None or self._is_mover(colour):
            return legal_moves(self.own, self.opp)
        return legal_moves(self.opp, self.own)

    cdef bint _is_mover(self, colour) except -1:
        """Return whether `colour` is to move.

        Raises: NotationError if `colour` is not a colour.
        """
        return colour is self.side or Colour(colour) is self.side

    def legal_moves(self):
        """Return the legal moves, a1 first. Directions on a square are in the order n ne e se s sw w nw."""
        if not self.can_move(False):
            return LegalMoves((PASS,) if self.can_move(True) else ())
        squares = squares_of(legal_moves(self.own, self.opp))
        if not self.rules.one_direction:
            return LegalMoves(map(MOVES.__getitem__, squares))
        return LegalMoves(move for square in squares for move in self._choices(square))

    def is_legal(self, move):
        """Return whether ``play`` would accept `move`. Returns False if `move` is not a move at all."""
        try:
            self.parse_move(move)
        except OutflankError:
            return False
        return True

    def _choices(self, int square):
        directions = self._directions(square)
        if len(directions) == 1:
            return [Move(square)]
        return [Move(square, direction) for direction in directions]

    def _directions(self, int square):
        return [name for number, name in enumerate(DIRECTIONS) if turned_one_way(self.own, self.opp, square, number)]

    def parse_move(self, move):
        """Read a move and check that it is legal in this position."""
        return self._settle(as_move(move))

    def _settle(self, move):
        """Check a move and return it. The result has a direction only if several directions are possible.

        Raises: IllegalMoveError if the move is not legal, or if it lacks a needed direction.
        """
        if move.is_pass:
            if not self.must_pass:
                raise IllegalMoveError(self._why_no_pass())
            return PASS
        if not legal_moves(self.own, self.opp) & bit(move.square):
            raise IllegalMoveError(f"{move} is illegal; {self._legal()}")
        if not self.rules.one_direction:
            if move.direction:
                raise IllegalMoveError(f"a move turns discs in every direction, so {move} can't name one")
            return move
        directions = self._directions(move.square)
        if move.direction is None and len(directions) > 1:
            choices = " or ".join(f"{move}/{direction}" for direction in directions)
            raise IllegalMoveError(f"{move} needs a direction: {choices}")
        if move.direction and move.direction not in directions:
            raise IllegalMoveError(f"{move} is illegal; {self._legal()}")
        return move if len(directions) > 1 else Move(move.square)

    def _why_no_pass(self):
        if self.is_over:
            return "the game is over, so nobody can pass"
        return f"a pass is legal only if there is no other move; {self._legal()}"

    def _legal(self):
        """Describe the legal moves for an error message: ``legal for Black: d3 c4 f5 e6``."""
        moves = self.legal_moves()
        if not moves:
            return "the game is over"
        return f"legal for {self.rules.colour_name(self.side)}: " + " ".join(map(str, moves))

    cdef uint64_t _turned(self, move):
        if not self.rules.one_direction:
            return turned_discs(self.own, self.opp, move.square)
        direction = move.direction or self._directions(move.square)[0]
        return turned_one_way(self.own, self.opp, move.square, DIRECTIONS.index(direction))

    def turned(self, move):
        """Return the discs that `move` turns, one bit per square."""
        move = self.parse_move(move)
        return 0 if move.is_pass else self._turned(move)

    def play(self, move):
        """Return the position after `move` by the side to move. A pass is legal only if it is the only move."""
        move = self.parse_move(move)
        return self._after(0, 0) if move.is_pass else self._after(self._turned(move), bit(move.square))

    def pass_(self):
        """Return the position after a pass."""
        return self.play(PASS)

    cdef Position _after(self, uint64_t turned, uint64_t disc):
        """Return the position after a move. `turned`: the discs that it turns. `disc`: the new disc, 0 for a pass."""
        return self._made(self.opp ^ turned, self.own ^ turned ^ disc, self.side.other)

    cdef Position _made(self, uint64_t own, uint64_t opp, side):
        """Return a position under the same rules. The arguments are not checked."""
        cdef Position made = Position.__new__(Position)
        made.own = own
        made.opp = opp
        made.side = side
        made.rules = self.rules
        return made

    def with_side(self, side):
        """Return the same board with `side` to move."""
        if Colour(side) is self.side:
            return self
        return self._made(self.opp, self.own, self.side.other)

    def with_rules(self, rules):
        """Return the same board and side under other rules."""
        return Position(self.own, self.opp, self.side, rules)

    def discs(self, colour):
        """Return the number of discs that `colour` has on the board."""
        return popcount(self.own if self._is_mover(colour) else self.opp)

    def score(self, colour=Colour.BLACK):
        """Return the disc difference from the point of view of `colour` (by default Black)."""
        difference = self.discs(colour) - self.discs(Colour(colour).other)
        if self.rules.scoring == "empties" and difference and self.is_over:
            return difference + self.empties if difference > 0 else difference - self.empties
        return difference

    def outcome(self):
        """Return the outcome of the game; None while it continues."""
        if not self.is_over:
            return None
        margin = self.score()
        winner = self.rules.winner_by(margin)
        termination = "full board" if not self.empties else "no moves" if self.own and self.opp else "wipe-out"
        return Outcome(winner, abs(margin), termination, "discs" if margin else self.rules.tie)

    def disc_at(self, square):
        """Return the colour of the disc on a square, or None if the square is empty."""
        if isinstance(square, str):
            square = parse_square(square)
        cdef int number = checked_square(square)
        if bit(number) & self.own:
            return self.side
        return self.side.other if bit(number) & self.opp else None

    def symmetries(self):
        """Return the eight images of the board under rotation and reflection, the board itself first."""
        return tuple(map(self.transformed, Symmetry))

    def transformed(self, symmetry):
        """Return the image of the board under a rotation or reflection, with the same side and rules."""
        if symmetry not in _SYMMETRIES:
            raise OutOfRangeError(f"expected a symmetry from 0 to 7, got {symmetry!r}")
        cdef int number = symmetry
        return self._made(transform(self.own, number), transform(self.opp, number), self.side)

    def canonical(self):
        """Return the image with the smallest pair (own, opp) of all eight, and the symmetry that leads to it."""
        cdef uint64_t own, opp, least_own = self.own, least_opp = self.opp
        cdef int symmetry, leads_there = 0
        for symmetry in range(1, 8):
            own, opp = transform(self.own, symmetry), transform(self.opp, symmetry)
            if own < least_own or (own == least_own and opp < least_opp):
                least_own, least_opp, leads_there = own, opp, symmetry
        return self._made(least_own, least_opp, self.side), _SYMMETRIES[leads_there]

    def board_string(self):
        """Return the text ``-----... X``, which ``parse`` reads."""
        return write_board(self.black, self.white) + (" X" if self.side is Colour.BLACK else " O")

    def __str__(self):
        """Return a drawing of the board with legal moves as dots, and a line with disc counts and the side to move."""
        letters = list(self.board_string()[:64].replace("-", " "))
        for square in squares_of(legal_moves(self.own, self.opp)):
            letters[square] = "."
        black, white = self.rules.colour_names
        counts = f"{black} (X) {self.discs(Colour.BLACK)}, {white} (O) {self.discs(Colour.WHITE)}"
        turn = "game over" if self.is_over else f"{self.rules.colour_name(self.side)} to move"
        return f"{framed_board(letters)}\n{counts}, {turn}"

    def svg(self, *, size=360, last=None, legal=True, scores=None, line=(), number=1, coordinates=True):
        """Return the board as an SVG image. Notebooks show this image for a position."""
        from outflank.engine.boardsvg import board_svg  # imported here, so that the engine starts faster

        return board_svg(
            self, size=size, last=last, legal=legal, scores=scores, line=line, number=number, coordinates=coordinates
        )

    def _repr_svg_(self):
        """Return an image of the board for notebooks."""
        return self.svg()

    def __repr__(self):
        return f"Position.parse({self.board_string()!r}, Rules.parse({str(self.rules)!r}))"

    def __eq__(self, other):
        if not isinstance(other, Position):
            return NotImplemented
        cdef Position that = other
        return (
            self.own == that.own
            and self.opp == that.opp
            and self.side is that.side
            and (self.rules is that.rules or self.rules == that.rules)
        )

    def __hash__(self):
        return hash((self.own, self.opp, self.side))

    def __reduce__(self):
        return Position, (self.own, self.opp, self.side, self.rules)
