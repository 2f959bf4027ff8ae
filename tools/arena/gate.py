"""The server's WebSocket: greeting, token, and messages while a socket is open.

Clients are untrusted before and after their token is checked: messages are bounded in size, number and time, and a
sentence says what is wrong with one before the socket is closed.
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
from outflank.tools.arena.connection import ClientSocket, Connection
from outflank.tools.arena.messages import CLIENT, PATH, VERSION, Message, Refusal, read, write
from outflank.tools.runtime.limits import Budget

HELLO_SECONDS = 10.0  # for the first message
OPEN_SECONDS = 120.0  # for engines to start
SILENCE_SECONDS = 10.0  # without a message, not even a pong: the socket is dead
WRONG_TOKEN_SECONDS = 1.0  # before a wrong token is refused
_PING_SECONDS = 2.0
_FIRST_PINGS = (0.0, 0.05, 0.05)  # seconds before each: the round trip is known before the first move
_UNASKED_A_SECOND = 200  # thoughts, and messages that answer nothing
_UNASKED_A_SLOT = 10  # more of them a second for each game at once
_BURST = 1_000
_GOODBYES = (1000, 1001, 1012)  # WebSocket codes of an end that the client means, or of a restart of ours
_REFUSED = 1008  # WebSocket's code for a policy


class Gate:
    """Admits entrants and passes on their messages.

    Args:
        admit: returns the connection of the entrant with a token. Raises: Refusal.
        welcome: returns the message that admits an entrant.
        on_change: called when a connection was opened or closed.
        on_refusal: called with the reason when a peer is refused.
    """

    def __init__(
        self,
        admit: Callable[[str], Connection],
        welcome: Callable[[Connection], messages.WelcomeMessage],
        on_change: Callable[[Connection], object] = lambda connection: None,
        on_refusal: Callable[[str], object] = lambda sentence: None,
    ) -> None:
        self._admit = admit
        self._welcome = welcome
        self._on_change = on_change
        self._on_refusal = on_refusal
        self._sockets: defaultdict[str, list[ClientSocket]] = defaultdict(list)  # of each entrant

    @property
    def route(self) -> WebSocketRoute:
        """The route of the web server."""
        return WebSocketRoute(PATH, self._serve)

    def turn_out(self, name: str, reason: str) -> None:
        """Close all sockets of an entrant, from any thread."""
        for client in list(self._sockets.get(name, ())):
            client.close(reason)

    async def _serve(self, socket: WebSocket) -> None:
        await socket.accept()
        try:
            token = await self._token(socket)
            connection = await self._connection_of(token)
            client = ClientSocket(socket)
            with self._registered(connection.name, client):
                await _first_of(client.end(), self._carry(socket, connection, token, client))
        except OutflankError as error:
            self._on_refusal(str(error))
            with suppress(Exception):  # the client may be gone
                async with asyncio.timeout(_PING_SECONDS):
                    await _refuse(socket, error)
        except (WebSocketDisconnect, RuntimeError):
            pass  # gone; Starlette raises RuntimeError for what is sent then

    async def _token(self, socket: WebSocket) -> str:
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

    async def _connection_of(self, token: str) -> Connection:
        try:
            return await asyncio.to_thread(self._admit, token)
        except Refusal:
            await asyncio.sleep(WRONG_TOKEN_SECONDS)
            raise

    @contextmanager
    def _registered(self, name: str, client: ClientSocket) -> Iterator[None]:
        """Register a socket for ``turn_out``; of an entrant's sockets that are not open yet, only the newest stays."""
        known = self._sockets[name]
        for other in known:
            if not other.is_open:
                other.close(_replaced(name))
        known.append(client)
        try:
            yield
        finally:
            known.remove(client)
            if not known:
                self._sockets.pop(name, None)

    async def _carry(
        self, socket: WebSocket, connection: Connection, token: str, client: ClientSocket
    ) -> None:
        """Welcome an entrant, and pass messages on until the socket is closed."""
        await socket.send_text(write(self._welcome(connection)))
        try:
            opening = await _receive(socket, OPEN_SECONDS)
        except TimeoutError:
            raise Refusal(f"no open came within {OPEN_SECONDS:g} s", again=True) from None
        if not isinstance(opening, messages.OpenMessage):
            raise Refusal(f"expected open after the greeting, got {opening.type}")
        await self._connection_of(token)  # it may have been made void meanwhile
        client.is_open = True
        connection.attach(client, opening.slots, printable(opening.engine))
        self._on_change(connection)
        reader = _Reader(socket, connection)
        try:
            await _first_of(reader.read(), client.pump(), reader.ping())
        finally:
            closed = reader.heard if reader.was_silent else time.monotonic()
            connection.detach(client, closed, reader.is_lost)
            self._on_change(connection)


def _replaced(name: str) -> str:
    return f"another connection for {name} has taken the place of this one"


async def _first_of(*works: Coroutine[Any, Any, None]) -> None:
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
    """Reads the messages of one socket, and measures its round trips.

    Attributes:
        heard: the time of the last message.
        was_silent: whether the socket was given up because no message came.
        is_lost: whether it was lost: it was silent, or was closed without a goodbye.
    """

    def __init__(self, socket: WebSocket, connection: Connection) -> None:
        self.heard = time.monotonic()
        self.was_silent = False
        self.is_lost = False
        self._socket = socket
        self._connection = connection
        self._rate = _UNASKED_A_SECOND + _UNASKED_A_SLOT * connection.slots
        self._unasked = Budget(_BURST, self._rate)
        self._pings: dict[int, float] = {}

    async def read(self) -> None:
        """Take messages until the socket is closed. Raises: Refusal, NotationError; WebSocketDisconnect."""
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
        """Take a message; return whether it answers a question or ping that is open."""
        match message:
            case messages.PongMessage():
                sent = self._pings.pop(message.ping, None)
                if sent is not None:
                    self._connection.note_round_trip(self.heard - sent)
                return sent is not None
            case messages.ReadyMessage() | messages.MoveMessage() | messages.FailedMessage():
                return self._connection.take(message)
            case messages.ThoughtMessage():
                self._connection.hear(message)
                return False
            case _:
                raise Refusal(f"expected an answer, got {message.type} a second time")

    async def ping(self) -> None:
        """Ping without end."""
        number = 0
        while True:
            await asyncio.sleep(_FIRST_PINGS[number] if number < len(_FIRST_PINGS) else _PING_SECONDS)
            number += 1
            self._pings = {
                old: sent for old, sent in self._pings.items() if sent > time.monotonic() - SILENCE_SECONDS
            }
            self._pings[number] = time.monotonic()
            await self._socket.send_text(
                write(messages.PingMessage(ping=number, line=round(self._connection.allowance, 4)))
            )


async def _receive(socket: WebSocket, seconds: float) -> Message:
    # Python 3.11's wait_for loses a cancellation that comes together with a message.
    async with asyncio.timeout(seconds):
        received = await socket.receive()
    if received["type"] == "websocket.disconnect":
        raise WebSocketDisconnect(received.get("code", 1005))
    return read(received.get("text") or received.get("bytes") or "", CLIENT)


async def _refuse(socket: WebSocket, error: OutflankError) -> None:
    if socket.application_state is WebSocketState.CONNECTED:
        again = isinstance(error, Refusal) and error.again
        await socket.send_text(write(messages.RefusedMessage(reason=str(error), again=again)))
        await socket.close(_REFUSED)
