"""A small Generic Game Server on loopback: logins, ``/os`` with requests, matches and clocks, stored matches, ``/td``.

It implements the part of the real server's dialogue, as recorded by clients, that a player needs, and referees games.
It runs in a thread with its own event loop. Tests read the lines that clients sent, send lines as the server, and cut
connections. A `Guest` is our client in a thread, with a fake engine.
"""

import asyncio
import random
import re
import shlex
import signal
import threading
import time
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self, TypeVar

from outflank.engine import PASS, Colour, IllegalMoveError, NotationError, Position
from outflank.protocol.drivers.spec import EngineSpec
from outflank.protocol.formats import ggf
from outflank.protocol.formats.annotated import AnnotatedGame
from outflank.tests.support import fake_engine
from outflank.tools.ggs.client import GgsClient
from outflank.tools.ggs.settings import Settings

T = TypeVar("T")
WAIT_SECONDS = 30.0
_COLUMNS = "|   A B C D E F G H"
_SIGNS = {Colour.BLACK: "*", Colour.WHITE: "O"}
_FOR_TWO = 2


def board_lines(position: Position) -> list[str]:
    """Return a position in the form of the server's messages."""
    cells = position.board_string()[:64].replace("X", "*")
    rows = [f"| {row} {' '.join(cells[8 * row - 8 : 8 * row])} {row} " for row in range(1, 9)]
    return ["|", _COLUMNS, *rows, _COLUMNS, "|", f"|{_SIGNS[position.side]} to move", "|"]


def clock_text(seconds: float) -> str:
    """Return seconds as minutes and seconds, such as ``05:00``, with a minus sign if they are negative."""
    whole = abs(int(seconds))
    return f"{'-' if seconds < 0 else ''}{whole // 60:02}:{whole % 60:02}"


@dataclass
class Game:
    """A game of a match. `players` has the names by colour, and `left` the remaining seconds by name."""

    id: str
    players: dict[Colour, str]
    first: Position
    left: dict[str, float]
    main: float
    kind: str
    moves: list[tuple[str, str]] = field(default_factory=list)  # the shown text, and the square or pass
    since: float = field(default_factory=time.monotonic)
    result: float | None = None  # from Black's side
    held_back: list[str] | None = None  # the last move, which the opponent must not see yet

    @property
    def position(self) -> Position:
        position = self.first
        for _, move in self.moves:
            position = position.play(PASS if move == "pass" else move)
        return position

    def sides(self, *, setting: bool = False) -> list[str]:
        rest = "//02:00" if setting else ",0:0//02:00,0:0"
        return [
            f"|{name:<8} (1720.0 {_SIGNS[colour]}) {clock_text(self.main if setting else self.left[name])}{rest}"
            for colour, name in self.players.items()
        ]

    def update(self, head: str = "update") -> list[str]:
        """Return the message about the last move."""
        last = f"|{len(self.moves):3}: {self.moves[-1][0] if self.moves else 'PASS'}"
        return [f"/os: {head} {self.id} {self.kind} K?", last, *self.sides(), *board_lines(self.position)]

    def join(self) -> list[str]:
        """Return the message about the whole game."""
        head, *rest = self.update("join")
        whole = [f"|{len(self.moves)} move(s)"]
        if self.moves:
            whole += [*self.sides(setting=True), *board_lines(self.first)]
            whole += [f"|{number:3}: {shown}" for number, (shown, _) in enumerate(self.moves[:-1], 1)]
        return [head, *whole, *rest]


@dataclass
class Match:
    """A match of two players. The player who requested it is the first."""

    id: str
    players: tuple[str, str]
    kind: str
    flag: str
    games: list[Game]

    @property
    def head(self) -> str:
        """The text about the match in the messages of its start and its end."""
        one, other = self.players
        return f"match {self.id} 1720 {one} 1720 {other} {self.kind} {self.flag}"


