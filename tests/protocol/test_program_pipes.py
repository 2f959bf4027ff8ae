"""``outflank gtp`` as a process: floods, and those who don't read (reliability tests 1, 2, 6 and 7)."""

import os
import random
import re
import subprocess
import time
from pathlib import Path

import pytest

from outflank.protocol.gtp.grammar import parse
from outflank.tests.protocol.dialogue import PROGRAM, Program, check_form


def resident_mb(pid: int) -> float:
    """The memory a process holds."""
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


# --- Floods


def test_commands_may_be_sent_without_reading_the_answers() -> None:
    """Reliability test 6."""
    with Program() as program:
        lines = [f"{number} gogui-rules_board\n" for number in range(10000)]
        sender = program.write_meanwhile("".join(lines))
        sender.join(30)
        assert not sender.is_alive(), "expected all commands to be taken without an answer being read"

        for number in range(10000):
            assert program.answer().startswith(f"={number} . .")


def random_lines(size: int, seed: int) -> bytes:
    """Random bytes, made to hold known commands here and there."""
    source = random.Random(seed)
    data = bytearray(source.randbytes(size))
    for _ in range(size // 200):
        at = source.randrange(size)
        word = source.choice(
            [b"\nplay b ", b"\nplay w d3\n", b"\nundo\n", b"\n5 boardsize ", b"\ngogui-setup ", b"\n"]
        )
        data[at : at + len(word)] = word
    return bytes(data) + b"\n"


def survive_random_bytes(size: int, seed: int) -> None:
    """Reliability test 1: an answer for each line that is not blank, and no memory eaten."""
    data = random_lines(size, seed)
    commands = [command for line in data.split(b"\n") if (command := parse(line))]
    assert not any(command.name == "quit" for command in commands)
    with Program() as program:
        program.wait_until_ready()
        before = resident_mb(program.process.pid)
        sender = program.write_meanwhile(data)
        for command in commands:
            answer = program.answer()
            check_form(answer)
            assert answer[1:].startswith(command.id)
        sender.join()
        assert program.ask("name") == "Outflank"
        assert resident_mb(program.process.pid) < before + 64
        program.close_input()
        assert program.finish()[:2] == (0, "")


def test_random_bytes_are_survived() -> None:
    survive_random_bytes(1 << 19, seed=1)


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize("seed", range(3))
def test_ten_megabytes_of_random_bytes_are_survived(seed: int) -> None:
    survive_random_bytes(10 << 20, seed)


@pytest.mark.parametrize("megabytes", [8, pytest.param(100, marks=pytest.mark.slow)])
def test_an_endless_line_fails_once(megabytes: int) -> None:
    """Reliability test 2."""
    with Program() as program:
        program.wait_until_ready()
        before = resident_mb(program.process.pid)
        program.write("12 play ")
        for _ in range(megabytes):
            program.write(b"x" * (1 << 20))
        program.write("\n13 name\n")

        assert program.answer() == "?12 syntax error: the line is longer than 1048576 bytes\n\n"
        assert program.answer() == "=13 Outflank\n\n"
        assert resident_mb(program.process.pid) < before + 16


def test_a_flood_of_short_lines_keeps_memory_bounded() -> None:
    with Program() as program:
        program.wait_until_ready()
        before = resident_mb(program.process.pid)
        sender = program.write_meanwhile(b"\n" * (4 << 20) + b"a\n" * 200_000)
        sender.join(1)

        assert resident_mb(program.process.pid) < before + 64


# --- Those who read the answers


def test_a_reader_that_has_gone_is_no_trouble() -> None:
    """Reliability test 7: quiet, and code 0 or 141."""
    with Program() as program:
        program.ask("name")
        assert program.process.stdout is not None
        program.process.stdout.close()
        program.process.stdout = None
        program.write("name\n" * 10)
        code, _, error = program.finish(5)

        assert (code, error) == (141, "")


def test_a_slow_reader_costs_no_processor_time() -> None:
    with Program() as program:
        program.ask("name")
        program.write("gogui-rules_board\n" * 5000)
        # On a busy machine it takes a while until all is read and the pipe is full.
        assert any(spent_in_a_second(program.process.pid) < 0.1 for _ in range(10))
        assert spent_in_a_second(program.process.pid) < 0.1
        for _ in range(5000):
            program.answer()


def spent_in_a_second(pid: int) -> float:
    """Processor time a process uses within the next second."""
    before = cpu_seconds(pid)
    time.sleep(1)
    return cpu_seconds(pid) - before


def cpu_seconds(pid: int) -> float:
    """Processor time a process has used."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def test_no_place_to_write_is_told_in_one_sentence() -> None:
    with Path("/dev/full").open("wb") as full:
        result = subprocess.run(
            PROGRAM, input=b"name\n", stdout=full, stderr=subprocess.PIPE, check=False, timeout=20
        )

    assert result.returncode == 1
    assert re.fullmatch(rb"outflank: .*No space left on device.*\n", result.stderr)
