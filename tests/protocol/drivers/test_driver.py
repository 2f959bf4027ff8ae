"""Drivers of all protocols alike: they take an engine to any point of a game and name its faults in time."""

import os
import shlex
import signal
import time
from dataclasses import replace

import pytest

from outflank.engine import Game, Position, Rules
from outflank.protocol.clock import NO_LIMIT, RunningClock
from outflank.protocol.drivers import (
    EngineCrash,
    EngineError,
    EngineProtocolError,
    EngineSpec,
    EngineTimeout,
    TimeControl,
    UnfitEngineError,
    make_driver,
)
from outflank.protocol.drivers.gtp import MAX_ANSWER_BYTES
from outflank.protocol.drivers.process_driver import MAX_TALK_BYTES
from outflank.protocol.drivers.reports import is_thought, read_thought
from outflank.protocol.formats.annotated import AnnotatedGame, AnnotatedMove
from outflank.tests.support import fake_engine
from outflank.tests.support.dialogue import Sit
from outflank.tests.support.positions import WITH_PASSES
from outflank.tests.support.processes import living_members

PROTOCOLS = ("gtp", "nboard", "uci")
QUESTIONS = {"gtp": "genmove black", "nboard": "go", "uci": "go depth 10"}
PATIENCE = 0.4  # seconds for an answer in these tests
SLACK = 5  # seconds that a loaded machine may add; a deadline that does not hold would add for ever
COMMON_FAULTS = [
    ("crash", EngineCrash, "engine A exited with code 3 when asked {0!r}"),
    ("leave quietly", EngineCrash, "engine A exited with code 0 when asked {0!r}"),
    ("segfault", EngineCrash, "engine A was killed by SIGSEGV when asked {0!r}"),
    ("orphan", EngineCrash, "engine A exited with code 5 when asked {0!r}"),
    ("closed output", EngineCrash, "engine A closed its output but keeps running when asked {0!r}"),
    ("silence", EngineTimeout, "engine A gave no complete answer in time when asked {0!r}"),
    ("half a line", EngineTimeout, "in time when asked {0!r}; its last output was '"),
    ("drip", EngineTimeout, "no complete answer in time"),
    ("busy loop", EngineTimeout, "no complete answer in time"),
    ("endless line", EngineProtocolError, "engine A wrote a line of more than 65536 bytes"),
]
FAULTS = [(speak, *fault) for speak in PROTOCOLS for fault in COMMON_FAULTS] + [
    ("gtp", "no blank line", EngineTimeout, "when asked {0!r}; its last output was '= d3'"),
    ("gtp", "line feeds", EngineTimeout, "no complete answer in time"),
    ("gtp", "endless answer", EngineProtocolError, f"engine A wrote more than {MAX_ANSWER_BYTES} bytes"),
    ("gtp", "chatter flood", EngineProtocolError, f"{MAX_ANSWER_BYTES} bytes when one answer was expected"),
    ("gtp", "wrong id", EngineProtocolError, "expected a blank after '=', as no id was sent, got '=7 d3'"),
    ("gtp", "no blank after the sign", EngineProtocolError, "expected a blank after '=', as .* got '=d3'"),
    ("nboard", "endless search", EngineTimeout, "no complete answer in time"),
    ("uci", "endless search", EngineTimeout, "no complete answer in time"),
]


def game(transcript: str = "") -> AnnotatedGame:
    return AnnotatedGame.of(Game.from_transcript(transcript))


def sent(heard: list[str], *words: str) -> list[str]:
    """Return the lines that the engine was sent, if need be only those that begin with one of these words."""
    lines = [line.partition(" > ")[2] for line in heard if " > " in line]
    return [line for line in lines if line.startswith(words or "")]


@pytest.mark.parametrize(("speak", "fault", "error", "sentence"), FAULTS)
def test_each_fault_is_a_typed_error_by_the_deadline(
    sit: Sit, speak: str, fault: str, error: type[EngineError], sentence: str
) -> None:
    """A time-out for each chunk would never come where an engine writes a byte every 5 ms."""
    driver = sit(fault, 1, speak=speak)
    driver.follow(game(), RunningClock(NO_LIMIT))
    asked = time.monotonic()
    with pytest.raises(error, match=sentence.format(QUESTIONS[speak])):
        driver.choose(PATIENCE)
    took = time.monotonic() - asked
    driver.close(0.1)

    assert took < PATIENCE + SLACK
    assert took >= PATIENCE or error is not EngineTimeout
    assert living_members(driver.pid) == []


