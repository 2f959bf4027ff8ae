"""Games on the page: people and engines, each in a seat of the referee of matches."""

import asyncio
import math
import queue
import secrets
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from starlette.websockets import WebSocket

from outflank.engine import HIGHEST_LEVEL, Colour, IllegalMoveError, OutflankError, Position, SettingsError
from outflank.protocol.clock import RunningClock, TimeControl
from outflank.protocol.drivers import Driver, EngineSpec, EngineTimeout, Reply, make_driver
from outflank.protocol.formats.annotated import AnnotatedGame, AnnotatedMove
from outflank.protocol.formats.clocks import clock_text
from outflank.protocol.server.human_strength import HIGHEST_ELO, LOWEST_ELO
from outflank.storage.outside_json import read_json_object
from outflank.tools.match.game.referee import Referee
from outflank.tools.match.game.results import Ending, GameRecord, Pairing
from outflank.tools.report.records import annotated_game
from outflank.tools.runtime.signals import Stopped

_PERSON_GRACE_SECONDS = 0.3  # of each move, for the way between page and server
_SLICE_SECONDS = 0.05
_PACE_SECONDS = 0.25  # for which every turn is shown at least; no clock runs meanwhile
_ABSENCE_SECONDS = 20.0  # without any page, after which a game is interrupted
_END_SECONDS = 10.0
_MOST_GAMES = 200  # that are kept
_MOST_RUNNING = 24  # that have engines
_ENGINE_HASH_MB = 16
_LONGEST_NAME = 40


class _Person(Driver):
    """A person at the page, who is asked for moves as an engine is."""

    def __init__(self, spec: EngineSpec, position: Position, on_wait: Callable[[], object]) -> None:
        super().__init__(spec, position.rules, on_wait=on_wait)
        self._moves: queue.SimpleQueue[str] = queue.SimpleQueue()

    @property
    def label(self) -> str:
        return self.name

    def open(self) -> None:
        pass

    def set_options(self, spec: EngineSpec) -> None:
        self.spec = spec

    def new_game(self, first: Position | None = None) -> float:
        self._moves = queue.SimpleQueue()  # an answer to an earlier request is forgotten
        return 0.0

    def follow(self, game: AnnotatedGame, clock: RunningClock | None = None) -> bool:
        return True  # the page shows the game

    def move(self, text: str) -> None:
        """Answer the request for a move, from any thread."""
        self._moves.put(text)

    def choose(self, seconds: float) -> Reply:
        """Wait for the person's move: without a clock, for ever."""
        began, limit = time.monotonic(), seconds if self.spec.time.is_limited else math.inf
        while time.monotonic() - began <= limit:
            self.on_wait()
            with suppress(queue.Empty):
                return Reply(self._moves.get(timeout=_SLICE_SECONDS), time.monotonic() - began)
        raise EngineTimeout(f"{self.name} ran out of time")

    def close(self, patience: float = 0.0) -> None:
        pass


