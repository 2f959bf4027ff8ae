"""The solo game's board: discs and chips as masks, its moves, and the proof that nothing more can be won.

A mask has one bit a square, bit 0 = a1, bit 63 = h8. White is the colour that the sheet calls Gold.
"""

from outflank.engine.squares import Colour

class SoloBoard:
    """The board; a value: immutable, equal boards are interchangeable.

    Args:
        black: black discs.
        white: golden discs.
        black_chips: the remaining black chips whose colour is known.
        white_chips: the remaining golden chips whose colour is known.
        closed: the chips that lie face down. One that is in neither mask of chips has an unknown colour, as in a
            player's view.

    Raises: NotationError if there are two discs or chips on one square.
    """

    def __init__(
        self, black: int, white: int, black_chips: int, white_chips: int, closed: int = 0
    ) -> None: ...
    @property
    def black(self) -> int:
        """Black discs."""
    @property
    def white(self) -> int:
        """Golden discs."""
    @property
    def closed(self) -> int:
        """Chips that lie face down."""
    @property
    def chips(self) -> int:
        """All chips that are left."""
    @property
    def free(self) -> int:
        """Squares without a disc or a chip."""

    def chips_of(self, colour: Colour) -> int:
        """Return the chips known to be of that colour."""

    def hidden(self) -> SoloBoard:
        """Return the same board without the colours of closed chips."""

    def legal_mask(self, colour: Colour) -> int:
        """Return the free squares on which a disc of that colour turns a disc or wins a chip."""

    def turned(self, colour: Colour, square: int) -> int:
        """Return the discs that a disc of that colour turns; chips end a row as free squares do.

        Raises: IllegalMoveError if the disc may not be put there.
        """

    def taken(self, colour: Colour, square: int) -> int:
        """Return the chips that a disc of that colour wins: open, of the other colour, between it and another disc.

        Raises: IllegalMoveError if the disc may not be put there.
        """

    def opened(self, square: int) -> int:
        """Return the closed chips that a disc on `square` turns up: those that share a side with it."""

    def play(self, colour: Colour, square: int) -> SoloBoard:
        """Return the board after a move: discs are turned, then chips taken, then chips turned up.

        Raises: IllegalMoveError if the move is illegal, or would turn up a chip whose colour is not known.
        """

    def winnable(self) -> int:
        """Return the chips that are not proven to be lost; no line of moves wins a chip that is not in the mask.

        The proof lets sets of squares grow until nothing is added any more. A square may hold a disc of a colour if it
        holds one now, if one may be placed there, or if it lies in a run of squares that may hold the other colour,
        between a square that may hold this colour and a square where this colour may be placed. A disc may be placed on
        a square that is free or has a chip that may be won, if a square that may hold its colour lies beyond such a
        run, or beyond a chip of the other colour that may lie open. A closed chip may be turned up if a disc may be
        placed next to it. A chip may be won if the other colour may be placed on one side of it and lie on the opposite
        side; if the chip is closed, a disc must also be possible on another square next to it, to turn it up before.
        Every event of a real line follows from earlier events of the line, so by induction the sets contain it. They
        contain more, since they ignore that a disc stays on its square and shows one colour at a time.
        """

    def can_win(self, nodes: int) -> bool | None:
        """Return whether any chip can be won, by a search of lines of moves; None if `nodes` boards don't settle it."""

    def __eq__(self, other: object) -> bool: ...
    def __hash__(self) -> int: ...
