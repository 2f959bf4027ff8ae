"""Driving GTP: the wire under floods and noise, what the specification leaves open, clocks, moves and scores read."""

import os
import random
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from outflank.engine import Game
from outflank.protocol.clock import NO_LIMIT, RunningClock, TimeControl
from outflank.protocol.drivers import (
    EngineCrash,
    EngineError,
    EngineRefusal,
    EngineSpec,
    EngineStartError,
    EngineTimeout,
    Reply,
    UnfitEngineError,
)
from outflank.protocol.drivers.dialect import Dialect, choose_dialect
from outflank.protocol.drivers.gtp import genmove_command, genmove_line, instructions, read_reply
from outflank.protocol.drivers.process import ERROR_TAIL_BYTES
from outflank.protocol.formats.annotated import AnnotatedGame
from outflank.tests.support import fake_engine
from outflank.tests.support.dialogue import Sit, driver_of, started
from outflank.tests.support.positions import WITH_PASSES
from outflank.tests.support.processes import children, living_members, open_files

PATIENCE = 0.4  # seconds for an answer in these tests
SLACK = 2  # seconds that a loaded machine may add; a deadline that does not hold would add for ever
KATA = "info move d3 visits 81 winrate 0.61 scoreMean {0} scoreLead {0} prior 0.2 order 0 pv d3 c3"


def sh(script: str) -> list[str]:
    return ["sh", "-c", script]


def test_the_handshake_learns_name_version_and_commands_and_answers_have_text_and_seconds() -> None:
    with started("slow") as driver:
        assert (driver.own_name, driver.version, driver.identity) == ("fake", "", "fake")
        assert driver.commands == set(fake_engine.COMMANDS)
        answer = driver.ask("genmove black", 5)

    assert (answer.ok, answer.text) == (True, "d3")
    assert 0.3 <= answer.seconds < 0.3 + SLACK


def test_a_failure_is_an_answer_to_ask_and_an_error_to_order() -> None:
    with started("refuse") as driver:
        answer = driver.ask("genmove black")

        assert (answer.ok, answer.text) == (False, "out of ideas")
        with pytest.raises(EngineRefusal, match=r"^engine A refused 'genmove black': out of ideas$"):
            driver.order("genmove black")


def test_the_last_words_on_stderr_are_in_the_message_without_control_characters() -> None:
    with pytest.raises(EngineCrash) as caught:
        started("crash at start")

    expected = (
        "exited with code 1 when asked 'protocol_version'; its last line on stderr: no weights found in"
    )
    assert expected in str(caught.value)
    assert str(caught.value).isprintable()


def test_lines_between_answers_are_passed_over_and_reported() -> None:
    heard: list[str] = []
    with started("chatter", heard=heard) as driver:
        assert driver.ask("genmove black").text == "d3"
        time.sleep(0.1)
        assert driver.ask("genmove white").text == "c3"

    assert {"A ! thinking [31mhard[0m", "A > genmove black", "A < = d3"} <= set(heard)


def test_carriage_returns_tabs_and_control_characters_are_cleaned_away() -> None:
    with driver_of(sh(r"while read line; do printf '\r\n=\t2\000\033\r\n\ttwo\n\r\n'; done")) as driver:
        assert driver.order("anything") == "2\n two"


@pytest.mark.parametrize(
    ("program", "sentence"),
    [
        ("no-such-program", r"^engine A: there is no program 'no-such-program'$"),
        ("/", r"can't run '/' \(Permission denied\)"),
    ],
)
def test_what_is_no_program_is_named(program: str, sentence: str) -> None:
    with pytest.raises(EngineStartError, match=sentence):
        driver_of([program])


def test_an_answer_written_just_before_the_exit_is_not_lost() -> None:
    with started("leave after move") as driver:
        assert driver.ask("genmove black").text == "d3"
        with pytest.raises(EngineCrash, match="exited with code 0 when asked 'name'"):
            driver.ask("name")


def test_an_engine_that_closes_its_input_is_noticed_without_waiting_for_the_deadline() -> None:
    with started("closed input") as driver:
        assert driver.ask("genmove black").text == "d3"
        asked = time.monotonic()
        with pytest.raises(EngineCrash, match="closed its input but keeps running when asked 'name'"):
            driver.ask("name", 60)
        driver.close(0.1)

    assert time.monotonic() - asked < 5


def test_a_command_that_the_engine_does_not_read_meets_the_deadline_too() -> None:
    with started("silence") as driver:
        with pytest.raises(EngineTimeout):
            driver.ask("genmove black", 0.1)
        with pytest.raises(EngineTimeout):
            driver.ask("play black " + "x" * 1_000_000, PATIENCE)
        driver.close(0.1)

    assert living_members(driver.pid) == []


