"""Plays whole games of ``outflank gtp`` against a strict clock outside the engine.

A move is timed from writing ``genmove`` to having read its answer. Its overrun is that time less what the
clock still allowed, so a number below zero is time to spare. The opponent plays at random and at once.
"""

import math
import random
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from outflank.engine import Colour, Game
from outflank.tests.support.dialogue import Program


@dataclass
class StrictClock:
    """A referee's clock: main time, then periods of `stones` moves, and an increment after each move.

    Attributes:
        main: the seconds left before the periods.
        period: the length of a period in seconds; 0 without periods.
        stones: the number of moves due in a period.
        increment: the seconds added after each move.
        due: the number of moves still due in the current period; 0 in main time.
        left: the seconds left in that period.
    """

    main: float
    period: float = 0.0
    stones: int = 0
    increment: float = 0.0
    due: int = 0
    left: float = 0.0

    def allowed(self) -> float:
        """Return the seconds that the next move may take."""
        return self.left if self.due else self.main + self.period

    def spend(self, seconds: float) -> None:
        """Charge the time of a move; a move that took too long is forgiven, so that the game can continue."""
        if not self.due and seconds <= self.main:
            self.main += self.increment - seconds
            return
        if not self.due:
            seconds -= self.main
            self.main, self.due, self.left = 0.0, self.stones, self.period
        if not self.stones:
            self.main = self.increment
            return
        self.left = max(self.left - seconds, 0.0)
        self.due -= 1
        if self.due == 0:
            self.due, self.left = self.stones, self.period

    def told(self, whole: bool) -> str:
        """Return the arguments of ``time_left``, in whole seconds if `whole`."""
        seconds = self.left if self.due else self.main
        return f"{math.floor(seconds) if whole else round(seconds, 4)} {self.due}"


@dataclass(frozen=True)
class Setting:
    """A time setting of a game.

    Attributes:
        name: the name for the report.
        commands: the commands sent before the game.
        clock: the referee's clock at the start of the game; None for no limit.
        tells: how the engine is informed of its clock: ``exactly``, in ``whole seconds``, or ``never``.
        arguments: the arguments of the program.
    """

    name: str
    commands: tuple[str, ...]
    clock: StrictClock | None
    tells: str = "exactly"
    arguments: tuple[str, ...] = ()


def canadian(main: float, period: float, stones: int, name: str, tells: str = "exactly") -> Setting:
    """Return the setting of a clock of ``time_settings``."""
    clock = StrictClock(main, period, stones, due=0 if main else stones, left=0.0 if main else period)
    return Setting(name, (f"time_settings {main} {period} {stones}",), clock, tells)


SETTINGS = (
    canadian(3, 0, 0, "main 3 s"),
    canadian(3, 0, 0, "main 3 s, `time_left` in whole seconds", "whole seconds"),
    canadian(3, 0, 0, "main 3 s, no `time_left`", "never"),
    canadian(1, 1, 10, "main 1 s, then 10 moves in 1 s"),
    canadian(1, 1, 10, "main 1 s, then 10 moves in 1 s, no `time_left`", "never"),
    canadian(0, 1, 10, "10 moves in 1 s"),
    canadian(0, 0.1, 1, "0.1 s a move"),
    canadian(0, 0.1, 1, "0.1 s a move, no `time_left`", "never"),
    canadian(0, 0.01, 1, "10 ms a move"),
    canadian(0, 0.001, 1, "1 ms a move"),
    canadian(0, 0, 0, "no time at all"),
    Setting("fischer 1 s + 0.05 s", ("kata-time_settings fischer 1 0.05",), StrictClock(1, increment=0.05)),
    Setting(
        "fischer 0 s + 0.05 s", ("kata-time_settings fischer 0 0.05",), StrictClock(0.05, increment=0.05)
    ),
    Setting("--time 0.05", (), StrictClock(0, 0.05, 1, due=1, left=0.05), "never", ("--time", "0.05")),
    Setting("no limit, level 1", ("time_settings 0 1 0",), None, "never", ("--level", "1")),
)


def overruns(setting: Setting, seed: int, excused: Callable[[], float] = float) -> Iterator[float]:
    """Play a game under a setting, as White with an odd seed, and yield the overrun of each of our moves in seconds.

    `excused` returns the seconds so far that the machine, not the engine, was slow, which are subtracted.

    Raises: IllegalMoveError, NotationError if the engine's answer is not a legal move.
    """
    chance = random.Random(seed)
    engine = Colour.WHITE if seed % 2 else Colour.BLACK
    clock = replace(setting.clock) if setting.clock else None
    game = Game()
    with Program(*setting.arguments) as program:
        for command in ("boardsize 8", "clear_board", *setting.commands):
            program.ask(command)
        while not game.position.is_over:
            side = game.position.side
            if side is not engine or game.position.must_pass:
                move = game.play(chance.choice(game.position.legal_moves()))
                program.ask(f"play {side} {move}")
                continue
            if clock and setting.tells != "never":
                program.ask(f"time_left {side} {clock.told(setting.tells == 'whole seconds')}")
            allowed = clock.allowed() if clock else math.inf
            slow, began = excused(), time.monotonic()
            text = program.ask(f"genmove {side}")
            elapsed = time.monotonic() - began - (excused() - slow)
            game.play(text)
            yield elapsed - allowed
            if clock:
                clock.spend(elapsed)
