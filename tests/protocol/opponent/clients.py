"""Clients of the fake engine, ready for a game."""

from outflank.protocol.opponent.client import GtpClient
from outflank.protocol.opponent.spawn import Surroundings
from outflank.tests import fake_engine


def started(fault: str = "none", turn: int = 1, surroundings: Surroundings | None = None) -> GtpClient:
    """A client whose engine has answered the handshake and cleared its board; `fault` comes at its `turn`."""
    client = GtpClient(fake_engine.command(fault, turn), "engine A", surroundings=surroundings)
    client.handshake()
    client.order("clear_board")
    return client
