"""The page of a run as values: what is being played, what came of it, what is to come; kept up to date by events.

Small things follow at once. Tables and curves are made anew in a thread, and only so often that making them takes a
tenth of the time at most.
"""

import asyncio
import time
from bisect import insort
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

from outflank.engine import Colour, Move, Position
from outflank.protocol.formats.annotated import AnnotatedMove, for_black
from outflank.protocol.opponent.reports import possible_score, read_report
from outflank.tools.match.game.results import GameRecord, Outside, Pairing
from outflank.tools.match.schedule.formats import plan
from outflank.tools.match.state.events import (
    Entered,
    Event,
    GameEnded,
    GameStarted,
    GameVoided,
    Glimpse,
    Planned,
    Remarked,
    Thought,
    TurnBegun,
    TurnPlayed,
)
from outflank.tools.match.state.run import Run
from outflank.tools.report.figures import figures_of
from outflank.tools.report.page import replayed, templates
from outflank.tools.report.report import game_row, report_parts
from outflank.tools.web.feed import Feed

MOST_LISTED = 1_000
"""Games that a page lists; the report has more, and the files have them all."""
_MOST_TO_COME = 8
_LEAST_SECONDS = 0.3  # between two makings of the tables
_REST = 9  # times as long as they took
_LONGEST_LINE = 20  # moves of a principal variation
_LONGEST_MOVE = 6  # letters; ``0000`` is a pass


@dataclass(frozen=True, slots=True)
class Over:
    """The run has ended, or was interrupted.

    Attributes:
        finished: whether every game was played, or the test has its verdict.
        seconds: as ``Run`` has them.
        outside: as ``Run`` has it.
        identities: as ``Run`` has them.
    """

    finished: bool
    seconds: float | None
    outside: Mapping[str, Outside]
    identities: Mapping[str, tuple[str, ...]]


@dataclass(slots=True)
class _Board:
    """A game that is being played; `begun` is the turn under way, if an engine thinks."""

    pairing: Pairing
    attempt: int
    clocks: list[float | None]
    turns: list[AnnotatedMove] = field(default_factory=list)
    begun: TurnBegun | None = None
    thoughts: dict[str, dict[str, Any]] = field(default_factory=dict)


