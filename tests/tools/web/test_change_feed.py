"""Values for any number of viewers: what each gets, and what a slow one costs."""

import asyncio
import json
import os
import socket
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager

from starlette.routing import WebSocketRoute
from websockets.sync.client import connect

from outflank.tests.support.processes import resident_kib
from outflank.tools.web.change_feed import ChangeFeed
from outflank.tools.web.server import Address, WebServer


class Stage:
    """A feed that is served, and set from here."""

    def __init__(self) -> None:
        self.feed = ChangeFeed("page")
        self.loop: asyncio.AbstractEventLoop | None = None

    @asynccontextmanager
    async def lifespan(self, app: object) -> AsyncIterator[None]:
        self.loop = asyncio.get_running_loop()
        running = asyncio.create_task(self.feed.publish())
        yield
        running.cancel()

    def set(self, key: str, value: object) -> None:
        assert self.loop is not None
        self.loop.call_soon_threadsafe(self.feed.set, key, value)

    def drop(self, key: str) -> None:
        assert self.loop is not None
        self.loop.call_soon_threadsafe(self.feed.drop, key)

    @contextmanager
    def served(self) -> Iterator[str]:
        routes = [WebSocketRoute("/feed", self.feed.serve)]
        with WebServer(routes, Address().listen(), lifespan=self.lifespan) as server:
            with connect(server.url.replace("http", "ws") + "/feed"):
                pass  # the loop runs
            yield server.url.replace("http", "ws") + "/feed"


def test_a_viewer_gets_all_values_first_and_then_changes_alone() -> None:
    stage = Stage()
    with stage.served() as address:
        stage.set("a", 1)
        stage.set("b", [2])
        time.sleep(0.5)
        with connect(address) as viewer:
            first = json.loads(viewer.recv(10))
            stage.set("b", [3])
            stage.set("a", 1)
            second = json.loads(viewer.recv(10))
            stage.drop("a")
            third = json.loads(viewer.recv(10))

    assert (first["all"], first["page"], first["set"]) == (True, "page", {"a": 1, "b": [2]})
    assert (second["set"], second["drop"], "all" in second) == ({"b": [3]}, [], False)
    assert (third["set"], third["drop"]) == ({}, ["a"])


def test_values_that_change_often_are_sent_a_few_times_a_second() -> None:
    stage = Stage()
    with stage.served() as address, connect(address) as viewer:
        began = time.monotonic()
        for number in range(2_000):
            stage.set("n", number)
            time.sleep(0.0005)
        frames, last = 0, -1
        while last < 1_999:
            last = json.loads(viewer.recv(10))["set"].get("n", last)
            frames += 1

    assert frames <= 8 * (time.monotonic() - began) + 2


def test_a_viewer_that_missed_more_than_is_remembered_gets_all_values() -> None:
    feed = ChangeFeed("page")
    for number in range(3_000):
        feed.set(f"key/{number}", number)
        feed.drop(f"key/{number}")
    feed.set("kept", 1)
    late, recent = json.loads(feed._message(10)), json.loads(feed._message(5_990))

    assert (late.get("all"), late["set"]) == (True, {"kept": 1})
    assert ("all" in recent, recent["set"], len(recent["drop"])) == (False, {"kept": 1}, 5)


def test_viewers_that_do_not_read_cost_no_memory_that_grows() -> None:
    """Thirty of them, and 60 MB of values that each of them would have to get."""
    stage = Stage()
    with stage.served() as address:
        host, port = address.removeprefix("ws://").removesuffix("/feed").split(":")
        slow = []
        for _ in range(30):
            peer = socket.create_connection((host, int(port)))
            peer.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            key = "dGhlIHNhbXBsZSBub25jZQ=="
            head = f"GET /feed HTTP/1.1\r\nHost: {host}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            peer.sendall(f"{head}Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n\r\n".encode())
            slow.append(peer)
        sizes = []
        with connect(address, max_size=None) as viewer:
            for number in range(20):
                stage.set("big", [number, os.urandom(50_000).hex()])
                message: dict[str, object] = {}
                while not message.get("big"):
                    message = json.loads(viewer.recv(20))["set"]
                sizes.append(resident_kib())
        for peer in slow:
            peer.close()

    assert sizes[-1] - sizes[6] < 8_000, sizes
