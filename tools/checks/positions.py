"""Games that the checks play, and how an engine is brought into a position or asked for a move."""

from outflank.engine import PASS, Game, IllegalMoveError, NotationError
from outflank.protocol.lines import printable
from outflank.protocol.opponent.errors import EngineCrash, EngineProtocolError, EngineTimeout
from outflank.tools.checks.subject import Subject, Unjudged, Violation

# Random games, chosen for how they end. The first three fill the board and have no passes.
BLACK_WINS = (
    "e6f4f3f6d3c5g6e7d6f2f8c3g2d2f5h2c2d7c8g5b4e8f7h7e3c6e1b5d8c7"
    "f1b2a5c1c4g1h1g7b1g3g8b6h3a1h4b3e2g4b8d1h6h8a6b7a3h5a8a7a2a4"
)
WHITE_WINS = (
    "e6f6g6d6c6g7g8b6c4h8f7e3f2e7f5c3d3h5b2g5h7c5a6a7b4d7h4a1c2a3"
    "b5h6a2a4d8h3f8d2b3c8a5e8c1f4f3g1c7g3g4b1a8b7e2e1b8g2d1f1h1h2"
)
DRAWN = (
    "c4c3d3e3f5b4c2e2e1f3g4d6a4g2b2d1f2g5g3h5e6h3h1f1c7c5f6f4c6b6"
    "a5c1g1a2h4g7b3b7a8h2g6a3d2a6g8d7e7c8b1e8d8a7f7f8a1h7h8h6b8b5"
)
WIPE_OUT = "e6f4e3f6g5d6e7f5c5"  # White has no disc left
BEFORE_A_PASS = "f5f6d3g5h5h4g7h6"  # Black has no move, White has some
START = ("c4", "d3", "e6", "f5")


class Resigned(Violation):
    """The engine resigned where a move was wanted."""

    def __init__(self) -> None:
        super().__init__("expected a move, got 'resign'")


def beginning(transcript: str, discs: int) -> str:
    """The first `discs` moves of a transcript."""
    return transcript[: 2 * discs]


def replay(subject: Subject, transcript: str) -> Game:
    """Bring the engine from the start through the moves of a transcript that has no passes on its way.

    Raises: Violation if it refuses one; EngineError.
    """
    subject.succeed("clear_board")
    game = Game.from_transcript(transcript)
    for turn in game.turns:
        subject.succeed(f"play {turn.colour} {turn.move}")
    return game


def set_up(subject: Subject, transcript: str = "") -> Game:
    """As ``replay``, for checks of what comes then: whether the moves are taken is looked at by others.

    Raises: Unjudged if the engine refuses one; EngineError.
    """
    try:
        return replay(subject, transcript)
    except Violation:
        raise Unjudged(f"it refuses {subject.asked!r} on the way to the position") from None


def think(subject: Subject, game: Game, seconds: float | None = None) -> float:
    """Let the engine choose the next move and play it in `game` too.

    Args:
        subject: the engine.
        game: where it stands; not over.
        seconds: how long it may take, ``subject.thinking`` if left out.

    Returns: the seconds it took.

    Raises: Resigned; Violation if it answers no legal move; EngineError.
    """
    reply = subject.ask(f"genmove {game.position.side}", subject.thinking if seconds is None else seconds)
    if not reply.ok:
        raise Violation(f"expected a move after {_so_far(game)}, got {reply}")
    if reply.text.lower() == "resign":
        raise Resigned
    try:
        move = game.position.parse_move(reply.text)
    except (IllegalMoveError, NotationError):
        raise Violation(f"expected a legal move after {_so_far(game)}, got {reply}") from None
    game.play(move)
    return reply.seconds


def move_somehow(subject: Subject, game: Game) -> None:
    """As ``think``, for checks of what comes then: whether and how the engine moves is looked at by others.

    Raises: Unjudged if there is no legal move; EngineStartError.
    """
    try:
        think(subject, game)
    except (Violation, EngineCrash, EngineTimeout, EngineProtocolError):
        subject.stop()
        raise Unjudged(f"it does not answer {subject.asked!r} with a legal move") from None


def announce_pass(subject: Subject, game: Game) -> None:
    """Pass for the side to move in `game` and send it to the engine, which may refuse: another check looks at that."""
    subject.ask(f"play {game.position.side} {PASS}")
    game.pass_()


def play(subject: Subject, game: Game, square: str) -> None:
    """Play a disc for the side to move.

    Raises: Violation if the engine refuses it; EngineError.
    """
    colour = game.position.side
    game.play(square)
    subject.succeed(f"play {colour} {square}")


def _so_far(game: Game) -> str:
    return printable(game.transcript()) or "no move"
