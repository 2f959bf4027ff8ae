"""However an engine ends, in time and with nothing left behind."""

import os
import time
from contextlib import suppress

import pytest

from outflank.protocol.opponent.client import GtpClient
from outflank.protocol.opponent.errors import (
    EngineCrash,
    EngineError,
)
from outflank.tests import fake_engine
from outflank.tests.processes import children, living_members, open_files
from outflank.tests.protocol.opponent.clients import started

PATIENCE = 0.4  # seconds for an answer in these tests
SLACK = 2  # seconds that a loaded machine may add; a deadline that does not hold would add for ever


def test_quit_ends_a_good_engine_at_once() -> None:
    client = started()
    began = time.monotonic()
    client.close(10)

    assert time.monotonic() - began < 2
    assert not client.is_running


def test_an_engine_that_ignores_quit_and_sigterm_is_killed() -> None:
    client = started("stubborn")
    began = time.monotonic()
    client.close(0.2)

    assert 0.4 <= time.monotonic() - began < 0.4 + SLACK
    assert living_members(client.pid) == []


def test_children_that_an_engine_left_behind_are_killed_with_it() -> None:
    with started("orphan") as client, pytest.raises(EngineCrash):
        client.ask("genmove black")

    assert living_members(client.pid) == []


def test_whoever_loses_patience_while_waiting_gets_out() -> None:
    class Enough(Exception):
        pass

    patient = True

    def lose_patience() -> None:
        if not patient:
            raise Enough

    with GtpClient(fake_engine.command("silence"), on_wait=lose_patience) as client:
        client.handshake()
        patient = False
        with pytest.raises(Enough):
            client.ask("genmove black", 60)
        client.close(0.1)

    assert living_members(client.pid) == []


def test_nothing_leaks_however_engines_end() -> None:
    def one_of_each() -> None:
        for fault in ("none", "crash", "closed input", "silence"):
            client = started(fault)
            with suppress(EngineError):
                client.ask("genmove black", 0.05)
            client.close(0.05)
            client.close()

    one_of_each()
    before, others = open_files(), set(children(os.getpid()))
    for _ in range(5):
        one_of_each()

    assert open_files() == before
    assert set(children(os.getpid())) <= others  # no zombie is left to wait for


@pytest.mark.slow
def test_nothing_leaks_in_a_thousand_engines() -> None:
    before = open_files()
    for _ in range(1000):
        started().close()

    assert open_files() == before
