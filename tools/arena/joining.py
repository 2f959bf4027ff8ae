"""The client of an arena: starts the engine, keeps a connection to the server, and passes on requests and answers.

The client may be restarted during a game: each request for a move contains the whole game, and the engine replays the
moves before it answers. An answer that was lost with the socket is sent again when the server repeats the request.
"""

import ssl
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import Future, wait
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

from websockets.exceptions import ConnectionClosed, InvalidHandshake, InvalidStatus, InvalidURI
from websockets.frames import CloseCode
from websockets.sync.client import ClientConnection, connect

from outflank.engine import NotationError, OutflankError, Position, Rules, SettingsError
from outflank.protocol.clock import RunningClock, TimeControl
from outflank.protocol.drivers import EngineSpec, make_driver
from outflank.protocol.drivers.errors import EngineCrash, EngineStartError, EngineTimeout
from outflank.protocol.drivers.reports import is_thought
from outflank.protocol.formats.annotated import AnnotatedGame, Recorder
from outflank.protocol.lines import printable
from outflank.tools.arena import messages
from outflank.tools.arena.messages import (
    MOST_BYTES,
    PATH,
    SERVER,
    VERSION,
    Fault,
    Message,
    Refusal,
    RequestMessage,
    read,
    write,
)
from outflank.tools.runtime.signals import Stopped

_ANSWERS = 256  # the number of recent answers that are stored for repeated requests
_SLICE_SECONDS = 0.1
_GREETING_SECONDS = 15.0
# The time without a message after which the socket counts as dead; the server pings more often.
_SILENCE_SECONDS = 10.0
_MOST_MALFORMED = 3
_PAUSES = (0.1, 0.2, 0.5, 1.0, 2.0, 5.0)  # the pauses before successive attempts to reconnect
_THOUGHT_SECONDS = 0.2  # the minimum interval between two thoughts that are sent
_BEYOND_SECONDS = 5.0  # the time that the client adds to the server's time limit for its engine
_PASSING = (408, 425, 429)  # the HTTP statuses of temporary refusals
_SCHEMES = {"http": "ws", "https": "wss", "ws": "ws", "wss": "wss"}


def trusting(address: str, certificate: Path | None) -> ssl.SSLContext | None:
    """Return a TLS context that trusts the system's certificates and `certificate`; None if `address` has no TLS.

    Raises: SettingsError if the certificate can't be used.
    """
    if urlsplit(address).scheme != "wss":
        return None
    try:
        context = ssl.create_default_context()
        if certificate:
            context.load_verify_locations(certificate)
    except (OSError, ssl.SSLError) as error:
        raise SettingsError(f"can't use the certificate {str(certificate)!r}: {error}") from None
    return context


def join_address(url: str) -> str:
    """Return the WebSocket address of an arena for its web address: ``wss://HOST/join`` for ``https://HOST``.

    Raises: NotationError if the web address is invalid.
    """
    try:
        parts = urlsplit(url)
        if parts.scheme in _SCHEMES and parts.hostname and parts.port != 0:
            parts.hostname.encode("idna")  # raises UnicodeError for a label that is too long
            return urlunsplit((_SCHEMES[parts.scheme], parts.netloc, parts.path.rstrip("/") + PATH, "", ""))
    except ValueError:
        pass
    raise NotationError(
        f"expected the address of an arena such as https://HOST:PORT, got {printable(url, 100)!r}"
    )


