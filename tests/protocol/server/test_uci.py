"""Outflank as a UCI engine, driven by our own driver: positions, limits, passes, and lines that are wrong."""

import random
import re
import shlex
import time
from collections.abc import Iterator

import pytest

from outflank.engine import PASS, Game, Position, Rules
from outflank.protocol.drivers import EngineSpec, UciDriver
from outflank.protocol.drivers.uci import position_line
from outflank.protocol.lines import LINE_CAP
from outflank.protocol.server.uci import read_fen
from outflank.tests.support.dialogue import Program, run_program
from outflank.tests.support.positions import CUT_SHORT, WITH_PASSES
from outflank.tests.support.program import OUTFLANK

USUAL_START = position_line(Position.start())


@pytest.fixture(scope="module")
def opened() -> Iterator[UciDriver]:
    command = shlex.quote(f"{shlex.quote(OUTFLANK)} uci")  # a path may have blanks
    with UciDriver(EngineSpec.parse(f"name=U cmd={command} book=none"), Rules()) as driver:
        driver.open()
        yield driver


@pytest.fixture
def engine(opened: UciDriver) -> UciDriver:
    opened.tell("ucinewgame")
    opened.synchronise()  # reads what the test before left unread
    return opened


def test_it_introduces_itself_and_offers_othello_alone(engine: UciDriver) -> None:
    assert engine.own_name.startswith("Outflank ")
    assert engine.options == {"UCI_Variant": "combo default flipello var flipello"}


def test_a_board_that_our_driver_writes_is_read_as_it_was() -> None:
    chance = random.Random(5)
    for _ in range(50):
        position = Position.start()
        while not position.is_over:
            position = position.play(chance.choice([*position.legal_moves()] or [PASS]))
            words = position_line(position).split()[2:]

            assert read_fen(words) == position


def test_a_forced_pass_is_a_disc_that_stays_and_may_be_sent_or_left_out(engine: UciDriver) -> None:
    game = Game()
    for move in (WITH_PASSES[at : at + 2] for at in range(0, len(WITH_PASSES), 2)):
        if game.position.must_pass:
            break
        game.play(move)
    assert game.position.must_pass
    moves = " ".join(f"P@{turn.move}" for turn in game.turns)

    engine.tell(f"{USUAL_START} moves {moves}")
    passed = engine.go("depth 2", 20).text
    assert passed[:2] == passed[2:]

    answers = []
    for word in (passed, "0000", "@@@@", "--", "PASS", "pa", "ps"):
        engine.tell(f"{USUAL_START} moves {moves} {word}")
        answers.append(engine.go("depth 2", 20).text)
    assert len({*answers}) == 1
    assert answers[0] in [str(move) for move in game.position.pass_().legal_moves()]


def test_a_search_without_end_ends_with_stop_and_has_one_move(engine: UciDriver) -> None:
    engine.tell("position startpos")
    engine.tell("go infinite")
    time.sleep(0.3)

    engine.tell("stop")
    assert engine.go("depth 1", 20).text in ("c5", "d6", "e3", "f4")


@pytest.mark.alone
def test_a_clock_ends_its_search(engine: UciDriver) -> None:
    for limits in ("movetime 100", "wtime 500 btime 1 winc 0 binc 0", "wtime 100 btime 1 movestogo 1"):
        engine.tell("position startpos")
        engine.synchronise()

        assert engine.go(limits, 20).seconds < 2


FULL_BUT_ONE = "position fen PPPPPPP1/PPPPPPPp/PPPPPPPp/PPPPPPPp/PPPPPPPp/PPPPPPPp/PPPPPPPp/PPPPPPPP w"


class UciProgram(Program):
    command = (OUTFLANK, "uci", "--book", "none")


@pytest.mark.parametrize("position", ["position startpos", FULL_BUT_ONE], ids=["searching", "searched"])
def test_it_says_at_once_that_it_is_ready_while_it_searches(position: str) -> None:
    with UciProgram() as program:
        for sent in (f"{position}\ngo infinite\nisready\n", "isready\n"):
            program.write(sent)
            assert "bestmove" not in program.read_until(b"readyok\n")
        program.write("stop\n")
        assert "readyok" not in program.read_until(b"bestmove ")


def test_it_is_not_ready_before_the_commands_that_came_earlier_are_done() -> None:
    with UciProgram() as program:
        program.write("go infinite\nposition startpos\nisready\nstop\n")
        assert "bestmove " in program.read_until(b"readyok\n")


REFUSED = (
    "position startpos moves P@e3 P@a1",
    "position startpos moves P@e3 zz",
    "position fen 8/8/8/8 w",
    "position",
)
ODD_QUESTIONS = (
    "go depth 1 searchmoves P@e3",
    "go depth 1 searchmoves zz",
    "go searchmoves",
    "go depth x",
    "go depth 1 nonsense",
    "go nodes -5 movetime",
    "go depth 1" + " " * LINE_CAP,
)


def asked(*lines: str) -> list[str]:
    """Return the lines that ``outflank uci`` writes before it ends."""
    return (
        run_program("".join(f"{line}\n" for line in lines).encode(), command=UciProgram.command)
        .stdout.decode()
        .splitlines()
    )


def test_a_position_that_was_refused_leaves_no_old_board_behind() -> None:
    for line in REFUSED:
        said = asked("position startpos", line, "go depth 1", "position startpos", "go depth 1")

        assert next(each for each in said if each.startswith("bestmove")) == "bestmove (none)"
        assert said[0].startswith("info string ")
        assert re.fullmatch("bestmove P@(e3|f4|c5|d6)", said[-1])


def test_every_go_gets_exactly_one_legal_move_whatever_it_says() -> None:
    said = asked("position startpos moves P@e3", *ODD_QUESTIONS, "go depth 1")
    chosen = [line for line in said if line.startswith("bestmove")]

    assert len(chosen) == len(ODD_QUESTIONS) + 1
    assert {*chosen} <= {"bestmove P@d3", "bestmove P@f3", "bestmove P@f5"}


@pytest.mark.parametrize("end", ["ponderhit", "stop"])
@pytest.mark.parametrize("limits", ["depth 1", "movetime 1"])
@pytest.mark.parametrize("position", ["position startpos", FULL_BUT_ONE], ids=["searching", "searched"])
def test_pondering_waits_for_its_end(position: str, limits: str, end: str) -> None:
    with UciProgram() as program:
        for sent in (f"{position}\ngo ponder {limits}\nisready\n", "isready\n"):
            program.write(sent)
            assert "bestmove" not in program.read_until(b"readyok\n")
        program.write(f"{end}\n")
        assert program.read_until(b"bestmove ").count("bestmove") == 1
        program.write("isready\n")
        assert "bestmove" not in program.read_until(b"readyok\n")


def test_the_last_line_before_the_move_is_about_it_where_a_limit_cut_the_search() -> None:
    fen = position_line(CUT_SHORT)
    *_, before, info, choice = asked(fen, "go nodes 3000")
    move = choice.split()[1]

    assert f" pv {move}" in info
    assert f" pv {move}" not in before
