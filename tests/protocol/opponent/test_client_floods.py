"""Whatever an engine writes and however much: an answer or a typed error in time, and memory stays small."""

import random
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

from outflank.protocol.opponent.client import GtpClient
from outflank.protocol.opponent.errors import (
    EngineError,
)
from outflank.protocol.opponent.process import ERROR_TAIL_BYTES
from outflank.tests.processes import living_members
from outflank.tests.protocol.opponent.clients import started

PATIENCE = 0.4  # seconds for an answer in these tests
SLACK = 2  # seconds that a loaded machine may add; a deadline that does not hold would add for ever


def test_a_hundred_megabytes_on_stderr_neither_block_nor_pile_up() -> None:
    with started("error flood") as client:
        assert client.ask("genmove black", 20).text == "d3"
        assert client._process.last_words() == "so much for that"
        assert len(client._process._errors) <= ERROR_TAIL_BYTES


def test_whatever_an_engine_writes_our_memory_stays_small() -> None:
    """Measured in a process of its own, where nothing else has raised the peak."""
    script = """if True:
        import resource
        from contextlib import suppress
        from outflank.protocol.opponent.client import GtpClient
        from outflank.protocol.opponent.errors import EngineError
        from outflank.tests import fake_engine

        def peak():
            return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

        def meet(fault, seconds):
            with GtpClient(fake_engine.command(fault)) as client, suppress(EngineError):
                client.handshake()
                client.ask("genmove black", seconds)
                client.close(0.1)

        meet("none", 5)
        before = peak()
        for fault in ("endless answer", "endless line", "chatter flood", "line feeds", "drip", "error flood"):
            meet(fault, 1)
        print(peak() - before)
    """
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)

    assert int(ran.stdout) < 8 * 1024  # kilobytes


def meet_noise(rng: random.Random, path: Path, times: int) -> None:
    """Engines that answer with bytes out of which answers are made: an answer or a typed error, in time."""
    pieces = [
        b"=",
        b"?",
        b" ",
        b"\n",
        b"\n\n",
        b"\r",
        b"\t",
        b"\0",
        b"\x1b",
        b"\xff",
        b"7",
        b"info move d3",
        b"play d3",
    ]
    for _ in range(times):
        noise = b"".join(rng.choices(pieces, k=rng.randrange(12)))
        path.write_bytes(noise)
        with GtpClient(
            ["sh", "-c", f"read line; cat {path}; {rng.choice(['sleep 1000', 'exit 3'])}"]
        ) as client:
            asked = time.monotonic()
            with suppress(EngineError):
                answer = client.ask("genmove black", 0.05, watching=rng.random() < 0.5)
                assert all(c >= " " or c == "\n" for c in answer.text), noise
            assert time.monotonic() - asked < 0.05 + SLACK, noise
            client.close(0)
        assert living_members(client.pid) == []


def test_noise_is_an_answer_or_a_typed_error_in_time(rng: random.Random, tmp_path: Path) -> None:
    meet_noise(rng, tmp_path / "noise", 40)


@pytest.mark.slow
def test_much_noise_is_an_answer_or_a_typed_error_in_time(rng: random.Random, tmp_path: Path) -> None:
    meet_noise(rng, tmp_path / "noise", 500)


def test_of_the_lines_of_an_analysis_the_last_is_kept_however_many_there_are() -> None:
    """Together they are far more than one answer may hold."""
    script = r"""
        read line
        printf '= \n'
        for number in $(seq 20000); do echo "info move f5 scoreLead $number pv f5 d6 c3 d3 c4 f4 f6 f3 e6 e7"; done
        printf 'play f5\n\n'
    """
    with GtpClient(["sh", "-c", script]) as client:
        answer = client.ask("kata-genmove_analyze black 10", 30, watching=True)

    assert answer.text == "info move f5 scoreLead 20000 pv f5 d6 c3 d3 c4 f4 f6 f3 e6 e7\nplay f5"
