"""The solo game of the Ravensburger edition of 2006: one player, both colours, 24 hidden chips to be won.

The dealer knows every chip, the player those that lie open: they have views of different types, and only the
dealer's can be played on, since only the dealer knows what a move turns up. docs/rules.md has the rules.
"""

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from outflank.engine.errors import IllegalMoveError, NotationError
from outflank.engine.solocore import SoloBoard
from outflank.engine.solodeal import ALL_CHIPS, COLOUR_WORDS, Chip, Deal, Variant, score
from outflank.engine.squares import Colour, parse_square, square_name, squares_of

# Boards that may be looked at to find out whether a chip can still be won: some hundredths of a second.
_NODES_TO_PROVE_THE_END = 20_000
_MOVE = re.compile(r"(?:(black|b|gold|g|white|w)[\s:/]*)?([a-h][1-8])", re.IGNORECASE)


@dataclass(frozen=True, order=True, slots=True)
class SoloMove:
    """A disc on a square, showing the colour that the player chose (gold is ``Colour.WHITE``)."""

    colour: Colour
    square: int

    def __str__(self) -> str:
        """``black d3`` or ``gold d3``."""
        return f"{COLOUR_WORDS[self.colour]} {square_name(self.square)}"


class _View:
    """What the dealer's view and the player's have in common: all that can be seen."""

    board: SoloBoard

    def legal_moves(self) -> tuple[SoloMove, ...]:
        """The moves that bracket something, black ones first, a1 first; there are no passes."""
        return tuple(
            SoloMove(colour, square)
            for colour in Colour
            for square in squares_of(self.board.legal_mask(colour))
        )

    def parse_move(self, text: str) -> SoloMove:
        """Read a legal move: ``black d3``, ``b d3``, ``bd3``, ``gold e3``, or a square that only one colour may use.

        Raises: NotationError if it is no move; IllegalMoveError if it is not legal, or legal in both colours
            and names none.
        """
        match = _MOVE.fullmatch(text.strip())
        if not match:
            raise NotationError(f"expected a colour and a square such as black d3 or gd3, got {text!r}")
        square = parse_square(match[2])
        meant = [move for move in self.legal_moves() if move.square == square]
        if match[1]:
            colour = Colour.BLACK if match[1][0].lower() == "b" else Colour.WHITE
            meant = [move for move in meant if move.colour is colour]
        if len(meant) == 2:
            raise IllegalMoveError(f"expected a colour ({' or '.join(map(str, meant))}), got {text}")
        if not meant:
            legal = ", ".join(map(str, self.legal_moves())) or "nothing, since no move is legal"
            raise IllegalMoveError(f"expected {legal}, got {text}")
        return meant[0]


@dataclass(frozen=True)
class PlayerView(_View):
    """What the player sees; closed chips are squares and nothing more.

    Attributes:
        board: discs, open chips, and where closed ones lie.
        open_chips: the chip on each square where one lies open.
        won: the chips that were won, by the squares they lay on.
        is_over: whether the dealer, who knows, has ended the game.
    """

    board: SoloBoard
    open_chips: Mapping[int, Chip]
    won: Mapping[int, Chip]
    is_over: bool

    def score(self, variant: Variant = Variant.CHIPS) -> int:
        """What the chips won count."""
        return score(self.won.values(), variant)

    def unseen(self) -> tuple[Chip, ...]:
        """The chips that lie closed, in the order of ``ALL_CHIPS``: what is known of them together."""
        seen = Counter(self.won.values()) + Counter(self.open_chips.values())
        return tuple((Counter(ALL_CHIPS) - seen).elements())

    def __str__(self) -> str:
        return _drawn(self.board, self.open_chips)


@dataclass(frozen=True)
class DealerView(_View):
    """All there is to know about a game: the deal and what has become of it. Immutable.

    Attributes:
        deal: which chip lay where.
        board: discs and chips, with the colours of closed ones.
    """

    deal: Deal
    board: SoloBoard

    @classmethod
    def start(cls, deal: Deal) -> "DealerView":
        """The game before the first move."""
        return cls(deal, deal.board())

    @property
    def won(self) -> Mapping[int, Chip]:
        """The chips that were won, by the squares they lay on."""
        return {
            square: chip for square, chip in self.deal.chips.items() if not self.board.chips >> square & 1
        }

    def score(self, variant: Variant = Variant.CHIPS) -> int:
        """What the chips won count."""
        return score(self.won.values(), variant)

    def play(self, move: SoloMove) -> "DealerView":
        """The game after a move.

        Raises: IllegalMoveError if the move brackets nothing, its square is not free, or the game is over.
        """
        if self.is_over:
            raise IllegalMoveError(f"no chip can be won any more, so {move} can't be played")
        return DealerView(self.deal, self.board.play(move.colour, move.square))

    @cached_property
    def is_over(self) -> bool:
        """Whether all chips are won, or it is proven that none can be won any more.

        First by what ``SoloBoard.winnable`` proves, which covers boards without a legal move; then, where few squares
        are left, by looking at every line of moves. Where neither proves anything within 20,000 boards the
        game goes on, though perhaps to no purpose.
        """
        return self.board.can_win(_NODES_TO_PROVE_THE_END) is False

    def bound(self, variant: Variant = Variant.CHIPS) -> int:
        """A score that no line of moves from here surpasses: with every chip that is not proven to be lost."""
        lost = self.board.chips if self.is_over else self.board.chips & ~self.board.winnable()
        return score((chip for square, chip in self.deal.chips.items() if not lost >> square & 1), variant)

    def player_view(self) -> PlayerView:
        """What the player sees of it."""
        shown = self.board.chips & ~self.board.closed
        faces = {square: self.deal.chips[square] for square in squares_of(shown)}
        return PlayerView(self.board.hidden(), faces, self.won, self.is_over)

    def __str__(self) -> str:
        faces = {square: self.deal.chips[square] for square in squares_of(self.board.chips)}
        return _drawn(self.board, faces)


def _drawn(board: SoloBoard, faces: Mapping[int, Chip]) -> str:
    """A picture of the board: X and O are black and golden discs, ``?`` a chip whose face is not known."""
    letters = "    " + "".join(f"{letter:<4}" for letter in "abcdefgh")
    rows = [letters.rstrip()]
    for row in range(8):
        cells = (f"{cell_text(board, faces, 8 * row + column):<4}" for column in range(8))
        rows.append(f"{row + 1}   {''.join(cells)}".rstrip())
    return "\n".join(rows)


def cell_text(board: SoloBoard, faces: Mapping[int, Chip], square: int) -> str:
    """What lies on a square: ``X`` or ``O``, a chip such as ``b7``, ``?`` for one unknown, ``.`` for nothing."""
    if square in faces:
        return str(faces[square])
    for letter, mask in (("X", board.black), ("O", board.white), ("?", board.closed)):
        if mask >> square & 1:
            return letter
    return "."