@pytest.mark.parametrize("speak", ["nboard", "uci"])
def test_a_flood_of_reports_ends_by_its_size(sit: Sit, speak: str) -> None:
    driver = sit("chatter flood", 1, speak=speak)
    driver.follow(game(), RunningClock(NO_LIMIT))
    with pytest.raises(EngineProtocolError, match=f"more than {MAX_TALK_BYTES} bytes when .* was expected"):
        driver.choose(60)


@pytest.mark.parametrize("speak", PROTOCOLS)
def test_a_greeting_before_the_first_answer_is_passed_over(sit: Sit, speak: str) -> None:
    """Some engines print their name between two lines of ``=====``."""
    driver = sit("banner", speak=speak)

    assert driver.decide(game(), RunningClock(NO_LIMIT), 20).text == "d3"
    assert driver.identity.lower().startswith("fake")


NO_GTP = "engine A does not speak GTP: expected an answer beginning with '=' or '?', got "
NO_NBOARD = "engine A does not speak NBoard: expected 'pong 1', got "
GREETING = " (a greeting that begins with '=' is read as an answer)"


@pytest.mark.parametrize(
    ("speak", "script", "sentence"),
    [
        ("gtp", "cat", f"{NO_GTP}'protocol"),
        ("gtp", "yes", f"{NO_GTP}'y'"),
        (
            "gtp",
            "read line; echo '=2'; sleep 9",
            "engine A: expected a blank after '=', as no id was sent, got '=2'",
        ),
        ("gtp", "read line; printf '= 1\\n\\n'; sleep 9", "engine A: expected GTP version 2, got '1'"),
        ("gtp", "read line; printf '= Hi =\\n\\n'; sleep 9", f"expected GTP version 2, got 'Hi ='{GREETING}"),
        ("nboard", "fake speaks GTP", f"{NO_NBOARD}'? unknown command'"),
        ("nboard", "fake", f"{NO_NBOARD}'='"),
        (
            "nboard",
            "read line; echo = 3; echo so it is >&2; exit 1",
            f"{NO_NBOARD}'= 3'; its last line on stderr: so it is",
        ),
        ("uci", "fake speaks GTP", "engine A does not speak UCI: expected 'uciok', got '? unknown command'"),
    ],
)
def test_a_program_that_speaks_something_else_is_refused_soon(speak: str, script: str, sentence: str) -> None:
    command = ["sh", "-c", script]
    if script.startswith("fake"):
        command = fake_engine.command(script.removeprefix("fake").strip())
    spec = EngineSpec.parse(f"name=A protocol={speak} cmd={shlex.quote(shlex.join(command))}")
    began = time.monotonic()
    with make_driver(spec, Rules()) as driver, pytest.raises(EngineProtocolError) as caught:
        driver.open()

    assert sentence in str(caught.value)
    assert time.monotonic() - began < 10
    assert living_members(driver.pid) == []


@pytest.mark.parametrize("speak", PROTOCOLS)
@pytest.mark.parametrize(("script", "error"), [("sleep 60", EngineTimeout), ("exit 3", EngineCrash)])
def test_a_program_that_says_nothing_is_not_waited_for_for_ever(
    monkeypatch: pytest.MonkeyPatch, speak: str, script: str, error: type[EngineError]
) -> None:
    monkeypatch.setattr(f"outflank.protocol.drivers.{speak}.START_SECONDS", 1.0)
    first = {"gtp": "protocol_version", "nboard": "ping 1", "uci": "uci"}[speak]
    spec = EngineSpec.parse(f"name=A protocol={speak} cmd={shlex.quote(f'sh -c {shlex.quote(script)}')}")
    with make_driver(spec, Rules()) as driver, pytest.raises(error, match=f"when asked '{first}'"):
        driver.open()


@pytest.mark.parametrize("speak", PROTOCOLS)
def test_it_follows_a_game_by_its_moves_or_from_the_start(sit: Sit, speak: str) -> None:
    """The fake engine plays the first legal move of the board that it has."""
    heard: list[str] = []
    driver = sit(heard=heard, speak=speak, turn=90)
    beginnings = {"gtp": "clear_board", "nboard": "nboard", "uci": "ucinewgame"}
    clock = RunningClock(NO_LIMIT)
    reply = driver.decide(game("f5d6"), clock, 20)

    assert driver.follow(game(f"f5d6{reply.text}"))  # it knows its own move
    assert driver.follow(game(f"f5d6{reply.text}f4"))
    assert not driver.follow(game("f5d6"))
    assert not driver.follow(game("e6"))
    for transcript in ("f5d6c3", WITH_PASSES[:-8], "f5"):
        so_far = game(transcript)
        first = min(so_far.final.legal_moves(), key=lambda move: str(move)[::-1])
        assert driver.decide(so_far, clock, 20).text == str(first)
    assert len(sent(heard, beginnings[speak])) == (1 if speak == "nboard" else 6)
    if speak == "gtp":
        plays = sent(heard, "play")
        assert plays[:3] == ["play black f5", "play white d6", "play white f4"]
        assert {line.split()[1] for line in sent(heard, "genmove")} == {"black", "white"}
        assert sent(heard, "genmove")[-1] == "genmove white"  # after f5


