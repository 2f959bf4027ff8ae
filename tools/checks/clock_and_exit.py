"""Checks of clocks, of interruptions, and of the end of the program."""

import os
import random
import signal
import time

from outflank.engine import Colour, Game
from outflank.protocol.clock import RunningClock, TimeControl
from outflank.protocol.drivers.errors import EngineTimeout
from outflank.tools.checks.check import CheckSkipped, Violation, expect, must, should
from outflank.tools.checks.tapped_drivers import (
    BLACK_WINS,
    DRAWN,
    END_SECONDS,
    WHITE_WINS,
    TappedGtpDriver,
    announce_pass,
    beginning,
    play,
    set_up,
    think,
)

_LENIENCE_SECONDS = 0.25
_HURRY_SECONDS = 2.0
_NOTICEABLE_SECONDS = 0.1  # a smaller difference may come from the machine's load
_MIDDLEGAMES = (beginning(WHITE_WINS, 12), beginning(DRAWN, 20), beginning(BLACK_WINS, 38))


@must("time_settings", alone=True)
def takes_clocks(engine: TappedGtpDriver) -> None:
    """`time_settings` accepts absolute time (`60 0 0`), a time per move (`0 2 1`) and byo-yomi (`60 10 5`)."""
    for clock in ("60 0 0", "0 2 1", "60 10 5"):
        engine.succeed(f"time_settings {clock}")


@must("time_settings", alone=True)
def takes_no_limit(engine: TappedGtpDriver) -> None:
    """`time_settings 0 1 0` means no time limit: a move is chosen as without a clock."""
    engine.succeed("time_settings 0 1 0")
    think(engine, set_up(engine))


@must("time_settings", "time_left", alone=True)
def takes_time_left(engine: TappedGtpDriver) -> None:
    """`time_left` is accepted for either side, in main time (`60 0`) and in byo-yomi (`10 5`)."""
    engine.succeed("time_settings 60 10 5")
    for words in ("black 60 0", "white 60 0", "B 10 5", "w 9 4"):
        engine.succeed(f"time_left {words}")


@should("time_settings", alone=True)
def refuses_bad_clocks(engine: TappedGtpDriver) -> None:
    """`time_settings` fails if an argument is missing or is not a number."""
    for words in ("", " 60", " one two three"):
        engine.refuse(f"time_settings{words}")


@must("time_settings", alone=True)
def keeps_seconds_a_move(engine: TappedGtpDriver) -> None:
    """With `time_settings 0 1 1` a move takes at most a second, in positions after 12, 20 and 38 moves."""
    for transcript in _MIDDLEGAMES:
        engine.succeed("time_settings 0 1 1")
        _play(engine, TimeControl.parse("1"), transcript, moves=1)


@must("time_settings", alone=True)
def keeps_absolute_time(engine: TappedGtpDriver) -> None:
    """With `time_settings 4 0 0` all moves of the engine in a game together take at most four seconds."""
    engine.succeed("time_settings 4 0 0")
    _play(engine, TimeControl.parse("4+0"), "", moves=60)


@must("time_settings", alone=True)
def keeps_a_period(engine: TappedGtpDriver) -> None:
    """With `time_settings 0 2 5` each block of five moves takes at most two seconds."""
    engine.succeed("time_settings 0 2 5")
    _play(engine, TimeControl(main=0.0, period=2.0, period_moves=5), beginning(DRAWN, 10), moves=10)


@must("kata-time_settings", "kata-list_time_settings", alone=True)
def keeps_an_increment(engine: TappedGtpDriver) -> None:
    """If the engine supports the kind `fischer`, ten moves stay within `kata-time_settings fischer 1 0.2`."""
    if "fischer" in engine.succeed("kata-list_time_settings").split():
        engine.succeed("kata-time_settings fischer 1 0.2")
        _play(engine, TimeControl.parse("1+0.2"), beginning(DRAWN, 10), moves=10)


@should("time_settings", "time_left", alone=True)
def moves_at_once_if_time_is_up(engine: TappedGtpDriver) -> None:
    """With no time left, a move is chosen within two seconds."""
    engine.succeed("time_settings 60 0 0")
    game = set_up(engine, beginning(DRAWN, 20))
    engine.succeed(f"time_left {game.position.side} 0 0")
    think(engine, game, _HURRY_SECONDS)


@should("time_settings", alone=True)
def heeds_its_clock(engine: TappedGtpDriver) -> None:
    """With three seconds per move, the engine thinks longer than with one second.

    This check fails if the engine ignores its clock, or if its options limit its search.
    """
    short, long = (_thinking(engine, seconds) for seconds in (1, 3))
    expect(
        long >= 1.25 * short + _NOTICEABLE_SECONDS,
        "longer searches with 3 s per move than with 1 s",
        f"{long:.2f} s in total against {short:.2f} s: the clock makes no difference",
    )


