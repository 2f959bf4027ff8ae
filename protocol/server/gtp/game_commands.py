"""Commands that set up a game, play it and show how it stands."""

from outflank.engine import Colour, FileFormatError, IllegalMoveError, NotationError
from outflank.protocol.server.gtp.arguments import Arguments
from outflank.protocol.server.gtp.grammar import CommandError
from outflank.protocol.server.session import Session


def boardsize(session: Session, arguments: Arguments) -> str:
    """Checks that the controller means a board of 8 by 8; changes nothing.

    Arguments: `size`
    Fails: `unacceptable size` unless it is 8
    """
    size = arguments.whole("a board size", 0)
    if size != 8:
        raise CommandError("unacceptable size", f"expected 8, got {size}")
    return ""


def clear_board(session: Session, arguments: Arguments) -> str:
    """Begins a new game by the same rules. Clocks are full again; the tables of the search are kept."""
    session.new_game()
    return ""


def komi(session: Session, arguments: Arguments) -> str:
    """Accepts a komi and ignores it, since Reversi has none.

    Arguments: `number`
    Fails: `syntax error` if it is no number
    """
    arguments.number("a komi")
    return ""


def play(session: Session, arguments: Arguments) -> str:
    """Plays a disc or a pass.

    It has to be played by the side to move. Where that side has no move, the other side may play, and the pass is
    implied. A pass is legal only where there is no move. Once the game is over either side may pass, as often as
    it likes.

    Arguments: `colour` `vertex`, where by one-direction rules the vertex names the direction if there are
      several: `d3/ne` (n ne e se s sw w nw, north being towards row 1)
    Fails: `illegal move`, followed by the legal moves and what came instead, or by the side that is to move, or by
      the words that the game is over
    """
    session.play(arguments.colour(), arguments.move())
    return ""


def genmove(session: Session, arguments: Arguments) -> str:
    """Chooses a move and plays it. Ends early if the controller sends the line `# interrupt`.

    Arguments: `colour`
    Answer: a vertex in lower case, with its direction where `play` would need one; `pass` if there is no move
      or the game is over. Never `resign`.
    Fails: `illegal move` if the other side is to move and has a move
    """
    return str(session.genmove(arguments.colour()))


def reg_genmove(session: Session, arguments: Arguments) -> str:
    """Gives the move that `genmove` would choose without playing it; the clock does not run, nothing is left to chance.

    Arguments: `colour`
    Answer: as `genmove`
    Fails: as `genmove`
    """
    return str(session.choose(arguments.colour(), varied=False))


def undo(session: Session, arguments: Arguments) -> str:
    """Takes back the last `play` or `genmove`, together with a pass that it implied.

    A pass that was played counts as a move.

    Fails: `cannot undo` at the start of the game
    """
    return _undo(session, 1)


def gg_undo(session: Session, arguments: Arguments) -> str:
    """Takes back several moves, or none of them if there are fewer.

    Arguments: `count`, 1 if left out
    Fails: `cannot undo` if there are fewer
    """
    return _undo(session, arguments.whole("a number of moves", 0, default=1))


def _undo(session: Session, count: int) -> str:
    if count > (made := session.moves_made):
        raise CommandError("cannot undo", f"can't take back {count}: the game has {made} moves")
    session.undo(count)
    return ""


def showboard(session: Session, arguments: Arguments) -> str:
    """Shows the board, row 1 on top; dots are the legal moves.

    Answer: an empty first line, the board, then disc counts in the words of the rule sheet, the side to move,
      and the discs in hand where the sheet deals them
    """
    board = f"\n{session.position}"
    if not session.rules.shows_hand:
        return board
    hands = zip(session.rules.colour_names, (Colour.BLACK, Colour.WHITE), strict=True)
    return f"{board}\nin hand: " + ", ".join(f"{name} {session.game.hand(colour)}" for name, colour in hands)


def final_score(session: Session, arguments: Arguments) -> str:
    """Gives the result of a finished game by the rules' way of scoring.

    Answer: `B+12`, `W+4` or `0`; where a tie is won by the second player, `B+0` or `W+0`
    Fails: `cannot score` while a move is left
    """
    outcome = session.position.outcome()
    if outcome is None:
        raise CommandError("cannot score", "the game is not over")
    return str(outcome)


def loadsgf(session: Session, arguments: Arguments) -> str:
    """Loads a game from a file, by the rules it names (RU) or else by those in force.

    The main line of the first game is read: moves as `B[f5]`, as `B[fd]` (written by Go programs, where row a
    is row 8), `B[]` or `B[pass]`, and discs set up before the first move. The clocks are left alone.

    Arguments: `file` [`n`], to stop before move `n`, 1 being the first
    Fails: `cannot load file` if it can't be read, is no SGF, or has an illegal move
    """
    from outflank.protocol.formats.sgf import load

    path = arguments.word("a file name")
    before = arguments.whole("a move number", 1) if arguments else None
    try:
        session.resume(load(path, session.rules, before))
    except (OSError, FileFormatError, NotationError, IllegalMoveError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise CommandError("cannot load file", reason if path in reason else f"{reason} ({path})") from None
    return ""


def list_games(session: Session, arguments: Arguments) -> str:
    """Lists the games that `set_game` takes; Quarry asks for it.

    Answer: `Othello`
    """
    return "Othello"


def set_game(session: Session, arguments: Arguments) -> str:
    """Chooses the game out of `list_games`; changes nothing, as there is only one.

    Arguments: `game`, in any case
    Fails: `unknown game` if it is another
    """
    game = arguments.word("a game")
    if game.lower() != "othello":
        raise CommandError("unknown game", f"expected Othello, got {game!r}")
    return ""
