"""The state of an arena on its server: admission and presence of entrants, orders from the organiser, messages."""

import asyncio
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

from starlette.routing import WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from outflank.engine import OutflankError, Rules, SettingsError
from outflank.protocol.clock import TimeControl
from outflank.protocol.drivers.spec import EngineSpec
from outflank.protocol.drivers.spec_values import Protocol
from outflank.protocol.lines import printable
from outflank.tools.arena import messages
from outflank.tools.arena.connection import (
    MOST_FOR_LINE_SECONDS,
    PATIENCE_SECONDS,
    ClientSocket,
    Connection,
    first_of,
    replaced,
)
from outflank.tools.arena.control import Tokens
from outflank.tools.arena.messages import PATH, VERSION, Message, Refusal
from outflank.tools.match.game.results import GameRecord, Pairing
from outflank.tools.match.state.events import Event, GameEnded, GameStarted, GameVoided, RunEnded, RunObserver
from outflank.tools.runtime.progress import folded

_HELLO_SECONDS = 10.0  # the time limit for the first message
_OPEN_SECONDS = 120.0  # the time limit for ``open``, which the client sends after the start of its engines
_WRONG_TOKEN_SECONDS = 1.0  # the delay before a client with a wrong token is refused
_FAREWELL_SECONDS = 2.0
_JOINED = "outflank join"  # the engine command in an entrant's spec; it is never run


