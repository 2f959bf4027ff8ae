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
    """Play several moves, or none if one of them is illegal.

    Arguments: [`colour` `vertex` ...]
    Fails: `illegal move`, followed by the number of the illegal move
    """
    moves = []
    while arguments:
        moves.append((arguments.colour(), arguments.move()))
    session.play_all(moves)
    return ""


def gogui_setup(session: Session, arguments: Arguments) -> str:
    """Start a game from a board with exactly these discs. The side that begins under the rules is to move.

    Arguments: `colour` `vertex` [`colour` `vertex` ...]
    Fails: `syntax error` if a square is named twice
    """
    discs = dict.fromkeys(Colour, 0)
    while arguments or not any(discs.values()):
        colour, move = arguments.colour(), arguments.move()
        if move.square is None or move.direction is not None:
            raise CommandError("syntax error", f"expected a square, got {move}")
        if (discs[Colour.BLACK] | discs[Colour.WHITE]) >> move.square & 1:
            raise CommandError("syntax error", f"{move} is named twice")
        discs[colour] |= 1 << move.square
    board = Position(discs[Colour.BLACK], discs[Colour.WHITE], Colour.BLACK, session.rules)
    session.resume(Game(first=board.with_side(session.rules.begins)))
    return ""


def gogui_setup_player(session: Session, arguments: Arguments) -> str:
    """Start a game from the current board, with `colour` to move.

    Arguments: `colour`
    Fails: `syntax error` if the argument is not a colour
    """
    session.resume(Game(first=session.position.with_side(arguments.colour())))
    return ""


def gogui_interrupt(session: Session, arguments: Arguments) -> str:
    """Confirm that the line `# interrupt` ends the running command early, with its best result so far."""
    return ""


def gogui_analyze_commands(session: Session, arguments: Arguments) -> str:
    """List the entries for GoGui's Analyze menu.

    Answer: lines of the form `type/label/command`
    """
    return _ANALYZE_COMMANDS


def outflank_discs(session: Session, arguments: Arguments) -> str:
    """Return the number of discs of each side, and the result if the game is over.

    Answer: `Black 31, White 20`, with the colour names of the rule sheet; after the end `Black 40, White 24: B+16`
    """
    position = session.position
    counts = zip(session.rules.colour_names, Colour, strict=True)
    discs = ", ".join(f"{name} {position.discs(colour)}" for name, colour in counts)
    outcome = position.outcome()
    return discs if outcome is None else f"{discs}: {outcome}"


def outflank_scores(session: Session, arguments: Arguments) -> str:
    """Score every legal move.

    Arguments: [`depth`] in plies, 8 if left out
    Answer: lines of vertex (without direction) and score, the best move first. Scores are in discs from the point of
      view of the side to move, with one decimal unless exact
    Fails: `syntax error` if the depth is not a whole number of at least 1
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
    """Return the line of best play, found by a search that takes as long as `reg_genmove`.

    Answer: pairs of colour and vertex: `b D3 w C3`; nothing if the game is over
    """
    return variation(session.position, session.best_line())


def outflank_strength(session: Session, arguments: Arguments) -> str:
    """Show or set the search limits other than the clock, and the Elo rating of a weaker opponent.

    `elo` weakens the commands that choose a move (`genmove`, `reg_genmove`, `lz-genmove_analyze` and
    `kata-genmove_analyze`), as [play.md](play.md#opponents-of-peoples-strength) describes. All other commands keep
    their full strength, within the limits.

    Arguments: [`level|depth|time|nodes|elo` [`value`]]; without a value the limit is removed
    Answer: without arguments lines of `[string] name value`, otherwise nothing
    Fails: `syntax error` if the value is invalid
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
    """Colour the squares of discs that can never be turned again, as far as the engine recognises them.

    Answer: lines for GoGui to draw: `COLOR #rrggbb` with the squares of each side, and `TEXT` with their numbers. Under
      one-direction rules stability is unknown, and only the text is sent
    """
    position = session.position
    if position.rules.one_direction:
        return "TEXT stable discs: unknown under one-direction rules"
    black = stable_discs(position.black, position.white)
    white = stable_discs(position.white, position.black)
    names = position.rules.colour_names
    counts = f"{names[0]} {black.bit_count()}, {names[1]} {white.bit_count()}"
    return "\n".join([*_coloured(_BLACKS, black), *_coloured(_WHITES, white), f"TEXT stable discs: {counts}"])


def outflank_parity(session: Session, arguments: Arguments) -> str:
    """Colour the regions of empty squares, in different colours for odd and even numbers of squares.

    Squares that touch at a side or at a corner belong to the same region. The side that moves into an odd region first
    also tends to make the last move there.

    Answer: lines for GoGui to draw: `COLOR #rrggbb` with the squares of the odd and of the even regions, `LABEL` with
      the size of each region on its first square, and `TEXT` with the numbers of regions
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
    """Search deeper and deeper, and draw the best line as it changes, until any line arrives or the game is solved.

    The drawings are `gogui-gfx:` lines on standard error, closed by an empty line: `VAR` with the best line, and `TEXT`
    with the depth and selectivity of the search, and its score in discs from the point of view of the side to move.

    Answer: the last drawing; if the game is over, only a text
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
    """Describe the opening book in use, and its entry for the position.

    Answer: `book` with the file, the number of positions and the rules; or `book none`, with the reason if a requested
      book can't be used. If the book knows the position, a second line follows: `score +2 bounds -2 +6 depth 18 prob 95
      lines 40 wins 12 draws 8 losses 20`. It gives the score in discs, the lowest and highest possible scores, the
      plies and the selectivity of the searches, and the number of lines from here with their results
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
    """List the moves that the opening book knows in this position.

    Answer: lines of vertex (without direction) and score in discs from the point of view of the side to move, the best
      move first; nothing if the book knows no moves
    """
    entry = session.probe(session.position)
    moves = () if entry is None else entry.moves
    return scored((move.move, f"{move.score:+d}") for move in moves)


def outflank_book_line(session: Session, arguments: Arguments) -> str:
    """Return the line of the opening book that is best for both sides.

    Answer: pairs of colour and vertex: `b D3 w C3`; nothing if the book does not know the position
    """
    return variation(session.position, best_line(session.probe, session.position))


def outflank_opening(session: Session, arguments: Arguments) -> str:
    """Return the name of the game's opening.

    Answer: the names of the last named position of the game, such as `Bat / Cow Bat / Cambridge`; nothing if no
      position has a name
    """
    from outflank.book.names import opening_of_game

    opening = opening_of_game(session.game)
    return "" if opening is None else str(opening)