class GgsServer:
    """The server; a context manager. Its methods may be called from any thread unless they begin with ``_``.

    Attributes:
        sent: the lines that clients have sent, with the clients' names.
        over: the messages about ends of matches.
        port: the port on which the server listens.

    Args:
        rng: the source of random starts.
        password: the password of all logins.
        line_feed: the line end after the prompts of the login.
        on_update: a function that receives the server and the game after each move, in the server's thread.
    """

    def __init__(
        self,
        rng: random.Random | None = None,
        password: str = "secret",
        line_feed: str = "\r\n",
        on_update: Callable[["GgsServer", Game], object] = lambda server, game: None,
    ) -> None:
        self.sent: list[tuple[str, str]] = []
        self.over: list[str] = []
        self.port = 0
        self._rng = rng or random.Random(1)
        self._password = password
        self._line_feed = line_feed
        self._on_update = on_update
        self._writers: dict[str, asyncio.StreamWriter] = {}
        self._serving: set[asyncio.Task[None]] = set()
        self._open: dict[str, int] = {}
        self._requests: dict[str, tuple[str, str, str, str]] = {}  # by, to, kind, clock
        self._matches: dict[str, Match] = {}
        self._stored: dict[str, Match] = {}
        self._last_id = 0
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        self._server = self.run(asyncio.start_server(self._serve, "127.0.0.1", self.port))
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    def __exit__(self, *_: object) -> None:
        self.run(self._stop())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def run(self, coroutine: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine in the server's thread, and return its result."""
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop).result(WAIT_SECONDS)

    def call(self, function: Callable[[], object]) -> None:
        """Call a function in the server's thread, and wait until it returns."""

        async def do() -> None:
            function()

        self.run(do())

    def wait(self, condition: Callable[[], object], seconds: float = WAIT_SECONDS) -> None:
        until = time.monotonic() + seconds
        while not condition():
            assert time.monotonic() < until, f"waited in vain; sent: {self.sent[-20:]}, over: {self.over}"
            time.sleep(0.01)

    def says(self, name: str, *lines: str) -> None:
        self.call(lambda: self._tell(name, list(lines)))

    def cut(self, name: str) -> None:
        self.call(lambda: self.drop(name))

    def drop(self, name: str) -> None:
        self._writers[name].transport.abort()

    def begin(self, one: str, other: str, kind: str, clock: str = "01:00", flag: str = "T") -> str:
        """Begin a match in the same way as the tournament director, and return its id."""
        ids: list[str] = []
        self.call(lambda: ids.append(self._begin(one, other, kind, clock, flag)))
        return ids[0]

    def lines_of(self, name: str) -> list[str]:
        return [line for who, line in self.sent if who == name]

    @property
    def is_busy(self) -> bool:
        """Whether a match is being played, or is stored to be continued."""
        return bool(self._matches or self._stored)

    def is_there(self, name: str) -> bool:
        """Return whether a client has set the number of matches that it plays."""
        return name in self._open

    async def _stop(self) -> None:
        """Close all connections, and wait until their tasks have ended."""
        self._server.close()
        for writer in self._writers.values():
            writer.transport.abort()
        while self._serving:
            await asyncio.wait(self._serving)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        name = ""
        task = asyncio.current_task()
        assert task is not None, "it serves a connection"
        self._serving.add(task)
        try:
            writer.write(f": Enter login (yours, or one you'd like to use).{self._line_feed}".encode())
            name = (await reader.readline()).decode().strip()
            writer.write(f": Enter your password.{self._line_feed}".encode())
            if (await reader.readline()).decode().strip() != self._password:
                writer.write(b": ERR Password is incorrect.\r\n")
                return
            writer.write(b"\r\nWelcome to this server.\r\n|nothing new\r\nREADY\r\n")
            self._writers[name] = writer
            while line := await reader.readline():
                text = line.decode().rstrip("\n")
                self.sent.append((name, text))
                if text == "quit":
                    break
                self._obey(name, text.split())
        except OSError:
            pass
        finally:
            writer.close()
            if self._writers.get(name) is writer:
                del self._writers[name]
                self._open.pop(name, None)
                self._leave(name)
            self._serving.discard(task)

    def _tell(self, name: str, lines: list[str]) -> None:
        if name in self._writers:
            self._writers[name].write("".join(f"{line}\r\n" for line in [*lines, "READY"]).encode())

    def _tell_both(self, match: Match, lines: list[str]) -> None:
        for name in dict.fromkeys(match.players):
            self._tell(name, lines)

    def _obey(self, name: str, words: list[str]) -> None:
        match words:
            case ["tell", "/os", "open", number]:
                self._open[name] = int(number)
            case ["tell", "/os", "ask", kind, clock, opponent]:
                self._request(name, opponent, kind, clock)
            case ["tell", "/os", "accept", id] if id in self._requests:
                by, to, kind, clock = self._take_back(id)
                if kind.startswith("."):
                    self._go_on(kind)
                else:
                    self._begin(by, to, kind, clock, "R")
            case ["tell", "/os", "decline", id] if id in self._requests:
                self._take_back(id)
            case ["tell", "/os", "continue"]:
                asked = {kind for _, _, kind, _ in self._requests.values()}
                for id, match in self._stored.items():
                    one, other = match.players
                    opponent = other if one == name else one
                    if name in match.players and opponent in self._open and id not in asked:
                        self._request(name, opponent, id, match.kind)
            case ["tell", "/os", "play", id, move]:
                self._play(name, id, move)
            case ["tell", "/os", "resign", id]:
                self._resign(name, id)
            case ["tell", "/os", "watch", "+", id]:
                for game in self.games(id):
                    self._tell(name, game.join())
            case ["tell", "/td", "join", id]:
                self._tell(name, [f"/td: join {id} {name} is in"])
            case ["tell", to, *said]:
                self._tell(to, [f"{name}: {' '.join(said)}"])

    def _request(self, by: str, to: str, kind: str, clock: str) -> None:
        if to not in self._open:
            self._tell(by, [f"/os: ask ERR user '{to}' not found."])
            return
        id = self._next_id()
        self._requests[id] = (by, to, kind, clock)
        for name in (by, to):
            self._tell(name, [f"/os: + {id:>4} {self._shown(id)}"])

    def _take_back(self, id: str) -> tuple[str, str, str, str]:
        line = f"/os: - {id:>4} {self._shown(id)}"
        request = self._requests.pop(id)
        for name in request[:_FOR_TWO]:
            self._tell(name, [line])
        return request

    def _shown(self, id: str) -> str:
        by, to, kind, clock = self._requests[id]
        stored = kind.startswith(".")
        text = f"05:00//02:00 {clock:>8} S" if stored else f"{clock}//02:00 {kind:>8} R"
        return f"1720.0 {by:<8} {text} 1720.0 {to:<8}{f' {kind}' if stored else ''}"

    def _next_id(self) -> str:
        self._last_id += 1
        return f".{self._last_id}"

    def _begin(self, one: str, other: str, kind: str, clock: str, flag: str) -> str:
        minutes, seconds = clock.split("/")[0].split(":")
        main = 60.0 * int(minutes) + int(seconds)
        match = re.fullmatch(r"(s?)8(?:r(\d+))?([bw]?)", kind)
        assert match is not None, f"a match of another kind was begun: {kind}"
        first = self._start(int(match[2] or 4))
        id = self._next_id()
        players = {Colour.BLACK: one, Colour.WHITE: other}
        swapped = {Colour.BLACK: other, Colour.WHITE: one}
        if match[3] == "w":
            players = swapped
        names = [f"{id}.0", f"{id}.1"] if match[1] else [id]
        games = [
            Game(name, colours, first, {one: main, other: main}, main, kind)
            for name, colours in zip(names, (players, swapped), strict=False)
        ]
        self._matches[id] = Match(id, (one, other), kind, flag, games)
        self._tell_both(self._matches[id], [f"/os: + {self._matches[id].head}"])
        for game in games:
            self._tell_both(self._matches[id], game.join())
        return id

    def _go_on(self, stored: str) -> None:
        match = self._stored.pop(stored)
        id = self._next_id()
        for number, game in enumerate(match.games):
            game.id = f"{id}.{number}" if len(match.games) == _FOR_TWO else id
            game.since, game.held_back = time.monotonic(), None
        match.id = id
        self._matches[id] = match
        self._tell_both(match, [f"/os: + {match.head}"])
        for game in match.games:
            self._tell_both(match, game.join())

    def _start(self, discs: int) -> Position:
        position = Position.start()
        while 64 - position.empties < discs:
            moves = list(position.legal_moves())
            position = position.play(self._rng.choice(moves)) if moves else Position.start()
        return position

    def games(self, id: str) -> list[Game]:
        """Return the game with this id, or the games of the match with this id."""
        return [game for match in self._matches.values() for game in match.games if id in (game.id, match.id)]

    def _play(self, name: str, id: str, text: str) -> None:
        games = self.games(id)
        if len(games) != 1:
            self._tell(name, [f"/os: error {id} not found"])
            return
        game, position = games[0], games[0].position
        move, _, rest = text.partition("/")
        seconds = float(rest.partition("/")[2] or 0)
        try:
            if game.players[position.side] != name or game.result is not None:
                raise IllegalMoveError("not your turn")
            made = position.parse_move(PASS if move == "PASS" else move)
        except (IllegalMoveError, NotationError) as error:
            self._tell(name, [f"/os: error {id} illegal move: {error}"])
            return
        game.moves.append((f"{'PA' if made.is_pass else made}{'/' if rest else ''}{rest}", str(made)))
        game.left[name] -= max(seconds, time.monotonic() - game.since - 4)
        if game.position.is_over:
            outcome = game.position.outcome()
            assert outcome is not None
            game.result = outcome.margin_of(Colour.BLACK)
        self._announce(name, game)
        self._on_update(self, game)

    def _announce(self, name: str, game: Game) -> None:
        """Send a move to the mover, and to the opponent; in a synchro match, only after a move in both games."""
        (match,) = (match for match in self._matches.values() if game in match.games)
        self._tell(name, game.update())
        game.held_back = game.update()
        waiting = [each for each in match.games if each.result is None and each.held_back is None]
        if len(match.games) == _FOR_TWO and waiting:
            return
        for each in match.games:
            if each.held_back is not None:
                mover = each.players[each.position.side.other]
                for player in match.players:
                    if player != mover:
                        self._tell(player, each.held_back)
                each.held_back, each.since = None, time.monotonic()
        if len(match.games) == _FOR_TWO:
            self._tell_ends(match)
        if all(each.result is not None for each in match.games):
            self._end(match)

    def _tell_ends(self, match: Match) -> None:
        one, other = match.players
        for game in match.games:
            if game.result is not None and game.since >= 0:
                game.since = -1.0  # marks the end as announced
                sign = 1 if game.players[Colour.BLACK] == one else -1
                self._tell_both(
                    match, [f"/os: end {game.id} ( {one} vs. {other} ) {sign * game.result:+.2f}"]
                )

    def _resign(self, name: str, id: str) -> None:
        for match in list(self._matches.values()):
            if name in match.players and any(id in (match.id, game.id) for game in match.games):
                for game in match.games:
                    game.result = -64.0 if game.players[Colour.BLACK] == name else 64.0
                if len(match.games) == _FOR_TWO:
                    self._tell_ends(match)
                self._end(match)

    def _end(self, match: Match, how: str = "") -> None:
        del self._matches[match.id]
        results = [
            (game.result or 0.0) * (1 if game.players[Colour.BLACK] == match.players[0] else -1)
            for game in match.games
        ]
        text = f"- {match.head} {how or f'{sum(results) / len(results):+.2f}'}  .{90_000 + self._last_id}"
        self.over.append(text)
        self._tell_both(match, [f"/os: {text}"])

    def _leave(self, name: str) -> None:
        for id in [id for id, request in self._requests.items() if name in request[:_FOR_TWO]]:
            self._take_back(id)
        for match in list(self._matches.values()):
            if name in match.players:
                for game in match.games:
                    if game.held_back is not None:
                        game.moves.pop()  # both games of a match continue after the same number of moves
                        game.result = None  # the removed move may have ended the game
                self._end(match, f"{name} left")
                self._stored[f".{90_000 + self._last_id}"] = match
                self._last_id += 1


