"""No game is lost on time under any clock (reliability tests 12 and 13)."""

import re
import time
from collections.abc import Callable

import pytest

from outflank.protocol.session import Strength
from outflank.tests.bench.timekeeping import SETTINGS, Setting, overruns
from outflank.tests.installation import ROOT
from outflank.tests.protocol.dialogue import Dialogue, Program
from outflank.tests.stalls import StallMeter, at_most, judge_calmly

MARGIN_SECONDS = 0.05
CODE = (".py", ".pyx", ".pxd", ".h")


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
