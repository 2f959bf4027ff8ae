"""Drives another engine in a child process, and ends all that it started."""

from outflank.protocol.opponent.choice import Reply
from outflank.protocol.opponent.clock import TimeControl
from outflank.protocol.opponent.dialect import Dialect
from outflank.protocol.opponent.errors import (
    EngineCrash,
    EngineError,
    EngineIllegalMove,
    EngineOutOfTime,
    EngineProtocolError,
    EngineRefusal,
    EngineStartError,
    EngineTimeout,
    UnfitEngineError,
)
from outflank.protocol.opponent.gtpengine import GtpEngine
from outflank.protocol.opponent.reports import MoveReport
from outflank.protocol.opponent.spawn import Surroundings

__all__ = [
    "Dialect",
    "EngineCrash",
    "EngineError",
    "EngineIllegalMove",
    "EngineOutOfTime",
    "EngineProtocolError",
    "EngineRefusal",
    "EngineStartError",
    "EngineTimeout",
    "GtpEngine",
    "MoveReport",
    "Reply",
    "Surroundings",
    "TimeControl",
    "UnfitEngineError",
]
