"""The GTP client against engines with every fault and flood: it names the fault in time and leaves nothing behind."""

import os
import random
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

from outflank.protocol.drivers.client import MAX_ANSWER_BYTES, GtpClient
from outflank.protocol.drivers.errors import (
    EngineCrash,
    EngineError,
    EngineProtocolError,
    EngineRefusal,
    EngineStartError,
    EngineTimeout,
)
from outflank.protocol.drivers.process import ERROR_TAIL_BYTES
from outflank.tests.support import fake_engine
from outflank.tests.support.dialogue import started
from outflank.tests.support.processes import children, living_members, open_files

PATIENCE = 0.4  # seconds for an answer in these tests
SLACK = 2  # seconds that a loaded machine may add; a deadline that does not hold would add for ever


def test_the_handshake_learns_name_version_and_commands() -> None:
    with started() as client:
        assert (client.name, client.version) == ("fake", "")
        assert client.commands == set(fake_engine.COMMANDS)


def test_an_answer_has_its_text_and_the_seconds_it_took() -> None:
    with started("slow") as client:
        answer = client.ask("genmove black", 5)

    assert (answer.ok, answer.text) == (True, "d3")
    assert 0.3 <= answer.seconds < 0.3 + SLACK


def test_a_failure_is_an_answer_to_ask_and_an_error_to_order() -> None:
    with started("refuse") as client:
        answer = client.ask("genmove black")

        assert (answer.ok, answer.text) == (False, "out of ideas")
        with pytest.raises(EngineRefusal, match=r"^engine A refused 'genmove black': out of ideas$"):
            client.order("genmove black")


@pytest.mark.parametrize(
    ("fault", "error", "sentence"),
    [
        ("crash", EngineCrash, "engine A exited with code 3 when asked 'genmove black'"),
        ("leave quietly", EngineCrash, "engine A exited with code 0 when asked 'genmove black'"),
        ("segfault", EngineCrash, "engine A was killed by SIGSEGV when asked 'genmove black'"),
        ("orphan", EngineCrash, "engine A exited with code 5 when asked 'genmove black'"),
        ("closed output", EngineCrash, "engine A closed its output but keeps running when asked"),
        ("silence", EngineTimeout, "engine A gave no complete answer in time when asked 'genmove black'"),
        ("half a line", EngineTimeout, "when asked 'genmove black'; the last it wrote was '= d3'"),
        ("no blank line", EngineTimeout, "when asked 'genmove black'; the last it wrote was '= d3'"),
        ("drip", EngineTimeout, "no complete answer in time"),
        ("line feeds", EngineTimeout, "no complete answer in time"),
        ("endless answer", EngineProtocolError, f"engine A wrote more than {MAX_ANSWER_BYTES} bytes"),
        ("endless line", EngineProtocolError, "engine A wrote a line of more than 65536 bytes"),
        (
            "chatter flood",
            EngineProtocolError,
            f"more than {MAX_ANSWER_BYTES} bytes where one answer was due",
        ),
        ("wrong id", EngineProtocolError, "expected a blank after '=', as no id was sent, got '=7 d3'"),
        ("no blank after the sign", EngineProtocolError, "expected a blank after '='.*got '=d3'"),
    ],
)
def test_each_fault_is_a_typed_error_by_the_deadline(
    fault: str, error: type[EngineError], sentence: str
) -> None:
    with started(fault) as client:
        asked = time.monotonic()
        with pytest.raises(error, match=sentence):
            client.ask("genmove black", PATIENCE)
        took = time.monotonic() - asked
        client.close(0.1)

    assert took < (PATIENCE + SLACK if error is EngineTimeout else 5)
    assert living_members(client.pid) == []


def test_a_deadline_does_not_restart_with_each_byte() -> None:
    """The engine writes a byte every 5 ms for ever; a time-out for each chunk would never come."""
    with started("drip") as client:
        asked = time.monotonic()
        with pytest.raises(EngineTimeout):
            client.ask("genmove black", PATIENCE)
        took = time.monotonic() - asked
        client.close(0.1)

    assert PATIENCE <= took < PATIENCE + SLACK


def test_the_last_words_on_stderr_are_in_the_message_without_control_characters() -> None:
    with (
        GtpClient(fake_engine.command("crash at start"), "engine A") as client,
        pytest.raises(EngineCrash) as caught,
    ):
        client.handshake()

    expected = "exited with code 1 when asked 'protocol_version'; its last words were: no weights found in"
    assert expected in str(caught.value)
    assert str(caught.value).isprintable()


def test_a_crash_in_the_handshake_is_a_crash() -> None:
    with (
        GtpClient(fake_engine.command("crash in handshake"), "engine A") as client,
        pytest.raises(EngineCrash, match="was killed by SIGKILL when asked 'version'"),
    ):
        client.handshake()


def test_lines_between_answers_are_passed_over_and_reported() -> None:
    heard: list[tuple[str, str]] = []
    with GtpClient(
        fake_engine.command("chatter"), on_line=lambda direction, line: heard.append((direction, line))
    ) as client:
        client.handshake()
        assert client.ask("genmove black").text == "d3"
        time.sleep(0.1)
        assert client.ask("genmove white").text == "c3"

    assert ("!", "thinking [31mhard[0m") in heard
    assert (">", "genmove black") in heard
    assert ("<", "= d3") in heard


