"""Plays whole games of ``outflank gtp`` against a strict clock outside the engine.

A move is timed from writing ``genmove`` to having read its answer. Its overrun is that time less what the
clock still allowed, so a number below zero is time to spare. The opponent plays at random and at once.
"""

import math
import random
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from outflank.engine import Colour, Game
from outflank.protocol.clock import NO_LIMIT, RunningClock, TimeControl
from outflank.tests.support.dialogue import Program


@dataclass(frozen=True)
class Setting:
    """A time setting of a game.

    Attributes:
        name: the name in the report.
        commands: the commands that are sent before the game.
        control: the referee's time control.
        tells: how ``time_left`` is sent: ``exactly``, in ``whole seconds``, or ``never``.
        arguments: the arguments of the program.
    """

    name: str
    commands: tuple[str, ...]
    control: TimeControl
    tells: str = "exactly"
    arguments: tuple[str, ...] = ()


def canadian(main: float, period: float, stones: int, name: str, tells: str = "exactly") -> Setting:
    """Return the setting of a ``time_settings`` command."""
    control = TimeControl.canadian(main, period, stones)
    return Setting(name, (f"time_settings {main} {period} {stones}",), control, tells)


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
    Setting("fischer 1 s + 0.05 s", ("kata-time_settings fischer 1 0.05",), TimeControl(1, 0.05)),
    Setting("fischer 0 s + 0.05 s", ("kata-time_settings fischer 0 0.05",), TimeControl(0.05, 0.05)),
    Setting("--time 0.05", (), TimeControl.canadian(0, 0.05, 1), "never", ("--time", "0.05")),
    Setting("no limit, level 1", ("time_settings 0 1 0",), NO_LIMIT, "never", ("--level", "1")),
)


def overruns(setting: Setting, seed: int, excused: Callable[[], float] = float) -> Iterator[float]:
    """Play a game under a setting, as White if the seed is odd, and yield the overrun of each of our moves in seconds.

    Args:
        setting: the time control and the program.
        seed: the seed of the random opponent.
        excused: returns the seconds lost so far to a busy machine; they are subtracted.

    Raises: IllegalMoveError; NotationError if the engine answers with no move.
    """
    chance = random.Random(seed)
    engine = Colour.WHITE if seed % 2 else Colour.BLACK
    clock = RunningClock(setting.control)
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
            if setting.tells != "never":
                left, moves = clock.time_left
                seconds = math.floor(left) if setting.tells == "whole seconds" else round(left, 4)
                program.ask(f"time_left {side} {seconds} {moves}")
            allowed = clock.allowance
            slow, began = excused(), time.monotonic()
            text = program.ask(f"genmove {side}")
            elapsed = time.monotonic() - began - (excused() - slow)
            game.play(text)
            yield elapsed - allowed
            clock.spend(elapsed)
