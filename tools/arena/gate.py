"""Where those who join come in: the greeting, the token, and the way of messages while a connection lasts.

Whoever comes is a stranger until the token is checked, and stays untrusted after it: messages are bounded in size,
number and time, and a sentence says what is wrong with one before the connection ends.
"""

import asyncio
import time
from collections.abc import Callable
from contextlib import suppress

from starlette.routing import WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect, WebSocketState

from outflank.engine import OutflankError
from outflank.protocol.lines import printable
from outflank.tools.arena.line import Line
from outflank.tools.arena.messages import CLIENT, PATH, VERSION, Message, read, write

HELLO_SECONDS = 10.0  # for the first message
OPEN_SECONDS = 120.0  # for engines to start
SILENCE_SECONDS = 10.0  # without a message, not even a pong: the connection is dead
WRONG_TOKEN_SECONDS = 1.0  # before a wrong token is refused
_PING_SECONDS = 2.0
_FIRST_PINGS = (0.0, 0.05, 0.05)  # seconds before each: the line is known before the first move
_MOST_STRANGERS = 500  # connections without a token so far
_MOST_WAITING = 1_000  # messages that a connection does not take
_MESSAGES_A_SECOND = 200
_BURST = 1_000
_REFUSED = 1008  # WebSocket's code for a policy

Welcome = Callable[[Line], dict[str, object]]


class Refusal(OutflankError):
    """Why somebody can't come in, or not stay.

    Args:
        reason: a sentence.
        again: whether it makes sense to come again.
    """

    def __init__(self, reason: str, again: bool = False) -> None:
        super().__init__(reason)
        self.again = again


class Budget:
    """How many messages a connection may send: so many at once, and so many more a second."""

    def __init__(self, burst: float = _BURST, rate: float = _MESSAGES_A_SECOND) -> None:
        self._burst, self._rate = burst, rate
        self._left = burst
        self._at = time.monotonic()

    def spend(self) -> None:
        """Count a message.

        Raises: Refusal if there were too many.
        """
        now = time.monotonic()
        self._left = min(self._burst, self._left + (now - self._at) * self._rate) - 1
        self._at = now
        if self._left < 0:
            raise Refusal(f"too many messages: {self._rate} a second are allowed")


class SocketConnection:
    """A WebSocket as a ``Line`` uses it, from any thread."""

    def __init__(self, socket: WebSocket) -> None:
        self._socket = socket
        self._loop = asyncio.get_running_loop()
        self._outbox: asyncio.Queue[str] = asyncio.Queue(_MOST_WAITING)
        self._over = asyncio.Event()
        self.reason = ""

    def send(self, text: str) -> None:
        """Send a message, some time; who takes none for long is gone."""
        with suppress(RuntimeError):  # the server has ended
            self._loop.call_soon_threadsafe(self._put, text)

    def close(self, reason: str) -> None:
        """End the connection with a reason."""
        with suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self._end, reason)

    async def pump(self) -> None:
        """Send what is to be sent, for ever; a peer that reads nothing holds this up, but not the end."""
        while True:
            await self._socket.send_text(await self._outbox.get())

    async def end(self) -> None:
        """Wait for the end.

        Raises: Refusal with the reason.
        """
        await self._over.wait()
        raise Refusal(self.reason)

    def _put(self, text: str) -> None:
        try:
            self._outbox.put_nowait(text)
        except asyncio.QueueFull:
            self._end("you take no messages")

    def _end(self, reason: str) -> None:
        self.reason = self.reason or reason
        self._over.set()


