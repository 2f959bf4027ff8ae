"""Where those who join come in: the greeting, the token, and the way of messages while a connection lasts.

Whoever comes is a stranger until the token is checked, and stays untrusted after it: messages are bounded in size,
number and time, and a sentence says what is wrong with one before the connection ends.
"""

import asyncio
import time
from collections import defaultdict
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager, suppress
from typing import Any

from starlette.routing import WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect, WebSocketState

from outflank.engine import OutflankError
from outflank.protocol.lines import printable
from outflank.tools.arena import messages
from outflank.tools.arena.line import Line
from outflank.tools.arena.messages import CLIENT, PATH, VERSION, Message, read, write
from outflank.tools.work.limits import Budget

HELLO_SECONDS = 10.0  # for the first message
OPEN_SECONDS = 120.0  # for engines to start
SILENCE_SECONDS = 10.0  # without a message, not even a pong: the connection is dead
WRONG_TOKEN_SECONDS = 1.0  # before a wrong token is refused
_PING_SECONDS = 2.0
_FIRST_PINGS = (0.0, 0.05, 0.05)  # seconds before each: the line is known before the first move
_MOST_WAITING = 1_000  # messages that a connection does not take
_UNASKED_A_SECOND = 200  # thoughts, and messages that answer nothing
_UNASKED_A_SLOT = 10  # more of them a second for each game at once
_BURST = 1_000
_GOODBYES = (1000, 1001, 1012)  # WebSocket codes of an end that the client means, or of a restart of ours
_REFUSED = 1008  # WebSocket's code for a policy


class Refusal(OutflankError):
    """Why somebody can't come in, or not stay.

    Args:
        reason: a sentence.
        again: whether it makes sense to come again.
    """

    def __init__(self, reason: str, again: bool = False) -> None:
        super().__init__(reason)
        self.again = again


