"""Every kind of clock that GTP knows, the opponent's time, and that no game is lost on time.

Reliability tests 12 and 13.
"""

import os
import re
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from outflank.engine import Clock, Game, Limit, Move, Searcher
from outflank.measure.timekeeping import SETTINGS, Setting, overruns
from outflank.protocol.lines import Inbox
from outflank.protocol.movesource import SearchSource
from outflank.protocol.session import Session, Strength
from outflank.protocol.timekeeping import PlayerClock, TimeSettings
from outflank.tests.support.dialogue import Dialogue, Program, put
from outflank.tests.support.installation import ROOT
from outflank.tests.support.processes import StallMeter, at_most, judge_calmly

MARGIN_SECONDS = 0.05
CODE = (".py", ".pyx", ".pxd", ".h")


def canadian(main: float, period: float, moves: int) -> PlayerClock:
    return PlayerClock(TimeSettings.canadian(main, period, moves))


def test_a_period_without_moves_is_no_limit() -> None:
    assert canadian(0, 1, 0).reading() is None
    assert canadian(300, 1, 0).reading() is None


def test_no_period_is_absolute_time() -> None:
    assert canadian(300, 0, 0).reading() == Clock(300)
    assert canadian(300, 0, 25).reading() == Clock(300)


def test_no_time_at_all_is_a_clock_that_has_run_out() -> None:
    assert canadian(0, 0, 0).reading() == Clock(0)


def test_absolute_time_runs_down_to_zero_and_not_below() -> None:
    clock = canadian(10, 0, 0)

    clock.spend(4)
    assert clock.reading() == Clock(6)
    clock.spend(7)
    assert clock.reading() == Clock(0)


def test_main_time_comes_before_the_periods() -> None:
    assert canadian(60, 30, 10).reading() == Clock(60, None, 0, 30, 10)


def test_without_main_time_the_first_period_has_begun() -> None:
    assert canadian(0, 30, 10).reading() == Clock(30, 10, 0, 30, 10)


def test_a_move_that_uses_up_main_time_is_the_first_of_a_period() -> None:
    clock = canadian(5, 30, 10)

    clock.spend(8)

    assert clock.reading() == Clock(27, 9, 0, 30, 10)


def test_a_period_is_full_again_after_its_moves() -> None:
    clock = canadian(0, 30, 2)

    clock.spend(20)
    assert clock.reading() == Clock(10, 1, 0, 30, 2)
    clock.spend(5)
    assert clock.reading() == Clock(30, 2, 0, 30, 2)


def test_a_period_that_ran_out_leaves_nothing() -> None:
    clock = canadian(0, 30, 3)

    clock.spend(45)

    assert clock.reading() == Clock(0, 2, 0, 30, 3)


def test_seconds_a_move_are_a_period_of_one_move() -> None:
    clock = canadian(0, 0.5, 1)

    for _ in range(3):
        clock.spend(0.4)
        assert clock.reading() == Clock(0.5, 1, 0, 0.5, 1)


def test_an_increment_comes_after_each_move() -> None:
    clock = PlayerClock(TimeSettings(10, increment=2))

    clock.spend(5)
    assert clock.reading() == Clock(7, None, 2)
    clock.spend(20)
    assert clock.reading() == Clock(2, None, 2)


def test_the_referee_is_believed() -> None:
    clock = canadian(60, 30, 10)

    clock.set_left(7.5, 0)
    assert clock.reading() == Clock(7.5, None, 0, 30, 10)
    clock.set_left(12, 4)
    assert clock.reading() == Clock(12, 4, 0, 30, 10)


def test_main_time_told_as_zero_means_that_a_period_begins() -> None:
    clock = canadian(60, 30, 10)

    clock.set_left(0, 0)

    assert clock.reading() == Clock(30, 10, 0, 30, 10)


@pytest.mark.parametrize("told", [0, -1, -2e9])
def test_time_told_as_used_up_is_no_time(told: float) -> None:
    clock = canadian(60, 0, 0)

    clock.set_left(told, 0)

    assert clock.reading() == Clock(0)


def test_the_referee_is_believed_against_no_limit() -> None:
    clock = PlayerClock(None)

    clock.set_left(20, 0)
    assert clock.reading() == Clock(20)
    clock.spend(3)
    assert clock.reading() == Clock(17)


def test_stones_without_periods_set_are_believed_too() -> None:
    clock = canadian(60, 0, 0)

    clock.set_left(20, 2)
    assert clock.reading() == Clock(20, 2)
    clock.spend(3)
    clock.spend(3)
    assert clock.reading() == Clock(14)


