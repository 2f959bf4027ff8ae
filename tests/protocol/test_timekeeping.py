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
from outflank.protocol.lines import Inbox
from outflank.protocol.movesource import SearchSource
from outflank.protocol.session import Session, Strength
from outflank.protocol.timekeeping import PlayerClock, TimeSettings
from outflank.tests.support.dialogue import Dialogue, Program, put
from outflank.tests.support.installation import ROOT
from outflank.tests.support.processes import StallMeter, at_most, judge_calmly
from outflank.tests.support.timed_games import SETTINGS, Setting, overruns

GRACE_SECONDS = 0.05
CODE = (".py", ".pyx", ".pxd", ".h")


CANADIAN = TimeSettings.canadian
# What happens to the clock: seconds spent, or (seconds, moves) as the referee tells them; then what it says.
READINGS: dict[str, tuple[TimeSettings | None, list[float | tuple[float, int]], Clock | None]] = {
    "a period without moves is no limit": (CANADIAN(0, 1, 0), [], None),
    "nor is it after main time": (CANADIAN(300, 1, 0), [], None),
    "no period is absolute time": (CANADIAN(300, 0, 0), [], Clock(300)),
    "whatever its moves": (CANADIAN(300, 0, 25), [], Clock(300)),
    "no time at all has run out": (CANADIAN(0, 0, 0), [], Clock(0)),
    "absolute time runs down": (CANADIAN(10, 0, 0), [4], Clock(6)),
    "to zero and not below": (CANADIAN(10, 0, 0), [4, 7], Clock(0)),
    "main time comes before the periods": (CANADIAN(60, 30, 10), [], Clock(60, None, 0, 30, 10)),
    "without main time the first period has begun": (CANADIAN(0, 30, 10), [], Clock(30, 10, 0, 30, 10)),
    "the move that uses up main time is of a period": (CANADIAN(5, 30, 10), [8], Clock(27, 9, 0, 30, 10)),
    "a period goes on": (CANADIAN(0, 30, 2), [20], Clock(10, 1, 0, 30, 2)),
    "and is full again after its moves": (CANADIAN(0, 30, 2), [20, 5], Clock(30, 2, 0, 30, 2)),
    "a period that ran out leaves nothing": (CANADIAN(0, 30, 3), [45], Clock(0, 2, 0, 30, 3)),
    "seconds a move are a period of one": (CANADIAN(0, 0.5, 1), [0.4], Clock(0.5, 1, 0, 0.5, 1)),
    "and are not carried over": (CANADIAN(0, 0.5, 1), [0.4] * 3, Clock(0.5, 1, 0, 0.5, 1)),
    "an increment comes after a move": (TimeSettings(10, increment=2), [5], Clock(7, None, 2)),
    "after the last second too": (TimeSettings(10, increment=2), [5, 20], Clock(2, None, 2)),
    "main time is the referee's": (CANADIAN(60, 30, 10), [(7.5, 0)], Clock(7.5, None, 0, 30, 10)),
    "so are periods": (CANADIAN(60, 30, 10), [(7.5, 0), (12, 4)], Clock(12, 4, 0, 30, 10)),
    "main time of zero begins a period": (CANADIAN(60, 30, 10), [(0, 0)], Clock(30, 10, 0, 30, 10)),
    "zero seconds are none": (CANADIAN(60, 0, 0), [(0, 0)], Clock(0)),
    "a second below zero is none": (CANADIAN(60, 0, 0), [(-1, 0)], Clock(0)),
    "ages below zero are none": (CANADIAN(60, 0, 0), [(-2e9, 0)], Clock(0)),
    "the referee knows a limit that we do not": (None, [(20, 0)], Clock(20)),
    "which runs down": (None, [(20, 0), 3], Clock(17)),
    "stones count though no periods are set": (CANADIAN(60, 0, 0), [(20, 2)], Clock(20, 2)),
    "until they are played": (CANADIAN(60, 0, 0), [(20, 2), 3, 3], Clock(14)),
    "a Japanese period is a move": (TimeSettings(10, 5, 1, counts_periods=True), [12], Clock(5, 1, 0, 5, 1)),
    "however many are left": (
        TimeSettings(10, 5, 1, counts_periods=True),
        [12, (4, 3)],
        Clock(4, 1, 0, 5, 1),
    ),
    "without a limit no time is spent": (None, [1e9], None),
}


@pytest.mark.parametrize("name", READINGS)
def test_a_clock_says_what_is_left(name: str) -> None:
    settings, happened, expected = READINGS[name]
    clock = PlayerClock(settings)
    for each in happened:
        if isinstance(each, tuple):
            clock.set_left(*each)
        else:
            clock.spend(each)

    assert clock.reading() == expected


def test_a_new_game_has_a_full_clock() -> None:
    clock = PlayerClock(CANADIAN(0, 30, 3))
    clock.spend(10)

    clock.reset()

    assert clock.reading() == Clock(30, 3, 0, 30, 3)


def play_in_time(setting: Setting, seed: int) -> None:
    """Play a game in which no move takes too long."""

    def judge(meter: StallMeter) -> None:
        found = list(overruns(setting, seed, lambda: meter.crowded))
        assert len(found) > 10
        late = max(found)
        assert late < GRACE_SECONDS + 2 * meter.worst, (
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
        with at_most(0.01 + GRACE_SECONDS):
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
    """Reliability test 12, for the compiled code too."""
    now = r"\btime\.time\(|\.(?:utc)?now\(|\.today\(|gettimeofday|CLOCK_REALTIME|timespec_get|[( ]time\(NULL"
    wall = re.compile(now)
    sources = [
        path for room in ("engine", "protocol") for path in (ROOT / room).rglob("*") if path.suffix in CODE
    ]

    assert len(sources) > 100
    assert [path.name for path in sources if wall.search(path.read_text())] == []


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