def _thinking(engine: TappedGtpDriver, seconds: int) -> float:
    used = 0.0
    for transcript in _MIDDLEGAMES[:2]:
        engine.close()
        engine.succeed(f"time_settings 0 {seconds} 1")
        used += _play(engine, TimeControl.parse(str(seconds)), transcript, moves=1)
    return used


def _play(engine: TappedGtpDriver, control: TimeControl, transcript: str, moves: int) -> float:
    """Let the engine make `moves` moves against random replies, and return the total seconds of its moves."""
    game, clock, used = set_up(engine, transcript), RunningClock(control), 0.0
    mover, replies = game.position.side, random.Random(0)
    while moves and not game.position.is_over:
        if game.position.must_pass:
            announce_pass(engine, game)
        elif game.position.side is mover:
            seconds = _move(engine, game, clock, mover)
            clock.spend(min(seconds, clock.allowance))
            used += seconds
            moves -= 1
        else:
            play(engine, game, str(replies.choice(game.position.legal_moves())))
    return used


def _move(engine: TappedGtpDriver, game: Game, clock: RunningClock, mover: Colour) -> float:
    left, stones = clock.time_left
    if "time_left" in engine.commands and left >= 1:  # 0 would mean that the flag has fallen
        engine.succeed(f"time_left {mover} {int(left)} {stones}")
    allowed, made = clock.allowance, len(game.turns)
    try:
        return think(engine, game, allowed + _LENIENCE_SECONDS)
    except EngineTimeout:
        raise Violation(f"move {made + 1} was not played within {allowed:.2f} s") from None


_WATCH_SECONDS = 1.0
_IDLE_SHARE = 0.2
_THINKING_SECONDS = 0.3  # the time between genmove and the interruption


@must(alone=True)
def answers_quit(engine: TappedGtpDriver) -> None:
    """`quit` is answered, and the program ends within two seconds."""
    engine.succeed("quit")
    engine.expect_end()


@should(alone=True)
def ends_with_code_0(engine: TappedGtpDriver) -> None:
    """The exit code after `quit` is 0."""
    engine.send(b"quit\n")
    if not engine.ends_within(END_SECONDS):
        raise CheckSkipped("it does not end at quit: see answers-quit")
    expect(engine.process.exit_code == 0, "exit code 0", engine.process.exit_code)


@must(alone=True)
def answers_all_before_quit(engine: TappedGtpDriver) -> None:
    """Commands that are sent together with `quit` are answered before it."""
    name = engine.succeed("name")
    first, *_ = engine.replies(["name", "clear_board", "quit"], least=2)  # another check tests quit
    expect(first.text == name, f"{name!r} as the first answer", first)


@must(alone=True)
def ends_with_its_input(engine: TappedGtpDriver) -> None:
    """The program ends within two seconds of the end of its input, since a controller may crash."""
    engine.succeed("name")
    engine.process.end_input()
    engine.expect_end()


@should(alone=True)
def ends_while_it_thinks(engine: TappedGtpDriver) -> None:
    """The program ends within two seconds of the end of its input, even during a search."""
    _begin_to_think(engine)
    engine.process.end_input()
    engine.expect_end()


@should(alone=True)
def ends_by_sigterm(engine: TappedGtpDriver) -> None:
    """SIGTERM ends the program within two seconds."""
    engine.succeed("name")
    os.kill(engine.process.pid, signal.SIGTERM)
    engine.expect_end()


@should("gogui-interrupt", alone=True)
def moves_when_interrupted(engine: TappedGtpDriver) -> None:
    """The line `# interrupt` makes `genmove` answer within two seconds."""
    _begin_to_think(engine)
    engine.send(b"# interrupt\n")
    engine.reply(END_SECONDS)


@should(alone=True)
def rests_while_it_waits(engine: TappedGtpDriver) -> None:
    """While waiting for a command, the engine uses at most a fifth of one processor."""
    engine.succeed("genmove black", engine.thinking)
    limit = _IDLE_SHARE * _WATCH_SECONDS
    used = _watched(engine)
    if used > limit:  # measure again: on a busy machine, work that follows a move may be delayed
        used = min(used, _watched(engine))
    expect(used <= limit, f"at most {limit:g} s of processor time in a second", f"{used:.2f} s")


def _watched(engine: TappedGtpDriver) -> float:
    before = _wanted_seconds(engine)
    time.sleep(_WATCH_SECONDS)
    return _wanted_seconds(engine) - before


def _wanted_seconds(engine: TappedGtpDriver) -> float:
    """Return the processor time that the engine has used or, on a busy machine, waited for."""
    usage = engine.usage
    return usage.cpu_seconds + sum(thread.waited for thread in usage.threads.values())


def _begin_to_think(engine: TappedGtpDriver) -> None:
    if "time_settings" in engine.commands:
        engine.succeed("time_settings 0 60 1")
    game = set_up(engine, beginning(DRAWN, 20))
    engine.send(f"genmove {game.position.side}\n".encode())
    time.sleep(_THINKING_SECONDS)
