"""The GTP client against engines with every fault: it names the fault in time and leaves nothing behind."""

import time
from pathlib import Path

import pytest

from outflank.protocol.opponent.client import MAX_ANSWER_BYTES, GtpClient
from outflank.protocol.opponent.errors import (
    EngineCrash,
    EngineError,
    EngineProtocolError,
    EngineRefusal,
    EngineStartError,
    EngineTimeout,
)
from outflank.tests import fake_engine
from outflank.tests.processes import living_members
from outflank.tests.protocol.opponent.clients import started

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
    with pytest.raises(
        EngineStartError, match=r"^engine A: expected a program to run, found no 'no-such-program'$"
    ):
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