class EngineWorker:
    """An engine that answers requests one after the other, in a separate thread.

    Attributes:
        game: the key of the game that the engine plays; 0 for no game.
        used: the monotonic time of the last request.

    Args:
        entry: the engine.
        rules: the rules of the games.
        answer: the function that sends an answer. It is called with the id of the request and the answer's text.
        think: the function that sends a ``thought`` message. It is called with the message's text.
        say: the function that shows a message to the user.
    """

    def __init__(
        self,
        entry: EngineSpec,
        rules: Rules,
        answer: Callable[[int, str], object],
        think: Callable[[str], object],
        say: Callable[[str], object],
    ) -> None:
        self.game = 0
        self.used = 0.0
        self._entry = entry
        self._rules = rules
        self._answer = answer
        self._pass_on = think
        self._driver = make_driver(entry, rules, on_wait=self._check, on_line=self._hear, on_remark=say)
        self._thought_at = 0.0
        self._changed = threading.Condition()
        self._question: RequestMessage | None = None
        self._working_on = 0
        self._is_dropped = False
        self._is_over = False
        self._thread = threading.Thread(target=self._work, name="engine", daemon=True)

    def open(self) -> str:
        """Start the engine and its thread, and return the engine's reported name. Raises: EngineError on a failure."""
        self._driver.open()
        self._thread.start()
        return self._driver.own_name or self._entry.name

    def is_at(self, number: int) -> bool:
        """Return whether request `number` is being answered or is the next one."""
        with self._changed:
            waiting = self._question
            return self._working_on == number or (waiting is not None and waiting.id == number)

    @property
    def is_busy(self) -> bool:
        """Whether the engine has an unanswered request."""
        with self._changed:
            return self._working_on != 0 or self._question is not None

    def give(self, question: RequestMessage) -> None:
        """Start to answer a request, and drop an earlier unanswered request."""
        with self._changed:
            self._question = question
            self.game, self.used = question.game, time.monotonic()
            self._changed.notify()

    def drop(self) -> None:
        """Drop the current request and the game, since the answer is not needed any more."""
        with self._changed:
            self._question, self.game = None, 0
            self._is_dropped = True

    def close(self) -> None:
        """Stop the thread and the engine."""
        with self._changed:
            self._is_over = True
            self._changed.notify()
        if self._thread.ident is not None:
            self._thread.join()
        self._driver.close(0.4)

    def _check(self) -> None:
        with self._changed:
            if self._is_over or self._is_dropped or self._question is not None:
                raise Stopped

    def _hear(self, name: str, direction: str, line: str) -> None:
        if direction == "<" and is_thought(line) and self._working_on:
            now = time.monotonic()
            if now - self._thought_at >= _THOUGHT_SECONDS:
                self._thought_at = now
                self._pass_on(write(messages.ThoughtMessage(id=self._working_on, line=printable(line, 900))))

    def _work(self) -> None:
        while True:
            with self._changed:
                self._working_on = 0
                while self._question is None and not self._is_over:
                    self._changed.wait()
                if self._is_over:
                    return
                question, self._question = self._question, None
                assert question is not None, "that was waited for"
                self._working_on, self._is_dropped = question.id, False
            try:
                reply = self._reply(question)
                # The worker is free before ``_answer`` returns, since the next request may come earlier.
                self._working_on = 0
                self._answer(question.id, reply)
            except Stopped:
                self._driver.dismiss()

    def _reply(self, question: RequestMessage) -> str:
        try:
            if isinstance(question, messages.NewMessage):
                self._driver.new_game()
                return write(messages.ReadyMessage(id=question.id))
            return self._think(question)
        except OutflankError as error:
            self._driver.dismiss()
            fault: Fault = "protocol error"
            if isinstance(error, EngineTimeout):
                fault = "stall"
            elif isinstance(error, EngineCrash | EngineStartError):
                fault = "crash"
            return write(
                messages.FailedMessage(id=question.id, fault=fault, reason=printable(str(error), 900))
            )

    def _think(self, question: messages.ThinkMessage) -> str:
        recorder = Recorder(Position.start(self._rules))
        for move, seconds in zip(question.moves, question.seconds, strict=False):
            recorder.play(move, seconds=seconds)
        clock = RunningClock(self._entry.time)
        clock.set_left(question.left or 0.0, question.left_moves)
        self._driver.follow(AnnotatedGame(recorder.first, recorder.moves), clock)
        reply = self._driver.choose(question.wait + _BEYOND_SECONDS)
        if not reply.ok:
            reason = f"refused to move: {printable(reply.text)}"
            return write(messages.FailedMessage(id=question.id, fault="protocol error", reason=reason))
        move = printable(reply.text, 20).lower()
        return write(messages.MoveMessage(id=question.id, move=move, score=reply.score, book=reply.from_book))


