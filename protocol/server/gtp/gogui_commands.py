"""GoGui's extensions of GTP: board set-up, the Analyze menu with scores and drawings, and the opening book."""

import sys
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from outflank.engine import Colour, Game, Limit, Position, SearchInfo, SearchResult, square_name, squares_of
from outflank.engine.search.limits import HIGHEST_LEVEL
from outflank.engine.search.stability import stable_discs
from outflank.protocol.server.gtp.grammar import Arguments, CommandError, scored, variation
from outflank.protocol.server.human_strength import HIGHEST_ELO, LOWEST_ELO
from outflank.protocol.server.movesource import best_line
from outflank.protocol.server.session import Session

# Each line is "type/label/command". GoGui displays the answer according to the type. %m stands for the side to move.
_ANALYZE_COMMANDS = """\
pspairs/Move Scores/outflank-scores
var/Best Line/outflank-line
pspairs/Book Moves/outflank-book_moves
var/Book Line/outflank-book_line
string/Book/outflank-book
string/Opening/outflank-opening
gfx/Live Best Line/outflank-live
plist/Legal Moves/gogui-rules_legal_moves
gfx/Stable Discs/outflank-stable
gfx/Parity Regions/outflank-parity
string/Score/outflank-discs
string/Move Without Playing It/reg_genmove %m
string/Rules/outflank-rules
string/Settings/gomill-describe_engine
param/Strength/outflank-strength"""
_DEPTH_OF_SCORES = 8
# The attributes of ``Strength``, by the names of the limits in the command ``outflank-strength``.
_LIMITS = {"level": "level", "depth": "depth", "time": "seconds", "nodes": "nodes", "elo": "elo"}
_BLACKS, _WHITES = "#6f8fc4", "#e0b870"
_ODD, _EVEN = "#d98880", "#7dbb8a"
_INTERVAL = 0.25  # the seconds between two drawings; the eye can't follow a faster sequence
_NOT_A_FILE, _NOT_H_FILE = 0xFEFEFEFEFEFEFEFE, 0x7F7F7F7F7F7F7F7F
_BOARD = 0xFFFFFFFFFFFFFFFF


def gogui_play_sequence(session: Session, arguments: Arguments) -> str:
    """Play several moves, or none of them if one is illegal.

    Arguments: [`colour` `vertex` ...]
    Fails: `illegal move`, followed by the number of the move
    """
    moves = []
    while arguments:
        moves.append((arguments.colour(), arguments.move()))
    session.play_all(moves)
    return ""


def gogui_setup(session: Session, arguments: Arguments) -> str:
    """Begin a game from a board with exactly the discs named; the side that begins by the rules is to move.

    Arguments: `colour` `vertex` [`colour` `vertex` ...]
    Fails: `syntax error` if a square is named twice
    """
    discs = dict.fromkeys(Colour, 0)
    while arguments or not any(discs.values()):
        colour, move = arguments.colour(), arguments.move()
        if move.square is None or move.direction is not None:
            raise CommandError("syntax error", f"expected a square, got {move}")
        if (discs[Colour.BLACK] | discs[Colour.WHITE]) >> move.square & 1:
            raise CommandError("syntax error", f"{move} is there twice")
        discs[colour] |= 1 << move.square
    board = Position(discs[Colour.BLACK], discs[Colour.WHITE], Colour.BLACK, session.rules)
    session.resume(Game(first=board.with_side(session.rules.begins)))
    return ""


def gogui_setup_player(session: Session, arguments: Arguments) -> str:
    """Begin a game from the board as it is, with `colour` to move.

    Arguments: `colour`
    Fails: `syntax error` if it is no colour
    """
    session.resume(Game(first=session.position.with_side(arguments.colour())))
    return ""


def gogui_interrupt(session: Session, arguments: Arguments) -> str:
    """Say that the line `# interrupt` ends the running command early, with the best it has found."""
    return ""


def gogui_analyze_commands(session: Session, arguments: Arguments) -> str:
    """List the entries for GoGui's Analyze menu.

    Answer: lines of `type/label/command`
    """
    return _ANALYZE_COMMANDS


def outflank_discs(session: Session, arguments: Arguments) -> str:
    """Return the number of discs of each side, and how the game ended if it is over.

    Answer: `Black 31, White 20`, colours as the box prints them; after the end `Black 40, White 24: B+16`
    """
    position = session.position
    counts = zip(session.rules.colour_names, Colour, strict=True)
    discs = ", ".join(f"{name} {position.discs(colour)}" for name, colour in counts)
    outcome = position.outcome()
    return discs if outcome is None else f"{discs}: {outcome}"


