"""The connections to engines that have joined an arena: requests, answers, and the time in which one was lost.

A ``Connection`` belongs to an entrant and outlives its sockets. Tables ask from their threads; the sockets live in the
thread of the web server. A request that is open when a socket is closed is sent again over the next one.
"""

import asyncio
import secrets
import threading
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from statistics import median

from starlette.websockets import WebSocket

from outflank.protocol.drivers.errors import (
    EngineCrash,
    EngineError,
    EngineLineLost,
    EngineProtocolError,
    EngineTimeout,
)
from outflank.protocol.lines import printable
from outflank.tools.arena.messages import (
    AnswerMessage,
    FailedMessage,
    Fault,
    Message,
    Refusal,
    RequestMessage,
    ThoughtMessage,
    write,
)

PATIENCE_SECONDS = 60.0  # in which a lost connection may be restored, in each game
MOST_FOR_LINE_SECONDS = 0.5  # that a round trip may add to each move
_SLICE_SECONDS = 0.1
_PINGS = 9  # of which the median counts
_MOST_WAITING = 1_000  # messages that a client does not take
_FAULTS: dict[Fault, type[EngineError]] = {
    "crash": EngineCrash,
    "stall": EngineTimeout,
    "protocol error": EngineProtocolError,
}


class ClientSocket:
    """A WebSocket of a client; a ``Connection`` may use it from any thread.

    Attributes:
        reason: the reason for which we close it; empty while it is open.
        is_open: whether its client has sent ``open``.
    """

    def __init__(self, socket: WebSocket) -> None:
        self.is_open = False
        self._socket = socket
        self._loop = asyncio.get_running_loop()
        self._outbox: asyncio.Queue[str] = asyncio.Queue(_MOST_WAITING)
        self._over = asyncio.Event()
        self.reason = ""

    def send(self, text: str) -> None:
        """Queue a message; a client that takes none for long is closed."""
        with suppress(RuntimeError):  # the server has ended
            self._loop.call_soon_threadsafe(self._put, text)

    def close(self, reason: str) -> None:
        """Close the socket with a reason."""
        with suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self._end, reason)

    async def pump(self) -> None:
        """Send queued messages without end; a client that reads nothing delays this, but not ``end``."""
        while True:
            await self._socket.send_text(await self._outbox.get())

    async def end(self) -> None:
        """Wait for the end. Raises: Refusal with the reason."""
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


class Connection:
    """The connection to one entrant.

    Attributes:
        name: the name of the entrant.
        engine: the name that the engine gives; empty before it was open.
        slots: the number of games that it can play at once.
        losses: the number of times that the connection was lost.
        is_lost: whether its last socket was lost.

    Args:
        patience: the seconds in which it may be restored, in each game.
        most: the maximum of seconds that a round trip may add to each move.
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
        self._thoughts: dict[int, str] = {}  # the last to each open request
        self._round_trips: deque[float] = deque(maxlen=_PINGS)
        self._away = 0.0  # seconds, of the losses that are over
        self._lost_at: float | None = time.monotonic()

    @property
    def is_open(self) -> bool:
        """Whether it has a socket."""
        return self._socket is not None

    @property
    def allowance(self) -> float:
        """The seconds that a round trip adds to each move: the median of the last pings."""
        return min(self._most, median(self._round_trips)) if self._round_trips else 0.0

    def away(self, now: float) -> float:
        """Return the seconds in which it has been lost so far, at a time of the monotonic clock."""
        return self._away + (max(0.0, now - self._lost_at) if self._lost_at is not None else 0.0)

    def attach(self, socket: ClientSocket, slots: int, engine: str) -> None:
        """Use a new socket from now on, and close the former one with the reason."""
        with self._changed:
            before, self._socket = self._socket, socket
            self.slots, self.engine = slots, engine
            now = time.monotonic()
            self._away, self._lost_at, self._barred = self.away(now), None, ""
            for text in self._open.values():
                socket.send(text)
            self._changed.notify_all()
        if before is not None:
            before.close(f"another connection for {self.name} has taken the place of this one")

    def detach(self, socket: ClientSocket, since: float, is_lost: bool) -> None:
        """Note that a socket is closed; one that was replaced changes nothing.

        Args:
            socket: the closed socket.
            since: the time of its last message.
            is_lost: whether neither side closed it on purpose.
        """
        with self._changed:
            if self._socket is socket:
                self._socket = None
                self._lost_at = since
                self.is_lost = is_lost
                self.losses += is_lost
                self._changed.notify_all()

    def bar(self, reason: str) -> None:
        """Close the connection; until it is opened again no request waits for it."""
        with self._changed:
            self._barred = reason
            socket = self._socket
            self._changed.notify_all()
        if socket is not None:
            socket.close(reason)

    def note_round_trip(self, seconds: float) -> None:
        """Note the round trip of a ping."""
        self._round_trips.append(seconds)

    def take(self, message: AnswerMessage) -> bool:
        """Take an answer; return whether its request was open. One that comes again changes nothing."""
        now = time.monotonic()
        with self._changed:
            if self._open.pop(message.id, None) is None:
                return False
            self._answers[message.id] = (message, now, self.away(now))
            self._changed.notify_all()
            return True

    def hear(self, message: ThoughtMessage) -> None:
        """Take a thought about a request that is open."""
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
            request: makes the message with an id.
            wait: the seconds that the answer may take, without the round trip.
            grace: the seconds in which the connection may be lost meanwhile.
            on_wait: called often; may raise to give up.
            on_line: called with ``">"`` and the message, ``"<"`` and each thought, ``"<"`` and the answer.

        Returns: the answer, and the seconds that it took without the round trip and without those in which the
            connection was lost.

        Raises: EngineLineLost, EngineTimeout; the fault that the client names.
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
        """Wait for the answer for only a moment."""
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
        """Raise an error if the connection has existed for too long (`here`) or was lost for too long (`away`)."""
        if self._barred:
            raise EngineLineLost(f"{self._label} is out: {self._barred}")
        if away > grace:
            raise EngineLineLost(
                f"the line to {self._label} was lost and did not come back within {self.patience:g} s"
            )
        if here > wait + self.allowance:
            raise EngineTimeout(f"{self._label} gave no complete answer in time")

    @property
    def _label(self) -> str:
        return f"engine {self.name}"
