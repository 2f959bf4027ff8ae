"""What the referee makes of an engine's answers: a move, or the loss of the game."""

from collections.abc import Iterator
from contextlib import contextmanager

from outflank.engine import Colour, IllegalMoveError, Move, NotationError, Position
from outflank.protocol.opponent.errors import EngineCrash, EngineError, EngineStartError, EngineTimeout
from outflank.protocol.opponent.process import printable
from outflank.tools.games.clock import Clock, seconds_text
from outflank.tools.games.evaluations import Choice
from outflank.tools.games.results import Ending


class Loss(Exception):
    """A game ends because one side resigned or committed a fault."""

    def __init__(self, loser: Colour, ending: Ending, detail: str) -> None:
        super().__init__(detail)
        self.loser = loser
        self.ending = ending
        self.detail = detail


@contextmanager
def blaming(colour: Colour, late: Ending = Ending.STALL) -> Iterator[None]:
    """Turn what goes wrong with an engine into the loss of `colour`, a missing answer into `late`."""
    try:
        yield
    except EngineError as error:
        raise Loss(colour, _ending_by(error, late), str(error)) from error


def judge_time(choice: Choice, clock: Clock, colour: Colour, name: str) -> None:
    """Charge the time of a choice.

    Raises: Loss if it came too late.
    """
    if clock.is_overrun_by(choice.seconds):
        took, left = seconds_text(choice.seconds), seconds_text(clock.allowance)
        raise Loss(colour, Ending.TIME, f"engine {name} took {took} s where {left} s were left")
    clock.spend(choice.seconds)


def judge_move(choice: Choice, position: Position, name: str) -> Move:
    """The move in the answer to ``genmove`` by engine `name`, which is on move.

    Raises: Loss if there is none, if it is illegal, or if it is a resignation.
    """
    engine, text, colour = f"engine {name}", printable(choice.text), position.side
    if not choice.ok:
        raise Loss(colour, Ending.PROTOCOL_ERROR, f"{engine} refused to move: {text or 'no reason given'}")
    if text.lower() == "resign":
        raise Loss(colour, Ending.RESIGNATION, f"{engine} resigned")
    try:
        return position.parse_move(text)
    except IllegalMoveError as error:
        raise Loss(colour, Ending.ILLEGAL_MOVE, f"{engine} played {text!r}: {error}") from None
    except NotationError:
        detail = f"{engine}: expected a move as the answer to genmove, got {text!r}"
        raise Loss(colour, Ending.PROTOCOL_ERROR, detail) from None


def _ending_by(error: EngineError, late: Ending) -> Ending:
    """The name of what went wrong."""
    if isinstance(error, EngineTimeout):
        return late
    if isinstance(error, EngineCrash | EngineStartError):
        return Ending.CRASH
    return Ending.PROTOCOL_ERROR
