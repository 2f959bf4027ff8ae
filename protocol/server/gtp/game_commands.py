"""GTP commands that set a game up, play it and show it, including its rules and clocks."""

from collections.abc import Callable

from outflank.engine import Colour, FileFormatError, IllegalMoveError, NotationError, Rules
from outflank.protocol.clock import NO_LIMIT, TimeControl
from outflank.protocol.server.gtp.grammar import Arguments, CommandError, vertex
from outflank.protocol.server.session import Session


def boardsize(session: Session, arguments: Arguments) -> str:
    """Check that the controller expects a board of 8 by 8. The command changes nothing.

    Arguments: `size`
    Fails: `unacceptable size` unless the size is 8
    """
    size = arguments.whole("a board size", 0)
    if size != 8:
        raise CommandError("unacceptable size", f"expected 8, got {size}")
    return ""


def clear_board(session: Session, arguments: Arguments) -> str:
    """Start a new game under the same rules. Both clocks are reset; the transposition table is kept."""
    session.new_game()
    return ""


def komi(session: Session, arguments: Arguments) -> str:
    """Accept a komi and ignore it, since Reversi has none.

    Arguments: `number`
    Fails: `syntax error` if the argument is not a number
    """
    arguments.number("a komi")
    return ""


def play(session: Session, arguments: Arguments) -> str:
    """Play a disc or a pass.

    The colour must be the side to move. If that side has no legal move, the other side may play, which implies the
    pass. A pass is legal only if there is no other move. Once the game is over, either side may pass any number of
    times.

    Arguments: `colour` `vertex`. Under one-direction rules, the vertex names the direction if several are possible:
      `d3/ne` (n ne e se s sw w nw, north being towards row 1)
    Fails: `illegal move`. The detail names the rejected move and the legal moves, names the side to move, or says that
      the game is over
    """
    session.play(arguments.colour(), arguments.move())
    return ""


def genmove(session: Session, arguments: Arguments) -> str:
    """Choose a move and play it. The line `# interrupt` from the controller ends the search early.

    Arguments: `colour`
    Answer: a vertex in lower case, with its direction where `play` would need one; `pass` if there is no legal move or
      the game is over; never `resign`
    Fails: `illegal move` if the other side is to move and has a legal move
    """
    return str(session.genmove(arguments.colour()))


def reg_genmove(session: Session, arguments: Arguments) -> str:
    """Return the move that `genmove` would choose, without playing it.

    The clock does not run, and nothing is chosen at random.

    Arguments: `colour`
    Answer: as for `genmove`
    Fails: as for `genmove`
    """
    return str(session.choose(arguments.colour(), varied=False))


def undo(session: Session, arguments: Arguments) -> str:
    """Take back the last `play` or `genmove`, together with any pass that it implied.

    An explicit pass counts as a move.

    Fails: `cannot undo` at the start of the game
    """
    return _undo(session, 1)


def gg_undo(session: Session, arguments: Arguments) -> str:
    """Take back several moves. If fewer moves have been made, none is taken back.

    Arguments: `count`, 1 if left out
    Fails: `cannot undo` if fewer moves have been made
    """
    return _undo(session, arguments.whole("a number of moves", 0, default=1))


def _undo(session: Session, count: int) -> str:
    if count > (made := session.moves_made):
        raise CommandError("cannot undo", f"can't take back {count}: the game has {made} moves")
    session.undo(count)
    return ""


def showboard(session: Session, arguments: Arguments) -> str:
    """Show the board, with row 1 at the top and dots for the legal moves.

    Answer: an empty first line, the board, then the disc counts under the rule sheet's colour names, the side to move,
      and the discs in hand if the sheet deals them
    """
    board = f"\n{session.position}"
    if not session.rules.shows_hand:
        return board
    hands = zip(session.rules.colour_names, (Colour.BLACK, Colour.WHITE), strict=True)
    return f"{board}\nin hand: " + ", ".join(f"{name} {session.game.hand(colour)}" for name, colour in hands)


def final_score(session: Session, arguments: Arguments) -> str:
    """Return the result of a finished game under the rules' scoring.

    Answer: `B+12`, `W+4` or `0`; `B+0` or `W+0` if the second player wins a tie
    Fails: `cannot score` if the game is not over
    """
    outcome = session.position.outcome()
    if outcome is None:
        raise CommandError("cannot score", "the game is not over")
    return str(outcome)