@pytest.mark.parametrize(
    ("fault", "patience", "least", "most"), [("none", 10, 0, 2), ("stubborn", 0.2, 0.4, 0.4 + SLACK)]
)
def test_quit_ends_a_good_engine_and_a_stubborn_one_is_killed(
    fault: str, patience: float, least: float, most: float
) -> None:
    driver = started(fault)
    began = time.monotonic()
    driver.close(patience)

    assert least <= time.monotonic() - began < most
    assert not driver.is_running
    assert living_members(driver.pid) == []


@pytest.mark.parametrize("times", [5, pytest.param(250, marks=[pytest.mark.slow, pytest.mark.timeout(900)])])
def test_nothing_leaks_however_engines_end(times: int) -> None:
    engines = set()

    def one_of_each() -> None:
        for fault in ("none", "crash", "closed input", "silence"):
            driver = started(fault)
            engines.add(driver.pid)
            with suppress(EngineError):
                driver.ask("genmove black", 0.05)
            driver.close(0.05)
            driver.close()

    one_of_each()
    before = open_files()
    for _ in range(times):
        one_of_each()

    assert open_files() == before
    assert len(engines) >= 4
    # No engine is a zombie. Orphans of other tests' programs may have become children of this process.
    assert engines.isdisjoint(children(os.getpid()))


def test_a_hundred_megabytes_on_stderr_neither_block_nor_pile_up() -> None:
    with started("error flood") as driver:
        assert driver.ask("genmove black", 20).text == "d3"
        deadline = time.perf_counter() + 5  # with the portable code another thread reads it
        while (words := driver._child.last_words()) != "so much for that" and time.perf_counter() < deadline:
            time.sleep(0.01)
        assert words == "so much for that"
        assert len(driver._child._errors) <= ERROR_TAIL_BYTES


def test_whatever_an_engine_writes_our_memory_stays_small() -> None:
    """Measured in a process of its own, where nothing else has raised the peak."""
    script = """if True:
        import resource
        from contextlib import suppress
        from outflank.protocol.drivers import EngineError
        from outflank.tests.support.dialogue import started

        def peak():
            return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

        def meet(fault, seconds):
            with started(fault) as driver, suppress(EngineError):
                driver.ask("genmove black", seconds)
                driver.close(0.1)

        meet("none", 5)
        before = peak()
        for fault in ("endless answer", "endless line", "chatter flood", "line feeds", "drip", "error flood"):
            meet(fault, 1)
        print(peak() - before)
    """
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)

    assert int(ran.stdout) < 8 * 1024  # kilobytes


@pytest.mark.parametrize("times", [40, pytest.param(500, marks=pytest.mark.slow)])
def test_noise_is_an_answer_or_a_typed_error_in_time(rng: random.Random, tmp_path: Path, times: int) -> None:
    """Engines answer with bytes out of which answers are made."""
    path = tmp_path / "noise"
    pieces = [b"=", b"?", b" ", b"\n", b"\n\n", b"\r", b"\t", b"\0", b"\x1b", b"\xff", b"7"]
    pieces += [b"info move d3", b"play d3"]
    for _ in range(times):
        noise = b"".join(rng.choices(pieces, k=rng.randrange(12)))
        path.write_bytes(noise)
        with driver_of(sh(f"read line; cat {path}; {rng.choice(['sleep 1000', 'exit 3'])}")) as driver:
            asked = time.monotonic()
            with suppress(EngineError):
                answer = driver.ask("genmove black", 0.05, watching=rng.random() < 0.5)
                assert all(c >= " " or c == "\n" for c in answer.text), noise
            assert time.monotonic() - asked < 0.05 + SLACK, noise
            driver.close(0)
        assert living_members(driver.pid) == []


def test_of_the_lines_of_an_analysis_the_last_is_kept_however_many_there_are() -> None:
    """Together they are far more than one answer may hold."""
    script = r"""
        read line
        printf '= \n'
        for number in $(seq 20000); do echo "info move f5 scoreLead $number pv f5 d6 c3 d3 c4 f4 f6 f3 e6 e7"; done
        printf 'play f5\n\n'
    """
    with driver_of(sh(script)) as driver:
        answer = driver.ask("kata-genmove_analyze black 10", 30, watching=True)

    assert answer.text == "info move f5 scoreLead 20000 pv f5 d6 c3 d3 c4 f4 f6 f3 e6 e7\nplay f5"


def test_an_engine_that_refuses_a_pass_is_not_sent_another(sit: Sit) -> None:
    """Also by the process that follows."""
    heard: list[str] = []
    driver = sit("refuse pass", heard=heard)
    game = AnnotatedGame.of(Game.from_transcript(WITH_PASSES))
    assert sum(made.move.is_pass for made in game.moves) > 1
    for _ in range(2):
        driver.follow(game)
        driver.close()

    assert driver.implicit_passes
    assert heard.count("A < ? syntax error") == 1
    assert driver.remarks == [
        "A rejects 'play COLOUR pass', so forced passes are not sent to it (passes=implicit)"
    ]


