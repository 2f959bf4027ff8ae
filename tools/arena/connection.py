"""The connections to engines that have joined an arena: requests, answers, and the time without a socket.

A ``Connection`` belongs to an entrant and outlives its sockets. The threads that play games send requests through the
connection; the web server's thread uses the sockets. A pending request is sent again after a reconnection.

Clients are untrusted, even after their token is checked. The size, rate and delay of their messages are limited. An
invalid message closes the socket, and the client receives a description of the error.
"""

import asyncio
import secrets
import threading
import time
from collections import deque
from collections.abc import Callable, Coroutine
from contextlib import suppress
from statistics import median
from typing import Any

from starlette.websockets import WebSocket, WebSocketDisconnect, WebSocketState

from outflank.engine import OutflankError
from outflank.protocol.drivers.errors import (
    EngineCrash,
    EngineError,
    EngineLineLost,
    EngineProtocolError,
    EngineTimeout,
)
from outflank.protocol.lines import printable
from outflank.tools.arena.messages import (
    CLIENT,
    AnswerMessage,
    FailedMessage,
    Fault,
    Message,
    MoveMessage,
    PingMessage,
    PongMessage,
    ReadyMessage,
    Refusal,
    RefusedMessage,
    RequestMessage,
    ThoughtMessage,
    read,
    write,
)
from outflank.tools.runtime.limits import Budget

PATIENCE_SECONDS = 60.0  # the maximum total time without a connection in a game
MOST_FOR_LINE_SECONDS = 0.5  # the maximum network allowance for each move
_SLICE_SECONDS = 0.1
_PINGS = 9  # the network allowance is the median of this number of round trips
_MOST_WAITING = 1_000  # the number of queued messages at which a client is disconnected
SILENCE_SECONDS = 10.0  # the time without any message, even a pong, after which the socket counts as dead
_PING_SECONDS = 2.0
_FIRST_PINGS = (0.0, 0.05, 0.05)  # short delays, so that the round trip is known before the first move
_UNASKED_A_SECOND = 200  # the maximum rate of thoughts and unexpected messages from a client
_UNASKED_A_SLOT = 10  # the increase of this rate for each slot of the client
_BURST = 1_000
_GOODBYES = (1000, 1001, 1012)  # the WebSocket closing codes of a client that left on purpose
_REFUSED = 1008  # the WebSocket code "policy violation"
_FAULTS: dict[Fault, type[EngineError]] = {
    "crash": EngineCrash,
    "stall": EngineTimeout,
    "protocol error": EngineProtocolError,
}


