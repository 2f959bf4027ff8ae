"""A set of values sent to any number of viewers: each viewer first gets all values, then only changes.

A value is encoded as JSON once, when it is set. Viewers that have seen the same changes share one encoded message. A
viewer that reads slowly gets fewer messages, each with the latest values; no messages are queued.
"""

import asyncio
import json
import time
from collections.abc import Mapping
from contextlib import suppress
from itertools import takewhile
from typing import Any

from starlette.websockets import WebSocket

VERSION = 1
"""The version of the messages, which docs/report.md describes."""

_FRAME_SECONDS = 0.2  # the pause between two messages to a viewer
# The number of dropped keys that are remembered; a viewer that missed an older drop gets all values again.
_MOST_DROPPED = 1_000
_READ_ONLY = 1008  # a WebSocket's code for "policy violation"


class ChangeFeed:
    """The values by key, and the connections to viewers. All methods must be called in the event loop's thread.

    Args:
        page: the hash of the current page; an open page with another hash reloads itself.
    """

    def __init__(self, page: str) -> None:
        self._page = page
        self._values: dict[str, tuple[int, str]] = {}
        self._dropped: dict[str, int] = {}
        # The number of the last forgotten change. A viewer that missed this change gets all values.
        self._seen_by_all = 0
        self._count = 0
        self._published = 0
        self._changed = asyncio.Event()
        self._messages: dict[int | None, str] = {}

    def set(self, key: str, value: object) -> None:
        """Set the value of a key. The next message contains the new value."""
        text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
        if self._values.get(key, (0, None))[1] != text:
            self._count += 1
            self._values.pop(key, None)  # keys are ordered by their last change
            self._values[key] = self._count, text
            self._dropped.pop(key, None)

    def drop(self, key: str) -> None:
        """Remove a key."""
        if self._values.pop(key, None) is not None:
            self._count += 1
            self._dropped[key] = self._count
            if len(self._dropped) > _MOST_DROPPED:
                oldest = next(iter(self._dropped))
                self._seen_by_all = self._dropped.pop(oldest)

    def replace(self, prefix: str, values: Mapping[str, object]) -> None:
        """Replace all keys that begin with `prefix` by `values`, whose keys lack the prefix."""
        new = {f"{prefix}{name}": value for name, value in values.items()}
        for key in [key for key in self._values if key.startswith(prefix) and key not in new]:
            self.drop(key)
        for key, value in new.items():
            self.set(key, value)

    async def publish(self) -> None:
        """Send changes a few times a second until the task is cancelled."""
        while True:
            await asyncio.sleep(_FRAME_SECONDS)
            if self._count != self._published:
                self._published = self._count
                self._messages.clear()
                self._changed.set()
                self._changed = asyncio.Event()

    async def serve(self, socket: WebSocket) -> None:
        """Serve a viewer until it leaves. A viewer that sends anything is disconnected."""
        await socket.accept()
        sending = asyncio.create_task(self._send(socket))
        try:
            await socket.receive()
        finally:
            sending.cancel()
            with suppress(Exception, asyncio.CancelledError):
                await sending
            with suppress(RuntimeError):  # raised if the viewer has left
                await socket.close(_READ_ONLY, "this page accepts no messages")

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
        """Return the message for a viewer that has seen the first `seen` changes; None means a new viewer."""
        if seen is not None and seen < self._seen_by_all:
            seen = None
        if seen not in self._messages:
            self._messages[seen] = self._written(seen)
        return self._messages[seen]

    def _written(self, seen: int | None) -> str:
        head: dict[str, Any] = {"version": VERSION, "now": round(time.time(), 3)}
        if seen is None:
            head |= {"all": True, "page": self._page}
        latest = takewhile(lambda item: item[1][0] > (seen or 0), reversed(self._values.items()))
        values = ",".join(f"{json.dumps(key)}:{text}" for key, (_, text) in reversed([*latest]))
        dropped = [] if seen is None else [key for key, count in self._dropped.items() if count > seen]
        return f'{json.dumps(head)[:-1]},"drop":{json.dumps(dropped)},"set":{{{values}}}}}'
