"""The errors that drivers of engines raise."""

from outflank.engine import OutflankError


class EngineError(OutflankError):
    """The base class of an engine's errors."""


class EngineStartError(EngineError):
    """The program could not be started."""


class SystemExhausted(EngineStartError):
    """The system lacks the descriptors, processes or memory to start a program; not the engine's fault."""


class EngineCrash(EngineError):
    """The program ended or closed a pipe while an answer was due, or a command was sent after the program's end."""


IN_TIME = "in time"
"""The words in a timeout's message that ``Driver.decide`` replaces with the elapsed time and the limit."""


class EngineTimeout(EngineError):
    """The engine gave no complete answer by the deadline.

    Attributes:
        seconds: the time that the engine used for the move; None if the request was not for a move.
        answered: True if an answer arrived after the deadline.
    """

    def __init__(self, sentence: str, seconds: float | None = None, *, answered: bool = False) -> None:
        super().__init__(sentence)
        self.seconds = seconds
        self.answered = answered


class EngineOutOfTime(EngineTimeout):
    """The engine gave no move before its clock ran out."""


class EngineLineLost(EngineError):
    """The connection to an engine on another machine was lost, and was not restored in time."""


class EngineProtocolError(EngineError):
    """The program wrote output that is not a valid answer."""


class EngineIllegalMove(EngineProtocolError):
    """The engine chose an illegal move."""


class EngineRefusal(EngineError):
    """The engine answered a command with a failure (``? ...``)."""


class UnfitEngineError(EngineError):
    """The engine works, but lacks a capability that the match needs."""
