"""Lines keep their order, and only newer ones interrupt."""

import threading
import time

from outflank.protocol.lines import Inbox, LineKind
from outflank.tests.protocol.dialogue import listening, put


def test_lines_are_taken_in_order_and_blank_ones_left_out() -> None:
    inbox = listening("name", "", "# a comment", "version")

    assert [inbox.take(), inbox.take(), inbox.take()] == [b"name", b"version", None]


def test_an_interrupt_concerns_the_commands_before_it() -> None:
    inbox = listening("genmove b", "# interrupt", "genmove w")

    inbox.take()
    assert inbox.interrupted
    inbox.take()
    assert not inbox.interrupted


def test_any_newer_line_is_input_even_a_blank_one() -> None:
    for line in ("", "# a comment", "name"):
        inbox = Inbox()
        put(inbox, "lz-analyze")
        inbox.take()

        assert not inbox.wait_for_input(0)
        put(inbox, line)
        assert inbox.wait_for_input(0)


def test_the_end_of_the_lines_is_input_too() -> None:
    inbox = listening("lz-analyze")

    inbox.take()

    assert inbox.wait_for_input(0)


def test_waiting_for_input_ends_as_soon_as_it_comes() -> None:
    inbox = Inbox()
    put(inbox, "lz-analyze")
    inbox.take()
    threading.Timer(0.05, put, [inbox, ""]).start()
    began = time.monotonic()

    assert inbox.wait_for_input(10)

    assert time.monotonic() - began < 5


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

    taken = 0
    while flood.is_alive() or inbox.wait_for_input(0):
        inbox.take()
        taken += 1
    assert taken == 40