class ClientSocket:
    """A WebSocket of a client; a ``Connection`` may use it from any thread.

    Attributes:
        is_open: True if the client has sent ``open``.
        heard: the monotonic time of the last valid message.
        was_silent: True if the socket was closed because no message came.
        is_lost: True if the socket failed: it timed out, or was closed without a regular WebSocket closing code.
    """

    def __init__(self, socket: WebSocket) -> None:
        self.is_open = False
        self.heard = time.monotonic()
        self.was_silent = False
        self.is_lost = False
        self._socket = socket
        self._loop = asyncio.get_running_loop()
        self._outbox: asyncio.Queue[str] = asyncio.Queue(_MOST_WAITING)
        self._over = asyncio.Event()
        self._reason = ""  # the server's reason for closing the socket
        self._pings: dict[int, float] = {}  # the send times of unanswered pings, by ping number

    def send(self, text: str) -> None:
        """Queue a message. If the queue is full, disconnect the client."""
        with suppress(RuntimeError):  # the server has stopped
            self._loop.call_soon_threadsafe(self._put, text)

    def close(self, reason: str) -> None:
        """Close the socket with a reason."""
        with suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self._end, reason)

    async def end(self) -> None:
        """Wait until `close` is called or the queue of messages overflows. Raises: Refusal with the reason."""
        await self._over.wait()
        raise Refusal(self._reason)

    async def send_at_once(self, message: Message) -> None:
        """Send a message ahead of the queued messages."""
        await self._socket.send_text(write(message))

    async def receive(self, seconds: float) -> Message:
        """Wait for a message. Raises: TimeoutError; NotationError if the message is invalid; WebSocketDisconnect."""
        # wait_for is not used, since in Python 3.11 it loses a cancellation that coincides with a message.
        async with asyncio.timeout(seconds):
            received = await self._socket.receive()
        if received["type"] == "websocket.disconnect":
            raise WebSocketDisconnect(received.get("code", 1005))
        message = read(received.get("text") or received.get("bytes") or "", CLIENT)
        self.heard = time.monotonic()
        return message

    async def refuse(self, error: OutflankError) -> None:
        """Send an error to the client, and close the socket, both within a time limit."""
        if self._socket.application_state is WebSocketState.CONNECTED:
            async with asyncio.timeout(_PING_SECONDS):
                again = isinstance(error, Refusal) and error.again
                await self.send_at_once(RefusedMessage(reason=str(error), again=again))
                await self._socket.close(_REFUSED)

    async def carry(self, connection: "Connection") -> None:
        """Exchange messages, and measure round trips, until the socket is closed.

        Raises: Refusal; NotationError if a message is invalid; WebSocketDisconnect if the client has disconnected.
        """
        await first_of(self._read(connection), self._pump(), self._ping(connection))

    async def _pump(self) -> None:
        """Send queued messages until cancelled. A client that stops reading blocks this task, but not ``end``."""
        while True:
            await self._socket.send_text(await self._outbox.get())

    async def _read(self, connection: "Connection") -> None:
        rate = _UNASKED_A_SECOND + _UNASKED_A_SLOT * connection.slots
        unasked = Budget(_BURST, rate)
        while True:
            try:
                message = await self.receive(SILENCE_SECONDS)
            except TimeoutError:
                self.was_silent = self.is_lost = True
                raise Refusal(f"the client was silent for {SILENCE_SECONDS:.0f} s", again=True) from None
            except WebSocketDisconnect as end:
                self.is_lost = end.code not in _GOODBYES
                raise
            if not self._is_answer(message, connection) and not unasked.spend():
                raise Refusal(
                    f"too many messages that answer no request: {rate} a second are allowed; "
                    f"reconnect in {SILENCE_SECONDS:.0f} s",
                    again=True,
                )

    def _is_answer(self, message: Message, connection: "Connection") -> bool:
        """Handle a message, and return whether it answers a pending request or ping."""
        match message:
            case PongMessage():
                sent = self._pings.pop(message.ping, None)
                if sent is not None:
                    connection.note_round_trip(self.heard - sent)
                return sent is not None
            case ReadyMessage() | MoveMessage() | FailedMessage():
                return connection.take(message)
            case ThoughtMessage():
                connection.hear(message)
                return False
            case _:
                raise Refusal(f"expected an answer, got {message.type} a second time")

    async def _ping(self, connection: "Connection") -> None:
        number = 0
        while True:
            await asyncio.sleep(_FIRST_PINGS[number] if number < len(_FIRST_PINGS) else _PING_SECONDS)
            number += 1
            self._pings = {
                old: sent for old, sent in self._pings.items() if sent > time.monotonic() - SILENCE_SECONDS
            }
            self._pings[number] = time.monotonic()
            await self.send_at_once(PingMessage(ping=number, line=round(connection.allowance, 4)))

    def _put(self, text: str) -> None:
        try:
            self._outbox.put_nowait(text)
        except asyncio.QueueFull:
            self._end("the client does not read its messages")

    def _end(self, reason: str) -> None:
        self._reason = self._reason or reason
        self._over.set()


async def first_of(*works: Coroutine[Any, Any, None]) -> None:
    """Wait until one coroutine finishes, and cancel the others. An exception of the finished one is raised again."""
    tasks = [asyncio.ensure_future(work) for work in works]
    try:
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    for task in done:
        task.result()


def replaced(name: str) -> str:
    """Return the message to an entrant's earlier socket, which is closed because the entrant has opened a new one."""
    return f"another connection for {name} has replaced this one"


