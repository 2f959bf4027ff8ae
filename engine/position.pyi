"""A position: the discs of both sides, the side to move, and the rules. A position is immutable and hashable."""

from collections.abc import Mapping, Sequence

from outflank.engine.moves import LegalMoves, Move
from outflank.engine.rules import Outcome, Rules
from outflank.engine.squares import Colour
from outflank.engine.symmetry import Symmetry

class Position:
    """A board, the side to move and the rules. Positions are immutable values: equal positions are interchangeable.

    Args:
        own: the discs of the side to move, one bit per square, bit 0 = a1, bit 63 = h8.
        opp: the discs of the other side.
        side: the side to move.
        rules: the rules of the game; by default tournament Othello.

    Raises: NotationError if a square is in both `own` and `opp`; SettingsError if `rules` is not a ``Rules``.
    """

    def __init__(self, own: int, opp: int, side: Colour, rules: Rules = ...) -> None: ...
    @classmethod
    def start(cls, rules: Rules = ...) -> Position:
        """Return the position in which a game under `rules` begins."""

    @classmethod
    def parse(cls, text: str, rules: Rules = ...) -> Position:
        """Read 64 squares a1..h8 row by row, optionally followed by the side to move.

        A black disc is one of ``X x * b B ●``, a white disc one of ``O o w W ○``, an empty square one of ``- . _ ・``.
        Digits may be used instead: Black is 1 and White 2. In a text with a ``0`` and no letter, Black is 0 and White
        1; if it has a ``2`` too, an empty square is 0, Black 1 and White 2. Blanks and line ends between squares are
        skipped, and so are bars between rows and GGF's board size ``8`` at the start. Each row may have its number
        before it, as in boards that programs and GGS print. A FEN is also accepted. In a FEN as Edax writes it, such as
        ``8/8/8/3pP3/3Pp3/8/8/8 b``, p is Black, P is White, and row 8 comes first; if a FEN has the letters above, row
        1 comes first. The side to move is one of the letters or digits for discs, or the word ``black`` or ``white``,
        optionally with ``to move``; by default it is the side that begins under `rules`. A ``;`` may separate the
        squares from the side. OBF's scores after the side are skipped.

        Raises: NotationError, whose message has the expected and the actual text.
        """

    @property
    def own(self) -> int:
        """The discs of the side to move, one bit per square."""
    @property
    def opp(self) -> int:
        """The discs of the other side, one bit per square."""
    @property
    def black(self) -> int:
        """Black's discs, one bit per square."""
    @property
    def white(self) -> int:
        """White's discs, one bit per square."""
    @property
    def side(self) -> Colour:
        """The side to move, which may have to pass."""
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
        """Whether the side to move has no legal move although the other side has one."""

    def legal_moves(self) -> LegalMoves:
        """Return the legal moves, a1 first. Directions on a square are in the order n ne e se s sw w nw.

        Returns ``(PASS,)`` if the side to move has to pass, and ``()`` if the game is over. The result is a tuple of
        moves. Its operator ``in`` also accepts texts and square numbers, such as ``"f5"`` and ``37``.
        """

    def is_legal(self, move: Move | str | int) -> bool:
        """Return whether ``play`` would accept `move`. Returns False if `move` is not a move at all."""

    def legal_mask(self, colour: Colour | None = None) -> int:
        """Return the squares where `colour` (by default the side to move) could play, one bit per square."""

    def parse_move(self, move: Move | str | int) -> Move:
        """Read a move and check that it is legal in this position.

        `move` is a text such as ``f5``, ``d3/ne`` or ``pass`` in any letter case, the number of a square, or a Move.

        Raises: NotationError if `move` can't be read; IllegalMoveError if it is not legal, or if it has no direction
            although several directions are possible (the message lists them).
        """

    def turned(self, move: Move | str | int) -> int:
        """Return the discs that `move` turns, one bit per square.

        Raises: see ``parse_move``.
        """

    def play(self, move: Move | str | int) -> Position:
        """Return the position after `move` by the side to move. A pass is legal only if it is the only move.

        Raises: see ``parse_move``.
        """

    def pass_(self) -> Position:
        """Return the position after a pass.

        Raises: IllegalMoveError if the side to move has a legal move, or if the game is over.
        """

    def with_side(self, side: Colour) -> Position:
        """Return the same board with `side` to move."""

    def with_rules(self, rules: Rules) -> Position:
        """Return the same board and side under other rules."""

    def discs(self, colour: Colour) -> int:
        """Return the number of discs that `colour` has on the board."""

    def disc_at(self, square: int | str) -> Colour | None:
        """Return the colour of the disc on a square, or None if the square is empty.

        `square` is its number (0..63) or its name (``"d4"``).

        Raises: NotationError if the name is not a square; OutOfRangeError if the number is not a square.
        """

    def score(self, colour: Colour = ...) -> int:
        """Return the disc difference from the point of view of `colour` (by default Black).

        If the rules give the empty squares to the winner, they are added only at the end of the game. Before the end,
        only the discs on the board count.
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
        """Return the board as an SVG image. Notebooks show this image for a position.

        Args:
            size: the width and height in pixels.
            last: the last move, whose disc is marked.
            legal: True to mark the squares where the side to move may play; ignored if `line` has moves.
            scores: the scores of legal moves for the side to move, in discs. The best scores are highlighted.
            line: the next moves, shown as numbered discs. A pass has no number.
            number: the number of the first move of `line`.
            coordinates: True to draw the names of the files and rows at the board's edge.

        Raises: SettingsError if the size is out of range or there is no disc on the square of `last`; NotationError or
            IllegalMoveError if a move of `scores` or `line` can't be read or is illegal.
        """

    def _repr_svg_(self) -> str:
        """Return an image of the board for notebooks."""

    def symmetries(self) -> tuple[Position, ...]:
        """Return the eight images of the board under rotation and reflection, the board itself first."""

    def transformed(self, symmetry: Symmetry) -> Position:
        """Return the image of the board under a rotation or reflection, with the same side and rules.

        Raises: OutOfRangeError if `symmetry` is outside 0 to 7.
        """

    def canonical(self) -> tuple[Position, Symmetry]:
        """Return the image with the smallest pair (own, opp) of all eight, and the symmetry that leads to it.

        ``symmetry.inverse.move(move)`` maps a move in the image back. If several symmetries map to the image, the
        symmetry with the smallest number is returned.
        """

    def board_string(self) -> str:
        """Return the text ``-----... X``, which ``parse`` reads.

        It has a letter ``X``, ``O`` or ``-`` for each square (a1 first), then a blank and the side's letter.
        """

    def __str__(self) -> str:
        """Return a drawing of the board with legal moves as dots, and a line with disc counts and the side to move."""
    def __eq__(self, other: object) -> bool: ...
    def __hash__(self) -> int: ...
    def __reduce__(self) -> tuple[object, ...]: ...
