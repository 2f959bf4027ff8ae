"""Draws a board as an SVG image, optionally with the last move, legal moves, their scores, and a line of moves."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING, NamedTuple

from outflank.engine.moves import Move, as_move
from outflank.engine.squares import Colour, squares_of
from outflank.errors import SettingsError, whole


class DiscColour(NamedTuple):
    """The colours in which the discs of one side are shown.

    Attributes:
        image: the colour of a disc in an image.
        ink: the colour of a number on a disc in an image.
        terminal: the number of the closest colour among a terminal's 256 colours.
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
"""The disc colours, by their names on the rule sheets. ``Rules.colour_names`` has the names for a game's two sides."""


if TYPE_CHECKING:
    from outflank.engine.position import Position

_SQUARE, _MARGIN = 40, 20  # the width of a square and of the margin, in units of the image
_WHOLE = 8 * _SQUARE + 2 * _MARGIN
_FRAME, _CLOTH, _LINES, _LETTERS = "#173d29", "#2f7d4f", "#1d5737", "#dfe8df"
_LAST, _BEST = "#ff6a3d", "#ffe37a"
_FONT = 'font-family="DejaVu Sans, Verdana, Helvetica, Arial, sans-serif"'
_DOTS = ((2, 2), (6, 2), (2, 6), (6, 6))
_RADIUS = 16.5
_LEAST_SIZE, _MOST_SIZE = 16, 8192

Moves = Sequence[Move | str | int]
Scores = Mapping[Move, float] | Mapping[str, float] | Mapping[int, float]


def board_svg(
    position: "Position",
    *,
    size: int = _WHOLE,
    last: Move | str | int | None = None,
    legal: bool = True,
    scores: Scores | None = None,
    line: Moves = (),
    number: int = 1,
    coordinates: bool = True,
) -> str:
    """Return the image; ``Position.svg`` describes the arguments and the errors."""
    size = whole("size", size, _LEAST_SIZE, _MOST_SIZE, " pixels")
    scored = {position.parse_move(move): score for move, score in (scores or {}).items()}
    edge = 0 if coordinates else _MARGIN
    shown = _WHOLE - 2 * edge
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{size}" height="{size}" '
        f'viewBox="{edge} {edge} {shown} {shown}" role="img">',
        f"<title>{escape(_title(position))}</title>",
        *_board(),
        *(_coordinates() if coordinates else ()),
        *_discs(position),
        *(_last(position, last) if last is not None else ()),
        *(_legal(position, scored) if legal and not line else ()),
        *_scores(scored),
        *_line(position, line, number),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _title(position: "Position") -> str:
    return str(position).rpartition("\n")[2].replace(" (X)", "").replace(" (O)", "")


def _board() -> Iterator[str]:
    end = _WHOLE - _MARGIN
    yield f'<rect width="{_WHOLE}" height="{_WHOLE}" fill="{_FRAME}"/>'
    yield f'<rect x="{_MARGIN}" y="{_MARGIN}" width="{8 * _SQUARE}" height="{8 * _SQUARE}" fill="{_CLOTH}"/>'
    grid = "".join(f"M{_MARGIN} {at}H{end}M{at} {_MARGIN}V{end}" for at in range(_MARGIN, end + 1, _SQUARE))
    yield f'<path d="{grid}" stroke="{_LINES}" stroke-width="1.5" fill="none"/>'
    for column, row in _DOTS:
        yield f'<circle cx="{_MARGIN + column * _SQUARE}" cy="{_MARGIN + row * _SQUARE}" r="3" fill="{_LINES}"/>'


def _coordinates() -> Iterator[str]:
    for number in range(8):
        at = _MARGIN + number * _SQUARE + _SQUARE // 2
        yield _text("abcdefgh"[number], at, _MARGIN / 2, 12, _LETTERS)
        yield _text(str(number + 1), _MARGIN / 2, at, 12, _LETTERS)


def _discs(position: "Position") -> Iterator[str]:
    for colour, discs in ((Colour.BLACK, position.black), (Colour.WHITE, position.white)):
        for square in squares_of(discs):
            yield _disc(position, square, colour)


def _disc(position: "Position", square: int, colour: Colour, extra: str = "") -> str:
    x, y = _centre(square)
    fill = _look(position, colour).image
    return f'<circle cx="{x}" cy="{y}" r="{_RADIUS}" fill="{fill}" stroke="#00000055"{extra}/>'


def _look(position: "Position", colour: Colour) -> DiscColour:
    return DISC_COLOURS[position.rules.colour_name(colour)]


def _last(position: "Position", last: Move | str | int) -> Iterator[str]:
    move = as_move(last)
    if move.square is None:
        return
    if not (position.own | position.opp) >> move.square & 1:
        raise SettingsError(f"there is no disc on {move}, so it can't be the last move")
    x, y = _centre(move.square)
    yield f'<circle cx="{x}" cy="{y}" r="5" fill="{_LAST}"/>'


def _legal(position: "Position", scores: Iterable[Move]) -> Iterator[str]:
    taken = {move.square for move in scores}
    fill = _look(position, position.side).image
    for square in squares_of(position.legal_mask()):
        if square not in taken:
            x, y = _centre(square)
            yield f'<circle cx="{x}" cy="{y}" r="5" fill="{fill}" fill-opacity="0.55"/>'


def _scores(scores: Mapping[Move, float]) -> Iterator[str]:
    best = max(scores.values(), default=0.0)
    squares: dict[int, float] = {}
    for move, score in scores.items():
        if move.square is not None:
            squares[move.square] = max(score, squares.get(move.square, -math.inf))
    for square, score in squares.items():
        text = "0" if not score else f"{score:+.0f}" if float(score).is_integer() else f"{score:+.1f}"
        x, y = _centre(square)
        shown = (_BEST, "bold") if score == best else (_LETTERS, "normal")
        yield _text(text, x, y, 13, *shown)


def _line(position: "Position", line: Moves, number: int) -> Iterator[str]:
    """Yield translucent discs for the moves, numbered from `number`. A pass has no number, as on a score sheet."""
    for given in line:
        move = position.parse_move(given)
        if move.square is not None:
            x, y = _centre(move.square)
            yield _disc(position, move.square, position.side, ' fill-opacity="0.6"')
            yield _text(str(number), x, y, 14, _look(position, position.side).ink, "bold")
            number += 1
        position = position.play(move)


def _text(text: str, x: float, y: float, size: int, fill: str, weight: str = "normal") -> str:
    # Few renderers support dominant-baseline. Digits are centred at `y` if the baseline is 0.36 of the font size lower.
    return (
        f'<text x="{x:g}" y="{y + 0.36 * size:g}" font-size="{size}" font-weight="{weight}" {_FONT} '
        f'text-anchor="middle" fill="{fill}">{escape(text)}</text>'
    )


def _centre(square: int) -> tuple[float, float]:
    return (
        _MARGIN + square % 8 * _SQUARE + _SQUARE / 2,
        _MARGIN + square // 8 * _SQUARE + _SQUARE / 2,
    )
