"""Faults of an engine in a child process, by name."""

from outflank.engine import OutflankError


class EngineError(OutflankError):
    """Base of what an engine in a child process may do wrong."""


class EngineStartError(EngineError):
    """The program could not be started at all."""


class SystemExhausted(EngineStartError):
    """The system has no descriptor, process or memory left to start a program: no fault of the engine."""


class EngineCrash(EngineError):
    """The program ended, or closed a pipe, while an answer was due; or it was asked after its end."""


IN_TIME = "in time"
"""The end of the sentence that an engine gave no answer, for which ``Driver.decide`` puts seconds and limit."""


class EngineTimeout(EngineError):
    """No complete answer by the deadline.

    Attributes:
        seconds: the time of the move; None if no move was asked for.
        answered: whether an answer came, too late.
    """

    def __init__(self, sentence: str, seconds: float | None = None, *, answered: bool = False) -> None:
        super().__init__(sentence)
        self.seconds = seconds
        self.answered = answered


class EngineOutOfTime(EngineTimeout):
    """No move before its clock ran out."""


class EngineLineLost(EngineError):
    """The line to an engine on another machine was lost, and did not come back in time."""


class EngineProtocolError(EngineError):
    """The program wrote something that is no answer."""


class EngineIllegalMove(EngineProtocolError):
    """The engine made a move that its position does not allow."""


class EngineRefusal(EngineError):
    """The engine answered with a failure (``? ...``) where success was due."""


class UnfitEngineError(EngineError):
    """The engine works, but can't do what it is entered for."""
