"""Outflank as a UCI engine, driven by our own driver: positions, limits, passes, and lines that are wrong."""

import random
import time
from collections.abc import Iterator

import pytest

from outflank.engine import PASS, Game, NotationError, Position, Rules
from outflank.protocol.drivers import EngineSpec, UciDriver
from outflank.protocol.drivers.uci import position_line
from outflank.protocol.server.uci import read_fen
from outflank.tests.support.dialogue import Program
from outflank.tests.support.positions import WITH_PASSES
from outflank.tests.support.program import OUTFLANK

USUAL_START = position_line(Position.start())


@pytest.fixture(scope="module")
def opened() -> Iterator[UciDriver]:
    with UciDriver(EngineSpec.parse(f"name=U cmd='{OUTFLANK} uci' book=none"), Rules()) as driver:
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


@pytest.mark.parametrize(
    "fen",
    [
        "",
        "8",
        "8/8/8/8/8/8/8/8",
        "9/8/8/8/8/8/8/8 w",
        "8/8/8/7/8/8/8/8 w",
        "8/8/8/8/8/8/8/8/8 w",
        "8/8/8/k7/8/8/8/8 w",
    ],
)
def test_a_fen_that_is_none_is_refused(fen: str) -> None:
    with pytest.raises(NotationError):
        read_fen(fen.split())


def test_the_start_and_its_first_moves_are_those_of_fairy_stockfish(engine: UciDriver) -> None:
    engine.tell("position startpos")
    assert engine.go("depth 1", 20).text in ("c5", "d6", "e3", "f4")

    engine.tell("position startpos moves P@f4")
    assert engine.go("depth 1", 20).text in ("d3", "f3", "f5")


@pytest.mark.parametrize("before", ["", "position startpos moves P@f4\nucinewgame\n"])
def test_without_a_position_the_start_is_searched(before: str) -> None:
    with UciProgram() as program:
        program.write(f"{before}go depth 1\n")
        program.read_until(b"bestmove P@")

        assert program.read_until(b"\n").split()[0] in ("c5", "d6", "e3", "f4")


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
    for word in (passed, "0000"):
        engine.tell(f"{USUAL_START} moves {moves} {word}")
        answers.append(engine.go("depth 2", 20).text)
    assert answers[0] == answers[1]
    assert answers[0] in [str(move) for move in game.position.pass_().legal_moves()]


def test_a_wrong_line_changes_nothing(engine: UciDriver) -> None:
    engine.tell("position startpos moves P@f4")
    for line in (
        "position startpos moves P@a1",
        "position fen x w",
        "position",
        "go depth x",
        "go searchmoves",
        "go searchmoves P@a1",
        "go searchmoves P@d3 0000",
        "go depth 1 searchmoves d3",
        "setoption name Hash value 1",
        "nonsense",
    ):
        engine.tell(line)
    engine.synchronise()

    assert engine.go("depth 2", 20).text in ("d3", "f3", "f5")


def test_a_search_without_end_ends_with_stop_and_has_one_move(engine: UciDriver) -> None:
    engine.tell("position startpos")
    engine.tell("go infinite")
    time.sleep(0.3)

    engine.tell("stop")
    assert engine.go("depth 1", 20).text in ("c5", "d6", "e3", "f4")


@pytest.mark.alone
@pytest.mark.parametrize(
    "limits", ["movetime 100", "wtime 500 btime 1 winc 0 binc 0", "wtime 100 btime 1 movestogo 1"]
)
def test_a_clock_ends_its_search(engine: UciDriver, limits: str) -> None:
    engine.tell("position startpos")
    engine.synchronise()

    assert engine.go(limits, 20).seconds < 2


def test_the_end_of_a_game_has_no_move(engine: UciDriver) -> None:
    engine.tell(
        "position fen PPPPPPPP/PPPPPPPP/PPPPPPPP/PPPPPPPP/PPPPPPPP/PPPPPPPP/PPPPPPPP/PPPPPPPp[] w - - 0 1"
    )

    assert engine.go("depth 3", 20).text == "(none)"


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


@pytest.mark.parametrize(
    "order", ["searchmoves P@d3 depth 4", "depth 4 searchmoves P@d3", "searchmoves P@d3"]
)
def test_only_the_moves_that_are_named_are_searched(engine: UciDriver, order: str) -> None:
    engine.tell("position startpos moves P@e3")

    assert engine.go(order, 20).text == "d3"
