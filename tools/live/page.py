"""Games on the page. Each game runs in its own thread, and any number of tabs show it over WebSockets."""

import asyncio
import math
import queue
import secrets
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from itertools import takewhile
from typing import Any

from starlette.websockets import WebSocket

from outflank.engine import HIGHEST_LEVEL, Colour, IllegalMoveError, OutflankError, SettingsError
from outflank.protocol.clock import TimeControl
from outflank.protocol.drivers import Driver, EngineSpec, make_driver
from outflank.protocol.formats.annotated import AnnotatedGame, AnnotatedMove
from outflank.protocol.server.human_strength import HIGHEST_ELO, LOWEST_ELO
from outflank.tools.live.drivers import Person
from outflank.tools.live.game import LiveGame
from outflank.tools.live.messages import (
    Attach,
    New,
    PageMessage,
    Pause,
    Player,
    PlayMove,
    Resign,
    Resume,
    TakeBack,
)
from outflank.tools.page.replay import Replay, colours_of, disc_of
from outflank.tools.runtime.records import read_record
from outflank.tools.runtime.signals import Stopped

_SLICE_SECONDS = 0.05
_PACE_SECONDS = 0.25  # the pause after each turn, in which users see the turn and no clock runs
_ABSENCE_SECONDS = 20.0  # the time after which a game that no tab shows is closed
_END_SECONDS = 10.0
_MOST_GAMES = 200  # the maximum number of games that are kept in memory
_MOST_RUNNING = 24  # the maximum number of open games, whose engines may be running
_ENGINE_HASH_MB = 16
_LONGEST_NAME = 40


class PageGame(LiveGame):
    """A game that is played in its own thread. Methods that interrupt the game wait for the thread to end.

    Attributes:
        id: the game's identifier in messages.
        trouble: the error that prevents the game from being continued; empty without an error.
        pages: an event for each tab that shows the game. All events are set after each change.
        is_paused: True if a user has paused the game.
        is_open: True if the game's thread or its engines may be running.

    Args:
        record: the game to start, with its given turns.
        specs: the players, by colour; a player with an empty command is a person.
        on_change: the function that the game's thread calls after each change.
        admit: the function that is called before the game starts or continues; it refuses the game with SettingsError.
    """

    def __init__(
        self,
        record: AnnotatedGame,
        specs: Mapping[Colour, EngineSpec],
        on_change: Callable[["PageGame"], object],
        admit: Callable[["PageGame"], object] = lambda game: None,
    ) -> None:
        self.id = secrets.token_urlsafe(6)
        self.trouble = ""
        self.pages: set[asyncio.Event] = set()
        self.is_paused = self.is_open = False
        self._on_change, self._admit = on_change, admit
        self._control = threading.RLock()  # held while a thread starts, interrupts or changes the game
        self._interrupted = threading.Event()
        self._thread: threading.Thread | None = None
        self._moves: queue.SimpleQueue[str] = queue.SimpleQueue()
        rules = record.rules
        drivers: dict[Colour, Driver] = {
            colour: make_driver(spec, rules, on_wait=self._check)
            if spec.cmd
            else Person(spec.name, rules, spec.time, self._ask)
            for colour, spec in specs.items()
        }
        super().__init__(record, drivers, self._show_clock, self._show_turn)

    @property
    def is_running(self) -> bool:
        """Whether the game's thread is running."""
        return self._thread is not None and self._thread.is_alive()

    def start(self) -> None:
        """Start or continue the game unless it is over. Raises: SettingsError if too many games are running."""
        with self._control:
            if not self.is_running and self.ended is None:
                self._admit(self)
                self.is_paused, self.is_open, self.trouble = False, True, ""
                self._interrupted.clear()
                self._thread = threading.Thread(target=self._play, name="game on the page", daemon=True)
                self._thread.start()

    def pause(self) -> None:
        """Stop the game and its clocks until ``start`` is called."""
        with self._control:
            self.is_paused = True
            self.interrupt()

    def interrupt(self) -> None:
        """See ``LiveGame``."""
        with self._control:
            self._interrupted.set()
            if self._thread is not None:
                self._thread.join(_END_SECONDS)
            super().interrupt()

    def close(self) -> None:
        """Interrupt the game and stop its engines; ``start`` can continue the game."""
        with self._control:
            self.interrupt()
            self._close_engines()

    def close_if_idle(self) -> bool:
        """Close the game, unless it is running or another thread is changing it. Return whether the game is closed."""
        if not self._control.acquire(blocking=False):
            return False
        try:
            if not self.is_running:
                self.close()
            return not self.is_open
        finally:
            self._control.release()

    def close_if_left(self) -> None:
        """Close the game if no page shows it."""
        with self._control:
            if not self.pages:
                self.close()

    def move(self, text: str) -> None:
        """Play a move for the person whose turn it is. Raises: NotationError, IllegalMoveError."""
        if self.thinking is None or self.thinking not in self.people or not self._moves.empty():
            raise IllegalMoveError("it is not your turn")
        self._moves.put(str(self.position.parse_move(text)))

    def take_back(self) -> None:
        """Take back a move, see ``LiveGame``. The game then continues, even if no move could be taken back."""
        with self._control:
            try:
                super().take_back()
            finally:
                self.start()

    def resign(self) -> None:
        """Resign, see ``LiveGame``. Then close the game, which stops its engines."""
        with self._control:
            super().resign()
            self.close()

    def facts(self) -> dict[str, Any]:
        """Return the state of the game for the page, without its moves."""
        over = self.ended
        return {
            "play": self.id,
            "people": [disc_of(colour) for colour in self.people],
            "playing": over is None,
            "paused": over is None and (bool(self.trouble) or not self.is_running),
            "clocks": [
                None if math.isinf(self.left[colour]) else round(self.left[colour], 2) for colour in Colour
            ],
            "thinking": disc_of(self.thinking) or None,
            "since": self.since,
            "trouble": self.trouble,
            "ending": "unfinished" if over is None else str(over.ending),
            "winner": "" if over is None else disc_of(over.winner),
            "margin": None if over is None else over.margin,
            "is_recorded": over is not None,
            "fault": over is not None and over.ending.is_fault,
            "detail": "" if over is None else over.detail,
        }

    def _ask(self, seconds: float) -> str:
        """Wait for a move from the page. Raises: TimeoutError, Stopped."""
        deadline = time.monotonic() + seconds
        while time.monotonic() <= deadline:
            self._check()
            with suppress(queue.Empty):
                return self._moves.get(timeout=_SLICE_SECONDS)
        raise TimeoutError

    def _check(self) -> None:
        if self._interrupted.is_set():
            raise Stopped

    def _play(self) -> None:
        try:
            self.play_on()
        except (OutflankError, OSError) as error:
            self.trouble = str(error)
        if self.ended is not None or self.trouble:
            self._close_engines()
            self._on_change(self)

    def _close_engines(self) -> None:
        for driver in self.drivers.values():
            driver.close()
        self.is_open = False

    def _show_clock(self) -> None:
        self._moves = queue.SimpleQueue()  # a move sent for an earlier turn is dropped
        self._on_change(self)

    def _show_turn(self, turn: AnnotatedMove) -> None:
        self._on_change(self)
        self._interrupted.wait(_PACE_SECONDS)
        self._check()