class Scene:
    """Sets the values of a feed; all methods are for the event loop's thread.

    Args:
        feed: where the values go.
        run: the run so far.
        openings: of the run, in order.
        delay: seconds by which everything comes late.

    Attributes:
        run: as the page shows it: with what came late by as much.
    """

    def __init__(
        self, feed: Feed, run: Run, openings: Sequence[tuple[Move, ...]], delay: float = 0.0
    ) -> None:
        self.run = run
        self._feed = feed
        self._openings = openings
        self._delay = delay
        self._first = Position.start(run.settings.rules)
        self._times = {
            entry.name: entry.time.main + entry.time.period if entry.time.is_limited else None
            for entry in run.settings.entries
        }
        self._state = "playing"
        self._planned: int | None = None
        self._boards: dict[int, _Board] = {}
        self._changed: set[int] = set()  # boards
        self._row = templates().get_template("row.html")
        self._games = {game.pairing.number: game for game in run.games}
        self._listed: list[int] = []
        self._is_stale = True
        for game in run.games[-MOST_LISTED:]:
            self._list(game)

    def take(self, event: Event | Glimpse | Over) -> None:
        """Note what happened."""
        match event:
            case Entered(settings):
                self.run = replace(self.run, settings=settings)
                self._is_stale = True
            case Planned(games, _):
                self._planned = games
                self._is_stale = True
            case GameStarted(pairing, attempt, _):
                clocks = [self._times[pairing.names[colour]] for colour in Colour]
                self._boards[pairing.number] = _Board(pairing, attempt, clocks)
                self._changed.add(pairing.number)
            case TurnBegun() | TurnPlayed() | Thought():
                self._show(event)
            case GameEnded(game):
                self._leave(game.pairing.number)
                self._games[game.pairing.number] = game
                self._list(game)
                self._is_stale = True
            case GameVoided(void):
                self._leave(void.game.pairing.number)
                self._unlist(void.game.pairing.number)
                self.run = replace(self.run, voids=(*self.run.voids, void))
                self._is_stale = True
            case Remarked(sentence):
                self.run = replace(self.run, remarks=(*self.run.remarks, sentence))
                self._is_stale = True
            case Over():
                self._end(event)

    def settle(self) -> None:
        """Write what has changed on the boards; to be called before a message is made."""
        for number in self._changed:
            if board := self._boards.get(number):
                self._feed.set(f"game/{number}", self._board_value(board))
                self._feed.set(f"thought/{number}", board.thoughts)
        self._changed.clear()
        self._feed.set(
            "run",
            {
                "state": self._state,
                "played": len(self._games),
                "planned": self._planned,
                "delay": self._delay,
            },
        )

    async def keep_tables(self) -> None:
        """Make the tables whenever there is something new, until cancelled."""
        while True:
            if not self._is_stale:
                await asyncio.sleep(_LEAST_SECONDS / 3)
                continue
            self._is_stale = False
            run = replace(self.run, games=tuple(game for _, game in sorted(self._games.items())))
            began = time.monotonic()
            values = await asyncio.to_thread(_tables, run, self._openings)
            self.run = replace(self.run, games=run.games)
            self._feed.replace("parts/", {f"parts/{name}": text for name, text in values.parts.items()})
            self._feed.set("coming", [each for each in values.coming if each["number"] not in self._boards])
            await asyncio.sleep(max(_LEAST_SECONDS, _REST * (time.monotonic() - began)))

    def game(self, number: int) -> GameRecord | None:
        """A game that has ended, if it is known."""
        return self._games.get(number)

    def _show(self, event: TurnBegun | TurnPlayed | Thought) -> None:
        board = self._boards.get(event.game)
        if board is None or (not isinstance(event, Thought) and event.attempt != board.attempt):
            return
        match event:
            case TurnBegun(ply=ply, allowance=allowance):
                board.begun = event
                side = self._side(board, ply)
                board.clocks[side is Colour.WHITE] = None if allowance is None else round(allowance, 2)
            case TurnPlayed(ply=ply, turn=turn):
                if ply == len(board.turns):
                    board.turns.append(turn)
                self._stop_clock(board, turn)
            case Thought(engine=engine, line=line):
                colour = next((c for c, name in board.pairing.names.items() if name == engine), None)
                if colour is not None and (thought := read_thought(line, colour)):
                    board.thoughts[_disc(colour)] = {"ply": len(board.turns), **thought}
        self._changed.add(event.game)

    def _side(self, board: _Board, ply: int) -> Colour:
        """Who is to move; a turn may begin before it is known here how the one before it ended."""
        after = board.turns[-1].after if board.turns else self._first
        return after.side if ply == len(board.turns) else after.side.other

    def _stop_clock(self, board: _Board, turn: AnnotatedMove) -> None:
        """What the mover has left, so far as can be said before it moves again."""
        left = board.clocks[turn.colour is Colour.WHITE]
        if turn.seconds is not None and left is not None:
            board.clocks[turn.colour is Colour.WHITE] = round(max(0.0, left - turn.seconds), 2)
        if board.begun is not None and board.begun.ply < len(board.turns):
            board.begun = None

    def _leave(self, number: int) -> None:
        self._boards.pop(number, None)
        self._feed.drop(f"game/{number}")
        self._feed.drop(f"thought/{number}")

    def _list(self, game: GameRecord) -> None:
        number, row = game.pairing.number, game_row(game)
        facts = {name: row[name] for name in ("number", "black", "white", "fault")}
        self._feed.set(
            f"ended/{number}", {**facts, "ending": row["remark"], "row": self._row.render(row=row)}
        )
        if number not in self._listed:
            insort(self._listed, number)
        if len(self._listed) > MOST_LISTED:
            self._feed.drop(f"ended/{self._listed.pop(0)}")

    def _unlist(self, number: int) -> None:
        self._games.pop(number, None)
        self._feed.drop(f"ended/{number}")
        if number in self._listed:
            self._listed.remove(number)

    def _end(self, over: Over) -> None:
        self._state = "over" if over.finished else "interrupted"
        for number in list(self._boards):
            self._leave(number)
        self.run = replace(
            self.run,
            finished=over.finished,
            interrupted=not over.finished,
            seconds=over.seconds,
            outside=over.outside,
            identities=over.identities,
        )
        self._is_stale = True

    def _board_value(self, board: _Board) -> dict[str, Any]:
        """A game that is being played as ``report.js`` replays games, with what it is besides."""
        names, first = board.pairing.names, board.turns[0].before if board.turns else self._first
        begun = board.begun
        thinking = None if begun is None else _disc(self._side(board, begun.ply))
        row = {
            "number": board.pairing.number,
            "black": names[Colour.BLACK],
            "white": names[Colour.WHITE],
            "winner": None,
            "result": "",
            "margin": None,
            "remark": "live",
            "fault": False,
        }
        return {
            **{name: row[name] for name in ("number", "black", "white", "fault", "margin")},
            "ending": "playing",
            "detail": "",
            "opening": _given(board),
            **replayed(first, board.turns),
            "exact": [None] * len(board.turns),
            "booked": [ply for ply, turn in enumerate(board.turns) if turn.from_book],
            "playing": True,
            "clocks": board.clocks,
            "thinking": thinking,
            "since": None if begun is None else round(begun.at + self._delay, 2),
            "row": self._row.render(row=row),
        }


