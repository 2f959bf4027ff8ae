"""Commands by which a GUI learns the rules: GoGui's ruler, and our own choice of rules."""

from outflank.engine import Rules
from outflank.protocol.server.gtp.arguments import Arguments, vertex
from outflank.protocol.server.session import Session


def gogui_rules_game_id(session: Session, arguments: Arguments) -> str:
    """Names the game for GoGui.

    Answer: `Othello`
    """
    return "Othello"


def gogui_rules_board_size(session: Session, arguments: Arguments) -> str:
    """Gives the size of the board.

    Answer: `8`
    """
    return "8"


def gogui_rules_board(session: Session, arguments: Arguments) -> str:
    """Shows the board as GoGui draws it, from the bottom: row 8 first, on the same line as the `=`.

    Answer: eight rows of `X` (Black), `O` (White) and `.` (empty)
    """
    letters = session.position.board_string()[:64].replace("-", ".")
    return "\n".join(" ".join(letters[start : start + 8]) for start in range(56, -1, -8))


def gogui_rules_legal_moves(session: Session, arguments: Arguments) -> str:
    """Lists the legal moves of the side to move.

    Answer: vertices in capitals, without directions; `pass` if the side to move has to pass; nothing if the
      game is over
    """
    moves = session.position.legal_moves()
    # By one-direction rules a square may stand for several moves; a GUI wants it once.
    return " ".join(dict.fromkeys("pass" if move.is_pass else vertex(move) for move in moves))


def gogui_rules_side_to_move(session: Session, arguments: Arguments) -> str:
    """Gives the side to move, which may have to pass.

    Answer: `black` or `white`
    """
    return session.position.side


def gogui_rules_final_result(session: Session, arguments: Arguments) -> str:
    """Gives the result as a sentence for people, in the colours of the rule sheet.

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
    """Shows the rules in force, or begins a new game by other rules.

    Arguments: [`preset` [`option=value` ...]], separated by blanks or by commas: `othello,start=mirrored`
    Answer: without arguments the rules as this command takes them, else nothing
    Fails: `syntax error`, with the presets or options there are
    """
    if not arguments:
        return str(session.rules)
    session.new_game(Rules.parse(" ".join(arguments.rest())))
    return ""