class Tables:
    """Manages all games of the page, and the WebSockets of the tabs that show them.

    Args:
        engines: the engines, in addition to Outflank, that users can choose as players.
        game_of: the function that returns the initial game for a message. It raises OutflankError if this fails.
    """

    def __init__(self, engines: Sequence[EngineSpec], game_of: Callable[[New], AnnotatedGame]) -> None:
        self._engines = {spec.name: spec for spec in engines}
        self._game_of = game_of
        self._games: dict[str, PageGame] = {}
        self._admission = threading.Lock()

    def get(self, name: str) -> PageGame | None:
        """Return the game with this id."""
        return self._games.get(name)

    def close(self) -> None:
        """Close all games in parallel, since stopping an unresponsive engine takes seconds."""
        if self._games:
            with ThreadPoolExecutor(len(self._games)) as threads:
                list(threads.map(PageGame.close, self._games.values()))

    async def serve(self, socket: WebSocket) -> None:
        """Serve a tab until its connection ends."""
        await socket.accept()
        changed = asyncio.Event()
        current: PageGame | None = None
        sending: asyncio.Task[None] | None = None
        try:
            while (message := await socket.receive())["type"] != "websocket.disconnect":
                try:
                    asked: PageMessage = read_record(message.get("text") or "", PageMessage)
                    if isinstance(asked, New | Attach):
                        game = await (self._new(asked) if isinstance(asked, New) else self._known(asked.game))
                        if sending is not None:
                            sending.cancel()
                        self._leave(current, changed)
                        current = game
                        game.pages.add(changed)
                        changed.set()
                        sending = asyncio.create_task(self._send(socket, game, changed))
                        if not game.is_paused:
                            await asyncio.to_thread(game.start)
                    elif current is not None:
                        await asyncio.to_thread(_do, current, asked)
                        changed.set()
                        self._tell(current)
                except (OutflankError, ValueError) as error:
                    await socket.send_json({"error": str(error)[:300]})
        finally:
            if sending is not None:
                sending.cancel()
            self._leave(current, changed)

    async def _known(self, name: str) -> PageGame:
        if (known := self._games.get(name)) is None:
            raise SettingsError("this game is no longer known here")
        return known

    async def _new(self, asked: New) -> PageGame:
        given = self._game_of(asked)
        control = TimeControl.parse(asked.time or "none")
        players = {Colour.BLACK: asked.black, Colour.WHITE: asked.white}
        two = all(player.who == "person" for player in players.values())
        specs = {
            colour: self._spec(player, control, given.rules.colour_name(colour) if two else "You")
            for colour, player in players.items()
        }
        if specs[Colour.BLACK].name == specs[Colour.WHITE].name:
            specs[Colour.WHITE] = replace(specs[Colour.WHITE], name=f"{specs[Colour.WHITE].name} (2)")
        loop = asyncio.get_running_loop()

        def tell(game: PageGame) -> None:
            with suppress(RuntimeError):  # raised if the event loop is closed
                loop.call_soon_threadsafe(self._tell, game)

        if len(self._games) >= _MOST_GAMES:
            left = next((name for name, old in self._games.items() if not old.pages), None)
            if left is None:
                raise SettingsError(f"{_MOST_GAMES} games are shown here: close one of their tabs first")
            await asyncio.to_thread(self._games.pop(left).close)
        record = AnnotatedGame(given.first, given.moves, given=len(given.moves))
        game = PageGame(record, specs, tell, self._admit)
        self._games[game.id] = game
        try:
            await asyncio.to_thread(game.start)
        except SettingsError:
            del self._games[game.id]
            raise
        return game

    def _admit(self, game: PageGame) -> None:
        """Mark a game as open if the limit on open games allows this. To make room, close games that are not running.

        Raises: SettingsError if too many games are running.
        """
        with self._admission:
            others = [each for each in self._games.values() if each.is_open and each is not game]
            over = len(others) + 1 - _MOST_RUNNING
            for other in others:
                over -= over > 0 and other.close_if_idle()
            if over > 0:
                raise SettingsError(f"{_MOST_RUNNING} games are being played here: end one of them first")
            game.is_open = True

    def _spec(self, player: Player, control: TimeControl, person: str) -> EngineSpec:
        who, strength = player.who, player.strength
        if who == "person":
            return EngineSpec(person[:_LONGEST_NAME], "", control)
        engine = self._engines.get(who.removeprefix("engine:"))
        if engine and who not in ("level", "elo"):
            return replace(engine, time=control) if control.is_limited else engine
        least, most = (LOWEST_ELO, HIGHEST_ELO) if who == "elo" else (0, HIGHEST_LEVEL)
        if who not in ("level", "elo") or strength is None or not least <= strength <= most:
            raise SettingsError(
                f"expected a player, a level from 0 to {HIGHEST_LEVEL} or an Elo from {least} to {most}"
            )
        ours = EngineSpec(f"Outflank {who} {strength}", f"outflank gtp --hash {_ENGINE_HASH_MB}", control)
        return ours.with_options({who: str(strength)})

    def _leave(self, game: PageGame | None, changed: asyncio.Event) -> None:
        if game is None:
            return
        game.pages.discard(changed)
        loop = asyncio.get_running_loop()
        if not game.pages:
            loop.call_later(_ABSENCE_SECONDS, lambda: loop.run_in_executor(None, game.close_if_left))

    def _tell(self, game: PageGame) -> None:
        for changed in game.pages:
            changed.set()

    async def _send(self, socket: WebSocket, game: PageGame, changed: asyncio.Event) -> None:
        """Send the whole game at the first change. After each later change, send the game's state and the new turns."""
        with suppress(RuntimeError):
            known = list(game.turns)
            record = replace(game.record(), moves=tuple(known))
            message = {"game": replace(Replay.of(record), colours=colours_of(record.rules)).facts()}
            while True:
                await changed.wait()
                changed.clear()
                facts, turns = game.facts(), list(game.turns)
                same = (old is new for old, new in zip(known, turns, strict=False))
                kept = sum(1 for _ in takewhile(bool, same))
                news = [
                    {"move": str(turn.move), "seconds": turn.seconds, "values": turn.score}
                    for turn in turns[kept:]
                ]
                await socket.send_json({**message, **facts, "from": kept, "turns": news, "now": time.time()})
                message, known = {}, turns


def _do(game: PageGame, asked: PageMessage) -> None:
    match asked:
        case PlayMove(move):
            game.move(move)
        case TakeBack():
            game.take_back()
        case Resign():
            game.resign()
        case Pause():
            game.pause()
        case Resume():
            game.start()