def loadsgf(session: Session, arguments: Arguments) -> str:
    """Load a game from a file, under the rules that the file names (RU) or else under the current rules.

    Only the main line of the first game is read. Moves have the form `B[f5]`, or `B[fd]` as written by Go programs,
    where row a is row 8. A pass is `B[]` or `B[pass]`. Discs may be set up before the first move. The clocks are not
    changed.

    Arguments: `file` [`n`], where `n` is the first move to leave out, counted from 1
    Fails: `cannot load file` if the file can't be read, is not SGF, or contains an illegal move
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
    """List the games that `set_game` accepts. Quarry sends this command.

    Answer: `Othello`
    """
    return "Othello"


def set_game(session: Session, arguments: Arguments) -> str:
    """Select a game from `list_games`. Since there is only one, nothing changes.

    Arguments: `game`, in any case
    Fails: `unknown game` for any other game
    """
    game = arguments.word("a game")
    if game.lower() != "othello":
        raise CommandError("unknown game", f"expected Othello, got {game!r}")
    return ""


def gogui_rules_game_id(session: Session, arguments: Arguments) -> str:
    """Return the name of the game for GoGui.

    Answer: `Othello`
    """
    return "Othello"


def gogui_rules_board_size(session: Session, arguments: Arguments) -> str:
    """Return the size of the board.

    Answer: `8`
    """
    return "8"


def gogui_rules_board(session: Session, arguments: Arguments) -> str:
    """Show the board in GoGui's order, from bottom to top: row 8 first, on the same line as the `=`.

    Answer: eight rows of `X` (Black), `O` (White) and `.` (empty)
    """
    letters = session.position.board_string()[:64].replace("-", ".")
    return "\n".join(" ".join(letters[start : start + 8]) for start in range(56, -1, -8))


def gogui_rules_legal_moves(session: Session, arguments: Arguments) -> str:
    """List the legal moves of the side to move.

    Answer: vertices in capitals, without directions; `pass` if the side to move has to pass; nothing if the game is
      over
    """
    moves = session.position.legal_moves()
    # Under one-direction rules a square may have several moves, but a GUI needs it only once.
    return " ".join(dict.fromkeys("pass" if move.is_pass else vertex(move) for move in moves))


def gogui_rules_side_to_move(session: Session, arguments: Arguments) -> str:
    """Return the side to move, even if it has to pass.

    Answer: `black` or `white`
    """
    return session.position.side


def gogui_rules_final_result(session: Session, arguments: Arguments) -> str:
    """Return the result as a sentence for display, with the colour names of the rule sheet.

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
    """Show the current rules, or start a new game under other rules.

    Arguments: [`preset` [`option=value` ...]], separated by blanks or commas: `othello,start=mirrored`
    Answer: without arguments the current rules, in the form that this command accepts; otherwise nothing
    Fails: `syntax error`, with the known presets or options
    """
    if not arguments:
        return str(session.rules)
    session.new_game(Rules.parse(" ".join(arguments.rest())))
    return ""


def time_settings(session: Session, arguments: Arguments) -> str:
    """Set both clocks: `main` seconds, then `period` seconds for every `stones` moves.

    A period of 0 means absolute time. A period with 0 stones, as in `0 1 0`, means no time limit. Fractions are
    accepted.

    Arguments: `main` `period` `stones`
    Fails: `syntax error` if a number is missing or negative
    """
    session.set_time(_canadian(arguments))
    return ""


def time_left(session: Session, arguments: Arguments) -> str:
    """Correct the clock of one side.

    Between two of these commands, the engine measures its own thinking time with a monotonic clock.

    Arguments: `colour` `seconds` [`stones`]. In main time `stones` is 0 or left out. Otherwise it is the number of
      moves still due in this period, or, after `kata-time_settings byoyomi`, the number of periods left. Fractions are
      accepted, and negative times count as 0. The time applies even if no time limit was set.
    Fails: `syntax error` if the colour or the time is missing
    """
    colour, seconds = arguments.colour(), arguments.number("seconds left")
    session.clocks[colour].set_left(seconds, arguments.whole("stones", 0, default=0))
    return ""


def kata_list_time_settings(session: Session, arguments: Arguments) -> str:
    """List the kinds of clock that `kata-time_settings` accepts.

    Answer: `none absolute byoyomi canadian fischer`, one per line
    """
    return "\n".join(_SETTINGS)


def kata_time_settings(session: Session, arguments: Arguments) -> str:
    """Set both clocks. All times are in seconds; fractions are accepted.

    Arguments: `none` | `absolute` main | `byoyomi` main period periods | `canadian` main period stones | `fischer` main
      increment
    Fails: `syntax error` if the kind is unknown, or if a number is missing or negative
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
