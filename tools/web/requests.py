"""Requests for analysis over a WebSocket: a JSON object in each message, as in each line of docs/analysis.md."""

import asyncio
import itertools
import json
from collections import deque
from contextlib import suppress

from starlette.websockets import WebSocket, WebSocketDisconnect

from outflank.tools.analysis.answers import Answer, answer_facts
from outflank.tools.analysis.requests import Defaults, read_request
from outflank.tools.analysis.service import AnalysisService

MOST_OPEN = 1_000
"""Positions, actions and warnings of a connection whose answers have not been sent; then no further message is read."""
_NO_TEXT = 1003  # a WebSocket's code for "unsupported data"


class SocketClient:
    """A client on a WebSocket. Of the progress of each search it keeps the latest.

    Args:
        socket: the connection.
        service: searches the positions.
    """

    def __init__(self, socket: WebSocket, service: AnalysisService) -> None:
        self._socket, self._service = socket, service
        self._loop = asyncio.get_running_loop()
        self._room = asyncio.Semaphore(MOST_OPEN)
        self._answers: deque[str] = deque()
        self._progress: dict[int, str] = {}
        self._changed = asyncio.Event()

    async def serve(self, defaults: Defaults) -> None:
        """Answer requests until the connection ends, and then end its searches; the web server cancels this if need be.

        Args:
            defaults: rules and limits of requests that name none.
        """
        await self._socket.accept()
        sending = asyncio.create_task(self._send())
        numbers = itertools.count()
        try:
            for line in itertools.count(1):
                message = await self._socket.receive()
                if message["type"] == "websocket.disconnect":
                    break
                if message.get("text") is None:
                    await self._socket.close(_NO_TEXT, "requests are texts")
                    break
                for item in read_request(message["text"], line, defaults):
                    await self._room.acquire()
                    self._service.take(self.deliver, next(numbers), item)
        finally:
            sending.cancel()
            self._service.leave(self.deliver)

    def deliver(self, number: int, answer: Answer) -> None:
        """Queue an answer in the thread of the connection."""
        with suppress(RuntimeError):  # the loop has ended
            self._loop.call_soon_threadsafe(self._put, number, answer)

    def _put(self, number: int, answer: Answer) -> None:
        text = json.dumps(answer_facts(answer))
        if answer.is_last:
            self._progress.pop(number, None)
            self._answers.append(text)
        else:
            self._progress[number] = text
        self._changed.set()

    async def _send(self) -> None:
        with suppress(WebSocketDisconnect, RuntimeError):
            while True:
                await self._changed.wait()
                self._changed.clear()
                while self._answers:
                    await self._socket.send_text(self._answers.popleft())
                    self._room.release()
                for number in list(self._progress):
                    if latest := self._progress.pop(number, None):
                        await self._socket.send_text(latest)
