"""GTP commands that set a game up, play it and show it, including its rules and clocks."""

from collections.abc import Callable

from outflank.engine import Colour, FileFormatError, IllegalMoveError, NotationError, Rules
from outflank.protocol.clock import NO_LIMIT, TimeControl
from outflank.protocol.server.gtp.grammar import Arguments, CommandError, vertex
from outflank.protocol.server.session import Session


def boardsize(session: Session, arguments: Arguments) -> str:
    """Check that the controller means a board of 8 by 8; change nothing.

    Arguments: `size`
    Fails: `unacceptable size` unless it is 8
    """
    size = arguments.whole("a board size", 0)
    if size != 8:
        raise CommandError("unacceptable size", f"expected 8, got {size}")
    return ""


def clear_board(session: Session, arguments: Arguments) -> str:
    """Begin a new game by the same rules. Clocks are full again; the tables of the search are kept."""
    session.new_game()
    return ""


def komi(session: Session, arguments: Arguments) -> str:
    """Accept a komi and ignore it, since Reversi has none.

    Arguments: `number`
    Fails: `syntax error` if it is no number
    """
    arguments.number("a komi")
    return ""


def play(session: Session, arguments: Arguments) -> str:
    """Play a disc or a pass.

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
    """Choose a move and play it; the search ends early if the controller sends the line `# interrupt`.

    Arguments: `colour`
    Answer: a vertex in lower case, with its direction where `play` would need one; `pass` if there is no move
      or the game is over. Never `resign`.
    Fails: `illegal move` if the other side is to move and has a move
    """
    return str(session.genmove(arguments.colour()))


def reg_genmove(session: Session, arguments: Arguments) -> str:
    """Return the move that `genmove` would choose without playing it; the clock does not run, and chance has no part.

    Arguments: `colour`
    Answer: as `genmove`
    Fails: as `genmove`
    """
    return str(session.choose(arguments.colour(), varied=False))


def undo(session: Session, arguments: Arguments) -> str:
    """Take back the last `play` or `genmove`, together with a pass that it implied.

    A pass that was played counts as a move.

    Fails: `cannot undo` at the start of the game
    """
    return _undo(session, 1)


def gg_undo(session: Session, arguments: Arguments) -> str:
    """Take back several moves, or none of them if there are fewer.

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
    """Show the board, row 1 on top; dots are the legal moves.

    Answer: an empty first line, the board, then disc counts in the words of the rule sheet, the side to move,
      and the discs in hand where the sheet deals them
    """
    board = f"\n{session.position}"
    if not session.rules.shows_hand:
        return board
    hands = zip(session.rules.colour_names, (Colour.BLACK, Colour.WHITE), strict=True)
    return f"{board}\nin hand: " + ", ".join(f"{name} {session.game.hand(colour)}" for name, colour in hands)


def final_score(session: Session, arguments: Arguments) -> str:
    """Return the result of a finished game by the rules' way of scoring.

    Answer: `B+12`, `W+4` or `0`; where a tie is won by the second player, `B+0` or `W+0`
    Fails: `cannot score` while a move is left
    """
    outcome = session.position.outcome()
    if outcome is None:
        raise CommandError("cannot score", "the game is not over")
    return str(outcome)


