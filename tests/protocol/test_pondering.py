"""Searching on the opponent's time: only then, only if asked for, and never in the way."""

import os
import threading
import time
from pathlib import Path

import pytest

from outflank.engine import Game, Limit, Move, Searcher
from outflank.protocol.lines import Inbox
from outflank.protocol.movesource import SearchSource
from outflank.protocol.session import Session, Strength
from outflank.tests.protocol.dialogue import Dialogue, Program, put


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
