"""``outflank nboard`` as a process: interruptions, the order of answers, the ends."""

import re
import subprocess
import time
from pathlib import Path

import pytest

from outflank.tests.protocol.nboard.dialogue import COMMAND, Program, check_line, ggf

START = f"nboard 2\nset depth 60\nset game {ggf()}\n"
SOON = 20  # seconds, on a loaded machine; what is interrupted here would take hours


def run(data: str, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [*COMMAND, *arguments], input=data.encode(), capture_output=True, timeout=60, check=False
    )


@pytest.mark.parametrize("work", ["hint 4", "analyze", "go"])
def test_a_ping_ends_the_work_and_nothing_of_it_follows(work: str) -> None:
    with Program() as program:
        program.write(f"{START}{work}\n")
        program.until("search" if work != "analyze" else "status")
        began = time.monotonic()
        program.write("ping 5\n")
        before = program.until("pong", SOON)

        assert time.monotonic() - began < SOON
        assert before[-1] == "pong 5"
        assert sum(line.startswith("===") for line in before) == (work == "go")
        program.write("ping 6\nquit\n")
        assert program.line() == "pong 6"
        assert program.finish() == (0, "", "")


def test_any_command_ends_a_hint() -> None:
    with Program() as program:
        program.write(START)
        for line in ("set depth 60", "set contempt 5", "move F5", "nboard 2", "learn", "hint 2"):
            program.write("hint 1\n")
            program.until("search")
            program.write(f"{line}\n")
            assert program.until("status waiting", SOON)
        program.write("quit\n")
        assert program.finish(SOON)[0] == 0


def test_a_line_that_is_no_command_ends_nothing() -> None:
    with Program() as program:
        program.write(f"nboard 2\nset depth 8\nset game {ggf()}\ngo\nnonsense\n\n# stop\n")
        lines = program.until("===")

        assert [line for line in lines if re.match(r"search \S+ \S+ 0 8@", line)]


def test_pings_are_answered_in_order_and_every_go_once() -> None:
    result = run(START + "".join(f"go\nping {number}\n" for number in range(20)) + "quit\n")

    lines = result.stdout.decode().splitlines()
    answers = [line.split("/")[0] for line in lines if line.startswith(("===", "pong"))]
    assert [line[:4].strip() for line in answers] == ["===", "pong"] * 20
    assert answers[1::2] == [f"pong {number}" for number in range(20)]
    for line in lines:
        check_line(line)


def test_what_follows_a_pong_is_about_the_new_position() -> None:
    with Program() as program:
        program.write(f"{START}hint 1\n")
        program.until("search")
        program.write(f"ping 1\nset game {ggf('B[F5]')}\nping 2\nhint 1\n")
        program.until("pong 1", SOON)
        after = program.until("search", SOON)

        assert after[:-1] == ["pong 2", "status analysing"]
        assert re.match(r"search (D6|F4|F6)", after[-1])


def test_the_end_of_the_input_ends_a_search_and_the_program() -> None:
    result = run(f"{START}go\n")

    assert (result.returncode, result.stderr) == (0, b"")
    assert result.stdout.decode().splitlines()[-1].startswith("=== ")


def test_an_empty_input_is_no_failure() -> None:
    result = run("")

    assert (result.returncode, result.stdout, result.stderr) == (0, b"", b"")


def test_the_log_holds_both_sides(tmp_path: Path) -> None:
    log = tmp_path / "nboard.log"
    run("ping 1\nquit\n", "--log", str(log))

    told = [line.split(maxsplit=1)[1] for line in log.read_text().splitlines()]
    assert sorted(told) == ["< ping 1", "< quit", "> pong 1"]


def test_wrong_use_is_told_in_one_sentence() -> None:
    result = run("", "--level", "61")

    assert (result.returncode, result.stdout) == (2, b"")
    assert b"expected a whole number from 0 to 60, got '61'" in result.stderr
