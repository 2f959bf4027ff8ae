"""``outflank gtp`` as a process: ends, signals and interrupts in any state (reliability tests 5 and 11)."""

import random
import re
import signal
import time

import pytest

from outflank.tests.protocol.dialogue import Program
from outflank.tests.stalls import at_most

# Long enough to be still under way whenever a test looks, whatever the machine.
ENDLESS = "genmove b"
NO_LIMIT = ("--depth", "60")


@pytest.fixture(autouse=True, scope="module")
def _signals_as_in_a_terminal() -> None:
    """A shell lets what it starts in the background ignore SIGINT, and children would inherit that."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.mark.parametrize("beginning", ["", "na", ENDLESS + "\n", "lz-analyze b 10\n", "name\n" * 100])
def test_the_end_of_the_input_in_any_state_ends_the_program_within_a_second(beginning: str) -> None:
    with Program(*NO_LIMIT) as program:
        program.wait_until_ready()
        program.write(beginning)
        time.sleep(0.2)
        with at_most(1):
            program.close_input()
            code, _, error = program.finish()

        assert (code, error) == (0, "")


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)]
)
@pytest.mark.parametrize("line", ["", ENDLESS + "\n", "lz-analyze b 10\n", "lz-genmove_analyze b 10\n"])
def test_a_signal_in_any_state_ends_the_program_within_a_second(
    number: signal.Signals, code: int, line: str
) -> None:
    with Program(*NO_LIMIT) as program:
        program.wait_until_ready()
        program.write(line)
        time.sleep(0.2)
        with at_most(1):
            program.process.send_signal(number)

            assert program.finish()[::2] == (code, "")


def signals_at_random_moments(times: int, seed: int) -> None:
    """Reliability test 11: signals during searches, in the first 60 ms of them."""
    moments = random.Random(seed)
    for _ in range(times):
        number = moments.choice([signal.SIGINT, signal.SIGTERM])
        with Program(*NO_LIMIT, "--hash", "16") as program:
            program.ask("name")
            program.write(ENDLESS + "\n")
            time.sleep(moments.random() * 0.06)
            with at_most(1):
                program.process.send_signal(number)
                code, _, error = program.finish()
            assert (code, error) == (128 + number, "")


def test_a_signal_ends_a_search_at_any_moment() -> None:
    signals_at_random_moments(10, seed=1)


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_a_signal_ends_a_search_at_any_moment_many_times() -> None:
    signals_at_random_moments(200, seed=2)


def test_a_stopped_and_continued_program_goes_on() -> None:
    with Program("--time", "0.2") as program:
        program.write("genmove b\n")
        program.process.send_signal(signal.SIGSTOP)
        time.sleep(0.5)
        program.process.send_signal(signal.SIGCONT)

        assert re.fullmatch(r"= [a-h][1-8]\n\n", program.answer(5))
        assert program.ask("name") == "Outflank"


def test_an_interrupt_ends_a_search_at_once_with_a_move() -> None:
    with Program(*NO_LIMIT) as program:
        program.wait_until_ready()
        program.write("5 genmove b\n")
        time.sleep(0.3)
        with at_most(0.3):
            program.write("# interrupt\n")

            assert re.fullmatch(r"=5 [a-h][1-8]\n\n", program.answer())
        assert program.ask("undo") == ""


def test_an_interrupt_sent_with_the_command_is_not_lost() -> None:
    with Program(*NO_LIMIT) as program:
        program.wait_until_ready()
        for _ in range(20):
            with at_most(1):
                program.write("genmove b\n# interrupt\n")
                program.answer()
            program.ask("undo")


def test_an_interrupt_without_a_search_is_only_a_comment() -> None:
    with Program("--level", "1") as program:
        program.write("# interrupt\n")

        assert program.ask("name") == "Outflank"
        assert program.ask("genmove b")
