"""The author's side: starts the engine, keeps a connection to the server, and passes on requests and answers.

It has no state that could be lost. Each request has the whole game; if this program is started again, the engine
replays the moves and answers. An answer that was lost with the socket is sent again when the server asks again.
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

from websockets.exceptions import ConnectionClosed, InvalidHandshake, InvalidURI
from websockets.frames import CloseCode
from websockets.sync.client import ClientConnection, connect

from outflank.engine import NotationError, Rules, SettingsError
from outflank.protocol.clock import TimeControl
from outflank.protocol.drivers.spec import EngineSpec
from outflank.protocol.lines import printable
from outflank.tools.arena import messages
from outflank.tools.arena.messages import (
    MOST_BYTES,
    PATH,
    SERVER,
    VERSION,
    Message,
    Refusal,
    RequestMessage,
    read,
    write,
)
from outflank.tools.arena.worker import EngineWorker

_ANSWERS = 256  # kept in case they are lost
_SLICE_SECONDS = 0.1
_GREETING_SECONDS = 15.0
_SILENCE_SECONDS = 10.0  # without a message of the server, which pings more often: the socket is dead
_PAUSES = (0.1, 0.2, 0.5, 1.0, 2.0, 5.0)  # before each new try to connect
_SCHEMES = {"http": "ws", "https": "wss", "ws": "ws", "wss": "wss"}


def trusting(address: str, certificate: Path | None) -> ssl.SSLContext | None:
    """Return a context that trusts the system's certificates and one more; None without TLS.

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
    """Return the address of an arena's WebSocket from that of its page: ``wss://HOST/join`` for ``https://HOST``.

    Raises: NotationError.
    """
    try:
        parts = urlsplit(url)
        if parts.scheme in _SCHEMES and parts.hostname and parts.port != 0:
            parts.hostname.encode("idna")  # it may have too long a part
            return urlunsplit((_SCHEMES[parts.scheme], parts.netloc, parts.path.rstrip("/") + PATH, "", ""))
    except ValueError:
        pass
    raise NotationError(
        f"expected the address of an arena such as https://HOST:PORT, got {printable(url, 100)!r}"
    )


class Joiner:
    """Keeps an engine in an arena.

    Args:
        address: the address of the arena's WebSocket, see ``join_address``.
        token: the token of the entrant.
        entry: the engine; the server gives its name and time.
        slots: the number of games that it plays at once.
        say: called with sentences for the user.
        check: called often; may raise to end.
        trust: the TLS context for ``wss``; the system's certificates if None.
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

    def run(self) -> None:
        """Play until the tournament is over.

        Raises: Refusal; EngineError if the engine can't play; whatever `check` raises.
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
                except BaseException:  # such as Ctrl-C: a goodbye, so that the socket does not count as lost
                    socket.close(CloseCode.GOING_AWAY)
                    raise
        except (OSError, EOFError, InvalidHandshake, ConnectionClosed) as error:
            if self._tries in (0, len(_PAUSES) - 1):
                reason = getattr(error, "strerror", None) or str(error) or type(error).__name__
                self._say(f"no line to {self._address} ({printable(reason)}); trying again")
        except InvalidURI as error:
            raise Refusal(f"can't connect to {self._address}: {error}") from None
        finally:
            with self._lock:
                self._socket = None
        return False

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
            except AssertionError:  # by websockets, where the connection ends before its request is sent
                connecting.set_exception(ConnectionResetError("the server has closed the connection"))
            except BaseException as error:  # raised in the waiting thread
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
            raise Refusal(f"expected a welcome of the server, got {welcome.type}")
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
        socket.send(write(messages.OpenMessage(slots=self._slots, engine=printable(self._engine, 90))))
        self._say(
            f"{printable(self._engine)} is in as {printable(welcome.name)}, time {printable(welcome.time)}"
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
                    socket.send(write(messages.PongMessage(ping=message.ping)))
                case messages.NewMessage() | messages.ThinkMessage():
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
        """Without a socket the server will ask again."""
        with self._lock:
            self._answers[number] = text
            while len(self._answers) > _ANSWERS:
                self._answers.popitem(last=False)
        self._send(text)

    def _send(self, text: str) -> None:
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
