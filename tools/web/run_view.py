"""The values of a run's page: live, finished and upcoming games, and the parts of the report.

Small values are updated at each event. A thread generates the report, and computes for at most a tenth of the time.
"""

import asyncio
import time
from bisect import insort
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

from outflank.engine import Colour, Move
from outflank.protocol.drivers.reports import read_thought
from outflank.protocol.formats.annotated import for_black
from outflank.tools.match.game.results import Ending, GameRecord, opening_text
from outflank.tools.match.schedule.formats import plan
from outflank.tools.match.state.events import (
    EngineJoined,
    Event,
    GameEnded,
    GamesPlanned,
    GameStarted,
    GameVoided,
    LiveUpdate,
    Remark,
    RunEnded,
    Thought,
    TurnBegun,
    TurnPlayed,
)
from outflank.tools.match.state.run import Run
from outflank.tools.page.replay import disc_of
from outflank.tools.report.figures import Figures
from outflank.tools.report.report import report_parts, run_replay
from outflank.tools.web.change_feed import ChangeFeed

MOST_LISTED = 1_000
"""The maximum number of finished games that the page lists. The files for download contain all games."""
_MOST_TO_COME = 8
_LEAST_SECONDS = 0.3  # the shortest pause between two computations of the report
_REST = 9  # the shortest pause after a computation, as a multiple of its duration
_LONGEST_LINE = 20  # the maximum number of moves of a principal variation that are shown
# The fields of a finished game in the list of games.
_HEAD = ("number", "black", "white", "ending", "winner", "margin", "result", "fault")


@dataclass(slots=True)
class _LiveGame:
    """A game in progress.

    Attributes:
        record: the game so far; its result has no meaning.
        clocks: the seconds left on the clock of each side; None without a clock.
        begun: the current turn; None if no engine is thinking.
        thoughts: the last report of each engine, by the letter of its disc.
    """

    record: GameRecord
    clocks: dict[Colour, float | None]
    begun: TurnBegun | None = None
    thoughts: dict[str, dict[str, Any]] = field(default_factory=dict)

    def take(self, event: TurnBegun | TurnPlayed | Thought) -> None:
        """Apply an event of this game; turns of earlier attempts are ignored."""
        pairing, turns = self.record.pairing, self.record.turns
        match event:
            case Thought(engine=engine, line=line):
                for colour, name in pairing.names.items():
                    if name == engine and (thought := shown_thought(line, colour)):
                        self.thoughts[disc_of(colour)] = {"ply": len(turns), **thought}
            case _ if event.attempt != pairing.attempt:
                pass
            case TurnBegun(ply=ply, allowance=allowance):
                self.begun = event
                self.clocks[self.side_at(ply)] = None if allowance is None else round(allowance, 2)
            case TurnPlayed(ply=ply, turn=turn):
                if ply == len(turns):
                    turns = (*turns, turn)
                    self.record = replace(self.record, turns=turns)
                left = self.clocks[turn.colour]
                if turn.seconds is not None and left is not None:
                    # This time is an estimate, which the beginning of the side's next turn replaces by the exact time.
                    self.clocks[turn.colour] = round(max(0.0, left - turn.seconds), 2)
                if self.begun is not None and self.begun.ply < len(turns):
                    self.begun = None

    def side_at(self, ply: int) -> Colour:
        """Return the side to move at a ply.

        The ply may be one more than the number of known turns, since a turn can begin before the previous turn is
        known.
        """
        side = self.record.final_position.side
        return side if ply == len(self.record.turns) else side.other

    def value(self, delay: float) -> dict[str, Any]:
        """Return the game in the format of ``Replay``, with clocks and the current turn."""
        begun = self.begun
        record = replace(
            run_replay(self.record), ending="playing", result="", winner="", margin=None, remark="live"
        )
        return {
            **record.facts(),
            "playing": True,
            "clocks": [self.clocks[colour] for colour in Colour],
            "thinking": None if begun is None else disc_of(self.side_at(begun.ply)),
            "since": None if begun is None else round(begun.at + delay, 2),
        }