def test_japanese_periods_are_a_move_each() -> None:
    clock = PlayerClock(TimeSettings(10, 5, 1, counts_periods=True))

    clock.spend(12)
    assert clock.reading() == Clock(5, 1, 0, 5, 1)
    clock.set_left(4, 3)
    assert clock.reading() == Clock(4, 1, 0, 5, 1)


def test_a_clock_without_limit_never_runs() -> None:
    clock = PlayerClock(None)

    clock.spend(1e9)

    assert clock.reading() is None


def test_a_new_game_has_a_full_clock() -> None:
    clock = canadian(0, 30, 3)
    clock.spend(10)

    clock.reset()

    assert clock.reading() == Clock(30, 3, 0, 30, 3)


def play_in_time(setting: Setting, seed: int) -> None:
    """Play a game in which no move takes too long."""

    def judge(meter: StallMeter) -> None:
        found = list(overruns(setting, seed, lambda: meter.crowded))
        assert len(found) > 10
        late = max(found)
        assert late < MARGIN_SECONDS + 2 * meter.worst, (
            f"{late:.3f} s too late, a stall of {meter.worst:.3f} s"
        )

    judge_calmly(judge)


@pytest.mark.parametrize("setting", SETTINGS, ids=lambda setting: setting.name)
def test_a_game_is_never_lost_on_time(setting: Setting) -> None:
    play_in_time(setting, seed=0)


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("setting", SETTINGS, ids=lambda setting: setting.name)
def test_many_games_are_never_lost_on_time(setting: Setting) -> None:
    for seed in range(1, 11):
        play_in_time(setting, seed)


CONTRADICTIONS = [
    ["time_settings 0 0 0"],
    ["time_settings 300 0 0", "time_left b 0 0"],
    ["time_settings 300 0 0", "time_left b -100 0"],
    ["time_settings 300 0 0", "time_left b 0 5"],
    ["time_settings 0 1 0", "time_left b 0 0"],
    ["time_settings 0 0.01 1", "time_left b 0.005 1"],
    ["time_settings 0 30 10", "time_left b 0.01 10"],
    ["time_left b 0.01 0"],
    ["time_left b 0.01 25"],
    ["kata-time_settings fischer 0 0.01"],
    ["kata-time_settings byoyomi 0 0.01 3", "time_left b 0.01 2"],
    ["kata-time_settings canadian 0.001 0.001 1"],
    ["time_settings 0 0.001 30"],
    ["time_settings 2147483647 0 0", "time_left b 0.01 0"],
]


@pytest.mark.parametrize("commands", CONTRADICTIONS, ids="; ".join)
def test_however_little_time_is_told_there_is_a_move_at_once(commands: list[str]) -> None:
    with Program() as program:
        program.ask("genmove b")  # the first search of a process is slower
        program.ask("clear_board")
        for command in commands:
            program.ask(command)
        with at_most(0.01 + MARGIN_SECONDS):
            move = program.ask("genmove b")

    assert move in ("d3", "c4", "f5", "e6")


@pytest.mark.parametrize(
    "commands",
    [["time_settings 0 1 0"], ["kata-time_settings none"], ["time_settings 300 0 0", "time_settings 0 1 0"]],
    ids="; ".join,
)
def test_no_limit_leaves_it_to_the_level(commands: list[str]) -> None:
    dialogue = Dialogue()
    for command in commands:
        dialogue.ask(command)

    assert dialogue.session.time_left("black") is None  # type: ignore[arg-type]


def test_time_that_is_there_is_used() -> None:
    with Program("--book", "none") as program:
        program.ask("time_settings 0 0.5 1")
        program.ask("play b f5")  # the first move of a game needs no search
        began = time.monotonic()
        program.ask("genmove w")

    assert time.monotonic() - began > 0.2


def test_nothing_that_plays_reads_the_wall_clock() -> None:
    """Reliability test 12, for the compiled code too; only the age of an unused copy of the weights is told by it."""
    now = r"\btime\.time\(|\.(?:utc)?now\(|\.today\(|gettimeofday|CLOCK_REALTIME|timespec_get|[( ]time\(NULL"
    wall = re.compile(now)
    sources = [
        path for room in ("engine", "protocol") for path in (ROOT / room).rglob("*") if path.suffix in CODE
    ]

    assert len(sources) > 100
    assert [path.name for path in sources if wall.search(path.read_text())] == ["weightcopy.py"]