def test_an_answer_that_was_no_move_leads_nowhere(sit: Sit) -> None:
    """The engine's board is unknown then."""
    driver = sit("illegal", 1)
    driver.follow(game(), RunningClock(NO_LIMIT))

    assert driver.choose(20).text == "a1"
    assert not driver.follow(game("d3"))
    assert driver.follow(game("d3c3"))


FIRST = Position.start().play("f5").play("d6").play("c3")
ANYWHERE = {
    "gtp": "cmd='outflank gtp --level 1'",
    "nboard": "cmd='outflank nboard --level 1' protocol=nboard",
    "uci": f"cmd={shlex.quote(shlex.join(fake_engine.command(speak='uci')))} protocol=uci",
}


@pytest.mark.parametrize("speak", ANYWHERE)
def test_a_game_may_begin_from_any_board(speak: str) -> None:
    so_far = AnnotatedGame(FIRST, (AnnotatedMove(FIRST, FIRST.parse_move("d3"), 0.5),))
    with make_driver(EngineSpec.parse(ANYWHERE[speak]), Rules()) as driver:
        driver.open()
        assert driver.sets_boards_up
        reply = driver.decide(so_far, RunningClock(NO_LIMIT), 20)

    assert so_far.final.is_legal(reply.text)


@pytest.mark.parametrize(("fault", "begin"), [("loads", "< = (;FF[4]A"), ("loads as edax", "< = (;GM[Oth")])
def test_a_board_is_set_up_in_the_format_that_the_engine_reads(sit: Sit, fault: str, begin: str) -> None:
    heard: list[str] = []
    sit(fault, heard=heard).new_game(FIRST)

    assert begin in [line[2:14] for line in heard]


def test_an_engine_that_loads_no_games_can_not_begin_from_any_board(sit: Sit) -> None:
    driver = sit()
    driver.open()

    assert not driver.sets_boards_up
    with pytest.raises(UnfitEngineError, match="can't set up a board: it does not list loadsgf"):
        driver.follow(AnnotatedGame(FIRST))


@pytest.mark.parametrize(
    ("speak", "sentence"),
    [
        ("gtp", "engine A can't set the rules obversi: it does not list outflank-rules"),
        ("nboard", "engine A: NBoard's protocol supports only Othello's moves, not obversi"),
        ("uci", "engine A: UCI engines support only Othello's moves, not obversi"),
    ],
)
def test_rules_with_other_moves_are_refused(sit: Sit, speak: str, sentence: str) -> None:
    with pytest.raises(UnfitEngineError, match=f"^{sentence}$"):
        sit(speak=speak, rules="obversi").open()
    for rules in ("othello,scoring=count", "othello,tie=second"):
        sit(speak=speak, rules=rules).open()


@pytest.mark.parametrize("speak", PROTOCOLS)
def test_an_engine_that_ended_between_two_games_is_started_again(sit: Sit, speak: str) -> None:
    driver = sit(speak=speak, extra="depth=4" if speak != "gtp" else "")
    driver.new_game()
    first = driver.pid
    os.kill(first, signal.SIGKILL)
    driver.new_game()

    assert driver.pid != first
    assert driver.remarks == ["A ended between two games and was restarted"]


@pytest.mark.parametrize(("extra", "same"), [("restart=yes", False), ("", True)])
def test_an_engine_may_get_a_new_process_for_each_game(sit: Sit, extra: str, same: bool) -> None:
    driver = sit(extra=extra)
    driver.new_game()
    first = driver.pid
    driver.new_game()

    assert (driver.pid == first) is same
    assert driver.remarks == []


