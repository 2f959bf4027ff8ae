"""Prints boards on a terminal, in colours if the terminal supports them. Converts SVG images to PNG."""

import importlib.util
import os
import sys
from pathlib import Path

import click

from outflank.engine import Colour, Move, Position
from outflank.engine.boardsvg import DISC_COLOURS

_CLOTH, _CLOTH_OF_LAST, _DOT = 28, 22, 114
_DISC, _LEGAL = "\N{BLACK CIRCLE}", "\N{MIDDLE DOT}"


def say(text: str = "", err: bool = False) -> None:
    """Print a line. Remove colours if stdout is not a terminal, or if NO_COLOR is set."""
    click.echo(text, err=err, color=False if os.environ.get("NO_COLOR") else None)


def is_coloured() -> bool:
    """Return whether stdout is a terminal with colours and UTF-8."""
    encoding = (sys.stdout.encoding or "").lower().replace("-", "")
    plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb" or encoding != "utf8"
    return sys.stdout.isatty() and not plain


def board_text(
    position: Position, *, last: Move | None = None, legal: bool = True, coloured: bool = False
) -> str:
    """Return the board with the disc counts and the side to move.

    Args:
        position: the position.
        last: the last move. It is named below the board. On a coloured board its square is darker.
        legal: True to mark the legal moves.
        coloured: True to use terminal colours; False to show discs as the letters of ``str(position)``.
    """
    *board, counts = str(position).splitlines()
    if not coloured:
        squares = "\n".join(board) if legal else "\n".join(board).replace(".", " ")
        return f"{squares}\n{counts}" + (f", last move {last}" if last else "")
    files = "  a b c d e f g h"
    rows = [
        f"{row + 1} "
        + "".join(_cell(position, 8 * row + column, last, legal) for column in range(8))
        + f" {row + 1}"
        for row in range(8)
    ]
    for letter, name in zip("XO", position.rules.colour_names, strict=True):
        disc = click.style(f" {_DISC} ", fg=DISC_COLOURS[name].terminal, bg=_CLOTH)
        counts = counts.replace(f"({letter})", disc)
    return "\n".join([files, *rows, files, f"{counts}, last move {last}" if last else counts])


def end_text(position: Position) -> str:
    """Describe the result of a finished game: ``The game is over: Black 40, White 24, Black wins by 16``."""
    outcome, name = position.outcome(), position.rules.colour_name
    assert outcome is not None
    discs = ", ".join(f"{name(colour)} {position.discs(colour)}" for colour in Colour)
    if outcome.winner is None:
        return f"The game is over: {discs}, a draw."
    return f"The game is over: {discs}, {name(outcome.winner)} wins by {outcome.margin}."


def _cell(position: Position, square: int, last: Move | None, legal: bool) -> str:
    cloth = _CLOTH_OF_LAST if last is not None and square == last.square else _CLOTH
    owner = position.disc_at(square)
    if owner is not None:
        colour = DISC_COLOURS[position.rules.colour_name(owner)]
        return click.style(f"{_DISC} ", fg=colour.terminal, bg=cloth)
    marked = legal and position.legal_mask() >> square & 1
    return click.style(f"{_LEGAL if marked else ' '} ", fg=_DOT, bg=cloth)


def png_of(svg: str) -> bytes:
    """Convert an SVG image to PNG in the same size.

    Text is drawn with a font from this machine or from matplotlib.

    Raises: ModuleNotFoundError if resvg_py is not installed.
    """
    import resvg_py  # an optional dependency

    return bytes(resvg_py.svg_to_bytes(svg_string=svg, font_dirs=_font_folders()))


def _font_folders() -> list[str]:
    found = importlib.util.find_spec("matplotlib")
    if found is None or found.origin is None:
        return []
    return [str(Path(found.origin).parent / "mpl-data" / "fonts" / "ttf")]