def outflank_scores(session: Session, arguments: Arguments) -> str:
    """Score every legal move.

    Arguments: [`depth`] in plies, 8 if left out
    Answer: lines of vertex and score, the best first, without directions; in discs from the side to move, with one
      decimal unless exact
    Fails: `syntax error` if the depth is not 1 or more
    """
    depth = arguments.whole("a depth", 1, default=_DEPTH_OF_SCORES)
    position = session.position
    if position.is_over:
        return ""
    moves = len(position.legal_moves())
    info = session.searcher.search(position, Limit(depth=depth), multipv=moves, on_info=session.heed())
    digits = 0 if info.exact else 1
    return scored((line.move, f"{line.score:+.{digits}f}") for line in info.lines)


def outflank_line(session: Session, arguments: Arguments) -> str:
    """Return the line of best play, found by a search as long as `reg_genmove` would take.

    Answer: colours and vertices in turn: `b D3 w C3`; nothing if the game is over
    """
    return variation(session.position, session.best_line())


def outflank_strength(session: Session, arguments: Arguments) -> str:
    """Show or change the limits of the search besides the clock, and the Elo of a weaker opponent.

    `elo` makes the commands that choose a move weaker (`genmove`, `reg_genmove`, `lz-genmove_analyze` and
    `kata-genmove_analyze`), as [play.md](play.md#opponents-of-peoples-strength) describes; no other command is weaker,
    and the limits hold for those.

    Arguments: [`level|depth|time|nodes|elo` [`value`]]; without a value there is no such limit
    Answer: without arguments lines of `[string] name value`, else nothing
    Fails: `syntax error` if the value makes no sense
    """
    if arguments:
        name = arguments.choice("a limit", tuple(_LIMITS))
        changed: dict[str, Any] = {_LIMITS[name]: _limit(name, arguments) if arguments else None}
        session.strength = replace(session.strength, **changed)
        return ""
    values = ((name, getattr(session.strength, field)) for name, field in _LIMITS.items())
    return "\n".join(f"[string] {name} {'' if value is None else value}".rstrip() for name, value in values)


def _limit(name: str, arguments: Arguments) -> float:
    if name == "time":
        return arguments.duration()
    if name == "level":
        return arguments.whole("a level", 0, HIGHEST_LEVEL)
    if name == "elo":
        return arguments.whole("an Elo", LOWEST_ELO, HIGHEST_ELO)
    return arguments.whole("a depth" if name == "depth" else "a number of nodes", 1)


def outflank_stable(session: Session, arguments: Arguments) -> str:
    """Colour the squares of discs that can never be turned again, as far as that is seen.

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
    """Colour the regions of empty squares: regions with an odd number of squares in one colour, others in another.

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
    """Search ever deeper and draw the best line as it changes, until any line comes or the game is solved.

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
    """Send a drawing to GoGui on stderr. Errors are ignored, since stderr may be closed."""
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
    """Return the squares of a mask and all adjacent squares."""
    rows = mask | (mask << 1 & _NOT_A_FILE) | (mask >> 1 & _NOT_H_FILE)
    return (rows | rows << 8 | rows >> 8) & _BOARD


def _vertex(square: int) -> str:
    return square_name(square).upper()


def outflank_book(session: Session, arguments: Arguments) -> str:
    """Say which opening book is in use, and what it knows about the position.

    Answer: `book` with its file, its number of positions and its rules, or `none`, and why if a book that was asked
      for can't be used; if it knows the position, a second line
      `score +2 bounds -2 +6 depth 18 prob 95 lines 40 wins 12 draws 8 losses 20`: discs from the side to move, the
      least and the most that they can be, plies and selectivity of the searches, how many lines go on from here, and
      how these end
    """
    told = filter(None, (book.contents(session.rules) for book in session.books))
    books = [f"book {contents}" for contents in told] or ["book none"]
    entry = session.probe(session.position)
    if entry is None:
        return "\n".join(books)
    lines = entry.lines
    known = (
        f"score {entry.score:+d} bounds {entry.lower:+d} {entry.upper:+d} depth {entry.depth} prob {entry.selectivity} "
        f"lines {lines.total} wins {lines.wins} draws {lines.draws} losses {lines.losses}"
    )
    return "\n".join([*books, known])


def outflank_book_moves(session: Session, arguments: Arguments) -> str:
    """List the moves that the opening book knows here.

    Answer: lines of vertex and score, the best first, without directions, in discs from the side to move; nothing if
      it knows none
    """
    entry = session.probe(session.position)
    moves = () if entry is None else entry.moves
    return scored((move.move, f"{move.score:+d}") for move in moves)


def outflank_book_line(session: Session, arguments: Arguments) -> str:
    """Return the line of the opening book that is best for both sides.

    Answer: colours and vertices in turn: `b D3 w C3`; nothing if the book does not know the position
    """
    return variation(session.position, best_line(session.probe, session.position))


def outflank_opening(session: Session, arguments: Arguments) -> str:
    """Name the opening of the game.

    Answer: the names of the last position of the game that has a name, such as `Bat / Cow Bat / Cambridge`; nothing
      if none has
    """
    from outflank.book.names import opening_of_game

    opening = opening_of_game(session.game)
    return "" if opening is None else str(opening)