def loadsgf(session: Session, arguments: Arguments) -> str:
    """Load a game from a file, by the rules it names (RU) or else by those in force.

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
    """List the games that `set_game` takes; Quarry asks for it.

    Answer: `Othello`
    """
    return "Othello"


def set_game(session: Session, arguments: Arguments) -> str:
    """Choose the game out of `list_games`; change nothing, as there is only one.

    Arguments: `game`, in any case
    Fails: `unknown game` if it is another
    """
    game = arguments.word("a game")
    if game.lower() != "othello":
        raise CommandError("unknown game", f"expected Othello, got {game!r}")
    return ""


def gogui_rules_game_id(session: Session, arguments: Arguments) -> str:
    """Name the game for GoGui.

    Answer: `Othello`
    """
    return "Othello"


def gogui_rules_board_size(session: Session, arguments: Arguments) -> str:
    """Return the size of the board.

    Answer: `8`
    """
    return "8"


def gogui_rules_board(session: Session, arguments: Arguments) -> str:
    """Show the board as GoGui draws it, from the bottom: row 8 first, on the same line as the `=`.

    Answer: eight rows of `X` (Black), `O` (White) and `.` (empty)
    """
    letters = session.position.board_string()[:64].replace("-", ".")
    return "\n".join(" ".join(letters[start : start + 8]) for start in range(56, -1, -8))


def gogui_rules_legal_moves(session: Session, arguments: Arguments) -> str:
    """List the legal moves of the side to move.

    Answer: vertices in capitals, without directions; `pass` if the side to move has to pass; nothing if the
      game is over
    """
    moves = session.position.legal_moves()
    # Under one-direction rules a square may have several moves, but a GUI needs it only once.
    return " ".join(dict.fromkeys("pass" if move.is_pass else vertex(move) for move in moves))


def gogui_rules_side_to_move(session: Session, arguments: Arguments) -> str:
    """Return the side to move, which may have to pass.

    Answer: `black` or `white`
    """
    return session.position.side


def gogui_rules_final_result(session: Session, arguments: Arguments) -> str:
    """Return the result as a sentence for people, in the colours of the rule sheet.

    Answer: a sentence
    """
    outcome = session.position.outcome()
    if outcome is None:
        return "The game is not over"
    if outcome.winner is None:
        return "Draw"
    name = session.rules.colour_name(outcome.winner)
    if outcome.decided_by == "second":
        return f"{name} wins the tie as second player"
    return f"{name} wins by {outcome.margin}"


def outflank_rules(session: Session, arguments: Arguments) -> str:
    """Show the rules in force, or begin a new game by other rules.

    Arguments: [`preset` [`option=value` ...]], separated by blanks or by commas: `othello,start=mirrored`
    Answer: without arguments the rules as this command takes them, else nothing
    Fails: `syntax error`, with the presets or options there are
    """
    if not arguments:
        return str(session.rules)
    session.new_game(Rules.parse(" ".join(arguments.rest())))
    return ""


def time_settings(session: Session, arguments: Arguments) -> str:
    """Set both clocks: `main` seconds, after which `stones` moves must be made in every `period` seconds.

    A period of 0 is absolute time. A period with 0 stones, as in `0 1 0`, is no limit at all. Fractions are
    accepted.

    Arguments: `main` `period` `stones`
    Fails: `syntax error` if a number is missing or below 0
    """
    session.set_time(_canadian(arguments))
    return ""


def time_left(session: Session, arguments: Arguments) -> str:
    """Correct the clock of one side. Between two of these we count our own thinking by a monotonic clock.

    Arguments: `colour` `seconds` [`stones`]: 0 stones (or none given) in main time, else the moves still due
      in this period, or the periods left where `kata-time_settings byoyomi` was set. Fractions are accepted,
      and less than 0 counts as 0. It is believed even if no limit was set.
    Fails: `syntax error` if a number is missing
    """
    colour, seconds = arguments.colour(), arguments.number("seconds left")
    session.clocks[colour].set_left(seconds, arguments.whole("stones", 0, default=0))
    return ""


def kata_list_time_settings(session: Session, arguments: Arguments) -> str:
    """List the kinds of clock that `kata-time_settings` takes.

    Answer: `none absolute byoyomi canadian fischer`, each in a line of its own
    """
    return "\n".join(_SETTINGS)


def kata_time_settings(session: Session, arguments: Arguments) -> str:
    """Set both clocks; all times in seconds, fractions accepted.

    Arguments: `none` | `absolute` main | `byoyomi` main period periods | `canadian` main period stones |
      `fischer` main increment
    Fails: `syntax error` if the kind is another or a number is missing or below 0
    """
    session.set_time(_SETTINGS[arguments.choice("a kind of clock", tuple(_SETTINGS))](arguments))
    return ""


def _seconds(arguments: Arguments, name: str) -> float:
    return arguments.number(f"{name} seconds", least=0)


def _byoyomi(arguments: Arguments) -> TimeControl:
    main, period = _seconds(arguments, "main"), _seconds(arguments, "period")
    if arguments.whole("periods", 0) == 0 or period == 0:
        return TimeControl(main)
    return TimeControl(main, period=period, period_moves=1, counts_periods=True)


def _canadian(arguments: Arguments) -> TimeControl:
    main, period = _seconds(arguments, "main"), _seconds(arguments, "period")
    return TimeControl.canadian(main, period, arguments.whole("stones", 0))


_SETTINGS: dict[str, Callable[[Arguments], TimeControl]] = {
    "none": lambda arguments: NO_LIMIT,
    "absolute": lambda arguments: TimeControl(_seconds(arguments, "main")),
    "byoyomi": _byoyomi,
    "canadian": _canadian,
    "fischer": lambda arguments: TimeControl(
        _seconds(arguments, "main"), increment=_seconds(arguments, "increment")
    ),
}