def test_a_greeting_before_the_handshake_is_forgiven() -> None:
    with started("banner") as client:
        assert client.name == "fake"


@pytest.mark.parametrize("program", ["cat", "yes"])
def test_a_program_that_speaks_no_gtp_is_refused_at_once(program: str) -> None:
    began = time.monotonic()
    with (
        GtpClient([program], "engine A") as client,
        pytest.raises(EngineProtocolError, match=r"^engine A is no GTP engine: expected an answer beginning"),
    ):
        client.handshake()

    assert time.monotonic() - began < 10


def test_gtp_version_1_is_refused() -> None:
    script = "read line; printf '= 1\\n\\n'; sleep 5"
    with (
        GtpClient(["sh", "-c", script], "engine A") as client,
        pytest.raises(EngineProtocolError, match=r"^engine A: expected GTP version 2, got '1'$"),
    ):
        client.handshake()


def test_carriage_returns_tabs_and_control_characters_are_cleaned_away() -> None:
    script = r"while read line; do printf '\r\n=\t2\000\033\r\n\ttwo\n\r\n'; done"
    with GtpClient(["sh", "-c", script]) as client:
        assert client.order("anything") == "2\n two"


def test_a_missing_program_is_named() -> None:
    with pytest.raises(EngineStartError, match=r"^engine A: there is no program 'no-such-program'$"):
        GtpClient(["no-such-program"], "engine A")


def test_a_file_that_is_no_program_is_named(tmp_path: Path) -> None:
    with pytest.raises(EngineStartError, match=r"can't run '.*' \(Permission denied\)"):
        GtpClient([str(tmp_path)], "engine A")


def test_an_answer_written_just_before_the_exit_is_not_lost() -> None:
    with started("leave after move") as client:
        assert client.ask("genmove black").text == "d3"
        with pytest.raises(EngineCrash, match="exited with code 0 when asked 'name'"):
            client.ask("name")


def test_an_engine_that_closes_its_input_is_noticed_without_waiting_for_the_deadline() -> None:
    with started("closed input") as client:
        assert client.ask("genmove black").text == "d3"
        asked = time.monotonic()
        with pytest.raises(EngineCrash, match="closed its input but keeps running when asked 'name'"):
            client.ask("name", 60)
        client.close(0.1)

    assert time.monotonic() - asked < 5


def test_a_command_that_the_engine_does_not_read_meets_the_deadline_too() -> None:
    with started("silence") as client:
        with pytest.raises(EngineTimeout):
            client.ask("genmove black", 0.1)
        with pytest.raises(EngineTimeout):
            client.ask("play black " + "x" * 1_000_000, PATIENCE)
        client.close(0.1)

    assert living_members(client.pid) == []


def test_quit_ends_a_good_engine_at_once() -> None:
    client = started()
    began = time.monotonic()
    client.close(10)

    assert time.monotonic() - began < 2
    assert not client.is_running


def test_an_engine_that_ignores_quit_and_sigterm_is_killed() -> None:
    client = started("stubborn")
    began = time.monotonic()
    client.close(0.2)

    assert 0.4 <= time.monotonic() - began < 0.4 + SLACK
    assert living_members(client.pid) == []


def test_children_that_an_engine_left_behind_are_killed_with_it() -> None:
    with started("orphan") as client, pytest.raises(EngineCrash):
        client.ask("genmove black")

    assert living_members(client.pid) == []


def test_whoever_loses_patience_while_waiting_gets_out() -> None:
    class Enough(Exception):
        pass

    patient = True

    def lose_patience() -> None:
        if not patient:
            raise Enough

    with GtpClient(fake_engine.command("silence"), on_wait=lose_patience) as client:
        client.handshake()
        patient = False
        with pytest.raises(Enough):
            client.ask("genmove black", 60)
        client.close(0.1)

    assert living_members(client.pid) == []


def test_nothing_leaks_however_engines_end() -> None:
    def one_of_each() -> None:
        for fault in ("none", "crash", "closed input", "silence"):
            client = started(fault)
            with suppress(EngineError):
                client.ask("genmove black", 0.05)
            client.close(0.05)
            client.close()

    one_of_each()
    before, others = open_files(), set(children(os.getpid()))
    for _ in range(5):
        one_of_each()

    assert open_files() == before
    assert set(children(os.getpid())) <= others  # no zombie is left to wait for


@pytest.mark.slow
def test_nothing_leaks_in_a_thousand_engines() -> None:
    before = open_files()
    for _ in range(1000):
        started().close()

    assert open_files() == before


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
        from outflank.protocol.drivers.client import GtpClient
        from outflank.protocol.drivers.errors import EngineError
        from outflank.tests.support import fake_engine

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
    pieces = [b"=", b"?", b" ", b"\n", b"\n\n", b"\r", b"\t", b"\0", b"\x1b", b"\xff", b"7"]
    pieces += [b"info move d3", b"play d3"]
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
