"""Time controls and running clocks, every kind of clock that GTP knows, pondering, and that no game is lost on time.

Reliability tests 12 and 13.
"""

import math
import random
import re
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outflank.engine import Clock, Colour, Game, Limit, Move, NotationError, Searcher
from outflank.protocol.clock import GRACE_SECONDS, NO_LIMIT, RunningClock, TimeControl
from outflank.protocol.lines import Inbox
from outflank.protocol.server.movesource import SearchSource
from outflank.protocol.server.session import Session, Strength
from outflank.tests.support.dialogue import Dialogue, Program, put
from outflank.tests.support.installation import ROOT
from outflank.tests.support.processes import StallMeter, at_most, cpu_seconds, judge_calmly

CODE = (".py", ".pyx", ".pxd", ".h")


CANADIAN = TimeControl.canadian
BYOYOMI = TimeControl(10, period=5, period_moves=1, counts_periods=True)
# The events of a clock, seconds spent or the referee's (seconds, moves), and its reading after them.
READINGS: dict[str, tuple[TimeControl, list[float | tuple[float, int]], Clock | None]] = {
    "a period without moves is no limit": (CANADIAN(0, 1, 0), [], None),
    "nor is it after main time": (CANADIAN(300, 1, 0), [], None),
    "no period is absolute time": (CANADIAN(300, 0, 0), [], Clock(300)),
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
    "an increment comes after a move": (TimeControl(10, increment=2), [5], Clock(7, None, 2)),
    "after the last second too": (TimeControl(10, increment=2), [5, 20], Clock(2, None, 2)),
    "an extension comes after the main time": (TimeControl(60, extension=30), [70], Clock(20)),
    "and once": (TimeControl(60, extension=30), [70, 25], Clock(0)),
    "main time is the referee's": (CANADIAN(60, 30, 10), [(7.5, 0)], Clock(7.5, None, 0, 30, 10)),
    "so are periods": (CANADIAN(60, 30, 10), [(7.5, 0), (12, 4)], Clock(12, 4, 0, 30, 10)),
    "main time of zero begins a period": (CANADIAN(60, 30, 10), [(0, 0)], Clock(30, 10, 0, 30, 10)),
    "zero seconds are none": (CANADIAN(60, 0, 0), [(0, 0)], Clock(0)),
    "a second below zero is none": (CANADIAN(60, 0, 0), [(-1, 0)], Clock(0)),
    "the referee knows a limit that we do not": (NO_LIMIT, [(20, 0)], Clock(20)),
    "which runs down": (NO_LIMIT, [(20, 0), 3], Clock(17)),
    "stones count though no periods are set": (CANADIAN(60, 0, 0), [(20, 2)], Clock(20, 2)),
    "until they are played": (CANADIAN(60, 0, 0), [(20, 2), 3, 3], Clock(14)),
    "a Japanese period is a move": (BYOYOMI, [12], Clock(5, 1, 0, 5, 1)),
    "however many are left": (BYOYOMI, [12, (4, 3)], Clock(4, 1, 0, 5, 1)),
    "without a limit no time is spent": (NO_LIMIT, [1e9], None),
}


@pytest.mark.parametrize("name", READINGS)
def test_a_clock_says_what_is_left(name: str) -> None:
    control, happened, expected = READINGS[name]
    clock = RunningClock(control)
    for each in happened:
        if isinstance(each, tuple):
            clock.set_left(*each)
        else:
            clock.spend(each)

    assert clock.reading == expected
    clock.reset()
    assert clock.reading == RunningClock(control).reading


@pytest.mark.parametrize(
    ("text", "control"),
    [
        ("none", TimeControl()),
        ("0.5", TimeControl(main=0, period=0.5, period_moves=1)),
        ("60+1", TimeControl(main=60, increment=1)),
        ("60+0", TimeControl(main=60)),
        ("60+10/5", TimeControl(main=60, period=10, period_moves=5)),
        ("500ms", TimeControl(main=0, period=0.5, period_moves=1)),
        ("1m+2s", TimeControl(main=60, increment=2)),
        ("1h+1 min/3", TimeControl(main=3600, period=60, period_moves=3)),
        (".25+.125", TimeControl(main=0.25, increment=0.125)),
        ("0.12345+0.0004", TimeControl(main=0.123)),
    ],
)
def test_a_time_control_reads_and_writes(text: str, control: TimeControl) -> None:
    assert TimeControl.parse(text) == control
    assert TimeControl.parse(str(control)) == control


