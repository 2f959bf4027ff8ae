"""A game with human players, who may also take moves back, redo them, resign and pause.

The game uses the same referee as matches. People never get time back: the seconds used for a move that is taken back or
interrupted by a pause are charged to the person's next move.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime

from outflank.engine import Colour, Position, SettingsError
from outflank.protocol.clock import RunningClock, TimeControl
from outflank.protocol.drivers.driver import Driver
from outflank.protocol.formats.annotated import AnnotatedGame, AnnotatedMove, Result
from outflank.protocol.formats.clocks import clock_text
from outflank.tools.live.drivers import Person
from outflank.tools.match.game.referee import Referee
from outflank.tools.match.game.results import Ending, GameRecord, Pairing
from outflank.tools.runtime.signals import Stopped


class LiveGame:
    """A game that ``play_on`` plays in the calling thread until it is over or interrupted.

    Methods that change the game interrupt it first; ``play_on`` then continues it. A person's driver may call these
    methods while the game waits for the person's move, but must then raise ``Stopped``.

    Attributes:
        drivers: the players, by colour.
        turns: the turns so far.
        ended: the referee's record of the finished game; None while the game is not over.
        thinking: the side whose clock runs; None if no clock runs.
        since: the time when the running clock started, in seconds since 1970.
        left: the seconds that each side had left at the time `since`; infinite without a clock.

    Args:
        record: the game to start or continue. Its turns are not charged to the clocks, and its first ``given`` turns
            can't be taken back.
        drivers: the players, by colour.
        on_begun: the function that is called when a player's clock starts.
        on_turn: the function that is called with each turn.
    """

    def __init__(
        self,
        record: AnnotatedGame,
        drivers: Mapping[Colour, Driver],
        on_begun: Callable[[], object] = lambda: None,
        on_turn: Callable[[AnnotatedMove], object] = lambda turn: None,
    ) -> None:
        self.drivers = dict(drivers)
        self._on_begun, self._on_turn = on_begun, on_turn
        self._begin(record)

    def _begin(self, record: AnnotatedGame) -> None:
        self._start = record
        self._date = record.date or datetime.now(UTC).astimezone().isoformat(timespec="seconds")
        self.turns = list(record.moves)
        self._unclocked = len(self.turns)
        self._undone: list[AnnotatedMove] = []  # a stack: the last turn is redone first
        self._spent = dict.fromkeys(Colour, 0.0)  # the seconds that each side has used for its next move
        self.ended: GameRecord | None = None
        self.thinking: Colour | None = None
        self.since = self._began = 0.0
        self.left = self._allowances()

    @property
    def first(self) -> Position:
        """The starting position of the game."""
        return self._start.first

    @property
    def position(self) -> Position:
        """The current position."""
        return self.turns[-1].after if self.turns else self.first

    @property
    def people(self) -> list[Colour]:
        """The colours of human players."""
        return [colour for colour, driver in self.drivers.items() if isinstance(driver, Person)]

    @property
    def control(self) -> TimeControl:
        """The time control of Black."""
        return self.drivers[Colour.BLACK].spec.time

    @property
    def result(self) -> Result | None:
        """The result; None while the game is not over."""
        return self.ended.result if self.ended else AnnotatedGame(self.first, tuple(self.turns)).outcome

    def time_left(self, colour: Colour) -> float:
        """Return the seconds that a side has left for its next move; infinite without a clock."""
        return self.left[colour] - (time.monotonic() - self._began if self.thinking is colour else 0.0)

    def play_on(self) -> None:
        """Play until the game is over, or until a driver or a callback raises Stopped.

        Raises: OutflankError or OSError if the game can't be continued.
        """
        referee = Referee(
            self._pairing(),
            self.drivers,
            AnnotatedGame(self.first, self._clocked(self.turns)),
            on_turn=lambda number, turn: self._note(turn),
            on_begun=lambda number, allowance: self._note_begun(referee),
            spent=self._spent,
        )
        try:
            self.ended = referee.play()
        except Stopped:
            # An engine may have been interrupted in the middle of its answer, so all engines are dismissed.
            if self.thinking not in self.people:
                for driver in self.drivers.values():
                    driver.dismiss()
        finally:
            self._stop_clock()

    def interrupt(self) -> None:
        """Stop the game in its current position. An engine's current search is discarded."""
        self._stop_clock()

    def take_back(self) -> None:
        """Take back the last move of a person, or of any player in a game without people, and all later turns.

        Raises: SettingsError if there is no such move, or if a person would have no time left.
        """
        self.interrupt()
        own = [
            number
            for number, turn in enumerate(self.turns[self._start.given :], self._start.given)
            if not turn.move.is_pass and (turn.colour in self.people or not self.people)
        ]
        if not own:
            raise SettingsError("there is no move of yours to take back")
        kept, taken = self.turns[: own[-1]], self.turns[own[-1] :]
        colour, seconds = taken[0].colour, taken[0].seconds or 0.0
        spent = dict(self._spent)
        if colour in self.people and own[-1] >= self._unclocked:
            # If each move has a fixed time, the time spent on a later move is not charged to the move taken back.
            is_by_move = self.control.main == 0 and self.control.period_moves == 1
            spent[colour] = seconds + (0.0 if is_by_move else spent[colour])
        if any(self._clock(side, kept, spent).allowance <= 0 for side in self.people):
            raise SettingsError("can't take back a move: no time would be left on the clock")
        self.turns, self._spent, self.ended = kept, spent, None
        self._undone += reversed(taken)
        self._unclocked = min(self._unclocked, len(kept))
        self.left = self._allowances()

    def redo(self) -> None:
        """Redo moves that were taken back, up to the next position in which a person chooses a move.

        Raises: SettingsError if no move was taken back.
        """
        self.interrupt()
        if not self._undone:
            raise SettingsError("no move was taken back, so there is nothing to redo")
        is_due = False
        while self._undone and not is_due:
            turn = self._undone.pop()
            if turn.colour in self.people and turn.seconds is not None:
                turn = replace(turn, seconds=self._spent[turn.colour])
                self._spent[turn.colour] = 0.0
            self.turns.append(turn)
            is_due = self.position.side in self.people and not self.position.must_pass
        self.left = self._allowances()

    def resign(self) -> None:
        """Resign for the human side. If both sides or neither side is human, resign for the side to move.

        Raises: SettingsError if the game is over.
        """
        self.interrupt()
        if self.result is not None:
            raise SettingsError("the game is over, so nobody can resign")
        loser = self.people[0] if len(self.people) == 1 else self.position.side
        detail, turns = f"{self.drivers[loser].name} resigned", tuple(self.turns)
        how = turns, loser.other, Ending.RESIGNATION, detail, None
        self.ended = GameRecord(self._pairing(), self.first.rules, *how)

    def swap_sides(self) -> None:
        """Swap the colours and clocks of the players."""
        self.interrupt()
        self.drivers = {colour: self.drivers[colour.other] for colour in Colour}

    def new_game(self) -> None:
        """Start a new game from the same position with full clocks."""
        self.interrupt()
        self._begin(AnnotatedGame(self.first))

    def record(self) -> AnnotatedGame:
        """Return the game so far, with times, scores and result.

        Names and texts come from the record that the game continues. The drivers supply missing names.
        """
        fault = self.ended.detail if self.ended and self.ended.ending.is_fault else ""
        return replace(
            self._start,
            moves=tuple(self.turns),
            black=self._start.black or self.drivers[Colour.BLACK].name,
            white=self._start.white or self.drivers[Colour.WHITE].name,
            result=self.result,
            exact=None,
            date=self._date,
            clock=clock_text(self.control),
            comment=self._start.comment or fault,
        )

    def _pairing(self) -> Pairing:
        return Pairing(1, 1, {colour: driver.name for colour, driver in self.drivers.items()}, ())

    def _note_begun(self, referee: Referee) -> None:
        self.left, self.since, self._began = referee.allowances, time.time(), time.monotonic()
        self.thinking = self.position.side
        self._on_begun()

    def _note(self, turn: AnnotatedMove) -> None:
        self.turns.append(turn)
        self._undone.clear()
        self._spent[turn.colour] = 0.0
        self.thinking = None
        self._on_turn(turn)

    def _stop_clock(self) -> None:
        if self.thinking is not None and self.thinking in self.people:
            self._spent[self.thinking] += time.monotonic() - self._began
        self.thinking = None
        self.left = self._allowances()

    def _allowances(self) -> dict[Colour, float]:
        return {colour: self._clock(colour, self.turns, self._spent).allowance for colour in Colour}

    def _clock(
        self, colour: Colour, turns: Sequence[AnnotatedMove], spent: Mapping[Colour, float]
    ) -> RunningClock:
        clock = RunningClock(self.drivers[colour].spec.time)
        for turn in self._clocked(turns):
            if turn.colour is colour and turn.seconds is not None:
                clock.spend(turn.seconds)
        clock.charge(spent[colour])
        return clock

    def _clocked(self, turns: Sequence[AnnotatedMove]) -> tuple[AnnotatedMove, ...]:
        """Return the turns, without the seconds of the turns that are not charged to the clocks."""
        return tuple(
            replace(turn, seconds=None) if number < self._unclocked else turn
            for number, turn in enumerate(turns)
        )