class RunView:
    """Translates events into values of a feed. All methods must be called in the event loop's thread.

    Args:
        feed: the feed of the page.
        run: the run so far.
        openings: the openings of the run, in order.
        delay: the delay of everything shown, in seconds.

    Attributes:
        run: the run as currently shown.
        games: the finished games, by number.
    """

    def __init__(
        self, feed: ChangeFeed, run: Run, openings: Sequence[tuple[Move, ...]], delay: float = 0.0
    ) -> None:
        self.run = run
        self.games = {game.pairing.number: game for game in run.games}
        self._feed = feed
        self._openings = openings
        self._delay = delay
        self._state = "playing"
        self._planned: int | None = None
        self._live: dict[int, _LiveGame] = {}
        self._changed: set[int] = set()  # the numbers of live games that have changed since ``settle``
        self._listed: list[int] = []
        self._is_stale = True
        self._has_ended = asyncio.Event()
        for game in run.games[-MOST_LISTED:]:
            self._list(game)

    def take(self, event: Event | LiveUpdate) -> None:
        """Apply an event."""
        match event:
            case TurnBegun() | TurnPlayed() | Thought():
                if event.game in self._live:
                    self._live[event.game].take(event)
                    self._changed.add(event.game)
                return
            case GameStarted(pairing):
                clocks = {colour: self._time_of(name) for colour, name in pairing.names.items()}
                rules = self.run.settings.rules
                game = GameRecord(
                    pairing, rules, (), winner=None, ending=Ending.DISCS, detail="", margin=None
                )
                self._live[pairing.number] = _LiveGame(game, clocks)
                self._changed.add(pairing.number)
                return
            case EngineJoined(settings):
                self.run = replace(self.run, settings=settings)
            case GamesPlanned(games, _):
                self._planned = games
            case GameEnded(game):
                self._leave(game.pairing.number)
                self.games[game.pairing.number] = game
                self._list(game)
            case GameVoided(game):
                self._leave(game.pairing.number)
                self._unlist(game.pairing.number)
                self.run = replace(self.run, voids=(*self.run.voids, game))
            case Remark(sentence):
                self.run = replace(self.run, remarks=(*self.run.remarks, sentence))
            case RunEnded(run):
                self._conclude(run)
        self._is_stale = True

    def settle(self) -> None:
        """Set the values of live games that have changed. Must be called before the feed is published."""
        for number in self._changed & self._live.keys():
            self._feed.set(f"game/{number}", self._live[number].value(self._delay))
            self._feed.set(f"thought/{number}", self._live[number].thoughts)
        self._changed.clear()
        run = {
            "state": self._state,
            "played": len(self.games),
            "planned": self._planned,
            "delay": self._delay,
        }
        self._feed.set("run", run)

    async def renew_tables(self) -> None:
        """Recompute the parts of the report after changes, until cancelled.

        Pauses leave most of the processor's time to the engines. The end of the run also ends the current pause.
        """
        while True:
            if not self._is_stale:
                await asyncio.sleep(_LEAST_SECONDS / 3)
                continue
            self._is_stale = False
            run = replace(self.run, games=tuple(game for _, game in sorted(self.games.items())))
            began = time.monotonic()
            parts, coming = await asyncio.to_thread(_tables, run, self._openings)
            self.run = replace(self.run, games=run.games)
            self._feed.replace("parts/", parts)
            self._feed.set("coming", [each for each in coming if each["number"] not in self._live])
            pause = max(_LEAST_SECONDS, _REST * (time.monotonic() - began))
            with suppress(TimeoutError):
                async with asyncio.timeout(pause):
                    await self._has_ended.wait()

    def _time_of(self, name: str) -> float | None:
        (time_control,) = (engine.time for engine in self.run.settings.engines if engine.name == name)
        return time_control.main + time_control.period if time_control.is_limited else None

    def _leave(self, number: int) -> None:
        self._live.pop(number, None)
        self._feed.drop(f"game/{number}")
        self._feed.drop(f"thought/{number}")

    def _list(self, game: GameRecord) -> None:
        number, facts = game.pairing.number, run_replay(game).facts()
        self._feed.set(f"ended/{number}", {name: facts[name] for name in _HEAD if name in facts})
        if number not in self._listed:
            insort(self._listed, number)
        if len(self._listed) > MOST_LISTED:
            self._feed.drop(f"ended/{self._listed.pop(0)}")

    def _unlist(self, number: int) -> None:
        self.games.pop(number, None)
        self._feed.drop(f"ended/{number}")
        if number in self._listed:
            self._listed.remove(number)

    def _conclude(self, end: Run) -> None:
        self._state = "over" if end.finished else "interrupted"
        self._has_ended.set()
        for number in list(self._live):
            self._leave(number)
        self.run = replace(
            end,
            interrupted=not end.finished,
            games=self.run.games,
            voids=self.run.voids,
            remarks=self.run.remarks,
        )


def shown_thought(line: str, colour: Colour) -> dict[str, Any] | None:
    """Return the page's values for a line of engine output that reports the best move so far.

    Returns: the score ``value`` in discs for Black, which may be None, and ``depth`` and ``pv``, which may be empty;
        None if the line is not a report.
    """
    report = read_thought(line)
    if report is None:
        return None
    value = for_black(report.score, colour)
    return {
        "value": None if value is None else round(value, 2),
        "depth": report.keys.get("depth", "")[:8],
        "pv": " ".join(str(move) for move in report.pv[:_LONGEST_LINE]) or report.text[:2],
    }


def _tables(run: Run, openings: Sequence[tuple[Move, ...]]) -> tuple[dict[str, str], list[dict[str, Any]]]:
    """Return the parts of the report and the next planned games; runs in a thread."""
    parts = report_parts(Figures(run), run.games[-MOST_LISTED:])
    if run.finished or run.interrupted:
        return parts, []
    played = {game.pairing.number for game in run.games}
    planned = [each for each in plan(run.settings, openings, run.games) if each.number not in played]
    # The list has more games than the page shows, since ``renew_tables`` leaves out the live games.
    most = _MOST_TO_COME + 4 * run.settings.concurrency
    return parts, [
        {
            "number": pairing.number,
            "round": pairing.round,
            "black": pairing.black,
            "white": pairing.white,
            "opening": opening_text(pairing.opening),
        }
        for pairing in planned[:most]
    ]