FORMS = r"none, 0\.5 \(a move\), 60\+1 or 60\+10/5"


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        (["", "fast", "-1", "1e3", "nan", "inf", "60+", "+1", "60+1/", "1/5", "60 +x"], FORMS),
        (["60+10/" + "9" * 5000], FORMS),
        (["9" * 400], "at most 1000000 seconds"),
        (["0", "0+0", "0+1", "0+0/5", "10+5/0", "0.0004", "0.0004+1"], "time for the first move"),
    ],
)
def test_other_text_is_no_time_control(texts: list[str], message: str) -> None:
    for text in texts:
        with pytest.raises(NotationError, match=rf"^expected {message}.{{0,180}}$"):
            TimeControl.parse(text)


@pytest.mark.parametrize(
    ("text", "spent", "charged", "left", "allowance"),
    [
        ("0.5", [], 0, (0.5, 1), 0.5),
        ("0.5", [0.1, 0.1], 0, (0.5, 1), 0.5),  # not carried over
        ("10+2", [10.03], 0, (2, 0), 2),  # after a move that used the grace period too
        ("10+6/3", [], 0, (10, 0), 16),
        ("10+6/3", [12], 0, (4, 2), 4),  # from main time into the first period within a move
        ("0.5", [], 0.2, (0.3, 1), 0.3),
        ("0.5", [], 0.7, (0, 1), -0.2),
        ("60+1", [], 2, (58, 0), 58),
        ("60+0", [], 61, (0, 0), -1),
        ("60+10/5", [], 2, (58, 0), 68),
        ("60+10/5", [], 63, (7, 5), 7),
        ("none", [1e6], 1e6, (math.inf, 0), math.inf),
    ],
)
def test_what_is_spent_by_a_move_or_charged_after_it_is_missing_from_the_next(
    text: str, spent: list[float], charged: float, left: tuple[float, int], allowance: float
) -> None:
    clock = RunningClock(TimeControl.parse(text))
    for seconds in spent:
        clock.spend(seconds)
    clock.charge(charged / 2)
    clock.charge(charged / 2)

    assert clock.time_left == pytest.approx(left)
    assert clock.allowance == pytest.approx(allowance)
    assert clock.deadline == clock.allowance + GRACE_SECONDS
    assert not clock.is_overrun_by(clock.deadline)
    assert clock.is_overrun_by(clock.deadline + 0.001) is (text != "none")


@pytest.mark.parametrize(("text", "left"), [("0.5", (0.5, 1)), ("60+1", (60.55, 0))])
def test_what_was_charged_is_spent_with_the_next_move(text: str, left: tuple[float, int]) -> None:
    clock = RunningClock(TimeControl.parse(text))
    clock.charge(0.2)
    clock.spend(0.25)

    assert clock.time_left == pytest.approx(left)


@given(
    main=st.floats(0, 100),
    increment=st.floats(0, 10),
    period=st.floats(0.125, 10),
    moves=st.integers(0, 5),
    shares=st.lists(st.floats(0, 1), max_size=30),
)
def test_a_side_that_keeps_to_its_allowance_never_has_less_than_nothing(
    main: float, increment: float, period: float, moves: int, shares: list[float]
) -> None:
    control = TimeControl(main, 0, period, moves) if moves else TimeControl(main, increment)
    clock = RunningClock(control)
    for share in shares:
        clock.spend(share * clock.allowance)
        seconds, due = clock.time_left
        assert seconds >= 0
        assert 0 <= due <= moves
        assert clock.allowance >= seconds