def test_the_wall_clock_does_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    """Reliability test 12: it jumps by a day during a search."""
    day: Callable[[], float] = iter(range(0, 10**9, 86400)).__next__
    monkeypatch.setattr(time, "time", day)
    dialogue = Dialogue(strength=Strength())
    dialogue.ask("time_settings 10 0 0")
    began = time.monotonic()

    with at_most(3):
        dialogue.ask("genmove b")

    clock = dialogue.session.time_left("black")  # type: ignore[arg-type]
    assert clock is not None
    assert began - time.monotonic() <= clock.remaining - 10 < 0


def seconds_worked(program: Program) -> float:
    """Processor time that a program has used so far."""
    fields = Path(f"/proc/{program.process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def works_while_nobody_asks(program: Program) -> bool:
    """Whether a program uses the processor for more than a moment within some seconds without a command."""
    before = seconds_worked(program)
    deadline = time.monotonic() + 5
    while time.monotonic() < deadline:
        if seconds_worked(program) > before + 0.1:
            return True
        time.sleep(0.05)
    return False


def works_no_longer(program: Program) -> bool:
    """Whether a program comes to rest."""
    for _ in range(20):
        before = seconds_worked(program)
        time.sleep(0.2)
        if seconds_worked(program) == before:
            return True
    return False


def ponder_for(session: Session, inbox: Inbox, seconds: float) -> None:
    """Let a session ponder until a line comes after some seconds."""
    thread = threading.Thread(target=session.ponder)
    thread.start()
    time.sleep(seconds)
    put(inbox, "name")
    thread.join(5)
    assert not thread.is_alive()


def test_it_works_on_the_opponents_time_until_his_move_comes() -> None:
    with Program("--ponder", "--level", "1") as program:
        program.wait_until_ready()
        assert works_no_longer(program), "expected rest before our first move"

        program.ask("genmove b")
        assert works_while_nobody_asks(program)

        program.ask("time_left b 10 0")
        assert works_while_nobody_asks(program), "expected it to go on after a command that moves nothing"

        program.ask("undo")
        assert works_no_longer(program), "expected rest in a position that is not the opponent's"


def test_without_the_option_nothing_is_done() -> None:
    with Program("--level", "1") as program:
        program.wait_until_ready()
        program.ask("genmove b")

        assert works_no_longer(program)


@pytest.mark.parametrize("command", ["quit", "# interrupt", "genmove w", "clear_board", "nonsense"])
def test_any_line_ends_it(command: str) -> None:
    with Program("--ponder", "--level", "1") as program:
        program.ask("genmove b")
        time.sleep(0.2)

        program.write(command + "\n")
        if command == "# interrupt":
            assert works_no_longer(program)
        elif command == "quit":  # its input stays open: the end of that would end it as well
            assert program.process.wait(timeout=30) == 0
        else:
            assert program.answer()[0] == ("?" if command == "nonsense" else "=")


def test_the_end_of_the_input_ends_it() -> None:
    with Program("--ponder", "--level", "1") as program:
        program.ask("genmove b")
        program.close_input()

        assert program.finish()[0] == 0


@pytest.mark.parametrize("moves", [None, [Move.parse("f5")]])
def test_what_it_finds_is_used(moves: list[Move] | None) -> None:
    inbox = Inbox()
    searcher = Searcher(hash_mb=16)
    session = Session(SearchSource(searcher), strength=Strength(depth=1), inbox=inbox, ponders=True)
    session.genmove(session.position.side, moves=moves)

    ponder_for(session, inbox, 1.0)

    limit = Limit(depth=10, selectivity=73)
    reply = Searcher().search(session.position, limit).move
    position = session.position.play(reply)
    assert searcher.search(position, limit).nodes < 0.8 * Searcher().search(position, limit).nodes


def test_a_game_that_is_over_leaves_nothing_to_ponder() -> None:
    game = Game()
    while game.position.empties > 1:
        game.play(game.position.legal_moves()[0])
    session = Session(SearchSource(Searcher(hash_mb=1)), ponders=True)
    session.resume(game)
    while not session.position.is_over:
        session.genmove(session.position.side)

    ponder_for(session, session.inbox, 0)


def test_it_is_told() -> None:
    assert "pondering off" in Dialogue().ask("gomill-describe_engine")
    assert "pondering on" in Dialogue(ponders=True).ask("gomill-describe_engine")
