"""One set of values for any number of viewers: each gets them all, and from then on those that change.

A value is written as JSON once, when it is set; a message is made of values once for all viewers that have seen as
much. A viewer that reads slowly gets fewer messages, each with the latest values: nothing is kept for it.
"""

import asyncio
import json
import time
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from starlette.websockets import WebSocket, WebSocketDisconnect

VERSION = 1
"""Of the messages; docs/live.md describes them."""

_FRAME_SECONDS = 0.2  # between two messages to a viewer
_MOST_DROPPED = 1_000  # keys that are remembered as gone; who has seen less than that gets all values again
_READ_ONLY = 1008  # a WebSocket's code for "policy violation"


class Feed:
    """The values by their keys; all methods are for the event loop's thread.

    Args:
        page: a code of the page that shows the values: one that shows others loads itself again.
    """

    def __init__(self, page: str) -> None:
        self._page = page
        self._values: dict[str, tuple[int, str]] = {}
        self._dropped: dict[str, int] = {}
        self._seen_by_all = 0  # the least count with which a viewer gets the changes alone
        self._count = 0
        self._published = 0
        self._changed = asyncio.Event()
        self._messages: dict[int | None, str] = {}
        self.viewers = 0

    def set(self, key: str, value: object) -> None:
        """Let a key have a value from the next message on."""
        text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
        if self._values.get(key, (0, None))[1] != text:
            self._count += 1
            self._values.pop(key, None)  # so that the latest stand last
            self._values[key] = self._count, text
            self._dropped.pop(key, None)

    def drop(self, key: str) -> None:
        """Let a key have no value."""
        if self._values.pop(key, None) is not None:
            self._count += 1
            self._dropped[key] = self._count
            if len(self._dropped) > _MOST_DROPPED:
                oldest = next(iter(self._dropped))
                self._seen_by_all = self._dropped.pop(oldest)

    def replace(self, prefix: str, values: Mapping[str, object]) -> None:
        """Let the keys that begin with `prefix` be these and no others."""
        for key in [key for key in self._values if key.startswith(prefix) and key not in values]:
            self.drop(key)
        for key, value in values.items():
            self.set(key, value)

    async def run(self) -> None:
        """Hand out what has changed, a few times a second, until it is cancelled."""
        while True:
            await asyncio.sleep(_FRAME_SECONDS)
            if self._count != self._published:
                self._published = self._count
                self._messages.clear()
                self._changed.set()
                self._changed = asyncio.Event()

    async def view(self, socket: WebSocket) -> None:
        """Serve a viewer until it leaves. One that says anything is sent away: there is nothing to be said."""
        await socket.accept()
        self.viewers += 1
        sending = asyncio.create_task(self._send(socket))
        try:
            await socket.receive()
        except WebSocketDisconnect:
            pass
        finally:
            self.viewers -= 1
            sending.cancel()
            with suppress(Exception, asyncio.CancelledError):
                await sending
            with suppress(RuntimeError):  # it has left
                await socket.close(_READ_ONLY, "this page only shows")

    async def _send(self, socket: WebSocket) -> None:
        seen: int | None = None
        while True:
            changed = self._changed
            if seen != self._published:
                text, seen = self._message(seen), self._published
                await socket.send_text(text)
            else:
                await changed.wait()

    def _message(self, seen: int | None) -> str:
        """What a viewer lacks that has seen so much; None for a new one."""
        if seen is not None and seen < self._seen_by_all:
            seen = None
        if seen not in self._messages:
            self._messages[seen] = self._made(seen)
        return self._messages[seen]

    def _made(self, seen: int | None) -> str:
        head: dict[str, Any] = {"version": VERSION, "now": round(time.time(), 3)}
        if seen is None:
            head |= {"all": True, "page": self._page}
        least = seen or 0
        news = []
        for key in reversed(self._values):  # the latest first
            count, text = self._values[key]
            if count <= least:
                break
            news.append(f"{json.dumps(key)}:{text}")
        dropped = [] if seen is None else [key for key, count in self._dropped.items() if count > least]
        values = ",".join(reversed(news))
        return f'{json.dumps(head)[:-1]},"drop":{json.dumps(dropped)},"set":{{{values}}}}}'
