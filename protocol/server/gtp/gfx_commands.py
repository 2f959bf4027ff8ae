"""Drawings on GoGui's board: discs that stay, regions of empty squares, and the best line while it is searched."""

import sys
from collections.abc import Iterable, Iterator

from outflank.engine import SearchInfo, SearchResult, square_name, squares_of
from outflank.engine.position import Position
from outflank.engine.search.stability import stable_discs
from outflank.protocol.server.gtp.arguments import Arguments, variation
from outflank.protocol.server.session import Session

_BLACKS, _WHITES = "#6f8fc4", "#e0b870"
_ODD, _EVEN = "#d98880", "#7dbb8a"
_INTERVAL = 0.25  # seconds between two drawings, which is as much as an eye follows
_NOT_A_FILE, _NOT_H_FILE = 0xFEFEFEFEFEFEFEFE, 0x7F7F7F7F7F7F7F7F
_BOARD = 0xFFFFFFFFFFFFFFFF


def outflank_stable(session: Session, arguments: Arguments) -> str:
    """Colours the squares of discs that can never be turned again, as far as that is seen.

    Answer: lines for GoGui to draw: `COLOR #rrggbb` with the squares of each side, and `TEXT` with their numbers;
      by rules that turn one direction nothing is known, and only the text comes
    """
    position = session.position
    if position.rules.one_direction:
        return "TEXT stable discs: unknown by rules that turn one direction"
    black = stable_discs(position.black, position.white)
    white = stable_discs(position.white, position.black)
    names = position.rules.colour_names
    counts = f"{names[0]} {black.bit_count()}, {names[1]} {white.bit_count()}"
    return "\n".join([*_coloured(_BLACKS, black), *_coloured(_WHITES, white), f"TEXT stable discs: {counts}"])


def outflank_parity(session: Session, arguments: Arguments) -> str:
    """Colours the regions of empty squares, those with an odd number of squares unlike those with an even one.

    Squares that touch at a side or at a corner belong to the same region. Who moves first into each odd region tends
    to move last in it.

    Answer: lines for GoGui to draw: `COLOR #rrggbb` with the squares of the odd and of the even regions, `LABEL` with
      the size of each region on its first square, and `TEXT` with the number of regions
    """
    regions = list(_regions(_BOARD & ~(session.position.black | session.position.white)))
    odd = [region for region in regions if region.bit_count() % 2]
    even = [region for region in regions if not region.bit_count() % 2]
    return "\n".join(
        [
            *_coloured(_ODD, sum(odd)),
            *_coloured(_EVEN, sum(even)),
            *(f"LABEL {_vertex(next(squares_of(region)))} {region.bit_count()}" for region in regions),
            f"TEXT regions: {len(odd)} odd, {len(even)} even",
        ]
    )


def outflank_live(session: Session, arguments: Arguments) -> str:
    """Searches ever deeper and draws the best line as it changes, until any line comes or the game is solved.

    The drawings are `gogui-gfx:` lines on standard error, closed by an empty line: `VAR` with the line, and `TEXT` with
    its score in discs from the side to move, how deep and how surely it was searched.

    Answer: the last drawing; only a text if the game is over
    """
    position = session.position
    if position.is_over:
        return "TEXT the game is over"
    with session.searcher.analyse(position) as analysis:
        shown: SearchInfo | None = None
        while not isinstance(shown, SearchResult) and not session.inbox.wait_for_input(_INTERVAL):
            if analysis.latest is not None and analysis.latest is not shown:
                shown = analysis.latest
                _draw(_drawing(position, shown))
        analysis.stop()
        final = _drawing(position, analysis.result())
    _draw(["CLEAR"])
    return "\n".join(final)


def _draw(lines: Iterable[str]) -> None:
    """Hand a drawing to GoGui on standard error, which nobody may read."""
    try:
        sys.stderr.write("\n".join(["gogui-gfx:", *lines, "", ""]))
        sys.stderr.flush()
    except OSError:
        pass


def _drawing(position: Position, info: SearchInfo) -> list[str]:
    sure = "exact" if info.exact else f"{info.depth} plies at {info.selectivity} %"
    return [f"VAR {variation(position, info.pv)}", f"TEXT {info.score:+.4g}, {sure}, {info.nodes} nodes"]


def _coloured(colour: str, mask: int) -> Iterator[str]:
    if mask:
        yield f"COLOR {colour} {' '.join(map(_vertex, squares_of(mask)))}"


def _regions(empty: int) -> Iterator[int]:
    while empty:
        region, grown = 0, empty & -empty
        while grown != region:
            region = grown
            grown = _spread(region) & empty
        yield region
        empty &= ~region


def _spread(mask: int) -> int:
    """The squares of a mask and all that touch them."""
    rows = mask | (mask << 1 & _NOT_A_FILE) | (mask >> 1 & _NOT_H_FILE)
    return (rows | rows << 8 | rows >> 8) & _BOARD


def _vertex(square: int) -> str:
    return square_name(square).upper()
