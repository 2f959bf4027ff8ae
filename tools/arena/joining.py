"""The author's side: starts the engine, keeps a line to the server, and carries questions and answers between the two.

It holds nothing that matters. Each question has the whole game; if this program is started again, the engine is taken
through the moves and answers. An answer that was lost with the line is given again when the server asks again.
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

from outflank.engine import NotationError, OutflankError, Rules, SettingsError
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
    RequestMessage,
    read,
    write,
)
from outflank.tools.arena.worker import EngineWorker

_ANSWERS = 256  # that are kept, in case that they were lost
_SLICE_SECONDS = 0.1
_GREETING_SECONDS = 15.0
_SILENCE_SECONDS = 10.0  # without a message of the server, which pings more often: the line is dead
_PAUSES = (0.1, 0.2, 0.5, 1.0, 2.0, 5.0)  # before each new try to connect
_SCHEMES = {"http": "ws", "https": "wss", "ws": "ws", "wss": "wss"}


def trusting(address: str, certificate: Path | None) -> ssl.SSLContext | None:
    """What is trusted at the other end: the system's certificates, and one besides; None without TLS.

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


class Refused(OutflankError):
    """The server does not let us in, or sends us away, for good."""


def join_address(url: str) -> str:
    """Where those who join connect, from the address of the arena's page: ``https://HOST`` is ``wss://HOST/join``.

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
        address: as ``join_address`` makes it.
        token: of the entrant.
        entry: the engine; its name and time are the server's.
        slots: games that it plays at once.
        say: called with sentences for the user.
        check: called often; may raise to end.
        trust: for ``wss``; the system's certificates if None.
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
        self._desks: list[EngineWorker] = []
        self._known_terms: tuple[str, str, str] | None = None
        self._engine = ""
        self._tries = 0

    def run(self) -> None:
        """Play until the tournament is over.

        Raises: Refused; EngineError if the engine can't play; whatever `check` raises.
        """
        try:
            while not self._connect():
                self._sleep(_PAUSES[min(self._tries, len(_PAUSES) - 1)])
                self._tries += 1
        finally:
            for desk in self._desks:
                desk.close()

    def _sleep(self, seconds: float) -> None:
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0:
            self._check()
            time.sleep(min(left, _SLICE_SECONDS))

    def _connect(self) -> bool:
        """One connection from its beginning to its end; whether the tournament is over."""
        try:
            with self._connected() as socket:
                try:
                    self._greet(socket)
                    return self._serve(socket)
                except (OSError, EOFError, ConnectionClosed):
                    raise
                except BaseException:  # such as Ctrl-C: a goodbye, so that the line does not count as lost
                    socket.close(CloseCode.GOING_AWAY)
                    raise
        except (OSError, EOFError, InvalidHandshake, ConnectionClosed) as error:
            if self._tries in (0, len(_PAUSES) - 1):
                reason = getattr(error, "strerror", None) or str(error) or type(error).__name__
                self._say(f"no line to {self._address} ({printable(reason)}); trying again")
        except InvalidURI as error:
            raise Refused(f"can't connect to {self._address}: {error}") from None
        finally:
            with self._lock:
                self._socket = None
        return False

    def _connected(self) -> ClientConnection:
        """Connect in a thread, since `check` has to be called meanwhile.

        Raises: OSError, EOFError, InvalidHandshake, InvalidURI; whatever `check` raises.
        """
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
            except BaseException as error:  # it belongs to the thread that waits
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
        """Say who we are, learn what is played, and start the engine for it.

        Raises: Refused; EngineError; OSError, ConnectionClosed.
        """
        socket.send(write(messages.HelloMessage(protocol=VERSION, token=self._token)))
        welcome = self._next(socket, _GREETING_SECONDS)
        if not isinstance(welcome, messages.WelcomeMessage):
            raise Refused(f"expected a welcome of the server, got {welcome.type}")
        terms = (welcome.name, welcome.rules, welcome.time)
        if terms != self._known_terms:
            self._start_engines(*terms)
        if welcome.session != self._session:
            self._session = welcome.session
            with self._lock:
                self._answers.clear()
            for desk in self._desks:
                desk.drop()
        with self._lock:
            self._socket = socket
        socket.send(write(messages.OpenMessage(slots=self._slots, engine=printable(self._engine, 90))))
        self._say(
            f"{printable(self._engine)} is in as {printable(welcome.name)}, time {printable(welcome.time)}"
        )
        self._tries = 0

    def _start_engines(self, name: str, rules: str, time: str) -> None:
        """Seat the engine at as many desks as there are slots, for this game.

        Raises: EngineError; NotationError about the server's terms.
        """
        for desk in self._desks:
            desk.close()
        entry = replace(self._entry, name=printable(name, 40), time=TimeControl.parse(time))
        played = Rules.parse(rules)
        self._desks = []
        for _ in range(self._slots):
            self._desks.append(EngineWorker(entry, played, self._answer, self._send, self._say))
            self._engine = self._desks[-1].open()
        self._known_terms = (name, rules, time)

    def _serve(self, socket: ClientConnection) -> bool:
        """Do what the server asks, until it says that the tournament is over: True.

        Raises: Refused; ConnectionClosed, OSError; whatever `check` raises.
        """
        while True:
            message = self._next(socket, _SILENCE_SECONDS)
            match message:
                case messages.PingMessage():
                    socket.send(write(messages.PongMessage(ping=message.ping)))
                case messages.NewMessage() | messages.ThinkMessage():
                    self._take(message)
                case messages.DropMessage():
                    for desk in self._desks:
                        if desk.game == message.game:
                            desk.drop()
                case messages.OverMessage():
                    self._say("the tournament is over")
                    return True
                case messages.StartedMessage():
                    self._say(_game_line(message))
                case messages.ResultMessage():
                    self._say(_result_line(message))

    def _next(self, socket: ClientConnection, seconds: float) -> Message:
        """The next message.

        Raises: Refused if it is a refusal for good; OSError if there is none in time, or we shall come again.
        """
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
                raise Refused(f"the server refuses: {reason}")
            raise OSError(reason)
        return message

    def _take(self, question: RequestMessage) -> None:
        """Have a question answered, unless it is being or was."""
        number = question.id
        with self._lock:
            text = self._answers.get(number)
        if text is not None:
            self._send(text)
        elif not any(desk.is_at(number) for desk in self._desks):
            at_it = (desk for desk in self._desks if desk.game == question.game)
            idle = min(self._desks, key=lambda desk: (desk.is_busy, desk.game != 0, desk.used))
            next(at_it, idle).give(question)

    def _answer(self, number: int, text: str) -> None:
        """Keep an answer, and send it if there is a line; else the server will ask again."""
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
    """Close a connection that nobody waits for any more."""
    if connecting.exception() is None:
        connecting.result().close()


def _game_line(message: messages.StartedMessage | messages.ResultMessage) -> str:
    return f"game {message.number}: {printable(message.black)} (Black) - {printable(message.white)} (White)"


def _result_line(message: messages.ResultMessage) -> str:
    text = f"{printable(message.winner)} has won" if message.winner else "a draw"
    if message.margin is not None:
        text += f", {message.margin:+g} discs for Black"
    return f"{_game_line(message)}: {text} ({printable(message.ending)})"
