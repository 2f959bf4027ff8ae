"""An engine on its author's machine, as the referee drives it: a ``Player`` like any other, at the end of a line."""

import itertools
import time
from collections.abc import Mapping
from typing import Any

from outflank.engine import Colour, Move, Position
from outflank.protocol.drivers.choice import Reply
from outflank.protocol.drivers.clock import SideClock
from outflank.protocol.drivers.engineclient import START_SECONDS
from outflank.protocol.drivers.spec import EngineSpec
from outflank.protocol.lines import printable
from outflank.tools.arena.line import Answered, Line
from outflank.tools.match.game.players import Player

_keys = itertools.count(1)  # of games, different for all lines


class JoinedPlayer(Player[Any]):
    """An engine that has joined; see ``Player``. Each question holds the whole game, so the other end need not know it.

    Args:
        entry: of the entrant.
        line: to the entrant.
        named: the other arguments of ``Player``.
    """

    def __init__(self, entry: EngineSpec, rules: Any, line: Line, **named: Any) -> None:
        super().__init__(entry, rules, **named)
        self._line = line
        self._game = 0
        self._moves: list[str] = []
        self._seconds: list[float | None] = []
        self._grace = line.patience
        self._clock: SideClock | None = None

    @property
    def identity(self) -> str:
        """What it calls itself, by its author's word."""
        return self._line.engine

    def make_ready(self) -> Any:
        """Nothing: the engine was started where it lies."""

    def new_game(self, first: Position | None = None) -> float:
        """Set up the start of a game, and return the seconds that took.

        Raises: EngineError.
        """
        assert first is None, "an arena plays from the start of its rules"
        self._game = next(_keys)
        self._moves, self._seconds = [], []
        self._grace = self._line.patience
        return self._ask("new", START_SECONDS).seconds

    def announce(self, colour: Colour, move: Move, seconds: float | None) -> None:
        """Note a move: it is sent with the next question."""
        self._note(str(move), seconds)

    def begin_turn(self, colour: Colour, clock: SideClock) -> None:
        """Note its clock, which is sent with the question."""
        self._clock = clock

    def choose(self, colour: Colour, seconds: float) -> Reply:
        """See ``Player``.

        Raises: EngineError.
        """
        left, left_moves = None, 0
        if self._clock is not None and self._clock.control.is_limited:
            left, left_moves = self._clock.time_left
        question = {
            "colour": str(colour),
            "moves": self._moves,
            "seconds": [None if taken is None else round(taken, 3) for taken in self._seconds],
            "left": left,
            "left_moves": left_moves,
            "wait": round(seconds, 3),
        }
        answer = self._ask("think", seconds, question)
        message = answer.message
        text = printable(message.get("move", ""))
        self._note(text.lower(), answer.seconds)
        return Reply(text, answer.seconds, message.get("score"), message.get("book"))

    def check_claim(self, mover: Colour, last: Move, final: Position, *, knows_last: bool) -> None:
        """Nothing: only the referee's count matters."""

    def dismiss(self) -> None:
        """Have the engine started again for its next game."""
        if self._game:
            self._line.tell("drop", game=self._game)

    def stop(self, patience: float = 1.0) -> None:
        """Give up the game, if one is being played."""
        self.dismiss()

    def _prepare(self, client: Any) -> None:
        raise AssertionError("it is started where it lies")

    def _tell_options(self, client: Any, before: EngineSpec) -> None:
        raise AssertionError("its options are its author's")

    def _greet(self, client: Any) -> None:
        raise AssertionError("new_game does that")

    def _set_up(self, first: Position | None) -> None:
        raise AssertionError("new_game does that")

    def _note(self, move: str, seconds: float | None) -> None:
        self._moves.append(move)
        self._seconds.append(seconds)

    def _ask(self, type: str, wait: float, values: Mapping[str, Any] | None = None) -> Answered:
        """Ask over the line; the time in which it was lost is used up for this game.

        Raises: EngineError.
        """
        before = self._line.away(time.monotonic())
        try:
            return self._line.ask(
                type,
                {"game": self._game, **(values or {})},
                wait,
                self._grace,
                self._on_wait or _nothing,
                self._pass_on_line,
            )
        finally:
            self._grace -= self._line.away(time.monotonic()) - before


def _nothing() -> None:
    """What is called while waiting if nothing else is."""
