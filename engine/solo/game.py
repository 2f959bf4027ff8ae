"""The solo game of the Ravensburger edition of 2006: the deal, the dealer's and the player's view, and the score."""

import random
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from types import MappingProxyType

from outflank.engine.position import Position
from outflank.engine.rules import PRESETS
from outflank.engine.solo.core import SoloBoard
from outflank.engine.squares import SQUARES, Colour, mask_of, parse_square, square_name, squares_of
from outflank.errors import IllegalMoveError, NotationError

SHEET = PRESETS["ravensburger-2006"]
# The words for the colours. The rule sheet calls White "Gold".
COLOUR_WORDS = MappingProxyType(
    {colour: name.lower() for colour, name in zip(Colour, SHEET.colour_names, strict=True)}
)


class Variant(StrEnum):
    """The ways to count chips.

    Attributes:
        CHIPS: one point for each chip.
        SUM: the sum of the chips' numbers, doubled if all four blank chips are won.
    """

    CHIPS = "chips"
    SUM = "sum"


@dataclass(frozen=True, order=True, slots=True)
class Chip:
    """A chip.

    Attributes:
        colour: black or gold (``Colour.WHITE``).
        number: the number on the chip, 1 to 10; 0 for a blank chip.
    """

    colour: Colour
    number: int

    def __str__(self) -> str:
        """Return ``b7`` or ``g10``; a blank chip is ``b-`` or ``g-``."""
        return f"{COLOUR_WORDS[self.colour][0]}{self.number or '-'}"


ALL_CHIPS = tuple(Chip(colour, number) for colour in Colour for number in (0, 0, *range(1, 11)))
"""The 24 chips: in each colour two blank chips and the numbers 1 to 10."""


def score(chips: Iterable[Chip], variant: Variant = Variant.CHIPS) -> int:
    """Return the score of these chips. It is at most 24 in the variant ``CHIPS``, and at most 220 in ``SUM``."""
    numbers = [chip.number for chip in chips]
    if variant is Variant.CHIPS:
        return len(numbers)
    return sum(numbers) * (2 if numbers.count(0) == 4 else 1)


def numbers_of(chips: Mapping[int, Chip]) -> tuple[int, ...]:
    """Return, for each of the 64 squares, the number on its chip; 0 for a blank chip or no chip."""
    return tuple(chips[square].number if square in chips else 0 for square in SQUARES)


# Two diagonal rows of three chips in each corner. This is our interpretation, since the rule sheet's figure is missing.
_CORNERS = "a3 b2 c1 b4 c3 d2 f1 g2 h3 e2 f3 g4 a6 b7 c8 b5 c6 d7 f8 g7 h6 e7 f6 g5"
DEFAULT_LAYOUT = tuple(sorted(map(parse_square, _CORNERS.split())))


def parse_layout(text: str) -> tuple[int, ...]:
    """Read a layout, the 24 squares of the chips: ``corners`` (``DEFAULT_LAYOUT``) or names of squares.

    Commas or blanks separate the names.

    Raises: NotationError if `text` is not ``corners`` or 24 different squares other than d4 e4 d5 e5.
    """
    if text.strip().lower() == "corners":
        return DEFAULT_LAYOUT
    names = text.replace(",", " ").split()
    squares = sorted({parse_square(name) for name in names})
    if len(names) != len(squares) or len(squares) != len(ALL_CHIPS):
        counted = (
            f"{len(names)}, {len(squares)} of them different" if len(names) > len(squares) else len(names)
        )
        raise NotationError(
            f"expected corners or {len(ALL_CHIPS)} different squares for the layout, got {counted}"
        )
    start = Position.start(SHEET)
    for square in squares:
        if (start.own | start.opp) >> square & 1:
            raise NotationError(
                f"expected a layout without d4 e4 d5 e5, where the discs start, got {square_name(square)}"
            )
    return tuple(squares)


def never_winnable(layout: Iterable[int]) -> tuple[int, ...]:
    """Return the squares of a layout whose chips are proven to be lost in every deal; see ``SoloBoard.winnable``.

    Chips on other squares may be lost too.
    """
    squares = tuple(layout)
    winnable = _start_board(closed=mask_of(squares)).winnable()
    return tuple(square for square in squares if not winnable >> square & 1)


