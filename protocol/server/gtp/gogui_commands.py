"""GoGui's extensions: many moves at once, boards set up by hand, and what it offers in its Analyze menu."""

from dataclasses import replace
from typing import Any

from outflank.engine import Colour, Game, Limit, Position
from outflank.engine.search.limits import HIGHEST_LEVEL
from outflank.protocol.server.gtp.arguments import Arguments, scored, variation
from outflank.protocol.server.gtp.grammar import CommandError
from outflank.protocol.server.human_strength import HIGHEST_ELO, LOWEST_ELO
from outflank.protocol.server.session import Session

# "type/label/command": how GoGui shows what the command answers. %m stands for the side to move.
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
# The name of a limit on the command line -> in Strength.
_LIMITS = {"level": "level", "depth": "depth", "time": "seconds", "nodes": "nodes", "elo": "elo"}


def gogui_play_sequence(session: Session, arguments: Arguments) -> str:
    """Plays several moves, or none of them if one is illegal.

    Arguments: [`colour` `vertex` ...]
    Fails: `illegal move`, followed by the number of the move
    """
    moves = []
    while arguments:
        moves.append((arguments.colour(), arguments.move()))
    session.play_all(moves)
    return ""


def gogui_setup(session: Session, arguments: Arguments) -> str:
    """Begins a game from a board with exactly the discs named; the side that begins by the rules is to move.

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
    """Begins a game from the board as it is, with `colour` to move.

    Arguments: `colour`
    Fails: `syntax error` if it is no colour
    """
    session.resume(Game(first=session.position.with_side(arguments.colour())))
    return ""


def gogui_interrupt(session: Session, arguments: Arguments) -> str:
    """Says that the line `# interrupt` ends the running command early, with the best it has found."""
    return ""


def gogui_analyze_commands(session: Session, arguments: Arguments) -> str:
    """Lists the entries for GoGui's Analyze menu.

    Answer: lines of `type/label/command`
    """
    return _ANALYZE_COMMANDS


def outflank_discs(session: Session, arguments: Arguments) -> str:
    """Gives the number of discs of each side, and how the game ended if it is over.

    Answer: `Black 31, White 20`, colours as the box prints them; after the end `Black 40, White 24: B+16`
    """
    position = session.position
    counts = zip(session.rules.colour_names, Colour, strict=True)
    discs = ", ".join(f"{name} {position.discs(colour)}" for name, colour in counts)
    outcome = position.outcome()
    return discs if outcome is None else f"{discs}: {outcome}"


def outflank_scores(session: Session, arguments: Arguments) -> str:
    """Scores every legal move.

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
    """Gives the line of best play, found by a search as long as `reg_genmove` would take.

    Answer: colours and vertices in turn: `b D3 w C3`; nothing if the game is over
    """
    return variation(session.position, session.best_line())


def outflank_strength(session: Session, arguments: Arguments) -> str:
    """Shows or changes what limits the search besides the clock, and the Elo of a weaker opponent.

    `elo` makes `genmove` and `reg_genmove` weaker, as [play.md](play.md#opponents-of-peoples-strength) describes;
    no other command is weaker, and the limits hold for those.

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