def test_an_engine_that_refuses_to_think_aloud_is_asked_for_plain_moves(sit: Sit) -> None:
    heard: list[str] = []
    driver, clock = sit("deaf aloud", turn=90, heard=heard), RunningClock(NO_LIMIT)
    for _ in range(2):
        assert driver.decide(AnnotatedGame(), clock, 20).text == "d3"
        driver.dismiss()

    assert heard.count("A > kata-genmove_analyze black 50") == 1
    assert driver.remarks == ["A lists kata-genmove_analyze but rejects it, so plain moves are requested"]


@pytest.mark.parametrize(
    ("listed", "line"),
    [
        ("genmove lz-genmove_analyze", "lz-genmove_analyze white 50"),
        ("kata-genmove_analyze lz-genmove_analyze", "kata-genmove_analyze white 50"),
        ("", "genmove white"),
    ],
)
def test_the_command_that_reports_most_is_chosen_and_genmove_if_there_is_none(listed: str, line: str) -> None:
    assert genmove_line(genmove_command(frozenset(listed.split())), "white") == line


NOTHING_TO_READ = [
    *("move d3 pv d3 book 1", "move c4 book 1 pv c4", "move d3 pv d3 scoreLead 5.0", "move pv d3"),
    *(f"move d3 scoreLead {number} pv d3" for number in ("1e9", "400.0", "nan", "9" * 5000)),
]


@pytest.mark.parametrize(
    ("text", "move", "score", "from_book"),
    [
        (f"{KATA.format('1.00')}\n{KATA.format('-2.50')}\nplay d3", "d3", -2.5, None),  # the last report
        (f"{KATA.format('1.00')} info move C4 scoreLead 3.5 order 1 pv c4\nplay c4", "c4", 3.5, None),
        (f"{KATA.format('1.00')}\nplay c4", "c4", 1.0, None),  # of the best move
        (f"info move pv c4 {KATA.format('1.00')} info move pv e6\nplay d3", "d3", 1.0, None),
        ("info move d3 scoreLead 1.0 book 1 pv d3 info move c4 book 0 pv c4\nplay d3", "d3", 1.0, True),
        ("info move c4 book 1 pv c4 info move d3 book 0 pv d3\nplay d3", "d3", None, False),
        ("info move d3 book 1 pv d3\ninfo move d3 book 0 pv d3\nplay D3", "D3", None, False),
        *((f"info {info}\nplay d3", "d3", None, None) for info in NOTHING_TO_READ),
        ("play d3", "d3", None, None),
        ("info nothing at all\nplay resign", "resign", None, None),
        ("info\nplay pass", "pass", None, None),
        ("d3", "d3", None, None),
        ("", "", None, None),
        ("play", "", None, None),
        ("info move d3 scoreLead 1.0 pv d3", "info move d3 scoreLead 1.0 pv d3", None, None),
    ],
)
def test_move_score_and_book_are_read_from_the_reports_of_the_move_played_or_else_of_the_best(
    text: str, move: str, score: float | None, from_book: bool | None
) -> None:
    assert read_reply(Reply(text, 0.1)) == Reply(move, 0.1, score, from_book)
    assert read_reply(Reply(text, 0.1, ok=False)) == Reply(text, 0.1, ok=False)


@pytest.mark.parametrize(
    ("text", "listed", "commands"),
    [
        ("cmd='outflank gtp' level=4 nodes=1000 threads=2 option.hash=16", "", []),
        ("cmd='edax -l {level} -n {threads} {hash}' level=4 option.hash=ab", "", []),
        (
            "cmd=x nodes=50 command='limit nodes {nodes}' command=clear_cache",
            "",
            ["limit nodes 50", "clear_cache"],
        ),
        (
            "cmd=x level=4 nodes=50 option.maxTime=2 command=hello",
            "set_level kata-set-param",
            ["set_level 4", "kata-set-param nodes 50", "kata-set-param maxTime 2", "hello"],
        ),
        ("cmd=x threads=4", "", []),  # a mere declaration
    ],
)
def test_settings_without_a_place_in_a_command_are_sent(text: str, listed: str, commands: list[str]) -> None:
    assert instructions(EngineSpec.parse(text), frozenset(listed.split())) == commands


