"""The small game server that clients of ours play on."""

import random
from collections.abc import Iterator

import pytest

from outflank.tests.support.ggs import GgsServer


@pytest.fixture
def server() -> Iterator[GgsServer]:
    with GgsServer(random.Random(7)) as server:
        yield server