class PageGame:
    """A game that a thread plays; its calls block until this thread has ended if need be.

    Attributes:
        id: its name on the page.
        turns: all turns so far.
        record: the finished game; None before its end.
        trouble: why it can't be played on, a sentence; empty if it can.
        thinking: the side whose clock runs; None if none does.
        since: when this clock started, in seconds since 1970.
        left: the seconds that each side had then; infinite without a clock.
        pages: an event for each page that shows it, set after each change.
        is_paused: whether somebody has paused it.

    Args:
        first: the position that the game begins with.
        turns: the turns that are given.
        specs: the players; an empty command stands for a person.
        on_change: called from the thread after each change.
    """

    def __init__(
        self,
        first: Position,
        turns: Sequence[AnnotatedMove],
        specs: Mapping[Colour, EngineSpec],
        on_change: Callable[["PageGame"], object],
    ) -> None:
        self.id = secrets.token_urlsafe(6)
        self.first, self.turns, self.specs = first, list(turns), specs
        self.given = len(turns)
        self.record: GameRecord | None = None
        self.trouble = ""
        self.thinking: Colour | None = None
        self.since = 0.0
        self.left = {colour: spec.time.main + spec.time.period for colour, spec in specs.items()}
        self.pages: set[asyncio.Event] = set()
        self.is_paused = False
        self._date = datetime.now(UTC).astimezone().isoformat(timespec="seconds")
        self._on_change = on_change
        self._control = threading.RLock()  # starts and interrupts come one after the other
        self._answering = threading.Lock()
        self._interrupted = threading.Event()
        self._thread: threading.Thread | None = None
        self._drivers: dict[Colour, Driver] = {
            colour: make_driver(spec, first.rules, on_wait=self._check)
            if spec.cmd
            else _Person(spec, first, self._check)
            for colour, spec in specs.items()
        }

    @property
    def position(self) -> Position:
        """The current position."""
        return self.turns[-1].after if self.turns else self.first

    @property
    def people(self) -> list[Colour]:
        """The colours that people play."""
        return [colour for colour, spec in self.specs.items() if not spec.cmd]

    @property
    def is_running(self) -> bool:
        """Whether its thread plays it."""
        return self._thread is not None and self._thread.is_alive()

    def start(self) -> None:
        """Play on, unless the game is over."""
        with self._control:
            self.is_paused = False
            if not self.is_running and self.record is None:
                self.trouble = ""
                self._interrupted.clear()
                self._thread = threading.Thread(target=self._play, name="game on the page", daemon=True)
                self._thread.start()

    def pause(self) -> None:
        """Stop until ``start`` is called."""
        with self._control:
            self.is_paused = True
            self.interrupt()

    def interrupt(self) -> None:
        """Stop where the game is; a move that is being thought about is lost."""
        with self._control:
            self._interrupted.set()
            if self._thread is not None:
                self._thread.join(_END_SECONDS)
            self.thinking = None

    def close(self) -> None:
        """Interrupt the game and end its engines; ``start`` goes on with it."""
        with self._control:
            self.interrupt()
            for driver in self._drivers.values():
                driver.close()

    def close_if_left(self) -> None:
        """Close the game if no page shows it."""
        with self._control:
            if not self.pages:
                self.close()

    def move(self, text: str) -> None:
        """Play for the person to move. Raises: NotationError, IllegalMoveError."""
        with self._answering:
            driver = self._drivers[self.position.side]
            if self.thinking is not self.position.side or not isinstance(driver, _Person):
                raise IllegalMoveError("it is not your turn")
            move = self.position.parse_move(text)
            self.thinking = None  # a second click is too late
            driver.move(str(move))

    def take_back(self) -> None:
        """Take back the last move of a person, or of anyone in a game without people, and all after it.

        Raises: SettingsError if there is none.
        """
        with self._control:
            self.interrupt()
            own = [
                number
                for number, turn in enumerate(self.turns)
                if not turn.move.is_pass and (turn.colour in self.people or not self.people)
            ]
            if own:
                del self.turns[own[-1] :]
                self.given = min(self.given, len(self.turns))
                self.record = None
            self.start()
        if not own:
            raise SettingsError("there is no move of yours to take back")

    def resign(self) -> None:
        """Give up for the only person, or for the side to move. Raises: SettingsError if the game is over."""
        with self._control:
            self.close()
            if self.record is not None:
                raise SettingsError("the game is over")
            loser = self.people[0] if len(self.people) == 1 else self.position.side
            detail, turns = f"{self.specs[loser].name} resigned", tuple(self.turns)
            how = turns, loser.other, Ending.RESIGNATION, detail, None
            self.record = GameRecord(self._pairing(), self.first.rules, *how)

    def annotated(self) -> AnnotatedGame:
        """The game so far, with times, values and, if it is over, its result."""
        names, control = self._pairing().names, self.specs[Colour.BLACK].time
        game = AnnotatedGame(self.first, tuple(self.turns), names[Colour.BLACK], names[Colour.WHITE])
        if self.record is not None:
            game = replace(annotated_game(self.record), first=self.first, title="")
        return replace(game, date=self._date, given=self.given, clock=clock_text(control))

    def facts(self) -> dict[str, Any]:
        """What the page needs besides the moves: who plays, clocks, and how it ended."""
        over = self.record
        return {
            "play": self.id,
            "people": [colour is Colour.WHITE for colour in self.people],
            "playing": over is None,
            "paused": over is None and (bool(self.trouble) or not self.is_running),
            "clocks": [
                None if math.isinf(self.left[colour]) else round(self.left[colour], 2) for colour in Colour
            ],
            "thinking": {Colour.BLACK: "X", Colour.WHITE: "O", None: None}[self.thinking],
            "since": self.since,
            "trouble": self.trouble,
            "ending": "unfinished" if over is None else str(over.ending),
            "winner": None if over is None or over.winner is None else over.winner is Colour.WHITE,
            "fault": over is not None and over.ending.is_fault,
            "detail": "" if over is None else over.detail,
        }

    def _pairing(self) -> Pairing:
        return Pairing(1, 1, {colour: spec.name for colour, spec in self.specs.items()}, ())

    def _check(self) -> None:
        if self._interrupted.is_set():
            raise Stopped

    def _play(self) -> None:
        referee = Referee(
            self._pairing(),
            self._drivers,
            self.first.rules,
            on_turn=self._note,
            on_begun=lambda number, allowance: self._begin(referee),
            first=self.first,
            played=self.turns,
        )
        try:
            self.record = referee.play()
        except Stopped:
            # Unless a person was asked, an engine may be left in the middle of anything.
            if self.thinking is None or self.specs[self.thinking].cmd:
                for driver in self._drivers.values():
                    driver.dismiss()
            return
        except (OutflankError, OSError) as error:
            self.trouble = str(error)
        self.thinking = None
        for driver in self._drivers.values():
            driver.close()
        self._on_change(self)

    def _begin(self, referee: Referee) -> None:
        self.left, self.since, self.thinking = referee.allowances, time.time(), self.position.side
        self._on_change(self)

    def _note(self, number: int, turn: AnnotatedMove) -> None:
        self.turns.append(turn)
        self.thinking = None
        self._on_change(self)
        self._interrupted.wait(_PACE_SECONDS)
        self._check()