class Connection:
    """The connection to one entrant.

    Attributes:
        name: the name of the entrant.
        engine: the name that the engine reports; empty before the first ``open``.
        slots: the number of games that the engine can play simultaneously.
        losses: the number of lost sockets.
        is_lost: True if the last closed socket was lost; see ``ClientSocket``.

    Args:
        name: the name of the entrant.
        patience: the maximum total time without a socket during a game, in seconds.
        most: the maximum network allowance for each move, in seconds.
    """

    def __init__(
        self, name: str, patience: float = PATIENCE_SECONDS, most: float = MOST_FOR_LINE_SECONDS
    ) -> None:
        self.name = name
        self.engine = ""
        self.slots = 1
        self.losses = 0
        self.is_lost = False
        self.patience = patience
        self.session = secrets.token_hex(8)
        self._most = most
        self._changed = threading.Condition()
        self._socket: ClientSocket | None = None
        self._barred = ""
        self._last_id = 0
        self._open: dict[int, str] = {}
        self._answers: dict[int, tuple[AnswerMessage, float, float]] = {}
        self._thoughts: dict[int, str] = {}  # the latest thought for each pending request
        self._round_trips: deque[float] = deque(maxlen=_PINGS)
        self._away = 0.0  # the total seconds of past periods without a socket
        self._lost_at: float | None = time.monotonic()

    @property
    def is_open(self) -> bool:
        """Whether the connection has a socket."""
        return self._socket is not None

    @property
    def allowance(self) -> float:
        """The network allowance for each move in seconds: the median of the last round trips, at most `most`."""
        return min(self._most, median(self._round_trips)) if self._round_trips else 0.0

    def away(self, now: float) -> float:
        """Return the total seconds without a socket up to `now`, a time of the monotonic clock."""
        return self._away + (max(0.0, now - self._lost_at) if self._lost_at is not None else 0.0)

    def attach(self, socket: ClientSocket, slots: int, engine: str) -> None:
        """Use a new socket from now on, send pending requests again, and close the previous socket."""
        with self._changed:
            before, self._socket = self._socket, socket
            self.slots, self.engine = slots, engine
            now = time.monotonic()
            self._away, self._lost_at, self._barred = self.away(now), None, ""
            for text in self._open.values():
                socket.send(text)
            self._changed.notify_all()
        if before is not None:
            before.close(replaced(self.name))

    def detach(self, socket: ClientSocket) -> None:
        """Record that a socket is closed. Do nothing if a newer socket has replaced this one."""
        with self._changed:
            if self._socket is socket:
                self._socket = None
                self._lost_at = socket.heard if socket.was_silent else time.monotonic()
                self.is_lost = socket.is_lost
                self.losses += socket.is_lost
                self._changed.notify_all()

    def bar(self, reason: str) -> None:
        """Close the socket. Requests fail immediately until the client opens the connection again."""
        with self._changed:
            self._barred = reason
            socket = self._socket
            self._changed.notify_all()
        if socket is not None:
            socket.close(reason)

    def note_round_trip(self, seconds: float) -> None:
        """Record the round-trip time of a ping."""
        self._round_trips.append(seconds)

    def take(self, message: AnswerMessage) -> bool:
        """Deliver an answer to the waiting thread. Return False and ignore the answer if its request is not pending."""
        now = time.monotonic()
        with self._changed:
            if self._open.pop(message.id, None) is None:
                return False
            self._answers[message.id] = (message, now, self.away(now))
            self._changed.notify_all()
            return True

    def hear(self, message: ThoughtMessage) -> None:
        """Deliver a thought for a pending request."""
        with self._changed:
            if message.id in self._open:
                self._thoughts[message.id] = message.line
                self._changed.notify_all()

    def tell(self, message: Message) -> None:
        """Send a message that needs no answer, if there is a socket."""
        with self._changed:
            if self._socket is not None:
                self._socket.send(write(message))

    def ask(
        self,
        request: Callable[[int], RequestMessage],
        wait: float,
        grace: float,
        on_wait: Callable[[], object],
        on_line: Callable[[str, str], object] = lambda direction, text: None,
    ) -> tuple[AnswerMessage, float]:
        """Send a request, and wait for its answer.

        Args:
            request: the function that creates the request with a given id.
            wait: the time limit for the answer in seconds, without the network allowance and time without a socket.
            grace: the maximum total time without a socket while the request is pending, in seconds.
            on_wait: the function that is called regularly, and may raise an exception to cancel the request.
            on_line: the function that is called with the direction and the text of each message. The direction is
                ``">"`` for the request, and ``"<"`` for each thought and for the answer.

        Returns: the answer, and the seconds that it took, without the network allowance and time without a socket.

        Raises: EngineLineLost if the connection is barred or was lost for too long; EngineTimeout if no answer comes in
            time; the error for the fault if the answer is a ``failed`` message.
        """
        with self._changed:
            self._last_id += 1
            number = self._last_id
            self._open[number] = text = write(request(number))
            began = time.monotonic()
            before = self.away(began)
            if self._socket is not None:
                self._socket.send(text)
        on_line(">", text)
        try:
            answer = None
            while answer is None:
                on_wait()
                answer = self._answer(number, began, before, wait, grace)
                if thought := self._thoughts.pop(number, None):
                    on_line("<", printable(thought, None))
        finally:
            with self._changed:
                self._open.pop(number, None)
                self._answers.pop(number, None)
                self._thoughts.pop(number, None)
        on_line("<", write(answer[0]))
        return answer

    def _answer(
        self, number: int, began: float, before: float, wait: float, grace: float
    ) -> tuple[AnswerMessage, float] | None:
        """Wait briefly for an answer. Return the result of ``ask``, or None if no answer has arrived."""
        with self._changed:
            now = time.monotonic()
            if number not in self._answers:
                away = self.away(now) - before
                self._expect_in_time(now - began - away, away, wait, grace)
                left = wait + self.allowance - (now - began - away)
                self._changed.wait(min(_SLICE_SECONDS, max(left, 0.001)))
            if number not in self._answers:
                return None
            message, came, away_then = self._answers[number]
            seconds = max(0.0, came - began - (away_then - before) - self.allowance)
        if isinstance(message, FailedMessage):
            fault = _FAULTS[message.fault]
            raise fault(f"{self._label} failed on its own machine: {printable(message.reason, None)}")
        return message, seconds

    def _expect_in_time(self, here: float, away: float, wait: float, grace: float) -> None:
        """Raise an error if a time limit is exceeded or the connection is barred.

        `here`, `away`: the seconds since the request with and without a socket.
        """
        if self._barred:
            raise EngineLineLost(f"{self._label} is excluded: {self._barred}")
        if away > grace:
            raise EngineLineLost(
                f"the connection to {self._label} was lost for more than {self.patience:g} s in this game"
            )
        if here > wait + self.allowance:
            raise EngineTimeout(f"{self._label} gave no complete answer in time")

    @property
    def _label(self) -> str:
        return f"engine {self.name}"
