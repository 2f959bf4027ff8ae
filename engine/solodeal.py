"""What the solo game of the Ravensburger edition of 2006 is dealt from: chips, where they lie, how they count."""

import random
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType

from outflank.engine.errors import NotationError
from outflank.engine.position import Position
from outflank.engine.rules import PRESETS
from outflank.engine.solocore import SoloBoard
from outflank.engine.squares import SQUARES, Colour, mask_of, parse_square, square_name

SHEET = PRESETS["ravensburger-2006"]
# The sheet's Gold is our White.
COLOUR_WORDS = MappingProxyType(
    {colour: name.lower() for colour, name in zip(Colour, SHEET.colour_names, strict=True)}
)


class Variant(StrEnum):
    """How chips count.

    Attributes:
        CHIPS: one each.
        SUM: their numbers, doubled if all four blank ones are won.
    """

    CHIPS = "chips"
    SUM = "sum"


@dataclass(frozen=True, order=True, slots=True)
class Chip:
    """A chip.

    Attributes:
        colour: black or gold (``Colour.WHITE``).
        number: 1 to 10, or 0 for a blank one.
    """

    colour: Colour
    number: int

    def __str__(self) -> str:
        """``b7`` or ``g10``; a blank one is ``b-`` or ``g-``."""
        return f"{COLOUR_WORDS[self.colour][0]}{self.number or '-'}"


ALL_CHIPS = tuple(Chip(colour, number) for colour in Colour for number in (0, 0, *range(1, 11)))
"""The 24 chips: in each colour two blank ones and the numbers 1 to 10."""


def score(chips: Iterable[Chip], variant: Variant = Variant.CHIPS) -> int:
    """What these chips count by `variant`; at most 24 or 220."""
    numbers = [chip.number for chip in chips]
    if variant is Variant.CHIPS:
        return len(numbers)
    return sum(numbers) * (2 if numbers.count(0) == 4 else 1)


def numbers_of(chips: Mapping[int, Chip]) -> tuple[int, ...]:
    """The number on the chip of each of the 64 squares; 0 where there is a blank one, or none."""
    return tuple(chips[square].number if square in chips else 0 for square in SQUARES)


# Two diagonal rows of three in each corner: our reading, the sheet's figure is missing.
_CORNERS = "a3 b2 c1 b4 c3 d2 f1 g2 h3 e2 f3 g4 a6 b7 c8 b5 c6 d7 f8 g7 h6 e7 f6 g5"
DEFAULT_LAYOUT = tuple(sorted(map(parse_square, _CORNERS.split())))


def parse_layout(text: str) -> tuple[int, ...]:
    """The squares of the chips, in order: ``corners`` is the usual 24, else 24 squares with commas or blanks between.

    Raises: NotationError if these are not 24 different squares outside the middle.
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
            f"expected corners or {len(ALL_CHIPS)} different squares as layout, got {counted}"
        )
    start = Position.start(SHEET)
    for square in squares:
        if (start.own | start.opp) >> square & 1:
            raise NotationError(
                f"expected a layout without d4 e4 d5 e5, where the discs lie, got {square_name(square)}"
            )
    return tuple(squares)


def never_winnable(layout: Iterable[int]) -> tuple[int, ...]:
    """The squares of a layout whose chips can't be won whatever the deal; see ``SoloBoard.winnable`` for the proof.

    A square that is not named may still hold a chip that can't be won.
    """
    squares = tuple(layout)
    winnable = _start_board(closed=mask_of(squares)).winnable()
    return tuple(square for square in squares if not winnable >> square & 1)


@dataclass(frozen=True)
class Deal:
    """Which chip lies where, face down, when the game begins.

    Args:
        chips: the chip on each square of the layout; all 24 have to be there.

    Raises: NotationError if other chips than the 24 are dealt, or what is no square has one.
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
        """The deal of this number: the same with every version of Python, whose ``random()`` is promised to last.

        Raises: NotationError if the layout has not a square for each of the 24 chips.
        """
        squares = sorted(layout)
        if len(squares) != len(ALL_CHIPS):
            raise NotationError(f"expected {len(ALL_CHIPS)} squares as layout, got {len(squares)}")
        source, chips = random.Random(seed), list(ALL_CHIPS)
        for last in range(len(chips) - 1, 0, -1):
            drawn = int(source.random() * (last + 1))
            chips[last], chips[drawn] = chips[drawn], chips[last]
        return cls(dict(zip(squares, chips, strict=True)))

    def board(self) -> SoloBoard:
        """The board as the game begins, with all that the dealer knows."""
        black, white = (
            mask_of(square for square, chip in self.chips.items() if chip.colour is colour)
            for colour in Colour
        )
        return _start_board(black, white, black | white)

    def __hash__(self) -> int:
        return hash(tuple(self.chips.items()))


def _start_board(black_chips: int = 0, white_chips: int = 0, closed: int = 0) -> SoloBoard:
    """These chips and the four discs in the middle, which lie as in the game for two."""
    start = Position.start(SHEET)
    return SoloBoard(start.black, start.white, black_chips, white_chips, closed)
