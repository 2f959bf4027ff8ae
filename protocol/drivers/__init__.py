"""Drivers for engines that speak GTP, NBoard's protocol or UCI. Each engine runs in a child process."""

from typing import Any

from outflank.engine import Rules
from outflank.protocol.clock import TimeControl
from outflank.protocol.drivers.dialect import Dialect
from outflank.protocol.drivers.driver import Driver, Reply
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
from outflank.protocol.drivers.gtp import GtpDriver
from outflank.protocol.drivers.gtpengine import GtpEngine
from outflank.protocol.drivers.nboard import NBoardDriver
from outflank.protocol.drivers.process_driver import ProcessDriver
from outflank.protocol.drivers.reports import MoveReport
from outflank.protocol.drivers.spec import EngineSpec, ProcessSettings
from outflank.protocol.drivers.spec_values import Protocol
from outflank.protocol.drivers.uci import UciDriver

__all__ = [
    "Dialect",
    "Driver",
    "EngineCrash",
    "EngineError",
    "EngineIllegalMove",
    "EngineOutOfTime",
    "EngineProtocolError",
    "EngineRefusal",
    "EngineSpec",
    "EngineStartError",
    "EngineTimeout",
    "GtpDriver",
    "GtpEngine",
    "MoveReport",
    "NBoardDriver",
    "ProcessDriver",
    "ProcessSettings",
    "Reply",
    "TimeControl",
    "UciDriver",
    "UnfitEngineError",
    "make_driver",
]

_DRIVERS: dict[Protocol, type[ProcessDriver]] = {
    Protocol.GTP: GtpDriver,
    Protocol.NBOARD: NBoardDriver,
    Protocol.UCI: UciDriver,
}


def make_driver(spec: EngineSpec, rules: Rules, **named: Any) -> ProcessDriver:
    """Return a driver for the protocol of `spec`. `named`: further keyword arguments of ``ProcessDriver``.

    Raises: UnfitEngineError if the engine is on another machine.
    """
    if spec.protocol not in _DRIVERS:
        raise UnfitEngineError(
            f"engine {spec.name} runs on another machine: only outflank serve supports this"
        )
    return _DRIVERS[spec.protocol](spec, rules, **named)
