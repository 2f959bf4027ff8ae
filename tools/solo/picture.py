"""A board of the solo game for people: in colours on a terminal, in letters alone elsewhere."""

import click

from outflank.engine import Colour
from outflank.engine.solo import PlayerView, cell_text
from outflank.engine.solodeal import COLOUR_WORDS, Chip

_WIDTH = 4


def picture(view: PlayerView) -> str:
    """The board and what it means."""
    heading = "   " + "".join(f"{letter:<{_WIDTH}}" for letter in "abcdefgh").rstrip()
    rows = [
        f"{row + 1}  " + "".join(_cell(view, 8 * row + column) for column in range(8)).rstrip()
        for row in range(8)
    ]
    return "\n".join([heading, *rows])


def _cell(view: PlayerView, square: int) -> str:
    """A square in its colours, padded to the width of a column."""
    text = cell_text(view.board, view.open_chips, square)
    padding = " " * (_WIDTH - len(text))
    if square in view.open_chips:
        return styled_chip(view.open_chips[square]) + padding
    if text == "X":
        return click.style(text, fg="bright_white", bg="black", bold=True) + padding
    if text == "O":
        return click.style(text, fg="bright_yellow", bold=True) + padding
    return click.style(text, dim=text == ".", fg="cyan" if text == "?" else None) + padding


def styled_chip(chip: Chip) -> str:
    """A chip such as ``b7`` in its colour."""
    if chip.colour is Colour.BLACK:
        return click.style(str(chip), fg="bright_white", bg="bright_black")
    return click.style(str(chip), fg="black", bg="yellow")


def legend() -> str:
    """What the letters of the picture stand for."""
    black, gold = (COLOUR_WORDS[colour] for colour in Colour)
    return f"X {black} disc, O {gold} disc, ? closed chip, b7 open {black} chip with a 7, g- open {gold} chip, blank"
