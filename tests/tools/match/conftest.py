"""Players whose engines do what a test wants."""

import shlex
from collections.abc import Iterator

import pytest

from outflank.engine import Rules
from outflank.protocol.drivers.clock import TimeControl
from outflank.protocol.drivers.spec import EngineSpec
from outflank.tests.support import fake_engine
from outflank.tests.support.runs import MARK, Sit
from outflank.tools.match.game.players import GtpPlayer


@pytest.fixture
def sit() -> Iterator[Sit]:
    """Players that are gone when the test is over."""
    players: list[GtpPlayer] = []

    def sit_down(
        fault: str = "none",
        turn: int = 2,
        time: str = "none",
        name: str = "A",
        heard: list[str] | None = None,
        restart: bool = False,
    ) -> GtpPlayer:
        cmd = shlex.join(fake_engine.command(fault, turn))
        entry = EngineSpec(name, cmd, TimeControl.parse(time), env=((MARK, name),), restart=restart)
        listener = None if heard is None else lambda *words: heard.append(" ".join(words))
        players.append(GtpPlayer(entry, Rules(), on_line=listener))
        return players[-1]

    yield sit_down
    for player in players:
        player.stop(0.1)