@pytest.mark.parametrize(
    ("speak", "fault", "extra", "sent_again"),
    [
        ("gtp", "time", "tc=120+0", ["time_settings 120 0 0"]),
        ("nboard", "none", "depth=5 tc=60+0", ["set depth 5"]),
        ("uci", "none", "depth=2 option.Threads=3", ["setoption name Threads value 3"]),
    ],
)
def test_options_change_without_a_new_process(
    sit: Sit, speak: str, fault: str, extra: str, sent_again: list[str]
) -> None:
    heard: list[str] = []
    driver = sit(fault, time="60+0", speak=speak, extra="" if speak == "gtp" else "depth=2", heard=heard)
    driver.new_game()
    first, end = driver.pid, len(heard)
    driver.set_options(driver.spec)
    assert driver.follow(game())
    changed = EngineSpec.parse(extra + f" name=A cmd={shlex.quote(driver.spec.cmd)}", driver.spec.time)
    driver.set_options(replace(driver.spec, time=changed.time, depth=changed.depth, options=changed.options))

    assert not driver.follow(game())
    assert driver.pid == first
    assert sent(heard[end:], "time_settings", "set depth", "setoption") == sent_again


def test_a_changed_command_starts_a_new_process() -> None:
    text = "cmd='outflank nboard --book none' protocol=nboard level={}"
    with make_driver(EngineSpec.parse(text.format(1)), Rules()) as driver:
        driver.new_game()
        first = driver.pid
        driver.set_options(EngineSpec.parse(text.format(2)))
        driver.new_game()

        assert driver.pid != first


@pytest.mark.parametrize(("speak", "fault"), [("gtp", "aloud"), ("nboard", "none"), ("uci", "none")])
def test_scores_are_asked_for_unless_the_spec_says_no(sit: Sit, speak: str, fault: str) -> None:
    heard: list[str] = []
    clock = RunningClock(NO_LIMIT)
    loud, quiet = (sit(fault, 90, speak=speak, extra=extra, heard=heard) for extra in ("", "analysis=no"))

    assert loud.decide(game(), clock, 20).score == 1.0
    end = len(heard)
    assert quiet.decide(game(), clock, 20).score is None
    assert not [line for line in sent(heard[end:]) if "analyze" in line]


def test_who_waits_may_give_up() -> None:
    class Enough(Exception):
        pass

    def lose_patience() -> None:
        raise Enough

    spec = EngineSpec("A", shlex.join(fake_engine.command("silence")), TimeControl())
    with make_driver(spec, Rules()) as driver:
        driver.follow(game(), RunningClock(NO_LIMIT))
        driver.on_wait = lose_patience
        with pytest.raises(Enough):
            driver.choose(60)
        driver.close(0.1)
        assert living_members(driver.pid) == []

        driver.on_wait = lambda: None  # it is started again, and knows nothing of the game
        assert not driver.follow(game("f5"))


def test_an_engine_that_oversteps_its_clock_is_out_of_time(sit: Sit) -> None:
    driver = sit("slow", 1, time="0.2")
    with pytest.raises(
        EngineError,
        match=r"^engine A (gave no complete answer|answered) after 0\.\d{3} s \(0\.200 \+ 0\.050 grace\)",
    ):
        driver.decide(game(), RunningClock(driver.spec.time))


@pytest.mark.parametrize(
    ("line", "thought"),
    [
        ("info move d3 visits 8 scoreLead -1.50 depth 7 pv d3 c3 pass", ("d3", -1.5, "7", "d3 c3 pass")),
        ("info move d3 visits 8", ("d3", None, "", "")),
        ("search D3C3PA +1.00 0 12 9", ("d3", 1.0, "12", "d3 c3 pass")),
        ("search d3 -2 0 7", ("d3", -2.0, "7", "d3")),
        ("info depth 9 seldepth 11 score cp -150 nodes 9 pv P@d3 P@c3 a1a1", ("d3", -1.5, "9", "d3 c3 pass")),
        ("info depth 9 multipv 1 score cp 50 time 3 pv P@d3", ("d3", 0.5, "9", "d3")),
        ("info depth 9 score mate 3 pv P@d3", ("d3", None, "9", "d3")),
        ("info depth 9 score cp 999999 pv P@d3", ("d3", None, "9", "d3")),
    ],
)
def test_a_thought_is_read_in_each_protocol(line: str, thought: tuple[str, float | None, str, str]) -> None:
    report = read_thought(line)

    assert report is not None
    assert (report.text, report.score, report.keys.get("depth", "")) == thought[:3]
    assert " ".join(map(str, report.pv)) == thought[3]
    assert is_thought(line)


def test_other_lines_are_no_thoughts() -> None:
    for line in ("", "search", "info", "info string about the pv d3", "d3", "= d3", "bestmove P@d3"):
        assert read_thought(line) is None
    for info in ("multipv 2 score cp 50 pv P@c3", "currmove P@d3"):
        assert read_thought(f"info depth 9 {info}") is None