class Joiner:
    """A client that keeps an engine connected to an arena until the tournament is over.

    Args:
        address: the address of the arena's WebSocket, see ``join_address``.
        token: the token of the entrant.
        entry: the engine. The server's name and time control for the entrant replace the engine's own.
        slots: the number of games that the engine plays simultaneously.
        say: the function that shows a message to the user.
        check: the function that is called regularly, and may raise an exception to stop the client.
        trust: the TLS context for ``wss``; None for the system's certificates.
    """

    def __init__(
        self,
        address: str,
        token: str,
        entry: EngineSpec,
        slots: int = 1,
        say: Callable[[str], object] = lambda sentence: None,
        check: Callable[[], object] = lambda: None,
        trust: ssl.SSLContext | None = None,
    ) -> None:
        self._address = address
        self._token = token
        self._entry = entry
        self._slots = slots
        self._say = say
        self._check = check
        self._trust = trust
        self._lock = threading.Lock()
        self._socket: ClientConnection | None = None
        self._answers: OrderedDict[int, str] = OrderedDict()
        self._session = ""
        self._workers: list[EngineWorker] = []
        self._known_terms: tuple[str, str, str] | None = None
        self._engine = ""
        self._tries = 0
        self._malformed = 0  # the number of malformed messages since the last request

    def run(self) -> None:
        """Play until the tournament is over.

        Raises: Refusal if the server refuses the client or the address is wrong; NotationError if several messages of
            the server are malformed; EngineError if the engine can't be started; the exceptions of `check`.
        """
        try:
            while not self._connect():
                self._sleep(_PAUSES[min(self._tries, len(_PAUSES) - 1)])
                self._tries += 1
        finally:
            for worker in self._workers:
                worker.close()

    def _sleep(self, seconds: float) -> None:
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0:
            self._check()
            time.sleep(min(left, _SLICE_SECONDS))

    def _connect(self) -> bool:
        """Connect, play until the socket is closed, and return whether the tournament is over."""
        try:
            with self._connected() as socket:
                try:
                    self._greet(socket)
                    return self._serve(socket)
                except (OSError, EOFError, ConnectionClosed):
                    raise
                except BaseException as error:
                    self._malformed += isinstance(error, NotationError)
                    if not self._tolerates(error):
                        # The server does not count a socket that is closed with this code as lost.
                        socket.close(CloseCode.GOING_AWAY)
                    raise
        except NotationError as error:  # a damaged message, or a server with other messages
            if not self._tolerates(error):
                raise
            self._say(f"{error}; trying again")
        except (OSError, EOFError, InvalidHandshake, ConnectionClosed) as error:
            if isinstance(error, InvalidStatus) and not self._session:
                self._expect_arena(error.response.status_code)
            if self._tries in (0, len(_PAUSES) - 1):
                reason = getattr(error, "strerror", None) or str(error) or type(error).__name__
                self._say(f"no connection to {self._address} ({printable(reason)}); trying again")
        except InvalidURI as error:
            raise Refusal(f"can't connect to {self._address}: {error}") from None
        finally:
            with self._lock:
                self._socket = None
        return False

    def _tolerates(self, error: BaseException) -> bool:
        """Return whether the error is a malformed message, and only few messages have been malformed so far."""
        return isinstance(error, NotationError) and self._malformed < _MOST_MALFORMED

    def _expect_arena(self, status: int) -> None:
        """Raise Refusal if the HTTP status `status` shows that the address has no arena."""
        if status // 100 in (3, 4) and status not in _PASSING:
            raise Refusal(
                f"{self._address} is not the address of an arena (HTTP {status}): join at the address that outflank "
                "serve prints and its page shows. If a proxy passes on this name, add it to --listen of outflank serve"
            )

    def _connected(self) -> ClientConnection:
        connecting: Future[ClientConnection] = Future()

        def work() -> None:
            try:
                socket = connect(
                    self._address,
                    ssl=self._trust,
                    max_size=MOST_BYTES,
                    open_timeout=_GREETING_SECONDS,
                    close_timeout=1,
                    ping_interval=None,
                    compression=None,
                    proxy=None,
                )
            except AssertionError:  # raised by websockets if the connection is closed before the handshake
                connecting.set_exception(ConnectionResetError("the server has closed the connection"))
            except BaseException as error:  # ``connecting.result`` raises this exception again
                connecting.set_exception(error)
            else:
                connecting.set_result(socket)

        threading.Thread(target=work, name="connecting", daemon=True).start()
        try:
            while not wait([connecting], _SLICE_SECONDS).done:
                self._check()
        except BaseException:
            connecting.add_done_callback(_close)
            raise
        return connecting.result()

    def _greet(self, socket: ClientConnection) -> None:
        socket.send(write(messages.HelloMessage(protocol=VERSION, token=self._token)))
        welcome = self._next(socket, _GREETING_SECONDS)
        if not isinstance(welcome, messages.WelcomeMessage):
            raise Refusal(f"expected welcome from the server, got {welcome.type}")
        terms = (welcome.name, welcome.rules, welcome.time)
        if terms != self._known_terms:
            self._start_engines(*terms)
        if welcome.session != self._session:
            self._session = welcome.session
            with self._lock:
                self._answers.clear()
            for worker in self._workers:
                worker.drop()
        with self._lock:
            self._socket = socket
        self._send(write(messages.OpenMessage(slots=self._slots, engine=printable(self._engine, 90))))
        self._say(
            f"{printable(self._engine)} has joined as {printable(welcome.name)}, time {printable(welcome.time)}"
        )
        self._tries = 0

    def _start_engines(self, name: str, rules: str, time: str) -> None:
        for worker in self._workers:
            worker.close()
        entry = replace(self._entry, name=printable(name, 40), time=TimeControl.parse(time))
        played = Rules.parse(rules)
        self._workers = []
        for _ in range(self._slots):
            self._workers.append(EngineWorker(entry, played, self._answer, self._send, self._say))
            self._engine = self._workers[-1].open()
        self._known_terms = (name, rules, time)

    def _serve(self, socket: ClientConnection) -> bool:
        while True:
            message = self._next(socket, _SILENCE_SECONDS)
            match message:
                case messages.PingMessage():
                    self._send(write(messages.PongMessage(ping=message.ping)))
                case messages.NewMessage() | messages.ThinkMessage():
                    self._malformed = 0
                    self._take(message)
                case messages.DropMessage():
                    for worker in self._workers:
                        if worker.game == message.game:
                            worker.drop()
                case messages.OverMessage():
                    self._say("the tournament is over")
                    return True
                case messages.StartedMessage():
                    self._say(_game_line(message))
                case messages.ResultMessage():
                    self._say(_result_line(message))

    def _next(self, socket: ClientConnection, seconds: float) -> Message:
        until = time.monotonic() + seconds
        while True:
            self._check()
            with suppress(TimeoutError):
                message = read(socket.recv(timeout=_SLICE_SECONDS), SERVER)
                break
            if time.monotonic() > until:
                raise TimeoutError(f"the server was silent for {seconds:.0f} s")
        if isinstance(message, messages.RefusedMessage):
            reason = printable(message.reason, 500)
            if not message.again:
                raise Refusal(f"the server refuses: {reason}")
            raise OSError(reason)
        return message

    def _take(self, question: RequestMessage) -> None:
        number = question.id
        with self._lock:
            text = self._answers.get(number)
        if text is not None:
            self._send(text)
        elif not any(worker.is_at(number) for worker in self._workers):
            at_it = (worker for worker in self._workers if worker.game == question.game)
            idle = min(self._workers, key=lambda worker: (worker.is_busy, worker.game != 0, worker.used))
            next(at_it, idle).give(question)

    def _answer(self, number: int, text: str) -> None:
        """Send an answer, and store it in case the socket fails and the server repeats the request."""
        with self._lock:
            self._answers[number] = text
            while len(self._answers) > _ANSWERS:
                self._answers.popitem(last=False)
        self._send(text)

    def _send(self, text: str) -> None:
        """Send a message unless the socket is closed. ``_next`` then finds the server's reason, or raises the error."""
        with self._lock:
            socket = self._socket
        if socket is not None:
            with suppress(OSError, ConnectionClosed):
                socket.send(text)


def _close(connecting: "Future[ClientConnection]") -> None:
    if connecting.exception() is None:
        connecting.result().close()


def _game_line(message: messages.StartedMessage | messages.ResultMessage) -> str:
    return f"game {message.number}: {printable(message.black)} (Black) - {printable(message.white)} (White)"


def _result_line(message: messages.ResultMessage) -> str:
    text = f"{printable(message.winner)} has won" if message.winner else "a draw"
    if message.margin is not None:
        text += f", {message.margin:+g} discs for Black"
    return f"{_game_line(message)}: {text} ({printable(message.ending)})"