class Arena(RunObserver):
    """The entrants of an arena, and the messages to them. All methods may be called from any thread.

    Attributes:
        folder: the folder of the arena's files.
        time: the time control of all entrants.
        tokens: the tokens of the entrants.
        route: the web server's route to the WebSocket of the arena.
        is_paused: True while no new pairs of games may start.
        games_ended: the number of games that have ended, including games before a restart of the server.

    Args:
        folder: the folder of the arena's files.
        rules: the rules of the games.
        time: the time control of all entrants.
        say: the function that shows a message to the organiser.
        patience: see ``Connection``.
        most: see ``Connection``.
    """

    def __init__(
        self,
        folder: Path,
        rules: Rules,
        time: TimeControl,
        say: Callable[[str], object],
        patience: float = PATIENCE_SECONDS,
        most: float = MOST_FOR_LINE_SECONDS,
    ) -> None:
        self.folder = folder
        self.time = time
        self.tokens = Tokens(folder)
        self.is_paused = False
        self.games_ended = 0
        self.route = WebSocketRoute(PATH, self._serve)
        self._rules = rules
        self._say = folded(say)
        self._on_changed: Callable[[], object] = lambda: None
        self._lock = threading.Lock()
        self._field: frozenset[str] | None = None  # the admitted entrants; None admits every valid token
        self._taken: frozenset[str] = frozenset()  # the names that engines of this machine use
        self._playing: dict[int, Pairing] = {}
        self._is_over = False
        self._make_connection = partial(Connection, patience=patience, most=most)
        self._connections: dict[str, Connection] = {}
        self._sockets: defaultdict[str, list[ClientSocket]] = defaultdict(list)  # the sockets of each entrant

    def connection_of(self, name: str) -> Connection:
        """Return the connection to an entrant. The first call creates it."""
        with self._lock:
            if name not in self._connections:
                self._connections[name] = self._make_connection(name)
            return self._connections[name]

    @property
    def connections(self) -> list[Connection]:
        """All connections, in order of creation."""
        with self._lock:
            return list(self._connections.values())

    def on_change(self, look: Callable[[], object]) -> None:
        """Set the function that is called when an entrant connects or disconnects, and at each pause or resumption."""
        self._on_changed = look

    def play_by(self, rules: Rules, time: TimeControl, taken: Collection[str]) -> None:
        """Adopt the rules and time control of a run. `taken`: the names that engines of this machine use."""
        self._rules, self.time, self._taken = rules, time, frozenset(taken)

    def close_entries(self, field: Collection[str]) -> None:
        """Admit only the entrants in `field` from now on. Requests to one that has no token fail immediately."""
        self._field = frozenset(field)
        known = self.tokens.names()
        for name in field:
            if name not in known:
                self.connection_of(name).bar("it no longer has a token")

    def engine_of(self, name: str) -> EngineSpec:
        """Return the engine spec of an entrant, for the run's settings."""
        return EngineSpec(name, _JOINED, self.time, protocol=Protocol.JOIN)

    def present(self) -> list[Connection]:
        """Return the open connections, in order of creation."""
        return [line for line in self.connections if line.is_open]

    def observe(self, event: Event) -> None:
        """Notify entrants when their games begin and end, and when the tournament is over."""
        match event:
            case GameStarted(pairing):
                with self._lock:
                    self._playing[pairing.number] = pairing
                self._tell(pairing, messages.StartedMessage(pairing.number, *_names(pairing)))
            case GameEnded(game):
                with self._lock:
                    self._playing.pop(game.pairing.number, None)
                    self.games_ended += 1
                self._tell(game.pairing, _result(game))
            case GameVoided(game):
                with self._lock:
                    self._playing.pop(game.pairing.number, None)
            case RunEnded(run) if run.finished:
                self.end()

    def end(self) -> None:
        """Notify all entrants that the tournament is over, and wait briefly until they have disconnected."""
        self._is_over = True
        for line in self.present():
            line.tell(messages.OverMessage())
        until = time.monotonic() + _FAREWELL_SECONDS
        while self.present() and time.monotonic() < until:
            time.sleep(0.02)

    def status(self) -> dict[str, Any]:
        """Return the state of the arena as plain data for JSON."""
        with self._lock:
            playing = [
                {"game": number, "black": pairing.black, "white": pairing.white}
                for number, pairing in sorted(self._playing.items())
            ]
        return {
            "rules": str(self._rules),
            "time": str(self.time),
            "paused": self.is_paused,
            "games_ended": self.games_ended,
            "playing": playing,
            "entrants": [
                {
                    "name": line.name,
                    "engine": line.engine,
                    "open": line.is_open,
                    "slots": line.slots,
                    "line": round(line.allowance, 4),
                    "losses": line.losses,
                }
                for line in self.connections
            ],
        }

    def pause(self, paused: bool) -> None:
        """Suspend the start of new pairs of games if `paused` is true; otherwise resume it."""
        self.is_paused = paused
        self._on_changed()
        self._say(
            "the arena is paused: no new pair of games starts" if paused else "the arena has resumed", ""
        )

    def kick(self, name: str) -> None:
        """Remove an entrant: void its token and close its connection. The entrant loses its current games.

        Raises: SettingsError if no entrant of this name has a token.
        """
        if not self.tokens.expel(name):
            raise SettingsError(f"no entrant called {name!r} has a token")
        reason = "the organiser has removed this engine"
        self.connection_of(name).bar(reason)
        self._close_sockets(name, reason)
        self._say(f"{name} was removed", "")

    def renew(self, name: str) -> None:
        """Close the sockets of an entrant whose token was replaced. It may reconnect with the new token."""
        self._close_sockets(name, "the organiser has issued a new token; ask for it")

    def _close_sockets(self, name: str, reason: str) -> None:
        for client in list(self._sockets.get(name, ())):
            client.close(reason)

    async def _serve(self, socket: WebSocket) -> None:
        await socket.accept()
        client = ClientSocket(socket)
        try:
            token = await _token_of(client)
            connection = await self._admitted(token)
            with self._registered(connection.name, client):
                await first_of(client.end(), self._carry(client, connection, token))
        except OutflankError as error:
            # Refusals of the same kind are folded. The kind is the text before the first comma, since the text after it
            # may quote the client.
            self._say(f"a client was refused: {error}", str(error).partition(",")[0])
            with suppress(Exception):  # the client may have disconnected
                await client.refuse(error)
        except (WebSocketDisconnect, RuntimeError):
            pass  # Starlette raises RuntimeError if a message is sent on a closed socket

    async def _admitted(self, token: str) -> Connection:
        try:
            return await asyncio.to_thread(self._admit, token)
        except Refusal:
            await asyncio.sleep(_WRONG_TOKEN_SECONDS)
            raise

    @contextmanager
    def _registered(self, name: str, client: ClientSocket) -> Iterator[None]:
        """Register a socket for ``_close_sockets``. Close the entrant's other sockets that have not sent ``open``."""
        known = self._sockets[name]
        for other in known:
            if not other.is_open:
                other.close(replaced(name))
        known.append(client)
        try:
            yield
        finally:
            known.remove(client)
            if not known:
                self._sockets.pop(name, None)

    async def _carry(self, client: ClientSocket, connection: Connection, token: str) -> None:
        """Welcome an entrant, and exchange messages until the socket is closed."""
        terms = connection.session, str(self._rules), str(self.time), connection.patience
        await client.send_at_once(messages.WelcomeMessage(VERSION, connection.name, *terms))
        try:
            opening = await client.receive(_OPEN_SECONDS)
        except TimeoutError:
            raise Refusal(f"no open message within {_OPEN_SECONDS:g} s", again=True) from None
        if not isinstance(opening, messages.OpenMessage):
            raise Refusal(f"expected open after welcome, got {opening.type}")
        await self._admitted(token)  # the token is checked again, since it may have become void
        client.is_open = True
        connection.attach(client, opening.slots, printable(opening.engine))
        self._on_change(connection)
        try:
            await client.carry(connection)
        finally:
            connection.detach(client)
            self._on_change(connection)

    def _admit(self, token: str) -> Connection:
        name = self.tokens.who(token)
        if name is None:
            raise Refusal("unknown token; ask the organiser for one")
        if name in self._taken:
            raise Refusal(
                f"an engine on the server is also called {name}; ask the organiser for another name"
            )
        if self._field is not None and name not in self._field:
            raise Refusal("the tournament has already begun")
        return self.connection_of(name)

    def _on_change(self, line: Connection) -> None:
        what = "has lost its connection" if line.is_lost and not self._is_over else "has disconnected"
        what = f"is connected with {line.engine}" if line.is_open else what
        self._say(f"{line.name} {what}", f"{line.name} {what.split()[0]}")
        self._on_changed()
        if self._is_over:
            line.tell(messages.OverMessage())

    def _tell(self, pairing: Pairing, message: Message) -> None:
        for line in self.connections:
            if line.name in pairing.engines:
                line.tell(message)


async def _token_of(client: ClientSocket) -> str:
    try:
        hello = await client.receive(_HELLO_SECONDS)
    except TimeoutError:
        raise Refusal(f"no hello message within {_HELLO_SECONDS:g} s", again=True) from None
    if not isinstance(hello, messages.HelloMessage):
        raise Refusal(f"expected hello as the first message, got {hello.type}")
    if hello.protocol != VERSION:
        raise Refusal(
            f"this server uses version {VERSION} of the messages, but the client uses {hello.protocol}: "
            f"use the server's version of Outflank"
        )
    return hello.token


def _names(pairing: Pairing) -> tuple[str, str]:
    return pairing.black, pairing.white


def _result(game: GameRecord) -> messages.ResultMessage:
    black, white = _names(game.pairing)
    return messages.ResultMessage(
        number=game.pairing.number,
        black=black,
        white=white,
        winner=game.winner_name,
        ending=str(game.ending),
        detail=game.detail[:1000],
        margin=game.margin,
    )
