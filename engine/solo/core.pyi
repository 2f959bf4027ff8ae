"""The solo game's board: discs and chips as masks, the moves, and the proof that no chip can be won any more.

A mask has one bit per square, bit 0 = a1, bit 63 = h8. White is the colour that the rule sheet calls Gold.
"""

from outflank.engine.squares import Colour

class SoloBoard:
    """The board. Boards are immutable values: equal boards are interchangeable.

    Args:
        black: the black discs.
        white: the golden discs.
        black_chips: the remaining chips that are known to be black.
        white_chips: the remaining chips that are known to be golden.
        closed: the chips that lie face down. If a closed chip is in neither `black_chips` nor `white_chips`, its colour
            is unknown, as in a player's view.

    Raises: NotationError if there are two discs or chips on one square.
    """

    def __init__(
        self, black: int, white: int, black_chips: int, white_chips: int, closed: int = 0
    ) -> None: ...
    @property
    def black(self) -> int:
        """The black discs."""
    @property
    def white(self) -> int:
        """The golden discs."""
    @property
    def closed(self) -> int:
        """The chips that lie face down."""
    @property
    def chips(self) -> int:
        """All remaining chips."""

    def chips_of(self, colour: Colour) -> int:
        """Return the chips that are known to have this colour."""

    def hidden(self) -> SoloBoard:
        """Return the same board without the colours of closed chips."""

    def legal_mask(self, colour: Colour) -> int:
        """Return the free squares on which a disc of this colour turns a disc or wins a chip."""

    def turned(self, colour: Colour, square: int) -> int:
        """Return the discs that a disc of this colour on `square` turns. A chip stops a row as a free square does.

        Raises: IllegalMoveError if the move is illegal.
        """

    def taken(self, colour: Colour, square: int) -> int:
        """Return the chips that a disc of this colour on `square` wins.

        These are open chips of the other colour, each between the new disc and another disc of this colour.

        Raises: IllegalMoveError if the move is illegal.
        """

    def opened(self, square: int) -> int:
        """Return the closed chips that a disc on `square` turns face up: the chips that share a side with the disc."""

    def play(self, colour: Colour, square: int) -> SoloBoard:
        """Return the board after a move: discs are turned, then chips are taken, then chips are turned face up.

        Raises: IllegalMoveError if the move is illegal, or if it would turn up a chip whose colour is unknown.
        """

    def winnable(self) -> int:
        """Return the chips that are not proven to be lost. No line of moves wins any other chip.

        The proof computes sets of squares. It adds squares to the sets by these rules until no set grows:

        - A square may hold a disc of a colour if it holds such a disc now, or if a disc of this colour may be placed
          there. It may also hold such a disc if it is in a run of squares that may hold the other colour, with a square
          that may hold this colour at one end, and a square where this colour may be placed at the other end.
        - A disc may be placed on a square that is free, or whose chip may be won, if another square may hold a disc of
          its colour, and these two squares enclose a run of squares that may hold the other colour, or one chip that
          may be open and of the other colour.
        - A closed chip may be opened if a disc may be placed on a square that shares a side with it.
        - A chip may be won if a disc of the other colour may be placed on one side of it, and the opposite side may
          hold such a disc. An earlier move must open a closed chip, so a disc must also be possible on another square
          that shares a side with it.

        In a line of moves, these rules allow each move and its effects if the sets contain the effects of all earlier
        moves. By induction, the sets contain the effects of every line. They may contain more, since the rules ignore
        that a disc stays on its square and has only one colour at a time.
        """

    def can_win(self, nodes: int) -> bool | None:
        """Return whether any line of moves wins a chip; None if a search of `nodes` boards gives no answer."""

    def __eq__(self, other: object) -> bool: ...
    def __hash__(self) -> int: ...