def _disc(colour: Colour) -> str:
    """As boards have it."""
    return "X" if colour is Colour.BLACK else "O"


def _given(board: _Board) -> int:
    """How many turns the opening took, forced passes among them."""
    left = len(board.pairing.opening)
    for number, turn in enumerate(board.turns):
        if not left:
            return number
        left -= not turn.move.is_pass
    return len(board.turns)


def read_thought(line: str, colour: Colour) -> dict[str, Any] | None:
    """Read what a line of GTP's analysis, NBoard's ``search`` or UCI's ``info`` says of an engine's best move.

    Returns: ``value``, in discs for Black, ``depth`` and ``pv``, each None or empty if it is not known; None if nothing
        can be read.
    """
    words = line.split()
    score = depth = ""
    if reports := read_report(line):
        moves = [str(move) for move in reports[0].pv] or [reports[0].text[:2]]
        score = reports[0].keys.get("scoreLead", reports[0].keys.get("scoreMean", ""))
        depth = reports[0].keys.get("depth", "")
    elif line.startswith("search "):
        text, score, _, depth = [*words[1:], *[""] * 4][:4]
        moves = [text[at : at + 2].lower() for at in range(0, len(text), 2)]
    else:
        before, _, pv = line.partition(" pv ")
        keys = dict(pairwise(before.split()))
        moves = [word.removeprefix("P@") for word in pv.split()]
        depth = keys.get("depth", "")
        if not moves or keys.get("multipv", "1") != "1" or keys.get("info") == "string":
            return None
        score = f"{keys['cp']}e-2" if "cp" in keys else ""  # hundredths of a disc
    try:
        value = for_black(possible_score(float(score)), colour)
    except ValueError:
        value = None
    return {
        "value": None if value is None else round(value, 2),
        "depth": depth[:8],
        "pv": " ".join(move[:_LONGEST_MOVE] for move in moves[:_LONGEST_LINE]),
    }


@dataclass(frozen=True, slots=True)
class _Tables:
    parts: dict[str, str]
    coming: list[dict[str, Any]]


def _tables(run: Run, openings: Sequence[tuple[Move, ...]]) -> _Tables:
    """The parts of the report, and the next games that are planned; runs in a thread."""
    parts = report_parts(run, figures_of(run), run.games[-MOST_LISTED:])
    if run.finished or run.interrupted:
        return _Tables(parts, [])
    played = {game.pairing.number for game in run.games}
    planned = [
        pairing for pairing in plan(run.settings, openings, list(run.games)) if pairing.number not in played
    ]
    # As many more as may be on the boards.
    coming = [_pairing_value(each) for each in planned[: _MOST_TO_COME + 4 * run.settings.concurrency]]
    return _Tables(parts, coming)


def _pairing_value(pairing: Pairing) -> dict[str, Any]:
    return {
        "number": pairing.number,
        "round": pairing.round,
        "black": pairing.names[Colour.BLACK],
        "white": pairing.names[Colour.WHITE],
        "opening": " ".join(map(str, pairing.opening)),
    }