@pytest.mark.parametrize("name", ["level", "depth", "nodes", "option.size"])
def test_an_engine_that_cannot_be_sent_a_setting_is_unfit(name: str) -> None:
    word = name.removeprefix("option.")
    with pytest.raises(
        UnfitEngineError,
        match=f"engine x can't be sent {word}=.*: its command has no {{{word}}}, and it lists neither ",
    ):
        instructions(EngineSpec.parse(f"cmd=x {name}=4"), frozenset())


# --- The commands that set the clock


CLOCK_COMMANDS = frozenset({"time_settings", "time_left"})
SPECIFIED = ("strict", CLOCK_COMMANDS)
KATA_CLOCKS = (
    "free",
    CLOCK_COMMANDS | {"kata-time_settings", "kata-list_time_settings"},
    frozenset({"none", "absolute", "canadian", "fischer"}),
)


@pytest.mark.parametrize(
    ("time", "spec", "kata"),
    [
        ("60+0", "time_settings 60 0 0", "time_settings 60 0 0"),
        ("60+10/5", "time_settings 60 10 5", "time_settings 60 10 5"),
        ("2", "time_settings 0 2 1", "time_settings 0 2 1"),
        ("60+1", "time_settings 60 0 0", "kata-time_settings fischer 60 1"),
        ("2.5", "time_settings 0 2 1", "kata-time_settings canadian 0 2.5 1"),
        ("10.5+0", "time_settings 10 0 0", "kata-time_settings absolute 10.5"),
        ("0.5", None, "kata-time_settings canadian 0 0.5 1"),
        ("0.5+0.1", None, "kata-time_settings fischer 0.5 0.1"),
        ("none", None, None),
    ],
)
def test_the_exact_form_is_preferred_and_rounding_never_grants_time(
    time: str, spec: str | None, kata: str | None
) -> None:
    control = TimeControl.parse(time)

    assert choose_dialect(control, *SPECIFIED).settings == spec
    assert choose_dialect(control, *KATA_CLOCKS).settings == kata


@pytest.mark.parametrize(
    ("time", "engine", "settings"),
    [
        ("60+1", (*KATA_CLOCKS[:2], {"none", "absolute"}), "time_settings 60 0 0"),  # without fischer
        ("60+1", (*SPECIFIED, frozenset(), Dialect.FISCHER), None),
        ("60+0", ("deaf", {"play", "genmove"}), None),
    ],
)
def test_what_is_not_listed_is_not_used(time: str, engine: tuple[Any, ...], settings: str | None) -> None:
    dialect = choose_dialect(TimeControl.parse(time), *engine)

    assert dialect.settings == settings
    assert engine[0] != "deaf" or not dialect.sends_left


def test_the_time_left_has_fractions_if_the_engine_takes_them_and_is_never_rounded_to_nothing() -> None:
    strict, free = (choose_dialect(TimeControl.parse("10+0"), *engine) for engine in (SPECIFIED, KATA_CLOCKS))

    assert strict.time_left("black", 7.9, 0) == "time_left black 7 0"
    assert free.time_left("black", 7.9, 0) == "time_left black 7.9 0"
    assert strict.time_left("white", 0.4, 0) == "time_left white 1 0"


@pytest.mark.parametrize(
    ("dialect", "time", "settings"),
    [
        (Dialect.SPEC, "60+1", "time_settings 60 0 0"),
        (Dialect.SPEC, "0.5", None),
        (Dialect.FISCHER, "60+0", "kata-time_settings absolute 60"),
        (Dialect.FISCHER, "2", "kata-time_settings canadian 0 2 1"),
        (Dialect.PER_MOVE, "2", "time_settings 2 0 1"),
        (Dialect.PER_MOVE, "0.5", "time_settings 0 1 1"),
        (Dialect.PER_MOVE, "60+0", "time_settings 60 0 0"),
        (Dialect.PER_MOVE, "60+10/1", "time_settings 60 10 1"),
        (Dialect.INCREMENT, "60+2", "time_settings 60 2 0"),
        (Dialect.INCREMENT, "2", "time_settings 0 2 0"),
        (Dialect.INCREMENT, "60+0", "time_settings 60 0 0"),
        (Dialect.INCREMENT, "60+10/5", "time_settings 60 0 0"),
        (Dialect.INCREMENT, "0.5+0.5", None),
    ],
)
def test_a_dialect_that_is_named_is_spoken(dialect: Dialect, time: str, settings: str | None) -> None:
    assert choose_dialect(TimeControl.parse(time), *KATA_CLOCKS, dialect).settings == settings


def test_edax_is_known_by_its_name_and_gets_its_time_before_the_board_is_cleared() -> None:
    dialect = choose_dialect(TimeControl.parse("2"), "Edax 4.6", CLOCK_COMMANDS)

    assert (dialect.settings, dialect.before_board) == ("time_settings 2 0 1", True)
    assert not choose_dialect(TimeControl.parse("2"), *SPECIFIED).before_board