class Tables:
    """All games of the page, and the sockets by which pages take part.

    Args:
        engines: the engines that pages may choose besides Outflank.
        game_of: reads the game that a request describes, ``position``, ``moves`` and ``rules``. Raises: OutflankError.
        show: awaited with a game; returns what the page replays.
    """

    def __init__(
        self,
        engines: Sequence[EngineSpec],
        game_of: Callable[[Mapping[str, Any]], AnnotatedGame],
        show: Callable[[AnnotatedGame], Any],
    ) -> None:
        self._engines = {spec.name: spec for spec in engines}
        self._game_of, self._show = game_of, show
        self._games: dict[str, PageGame] = {}

    def get(self, name: str) -> PageGame | None:
        """The game of this name."""
        return self._games.get(name)

    def close(self) -> None:
        """End all games."""
        for game in self._games.values():
            game.close()

    async def serve(self, socket: WebSocket) -> None:
        """Let a page play until its connection ends."""
        await socket.accept()
        changed = asyncio.Event()
        current: PageGame | None = None
        sending: asyncio.Task[None] | None = None
        try:
            while (message := await socket.receive())["type"] != "websocket.disconnect":
                try:
                    asked = read_json_object(message.get("text") or "")
                    if asked.get("do") in ("new", "attach"):
                        game = await self._chosen(asked)
                        if sending is not None:
                            sending.cancel()
                        self._leave(current, changed)
                        current = game
                        game.pages.add(changed)
                        changed.set()
                        if not game.is_paused:
                            await asyncio.to_thread(game.start)
                        sending = asyncio.create_task(self._send(socket, game, changed))
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

    async def _chosen(self, asked: Mapping[str, Any]) -> PageGame:
        if asked["do"] == "attach":
            if (known := self._games.get(str(asked.get("game")))) is None:
                raise SettingsError("this game is not known here any more")
            return known
        if sum(game.is_running for game in self._games.values()) >= _MOST_RUNNING:
            raise SettingsError(f"{_MOST_RUNNING} games are being played here: end one of them first")
        given = self._game_of(asked)
        control = TimeControl.parse(str(asked.get("time") or "none"))
        players = asked.get("players")
        kinds = [players.get(str(colour)) if isinstance(players, dict) else None for colour in Colour]
        two = all(isinstance(kind, dict) and kind.get("who") == "person" for kind in kinds)
        specs = {
            colour: self._spec(kind, control, given.rules.colour_name(colour) if two else "You")
            for colour, kind in zip(Colour, kinds, strict=True)
        }
        if specs[Colour.BLACK].name == specs[Colour.WHITE].name:
            specs[Colour.WHITE] = replace(specs[Colour.WHITE], name=f"{specs[Colour.WHITE].name} (2)")
        loop = asyncio.get_running_loop()

        def tell(game: PageGame) -> None:
            with suppress(RuntimeError):  # the loop has ended
                loop.call_soon_threadsafe(self._tell, game)

        game = PageGame(given.first, given.moves, specs, tell)
        for name, old in list(self._games.items())[: max(0, len(self._games) + 1 - _MOST_GAMES)]:
            if not old.pages:
                await asyncio.to_thread(self._games.pop(name).close)
        self._games[game.id] = game
        return game

    def _spec(self, asked: object, control: TimeControl, person: str) -> EngineSpec:
        asked = asked if isinstance(asked, dict) else {}
        who, strength = asked.get("who"), asked.get("strength")
        if who == "person":
            return EngineSpec(person[:_LONGEST_NAME], "", control, _PERSON_GRACE_SECONDS)
        if isinstance(who, str) and who in self._engines:
            return replace(self._engines[who], time=control) if control.is_limited else self._engines[who]
        scale = "elo" if who == "elo" else "level"
        least, most = (LOWEST_ELO, HIGHEST_ELO) if who == "elo" else (0, HIGHEST_LEVEL)
        if who not in ("level", "elo") or not isinstance(strength, int) or not least <= strength <= most:
            raise SettingsError(
                f"expected a player, a level from 0 to {HIGHEST_LEVEL} or an Elo from {least} to {most}"
            )
        ours = EngineSpec(f"Outflank {scale} {strength}", f"outflank gtp --hash {_ENGINE_HASH_MB}", control)
        return ours.with_options({scale: str(strength)})

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
        with suppress(RuntimeError):
            while True:
                await changed.wait()
                changed.clear()
                facts = game.facts()
                await socket.send_json({**await self._show(game.annotated()), **facts, "now": time.time()})


def _do(game: PageGame, asked: Mapping[str, Any]) -> None:
    actions: dict[object, Callable[[], None]] = {
        "move": lambda: game.move(str(asked.get("move"))),
        "take_back": game.take_back,
        "resign": game.resign,
        "pause": game.pause,
        "resume": game.start,
    }
    if asked.get("do") not in actions:
        raise ValueError(f"expected one of {' '.join(map(str, actions))}, got {str(asked.get('do'))[:40]!r}")
    actions[asked["do"]]()
