"""A position: the discs of both sides, the side to move, and the rules. Immutable and hashable."""

from collections.abc import Mapping, Sequence

from outflank.engine.moves import LegalMoves, Move
from outflank.engine.rules import Outcome, Rules
from outflank.engine.squares import Colour
from outflank.engine.symmetry import Symmetry

class Position:
    """A board, the side to move and the rules; a value: equal positions are interchangeable.

    Args:
        own: discs of the side to move, one bit a square, bit 0 = a1, bit 63 = h8.
        opp: discs of the other side.
        side: the side to move.
        rules: the member of the rules family; tournament Othello if left out.

    Raises: NotationError if a square is owned by both; SettingsError if `rules` is not a ``Rules``.
    """

    def __init__(self, own: int, opp: int, side: Colour, rules: Rules = ...) -> None: ...
    @classmethod
    def start(cls, rules: Rules = ...) -> Position:
        """Return the position in which a game under `rules` begins."""

    @classmethod
    def parse(cls, text: str, rules: Rules = ...) -> Position:
        """Read 64 squares a1..h8 row by row, optionally followed by the side to move.

        Black is one of ``X x * b B ●``, White ``O o w W ○``, empty ``- . _ ・``; or Black is 1 and White 2. In
        a text with a ``0`` and no letter Black is 0 and White 1; with a ``2`` too, empty is 0, Black 1 and White 2.
        Blanks and line ends between squares, bars between rows and GGF's size ``8`` before them are skipped. Eight
        rows may have their numbers before them, as programs and GGS print them. In a FEN as Edax writes it, such as
        ``8/8/8/3pP3/3Pp3/8/8/8 b``, p is Black, P White, and row 8 comes first; with the letters above, row 1 comes
        first. The side to move is such a letter or the word ``black`` or ``white``, optionally with ``to move``; by
        default it is the side that begins under `rules`. A ``;`` may separate squares and side. OBF's scores after the
        side are skipped.

        Raises: NotationError with the expected text and the position of the error.
        """

    @property
    def own(self) -> int:
        """Discs of the side to move, one bit a square."""
    @property
    def opp(self) -> int:
        """Discs of the other side, one bit a square."""
    @property
    def black(self) -> int:
        """Black's discs, one bit a square."""
    @property
    def white(self) -> int:
        """White's discs, one bit a square."""
    @property
    def side(self) -> Colour:
        """The side to move (it may have to pass)."""
    @property
    def rules(self) -> Rules:
        """The rules of the game."""
    @property
    def empties(self) -> int:
        """The number of empty squares."""
    @property
    def is_over(self) -> bool:
        """Whether neither side can move."""
    @property
    def must_pass(self) -> bool:
        """Whether the side to move has no move but the other side has."""

    def legal_moves(self) -> LegalMoves:
        """Return the moves of the side to move, a1 first, directions in the order n ne e se s sw w nw.

        ``(PASS,)`` if it has to pass, ``()`` if the game is over. The result is a tuple of moves whose ``in`` also
        accepts texts and square numbers, such as ``"f5"`` and ``37``.
        """

    def is_legal(self, move: Move | str | int) -> bool:
        """Return whether ``play`` would accept `move`; False also for anything that is not a move."""

    def legal_mask(self, colour: Colour | None = None) -> int:
        """Return the squares where `colour` (the side to move if None) could play, one bit a square."""

    def parse_move(self, move: Move | str | int) -> Move:
        """Read a move and check that it is legal here: ``f5``, ``d3/ne``, ``pass``, any case, a square or a Move.

        Raises: NotationError if it can't be read; IllegalMoveError if it is not legal, or if it lacks a direction where
        several are possible (the message lists them).
        """

    def turned(self, move: Move | str | int) -> int:
        """Return the discs that `move` turns, one bit a square.

        Raises: see ``parse_move``.
        """

    def play(self, move: Move | str | int) -> Position:
        """Return the position after `move` by the side to move; a pass is legal only if it is the only move.

        Raises: see ``parse_move``.
        """

    def pass_(self) -> Position:
        """Return the position after a pass.

        Raises: IllegalMoveError unless ``must_pass``.
        """

    def with_side(self, side: Colour) -> Position:
        """Return the same board with `side` to move."""

    def with_rules(self, rules: Rules) -> Position:
        """Return the same board and side under other rules."""

    def discs(self, colour: Colour) -> int:
        """Return the number of discs that `colour` has on the board."""

    def disc_at(self, square: int | str) -> Colour | None:
        """Return the owner of the disc on a square, by number (0..63) or name (``"d4"``); None if it is empty.

        Raises: NotationError if the name is not a square; OutOfRangeError if the number is not a square.
        """

    def score(self, colour: Colour = ...) -> int:
        """Return the disc difference from `colour`'s point of view (Black's if left out), by the rules' scoring.

        If the winner takes the empties, they are added only if the game is over; before the end it is the plain
        difference.
        """

    def outcome(self) -> Outcome | None:
        """Return the outcome of the game; None while it continues."""

    def svg(
        self,
        *,
        size: int = 360,
        last: Move | str | int | None = None,
        legal: bool = True,
        scores: Mapping[Move, float] | Mapping[str, float] | Mapping[int, float] | None = None,
        line: Sequence[Move | str | int] = (),
        number: int = 1,
        coordinates: bool = True,
    ) -> str:
        """Return the board as an SVG image, which a notebook shows for a position.

        Args:
            size: width and height in pixels.
            last: the last move, whose disc is marked.
            legal: True to mark the squares where the side to move may play.
            scores: the scores of legal moves in discs, from the side to move; the best ones stand out.
            line: the following moves, shown as numbered discs; a pass has no number.
            number: the number of the first of these moves.
            coordinates: True if letters and numbers are drawn at the board's edge.

        Raises: SettingsError if the size is out of range or there is no disc on the square of `last`; NotationError and
        IllegalMoveError for moves of `scores` and `line`.
        """

    def _repr_svg_(self) -> str:
        """Return the picture for a notebook."""

    def symmetries(self) -> tuple[Position, ...]:
        """Return the eight images of the board under rotation and reflection, the board itself first."""

    def transformed(self, symmetry: Symmetry) -> Position:
        """Return the image of the board under a rotation or reflection, with the same side and rules.

        Raises: OutOfRangeError if there is no such symmetry.
        """

    def canonical(self) -> tuple[Position, Symmetry]:
        """Return the one of the eight images with the smallest (own, opp), and the symmetry that maps to it.

        The inverse maps a move of the image back: ``symmetry.inverse.move(move)``. If several symmetries map to the
        image, the one with the smallest number is returned.
        """

    def board_string(self) -> str:
        """Return ``-----...X``: 64 squares of ``X O -`` a1 first, a blank and the side to move; ``parse`` reads it."""

    def __str__(self) -> str:
        """Return a board for people: rows 1 to 8, legal squares as dots, side to move and disc counts."""
    def __eq__(self, other: object) -> bool: ...
    def __hash__(self) -> int: ...
    def __reduce__(self) -> tuple[object, ...]: ...
