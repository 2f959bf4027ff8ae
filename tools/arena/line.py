"""The lines to those who have joined, as the referee has them: ask, wait, and know how long a line was lost.

A ``Line`` belongs to an entrant and outlives its connections. Tables ask from their threads; the connections live in
the thread of the web server. A request that is open when a connection ends is sent again over the next one.
"""

import secrets
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from statistics import median
from typing import Protocol

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
    RequestMessage,
    ThoughtMessage,
    write,
)

PATIENCE_SECONDS = 60.0  # in which a lost line may come back, in each game
MOST_FOR_LINE_SECONDS = 0.5  # what is allowed for a line on each move
_SLICE_SECONDS = 0.1
_PINGS = 9  # of which the median counts
_FAULTS: dict[Fault, type[EngineError]] = {
    "crash": EngineCrash,
    "stall": EngineTimeout,
    "protocol error": EngineProtocolError,
}


class Connection(Protocol):
    """A way for messages while it lasts; both methods may be called from any thread."""

    def send(self, text: str) -> None:
        """Send a message; one that can't be sent is lost, with the connection."""

    def close(self, reason: str) -> None:
        """Refuse whoever is at its end, in words."""


@dataclass(frozen=True, slots=True)
class Answered:
    """An answer and its time.

    Attributes:
        message: the answer.
        seconds: that it took, without those that are allowed for the line and those in which the line was lost.
        away: seconds in which the line was lost.
    """

    message: AnswerMessage
    seconds: float
    away: float


class Line:
    """The line to one entrant.

    Attributes:
        name: of the entrant.
        engine: what the engine calls itself; empty before it was open.
        slots: games that it can play at once.
        losses: how often the line was lost.
        is_lost: whether its last connection ended unintended.

    Args:
        name: of the entrant.
        patience: seconds in which it may come back, in each game.
        most: seconds that are allowed for it on each move, at the most.
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
        self._connection: Connection | None = None
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
        """Whether there is a connection."""
        return self._connection is not None

    @property
    def allowance(self) -> float:
        """Seconds that are allowed for the line on each move: the median of the last pings, there and back."""
        return min(self._most, median(self._round_trips)) if self._round_trips else 0.0

    def away(self, now: float) -> float:
        """For how many seconds the line has been lost so far, at a time of the monotonic clock."""
        return self._away + (max(0.0, now - self._lost_at) if self._lost_at is not None else 0.0)

    def attach(self, connection: Connection, slots: int, engine: str) -> None:
        """Use a new connection from now on; who is at the end of the one before is told so."""
        with self._changed:
            before, self._connection = self._connection, connection
            self.slots, self.engine = slots, engine
            now = time.monotonic()
            self._away, self._lost_at, self._barred = self.away(now), None, ""
            for text in self._open.values():
                connection.send(text)
            self._changed.notify_all()
        if before is not None:
            before.close(f"another connection for {self.name} has taken the place of this one")

    def detach(self, connection: Connection, since: float, is_lost: bool) -> None:
        """Note that a connection has ended; one that was replaced changes nothing.

        Args:
            connection: which has ended.
            since: when the last message came over it.
            is_lost: whether neither side meant its end.
        """
        with self._changed:
            if self._connection is connection:
                self._connection = None
                self._lost_at = since
                self.is_lost = is_lost
                self.losses += is_lost
                self._changed.notify_all()

    def bar(self, reason: str) -> None:
        """Close the line; until it is opened again nobody waits for it."""
        with self._changed:
            self._barred = reason
            connection = self._connection
            self._changed.notify_all()
        if connection is not None:
            connection.close(reason)

    def note_round_trip(self, seconds: float) -> None:
        """How long a ping took, there and back."""
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
        """Send a message that needs no answer, if there is a connection."""
        with self._changed:
            if self._connection is not None:
                self._connection.send(write(message))

    def ask(
        self,
        request: Callable[[int], RequestMessage],
        wait: float,
        grace: float,
        on_wait: Callable[[], object],
        on_line: Callable[[str, str], object] = lambda direction, text: None,
    ) -> Answered:
        """Send a request, and wait for its answer.

        Args:
            request: makes the message with an id.
            wait: seconds that it may take, without those for the line.
            grace: seconds in which the line may be lost meanwhile.
            on_wait: called often; may raise to give up.
            on_line: called with ``">"`` and the message, ``"<"`` and each thought, ``"<"`` and the answer.

        Raises: EngineLineLost, EngineTimeout; the fault that the client names.
        """
        with self._changed:
            self._last_id += 1
            number = self._last_id
            self._open[number] = text = write(request(number))
            began = time.monotonic()
            before = self.away(began)
            if self._connection is not None:
                self._connection.send(text)
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
        on_line("<", write(answer.message))
        return answer

    def _answer(self, number: int, began: float, before: float, wait: float, grace: float) -> Answered | None:
        """The answer to a request, waited for only a moment.

        Raises: as ``ask``.
        """
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
            away = away_then - before
            seconds = max(0.0, came - began - away - self.allowance)
        if isinstance(message, FailedMessage):
            fault = _FAULTS[message.fault]
            raise fault(f"{self._label} failed on its own machine: {printable(message.reason, None)}")
        return Answered(message, seconds, away)

    def _expect_in_time(self, here: float, away: float, wait: float, grace: float) -> None:
        """Raise what is wrong if it is not worth waiting any more, `here` seconds with and `away` without the line."""
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


class Lines:
    """The lines of all entrants, by their names; from any thread.

    Args:
        patience: as ``Line`` has it.
        most: as ``Line`` has it.
    """

    def __init__(self, patience: float = PATIENCE_SECONDS, most: float = MOST_FOR_LINE_SECONDS) -> None:
        self.patience = patience
        self._most = most
        self._lines: dict[str, Line] = {}
        self._lock = threading.Lock()

    def of(self, name: str) -> Line:
        """The line of an entrant, made when it is first asked for."""
        with self._lock:
            if name not in self._lines:
                self._lines[name] = Line(name, self.patience, self._most)
            return self._lines[name]

    def all(self) -> Iterable[Line]:
        """All lines that there were, in the order of their first connections."""
        with self._lock:
            return list(self._lines.values())