@dataclass(frozen=True)
class Setting:
    """A time setting of a game.

    Attributes:
        name: the name in the report.
        commands: the commands that are sent before the game.
        control: the referee's time control.
        tells: the way in which ``time_left`` is sent: ``exactly``, in ``whole seconds``, or ``never``.
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

    A move is timed from writing ``genmove`` to having read its answer. Its overrun is that time less what the strict
    clock still allowed, so a number below zero is time to spare. The opponent plays at random and at once.

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


@pytest.mark.parametrize("setting", SETTINGS, ids=lambda setting: setting.name)
@pytest.mark.parametrize(
    "seeds", [[0], pytest.param(range(1, 11), marks=[pytest.mark.slow, pytest.mark.timeout(600)])]
)
def test_a_game_is_never_lost_on_time(setting: Setting, seeds: Iterable[int]) -> None:
    for seed in seeds:

        def judge(meter: StallMeter, seed: int = seed) -> None:
            found = list(overruns(setting, seed, lambda: meter.crowded))
            assert len(found) > 10
            late = max(found)
            assert late < GRACE_SECONDS + 2 * meter.worst, (
                f"{late:.3f} s too late, a stall of {meter.worst:.3f} s"
            )

        judge_calmly(judge)


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


@pytest.fixture(scope="module")
def program() -> Iterator[Program]:
    """Yield a program whose first search, which is slower, has been done."""
    with Program() as program:
        program.ask("genmove b")
        yield program


@pytest.mark.parametrize("commands", CONTRADICTIONS, ids="; ".join)
def test_however_little_time_is_told_there_is_a_move_at_once(program: Program, commands: list[str]) -> None:
    for command in ("kata-time_settings none", "clear_board", *commands):
        program.ask(command)
    with at_most(0.01 + GRACE_SECONDS):
        move = program.ask("genmove b")

    assert move in ("d3", "c4", "f5", "e6")


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

    clock = dialogue.session.clocks["black"].reading  # type: ignore[index]
    assert clock is not None
    assert began - time.monotonic() <= clock.remaining - 10 < 0


def works_while_nobody_asks(program: Program) -> bool:
    """Return whether a program uses the processor for more than a moment within some seconds without a command."""
    before = cpu_seconds(program.process.pid)
    deadline = time.monotonic() + 5
    while time.monotonic() < deadline:
        if cpu_seconds(program.process.pid) > before + 0.1:
            return True
        time.sleep(0.05)
    return False


def works_no_longer(program: Program) -> bool:
    """Return whether a program comes to rest."""
    for _ in range(20):
        before = cpu_seconds(program.process.pid)
        time.sleep(0.2)
        if cpu_seconds(program.process.pid) == before:
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


def test_it_works_on_the_opponents_time_until_his_move_comes_if_it_is_asked_to() -> None:
    with Program("--level", "1") as program:
        program.ask("genmove b")
        assert works_no_longer(program), "expected rest without --ponder"
    with Program("--ponder", "--level", "1") as program:
        program.wait_until_ready()
        assert works_no_longer(program), "expected rest before our first move"

        program.ask("genmove b")
        assert works_while_nobody_asks(program)

        program.ask("time_left b 10 0")
        assert works_while_nobody_asks(program), "expected it to go on after a command that moves nothing"

        program.ask("undo")
        assert works_no_longer(program), "expected rest in a position that is not the opponent's"


@pytest.mark.parametrize("command", ["", "quit", "# interrupt", "genmove w", "clear_board", "nonsense"])
def test_any_line_and_the_end_of_the_input_end_it(command: str) -> None:
    with Program("--ponder", "--level", "1") as program:
        program.ask("genmove b")
        time.sleep(0.2)

        if not command:
            program.close_input()
            assert program.finish()[0] == 0
            return
        program.write(command + "\n")
        if command == "# interrupt":
            assert works_no_longer(program)
        elif command == "quit":  # its input stays open: the end of that would end it as well
            assert program.process.wait(timeout=30) == 0
        else:
            assert program.answer()[0] == ("?" if command == "nonsense" else "=")


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