@dataclass(frozen=True)
class Deal:
    """The chips on their squares, face down, at the start of a game.

    Args:
        chips: the chip on each square of the layout. Each of ``ALL_CHIPS`` must occur once.

    Raises: NotationError if a chip is missing or occurs twice, or if a key is not a square.
    """

    chips: Mapping[int, Chip]

    def __post_init__(self) -> None:
        if sorted(self.chips.values()) != sorted(ALL_CHIPS):
            raise NotationError(
                f"expected each of the 24 chips once, got {', '.join(map(str, self.chips.values()))}"
            )
        for square in self.chips:
            if square not in SQUARES:
                raise NotationError(f"expected squares from 0 to 63, got {square!r}")
        object.__setattr__(self, "chips", MappingProxyType(dict(sorted(self.chips.items()))))

    @classmethod
    def shuffled(cls, seed: int, layout: Iterable[int] = DEFAULT_LAYOUT) -> "Deal":
        """Return the deal for a seed. All versions of Python return the same deal, since they keep ``random()`` stable.

        Raises: NotationError if the layout does not have 24 squares.
        """
        squares = sorted(layout)
        if len(squares) != len(ALL_CHIPS):
            raise NotationError(f"expected {len(ALL_CHIPS)} squares for the layout, got {len(squares)}")
        source, chips = random.Random(seed), list(ALL_CHIPS)
        for last in range(len(chips) - 1, 0, -1):
            drawn = int(source.random() * (last + 1))
            chips[last], chips[drawn] = chips[drawn], chips[last]
        return cls(dict(zip(squares, chips, strict=True)))

    def board(self) -> SoloBoard:
        """Return the board at the start of the game, with the colours of all chips."""
        black, white = (
            mask_of(square for square, chip in self.chips.items() if chip.colour is colour)
            for colour in Colour
        )
        return _start_board(black, white, black | white)

    def __hash__(self) -> int:
        return hash(tuple(self.chips.items()))


def _start_board(black_chips: int = 0, white_chips: int = 0, closed: int = 0) -> SoloBoard:
    start = Position.start(SHEET)
    return SoloBoard(start.black, start.white, black_chips, white_chips, closed)


# The maximum number of boards that are searched to find out whether a chip can still be won. This search takes at most
# some hundredths of a second.
_NODES_TO_PROVE_THE_END = 20_000
_MOVE = re.compile(r"(?:(black|b|gold|g|white|w)[\s:/]*)?([a-h][1-8])", re.IGNORECASE)


@dataclass(frozen=True, order=True, slots=True)
class SoloMove:
    """A move: the square of the new disc, and its colour, which the player chooses (gold is ``Colour.WHITE``)."""

    colour: Colour
    square: int

    def __str__(self) -> str:
        """Return ``black d3`` or ``gold d3``."""
        return f"{COLOUR_WORDS[self.colour]} {square_name(self.square)}"