def fake(*options: Any, **named: Any) -> str:
    """Return the settings of a fake engine as text; see ``fake_engine.command``."""
    return f"cmd={shlex.quote(shlex.join(fake_engine.command(*options, **named)))}"


PLAIN = fake()
ANY_BOARD = f"{fake(speak='uci')} protocol=uci depth=1"  # each question to UCI carries the whole position


class Guest:
    """A client in a thread; a context manager."""

    def __init__(
        self, server: GgsServer, name: str, folder: Path, engine: str = PLAIN, **others: Any
    ) -> None:
        self.name = name
        self.said: list[str] = []
        self.log: list[str] = []
        self.file = folder / f"{name}.ggf"
        self.failure: Exception | None = None
        password = others.pop("password", "secret")
        settings = Settings(
            "127.0.0.1", server.port, name, password, EngineSpec.parse(engine), self.file, **others
        )
        self.client = GgsClient(
            settings, self.said.append, lambda way, line: self.log.append(f"{way} {line}")
        )
        self._server = server
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        self._server.wait(lambda: self._server.is_there(self.name) or self.failure)
        return self

    def __exit__(self, *_: object) -> None:
        if self._thread.is_alive():
            self.interrupt(at_once=True)
        self.wait()

    def interrupt(self, *, at_once: bool = False) -> None:
        """Interrupt the client in the same way as Ctrl-C."""
        self._loop.call_soon_threadsafe(lambda: self.client.interrupt(signal.SIGINT, at_once=at_once))

    def wait(self) -> None:
        self._thread.join(60)
        assert not self._thread.is_alive(), (self.said, self.log[-30:])

    def games(self) -> list[AnnotatedGame]:
        return [ggf.parse(line) for line in self.file.read_text().splitlines()]

    def _run(self) -> None:
        try:
            self._loop.run_until_complete(self.client.play())
        except Exception as error:
            self.failure = error
        self._loop.close()