class SocketConnection:
    """A WebSocket as a ``Line`` uses it, from any thread.

    Attributes:
        reason: why we end it; empty while it lasts.
        is_open: whether its client has said ``open``.
    """

    def __init__(self, socket: WebSocket) -> None:
        self.is_open = False
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
        admit: returns the line of who has a token. Raises: Refusal.
        welcome: returns the message that admits a line.
        on_change: called when a line was opened or has ended.
        on_refusal: called with the reason when a peer is refused.
    """

    def __init__(
        self,
        admit: Callable[[str], Line],
        welcome: Callable[[Line], messages.WelcomeMessage],
        on_change: Callable[[Line], object] = lambda line: None,
        on_refusal: Callable[[str], object] = lambda sentence: None,
    ) -> None:
        self._admit = admit
        self._welcome = welcome
        self._on_change = on_change
        self._on_refusal = on_refusal
        self._connections: defaultdict[str, list[SocketConnection]] = defaultdict(list)  # of each entrant

    @property
    def route(self) -> WebSocketRoute:
        """For the web server."""
        return WebSocketRoute(PATH, self._serve)

    def turn_out(self, name: str, reason: str) -> None:
        """End all connections of an entrant, whether open or not yet; from any thread."""
        for connection in list(self._connections.get(name, ())):
            connection.close(reason)

    async def _serve(self, socket: WebSocket) -> None:
        """Serve one connection from its beginning to its end."""
        await socket.accept()
        try:
            token = await self._token(socket)
            line = await self._line_of(token)
            connection = SocketConnection(socket)
            with self._registered(line.name, connection):
                await _first_of(connection.end(), self._carry(socket, line, token, connection))
        except OutflankError as error:
            self._on_refusal(str(error))
            with suppress(Exception):  # whoever it was may be gone
                async with asyncio.timeout(_PING_SECONDS):
                    await _refuse(socket, error)
        except (WebSocketDisconnect, RuntimeError):
            pass  # gone; Starlette raises RuntimeError for what is sent then

    async def _token(self, socket: WebSocket) -> str:
        """Return the token of the greeting.

        Raises: Refusal, MessageError; TimeoutError if there is no greeting in time.
        """
        try:
            hello = await _receive(socket, HELLO_SECONDS)
        except TimeoutError:
            raise Refusal(f"no hello came within {HELLO_SECONDS:g} s", again=True) from None
        if not isinstance(hello, messages.HelloMessage):
            raise Refusal(f"expected hello as the first message, got {hello.type}")
        if hello.protocol != VERSION:
            raise Refusal(
                f"this server speaks version {VERSION} of the messages, and you speak {hello.protocol}: "
                f"use an Outflank of the server's version"
            )
        return hello.token

    async def _line_of(self, token: str) -> Line:
        """Return the line of who has the token; a wrong one is refused a moment later.

        Raises: Refusal.
        """
        try:
            return await asyncio.to_thread(self._admit, token)
        except Refusal:
            await asyncio.sleep(WRONG_TOKEN_SECONDS)
            raise

    @contextmanager
    def _registered(self, name: str, connection: SocketConnection) -> Iterator[None]:
        """Have ``turn_out`` know a connection; of those of one token that are not open yet, only the newest stays."""
        known = self._connections[name]
        for other in known:
            if not other.is_open:
                other.close(_replaced(name))
        known.append(connection)
        try:
            yield
        finally:
            known.remove(connection)
            if not known:
                self._connections.pop(name, None)

    async def _carry(self, socket: WebSocket, line: Line, token: str, connection: SocketConnection) -> None:
        """Welcome an entrant, and carry messages until the connection ends.

        Raises: Refusal, MessageError; WebSocketDisconnect.
        """
        await socket.send_text(write(self._welcome(line)))
        try:
            opening = await _receive(socket, OPEN_SECONDS)
        except TimeoutError:
            raise Refusal(f"no open came within {OPEN_SECONDS:g} s", again=True) from None
        if not isinstance(opening, messages.OpenMessage):
            raise Refusal(f"expected open after the greeting, got {opening.type}")
        await self._line_of(token)  # it may have been made void meanwhile
        connection.is_open = True
        line.attach(connection, opening.slots, printable(opening.engine))
        self._on_change(line)
        reader = _Reader(socket, line)
        try:
            await _first_of(reader.read(), connection.pump(), reader.ping())
        finally:
            line.detach(connection, reader.heard if reader.was_silent else time.monotonic(), reader.is_lost)
            self._on_change(line)


def _replaced(name: str) -> str:
    return f"another connection for {name} has taken the place of this one"


async def _first_of(*works: Coroutine[Any, Any, None]) -> None:
    """Run some works until one ends or fails, and raise its error."""
    tasks = [asyncio.ensure_future(work) for work in works]
    try:
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    for task in done:
        task.result()


class _Reader:
    """Reads the messages of one connection, and measures it.

    Attributes:
        heard: when the last message came.
        was_silent: whether the connection was given up since nothing came.
        is_lost: whether it ended unintended: it was silent, or was cut without a goodbye.
    """

    def __init__(self, socket: WebSocket, line: Line) -> None:
        self.heard = time.monotonic()
        self.was_silent = False
        self.is_lost = False
        self._socket = socket
        self._line = line
        self._rate = _UNASKED_A_SECOND + _UNASKED_A_SLOT * line.slots
        self._unasked = Budget(_BURST, self._rate)
        self._pings: dict[int, float] = {}

    async def read(self) -> None:
        """Take what comes, until the connection ends.

        Raises: Refusal, MessageError; WebSocketDisconnect.
        """
        while True:
            try:
                message = await _receive(self._socket, SILENCE_SECONDS)
            except TimeoutError:
                self.was_silent = self.is_lost = True
                raise Refusal(f"nothing was heard from you for {SILENCE_SECONDS:.0f} s", again=True) from None
            except WebSocketDisconnect as end:
                self.is_lost = end.code not in _GOODBYES
                raise
            self.heard = time.monotonic()
            if not self._is_answer(message) and not self._unasked.spend():
                raise Refusal(
                    f"too many messages that answer nothing: {self._rate} a second are allowed; "
                    f"come again in {SILENCE_SECONDS:.0f} s",
                    again=True,
                )

    def _is_answer(self, message: Message) -> bool:
        """Take a message; return whether it answers a question or ping that is open.

        Raises: Refusal.
        """
        match message:
            case messages.PongMessage():
                sent = self._pings.pop(message.ping, None)
                if sent is not None:
                    self._line.note_round_trip(self.heard - sent)
                return sent is not None
            case messages.ReadyMessage() | messages.MoveMessage() | messages.FailedMessage():
                return self._line.take(message)
            case messages.ThoughtMessage():
                self._line.hear(message)
                return False
            case _:
                raise Refusal(f"expected an answer, got {message.type} a second time")

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
            await self._socket.send_text(
                write(messages.PingMessage(ping=number, line=round(self._line.allowance, 4)))
            )


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
        await socket.send_text(write(messages.RefusedMessage(reason=str(error), again=again)))
        await socket.close(_REFUSED)