class Gate:
    """Lets entrants in, and carries their messages.

    Args:
        admit: the line of whoever has a token. Raises Refusal with the reason why there is none.
        welcome: what an entrant is told of the arena: the values of the message ``welcome`` but for its version.
        on_change: called when a line has been opened or lost.
        on_refusal: called with a sentence whenever somebody is refused.
    """

    def __init__(
        self,
        admit: Callable[[str], Line],
        welcome: Welcome,
        on_change: Callable[[Line], object] = lambda line: None,
        on_refusal: Callable[[str], object] = lambda sentence: None,
    ) -> None:
        self._admit = admit
        self._welcome = welcome
        self._on_change = on_change
        self._on_refusal = on_refusal
        self._strangers = 0

    @property
    def route(self) -> WebSocketRoute:
        """For the web server."""
        return WebSocketRoute(PATH, self._serve)

    async def _serve(self, socket: WebSocket) -> None:
        """One connection from its beginning to its end."""
        await socket.accept()
        try:
            line, budget = await self._let_in(socket)
            await self._carry(socket, line, budget)
        except OutflankError as error:
            self._on_refusal(str(error))
            with suppress(Exception):  # whoever it was may be gone
                async with asyncio.timeout(_PING_SECONDS):
                    await _refuse(socket, error)
        except (WebSocketDisconnect, RuntimeError):
            pass  # gone; Starlette raises RuntimeError for what is sent then

    async def _let_in(self, socket: WebSocket) -> tuple[Line, Budget]:
        """The greeting.

        Raises: Refusal, MessageError.
        """
        if self._strangers >= _MOST_STRANGERS:
            raise Refusal("too many are at the gate; try again later", again=True)
        self._strangers += 1
        try:
            hello = await _receive(socket, HELLO_SECONDS)
            if hello["type"] != "hello":
                raise Refusal(f"expected hello as the first message, got {hello['type']}")
            if hello["protocol"] != VERSION:
                raise Refusal(
                    f"this server speaks version {VERSION} of the messages, and you speak {hello['protocol']}: "
                    f"use an Outflank of the server's version"
                )
            line = await self._line_of(hello["token"])
        finally:
            self._strangers -= 1
        await socket.send_text(write("welcome", protocol=VERSION, **self._welcome(line)))
        return line, Budget()

    async def _line_of(self, token: str) -> Line:
        """The line of who has the token; a wrong one is refused a moment later.

        Raises: Refusal.
        """
        try:
            return await asyncio.to_thread(self._admit, token)
        except Refusal:
            await asyncio.sleep(WRONG_TOKEN_SECONDS)
            raise

    async def _carry(self, socket: WebSocket, line: Line, budget: Budget) -> None:
        """Carry messages until the connection ends.

        Raises: Refusal, MessageError; WebSocketDisconnect.
        """
        opening = await _receive(socket, OPEN_SECONDS)
        if opening["type"] != "open":
            raise Refusal(f"expected open after the greeting, got {opening['type']}")
        connection = SocketConnection(socket)
        line.attach(connection, opening["slots"], printable(opening["engine"]))
        self._on_change(line)
        reader = _Reader(socket, line, budget)
        works = (reader.read(), connection.pump(), connection.end(), reader.ping())
        tasks = [asyncio.ensure_future(work) for work in works]
        try:
            done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            line.detach(connection, reader.heard if reader.was_silent else time.monotonic())
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            self._on_change(line)
        for task in done:
            task.result()


class _Reader:
    """Reads the messages of one connection, and measures it.

    Attributes:
        heard: when the last message came.
        was_silent: whether the connection was given up since nothing came.
    """

    def __init__(self, socket: WebSocket, line: Line, budget: Budget) -> None:
        self.heard = time.monotonic()
        self.was_silent = False
        self._socket = socket
        self._line = line
        self._budget = budget
        self._pings: dict[int, float] = {}

    async def read(self) -> None:
        """Take what comes, for ever.

        Raises: Refusal, MessageError; WebSocketDisconnect.
        """
        while True:
            try:
                message = await _receive(self._socket, SILENCE_SECONDS)
            except TimeoutError:
                self.was_silent = True
                raise Refusal(f"nothing was heard from you for {SILENCE_SECONDS:.0f} s", again=True) from None
            self.heard = time.monotonic()
            self._budget.spend()
            match message["type"]:
                case "pong":
                    if (sent := self._pings.pop(message["ping"], None)) is not None:
                        self._line.note_round_trip(self.heard - sent)
                case "ready" | "move" | "failed":
                    self._line.take(message)
                case "thought":
                    self._line.hear(message)
                case kind:
                    raise Refusal(f"expected an answer, got {kind} a second time")

    async def ping(self) -> None:
        """Ping, for ever."""
        number = 0
        while True:
            await asyncio.sleep(_FIRST_PINGS[number] if number < len(_FIRST_PINGS) else _PING_SECONDS)
            number += 1
            self._pings = {
                old: sent for old, sent in self._pings.items() if sent > time.monotonic() - SILENCE_SECONDS
            }
            self._pings[number] = time.monotonic()
            await self._socket.send_text(write("ping", ping=number, line=round(self._line.allowance, 4)))


async def _receive(socket: WebSocket, seconds: float) -> Message:
    """The next message.

    Raises: TimeoutError; MessageError; WebSocketDisconnect.
    """
    # Python 3.11's wait_for loses a cancellation that comes together with a message.
    async with asyncio.timeout(seconds):
        received = await socket.receive()
    if received["type"] == "websocket.disconnect":
        raise WebSocketDisconnect(received.get("code", 1005))
    return read(received.get("text") or received.get("bytes") or "", CLIENT)


async def _refuse(socket: WebSocket, error: OutflankError) -> None:
    """Say why, and end the connection."""
    if socket.application_state is WebSocketState.CONNECTED:
        again = isinstance(error, Refusal) and error.again
        await socket.send_text(write("refused", reason=str(error), again=again))
        await socket.close(_REFUSED)
