"""Drives another engine in a child process, and ends all that it started."""

from outflank.protocol.drivers.choice import Reply
from outflank.protocol.drivers.clock import TimeControl
from outflank.protocol.drivers.dialect import Dialect
from outflank.protocol.drivers.errors import (
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
from outflank.protocol.drivers.gtpengine import GtpEngine
from outflank.protocol.drivers.reports import MoveReport
from outflank.protocol.drivers.spawn import ProcessSettings

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
    "ProcessSettings",
    "Reply",
    "TimeControl",
    "UnfitEngineError",
]
