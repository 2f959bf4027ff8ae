"""Position: an immutable value over the bitboard kernels. position.pyi documents it."""

from libc.stdint cimport uint64_t

import re

from outflank.engine.kernels cimport (
    bit,
    first_square,
    legal_moves,
    popcount,
    transform,
    turned_discs,
    turned_one_way,
)

from outflank.engine.errors import IllegalMoveError, NotationError
from outflank.engine.moves import PASS, Move
from outflank.engine.rules import STARTS, Rules
from outflank.engine.squares import DIRECTIONS, SQUARE_NAMES, Colour, parse_square, square_name

_OTHELLO = Rules()
_BLACK_LETTERS = frozenset("Xx*bB1")
_WHITE_LETTERS = frozenset("OowW2")
_EMPTY_LETTERS = frozenset("-._")
_CENTRE = frozenset({"d4", "e4", "d5", "e5"})


cdef class Position:
    def __init__(self, uint64_t own, uint64_t opp, side, rules=_OTHELLO):
        if own & opp:
            both = square_name(first_square(own & opp))
            raise NotationError(f"expected a square to have one owner, got {both} twice")
        self.own = own
        self.opp = opp
        self.side = Colour(side)
        self.rules = rules

    @classmethod
    def start(cls, rules=_OTHELLO):
        if rules.start not in STARTS:
            return cls.parse(rules.start, rules).with_side(rules.begins)
        white = sum(1 << parse_square(name) for name in STARTS[rules.start])
        black = sum(1 << parse_square(name) for name in _CENTRE - set(STARTS[rules.start]))
        return cls(black, white, Colour.BLACK, rules).with_side(rules.begins)

    @classmethod
    def parse(cls, str text, rules=_OTHELLO):
        discs = {Colour.BLACK: 0, Colour.WHITE: 0}
        letters = re.sub(r"\s+", " ", text.partition(";")[0]).strip()
        square = at = 0
        while square < 64 and at < len(letters):
            letter = letters[at]
            at += 1
            if letter == " ":
                continue
            if letter in _BLACK_LETTERS:
                discs[Colour.BLACK] |= 1 << square
            elif letter in _WHITE_LETTERS:
                discs[Colour.WHITE] |= 1 << square
            elif letter not in _EMPTY_LETTERS:
                name = SQUARE_NAMES[square]
                raise NotationError(f"expected X, O or - for square {name} of the board, got {letter!r}")
            square += 1
        if square < 64:
            raise NotationError(f"expected a board of 64 squares, got {square}: {text!r}")
        side = _parse_side(letters[at:].strip(), rules)
        return cls(discs[side], discs[side.other], side, rules)

    @property
    def black(self):
        return self.own if self.side is Colour.BLACK else self.opp

    @property
    def white(self):
        return self.own if self.side is Colour.WHITE else self.opp

    @property
    def empties(self):
        return 64 - popcount(self.own | self.opp)

    @property
    def is_over(self):
        return not self.can_move(False) and not self.can_move(True)

    @property
    def must_pass(self):
        return not self.can_move(False) and self.can_move(True)

    cdef bint can_move(self, bint opponent) noexcept:
        """Whether the side to move, or its opponent, has a move; the same for every way of turning."""
        return legal_moves(self.opp, self.own) != 0 if opponent else legal_moves(self.own, self.opp) != 0

    def legal_mask(self, colour=None):
        if colour is None or colour == self.side:
            return legal_moves(self.own, self.opp)
        return legal_moves(self.opp, self.own)

    def legal_moves(self):
        if not self.can_move(False):
            return (PASS,) if self.can_move(True) else ()
        squares = unpack(legal_moves(self.own, self.opp))
        if not self.rules.one_direction:
            return tuple(map(Move, squares))
        return tuple(move for square in squares for move in self._choices(square))

    def _choices(self, int square):
        """The moves on one legal square where a single direction is turned."""
        directions = self._directions(square)
        if len(directions) == 1:
            return [Move(square)]
        return [Move(square, direction) for direction in directions]

    def _directions(self, int square):
        """The directions in which `square` brackets discs."""
        return [name for number, name in enumerate(DIRECTIONS) if turned_one_way(self.own, self.opp, square, number)]

    def parse_move(self, str text):
        return self._settle(Move.parse(text))

    def _settle(self, move):
        """The move as this position writes it: a direction only where there is a choice.

        Raises: IllegalMoveError if it is not legal or leaves the choice open.
        """
        if move.is_pass:
            if not self.must_pass:
                raise IllegalMoveError(self._why_no_pass())
            return PASS
        if not legal_moves(self.own, self.opp) & bit(move.square):
            raise IllegalMoveError(f"expected {self._expected()}, got {move}")
        if not self.rules.one_direction:
            if move.direction:
                raise IllegalMoveError(f"expected no direction, since a move turns all of them, got {move}")
            return move
        directions = self._directions(move.square)
        if move.direction is None and len(directions) > 1:
            choices = " or ".join(f"{move}/{direction}" for direction in directions)
            raise IllegalMoveError(f"expected a direction ({choices}), got {move}")
        if move.direction and move.direction not in directions:
            raise IllegalMoveError(f"expected {self._expected()}, got {move}")
        return move if len(directions) > 1 else Move(move.square)

    def _why_no_pass(self):
        if self.is_over:
            return "expected no more moves, since the game is over, got a pass"
        return f"expected {self._expected()}, since a pass is legal only without a move, got a pass"

    def _expected(self):
        """The legal moves in words."""
        moves = self.legal_moves()
        if not moves:
            return "no more moves, since the game is over"
        return f"{self.side} to play " + " ".join(map(str, moves))

    cdef uint64_t _turned(self, move):
        """The discs a settled move turns."""
        if not self.rules.one_direction:
            return turned_discs(self.own, self.opp, move.square)
        direction = move.direction or self._directions(move.square)[0]
        return turned_one_way(self.own, self.opp, move.square, DIRECTIONS.index(direction))

    def turned(self, move):
        move = self._settle(_as_move(move))
        return 0 if move.is_pass else self._turned(move)

    def play(self, move):
        move = self._settle(_as_move(move))
        return self._after(0, 0) if move.is_pass else self._after(self._turned(move), bit(move.square))

    def pass_(self):
        return self.play(PASS)

    cdef Position _after(self, uint64_t turned, uint64_t disc):
        """The other side's turn with `turned` and the new `disc` ours."""
        cdef Position after = Position.__new__(Position)
        after.own = self.opp ^ turned
        after.opp = self.own ^ turned ^ disc
        after.side = self.side.other
        after.rules = self.rules
        return after

    def with_side(self, side):
        if Colour(side) is self.side:
            return self
        return Position(self.opp, self.own, side, self.rules)

    def with_rules(self, rules):
        return Position(self.own, self.opp, self.side, rules)

    def discs(self, colour):
        return popcount(self.own if colour == self.side else self.opp)

    def score(self, colour=Colour.BLACK):
        difference = self.discs(colour) - self.discs(Colour(colour).other)
        if self.rules.scoring == "empties" and difference and self.is_over:
            return difference + self.empties if difference > 0 else difference - self.empties
        return difference

    def winner(self):
        lead = self.score()
        if lead:
            return Colour.BLACK if lead > 0 else Colour.WHITE
        return self.rules.begins.other if self.rules.tie == "second" else None

    def symmetries(self):
        return tuple(
            Position(transform(self.own, symmetry), transform(self.opp, symmetry), self.side, self.rules)
            for symmetry in range(8)
        )

    def canonical(self):
        return min(self.symmetries(), key=_discs)

    def board_string(self):
        black, white = self.black, self.white
        letters = ("X" if black >> s & 1 else "O" if white >> s & 1 else "-" for s in range(64))
        return "".join(letters) + (" X" if self.side is Colour.BLACK else " O")

    def __str__(self):
        letters = list(self.board_string()[:64].replace("-", " "))
        for square in unpack(legal_moves(self.own, self.opp)):
            letters[square] = "."
        rows = [f"{row + 1} {' '.join(letters[8 * row : 8 * row + 8])} {row + 1}" for row in range(8)]
        black, white = self.rules.colour_names
        counts = f"{black} (X) {self.discs(Colour.BLACK)}, {white} (O) {self.discs(Colour.WHITE)}"
        turn = "game over" if self.is_over else f"{black if self.side is Colour.BLACK else white} to move"
        files = "  a b c d e f g h"
        return "\n".join([files, *rows, files, f"{counts}, {turn}"])

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


def unpack(uint64_t mask):
    squares = []
    while mask:
        squares.append(first_square(mask))
        mask &= mask - 1
    return squares


def _discs(Position position):
    return position.own, position.opp


def _as_move(move):
    return move if isinstance(move, Move) else Move.parse(move)


def _parse_side(text, rules):
    """The colour that `text` behind a board names; the rules' first player if there is none."""
    if not text:
        return rules.begins
    if text in _BLACK_LETTERS or text.lower() == "black":
        return Colour.BLACK
    if text in _WHITE_LETTERS or text.lower() == "white":
        return Colour.WHITE
    raise NotationError(f"expected X, O, black or white behind the 64 squares, got {text!r}")