class _View:
    board: SoloBoard

    def legal_moves(self) -> tuple[SoloMove, ...]:
        """Return the moves that bracket a disc or a chip: the black moves, a1 first, then the golden moves, a1 first.

        There are no passes in this game.
        """
        return tuple(
            SoloMove(colour, square)
            for colour in Colour
            for square in squares_of(self.board.legal_mask(colour))
        )

    def parse_move(self, text: str) -> SoloMove:
        """Read a legal move: ``black d3``, ``b d3``, ``bd3``, ``gold e3``, or a square if only one colour is legal.

        Raises: NotationError if `text` is not a move; IllegalMoveError if the move is not legal, or if it has no colour
            although both colours are legal on its square.
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
            raise IllegalMoveError(f"{text} needs a colour: {' or '.join(map(str, meant))}")
        if not meant:
            legal = ", ".join(map(str, self.legal_moves())) or "nothing"
            raise IllegalMoveError(f"{text} is illegal; legal: {legal}")
        return meant[0]


@dataclass(frozen=True)
class PlayerView(_View):
    """The player's view, in which closed chips have no colour or number.

    Attributes:
        board: the discs, the open chips, and the squares of closed chips.
        open_chips: the open chips, by square.
        won: the chips that the player has won, by their former squares.
        is_over: True if the dealer, who knows all chips, has ended the game.
    """

    board: SoloBoard
    open_chips: Mapping[int, Chip]
    won: Mapping[int, Chip]
    is_over: bool

    def score(self, variant: Variant = Variant.CHIPS) -> int:
        """Return the score of the chips won."""
        return score(self.won.values(), variant)

    def unseen(self) -> tuple[Chip, ...]:
        """Return the closed chips in the order of ``ALL_CHIPS``, which does not reveal their squares."""
        seen = Counter(self.won.values()) + Counter(self.open_chips.values())
        return tuple((Counter(ALL_CHIPS) - seen).elements())

    def __str__(self) -> str:
        return _drawn(self.board, self.open_chips)


@dataclass(frozen=True)
class DealerView(_View):
    """The complete state of a game: the deal and the current board. Immutable.

    Attributes:
        deal: the chips at the start, by square.
        board: the discs and chips, with the colours of closed chips.
    """

    deal: Deal
    board: SoloBoard

    @classmethod
    def start(cls, deal: Deal) -> "DealerView":
        """Return the game before the first move."""
        return cls(deal, deal.board())

    @property
    def won(self) -> Mapping[int, Chip]:
        """The chips won, by their former squares."""
        return {
            square: chip for square, chip in self.deal.chips.items() if not self.board.chips >> square & 1
        }

    def score(self, variant: Variant = Variant.CHIPS) -> int:
        """Return the score of the chips won."""
        return score(self.won.values(), variant)

    def play(self, move: SoloMove) -> "DealerView":
        """Return the game after a move.

        Raises: IllegalMoveError if the move brackets nothing, its square is not free, or the game is over.
        """
        if self.is_over:
            raise IllegalMoveError(f"no chip can be won any more, so {move} can't be played")
        return DealerView(self.deal, self.board.play(move.colour, move.square))

    @cached_property
    def is_over(self) -> bool:
        """Whether all chips are won, or it is proven that no chip can be won any more.

        The proof is a search of all lines of moves, which uses ``SoloBoard.winnable`` on every board. If the search
        needs more than 20,000 boards, the game continues, even if no chip can be won.
        """
        return self.board.can_win(_NODES_TO_PROVE_THE_END) is False

    def bound(self, variant: Variant = Variant.CHIPS) -> int:
        """Return an upper bound on the final score: the score if the player wins every chip not proven to be lost."""
        lost = self.board.chips if self.is_over else self.board.chips & ~self.board.winnable()
        return score((chip for square, chip in self.deal.chips.items() if not lost >> square & 1), variant)

    def player_view(self) -> PlayerView:
        """Return the player's view of the game."""
        shown = self.board.chips & ~self.board.closed
        faces = {square: self.deal.chips[square] for square in squares_of(shown)}
        return PlayerView(self.board.hidden(), faces, self.won, self.is_over)

    def __str__(self) -> str:
        faces = {square: self.deal.chips[square] for square in squares_of(self.board.chips)}
        return _drawn(self.board, faces)


def _drawn(board: SoloBoard, faces: Mapping[int, Chip]) -> str:
    """Return a drawing of the board. ``X`` is a black disc, ``O`` a golden disc, ``?`` a closed chip."""
    letters = "    " + "".join(f"{letter:<4}" for letter in "abcdefgh")
    rows = [letters.rstrip()]
    for row in range(8):
        cells = (f"{cell_text(board, faces, 8 * row + column):<4}" for column in range(8))
        rows.append(f"{row + 1}   {''.join(cells)}".rstrip())
    return "\n".join(rows)


def cell_text(board: SoloBoard, faces: Mapping[int, Chip], square: int) -> str:
    """Describe a square: ``X`` or ``O`` (discs), a chip such as ``b7``, ``?`` (closed chip) or ``.`` (free square)."""
    if square in faces:
        return str(faces[square])
    for letter, mask in (("X", board.black), ("O", board.white), ("?", board.closed)):
        if mask >> square & 1:
            return letter
    return "."
