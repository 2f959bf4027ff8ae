"""How discs look: what the boxes print on them, in images and on terminals."""

from typing import NamedTuple


class DiscColour(NamedTuple):
    """A colour of discs.

    Attributes:
        image: as a colour of an image.
        ink: what a number on such a disc is written in, as a colour of an image.
        terminal: the nearest of a terminal's 256 colours.
    """

    image: str
    ink: str
    terminal: int


DISC_COLOURS = {
    "Black": DiscColour("#1d1f21", "#fff", 16),
    "White": DiscColour("#f6f4ee", "#111", 231),
    "Red": DiscColour("#b8352d", "#fff", 160),
    "Gold": DiscColour("#d4a72c", "#111", 178),
    "Yellow": DiscColour("#eccb3c", "#111", 226),
}
"""By the names that sheets give them: ``Rules.colour_names`` has the two of a game."""
