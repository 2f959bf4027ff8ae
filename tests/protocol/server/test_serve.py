"""The server knows protocols by their wire alone; lines keep their order, and only newer ones interrupt."""

import os
import threading
import time
from collections.abc import Iterator

import pytest

from outflank.engine import Colour, Move, Searcher
from outflank.protocol.lines import Inbox, LineKind
from outflank.protocol.server.movesource import SearchSource
from outflank.protocol.server.serve import serve
from outflank.protocol.server.session import Session, Strength
from outflank.tests.support.dialogue import listening, put

PATIENCE = 20  # seconds


class PingPong:
    """``go`` thinks for ever, and says so first; ``ping`` ends that and answers; other lines are nothing."""

    def kind(self, line: bytes) -> LineKind:
        word = line.partition(b" ")[0]
        return LineKind(word in (b"go", b"ping", b"quit"), interrupts=word == b"ping", quits=word == b"quit")

    def answer(self, session: Session, line: bytes) -> Iterator[str]:
        word, _, rest = line.decode().partition(" ")
        if word == "quit":
            session.closed = True
        elif word == "ping":
            yield f"pong {rest}\n"
        else:
            yield "status thinking\n"
            move = session.genmove(Colour.WHITE)
            if not session.inbox.interrupted:
                yield f"=== {move}\n"
            session.undo()


class Served:
    """A session that is served by a thread and spoken to through pipes."""

    def __init__(self, seconds: float) -> None:
        source, self.input = os.pipe()
        self.output, target = os.pipe()
        session = Session(SearchSource(Searcher(1)), strength=Strength(seconds=seconds))
        session.prepare()
        session.play(Colour.BLACK, Move.parse("f5"))  # the first move of a game needs no search

        def run() -> None:
            serve(session, PingPong(), source, target, lambda sign, data: None)
            os.close(target)

        self._thread = threading.Thread(target=run, daemon=True)
        self._thread.start()

    def send(self, text: str) -> None:
        os.write(self.input, text.encode())

    def until(self, end: str) -> str:
        text = ""
        while not text.endswith(end):
            chunk = os.read(self.output, 1 << 16).decode()
            assert chunk, f"expected {end!r}, got {text!r} and the end"
            text += chunk
        return text

    def finish(self) -> str:
        """Return the output after the end of the input."""
        os.close(self.input)
        self._thread.join(PATIENCE)
        assert not self._thread.is_alive()
        return b"".join(iter(lambda: os.read(self.output, 1 << 16), b"")).decode()


@pytest.fixture(autouse=True)
def _patience() -> Iterator[None]:
    began = time.monotonic()
    yield
    assert time.monotonic() - began < PATIENCE


def test_a_command_that_interrupts_ends_the_search_and_is_answered_after_it() -> None:
    served = Served(seconds=1000)
    served.send("go\n")
    assert served.until("\n") == "status thinking\n"

    served.send("ping 7\n")

    assert served.until("\n") == "pong 7\n"
    served.send("quit\n")
    assert served.finish() == ""


def test_all_that_waits_before_such_a_command_is_interrupted_and_nothing_after_it() -> None:
    served = Served(seconds=0.3)

    served.send("go\nnoise\ngo\nping 1\nping 2\ngo\nquit\n")

    first, _, last = served.finish().partition("pong 2\n")
    assert first == "status thinking\nstatus thinking\npong 1\n"
    assert last.startswith("status thinking\n=== ")


def test_the_end_of_the_input_ends_a_search_that_nobody_waits_for() -> None:
    served = Served(seconds=1000)
    served.send("go\n")
    served.until("status thinking\n")

    assert served.finish() == ""


def test_lines_are_taken_in_order_and_an_interrupt_concerns_the_commands_before_it() -> None:
    inbox = listening("name", "", "# a comment", "genmove b", "# interrupt", "genmove w")

    assert [(inbox.take(), inbox.interrupted) for _ in range(4)] == [
        (b"name", True),
        (b"genmove b", True),
        (b"genmove w", False),
        (None, False),
    ]


@pytest.mark.parametrize("line", ["", "# a comment", "name", None])
def test_any_newer_line_is_input_even_a_blank_one_and_so_is_the_end(line: str | None) -> None:
    inbox = Inbox()
    put(inbox, "lz-analyze")
    inbox.take()

    assert not inbox.wait_for_input(0)
    if line is None:
        inbox.close()
    else:
        put(inbox, line)
    assert inbox.wait_for_input(0) is True


def test_the_end_of_a_search_may_be_asked_for_all_that_waits() -> None:
    inbox = listening("genmove b", "genmove w")

    inbox.interrupt()

    for _ in range(2):
        inbox.take()
        assert inbox.interrupted


def test_quit_is_known_before_it_is_executed() -> None:
    assert listening("genmove b", "7 quit").quits
    assert not listening("genmove b", "# quit").quits


def test_a_reader_waits_while_too_much_is_waiting() -> None:
    inbox = Inbox()
    line = b"x" * (1 << 20)

    def put_forty() -> None:
        for _ in range(40):
            inbox.put(line, LineKind())

    flood = threading.Thread(target=put_forty, daemon=True)
    flood.start()
    flood.join(0.2)
    assert flood.is_alive()

    for _ in range(40):
        inbox.take()
    flood.join()
    assert not inbox.wait_for_input(0)


def test_what_ends_the_reading_of_lines_ends_the_session(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without its lines the session waited for ever."""

    def refused(source: int) -> bytes:
        raise MemoryError

    monkeypatch.setattr("outflank.protocol.server.serve._chunk", refused)
    session = Session(SearchSource(Searcher(1)), strength=Strength(seconds=1))
    with pytest.raises(MemoryError):
        serve(session, PingPong(), 0, 1, lambda direction, data: None)
