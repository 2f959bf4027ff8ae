"""The NBoard client against engines with every fault: it names the fault in time and leaves nothing behind."""

import sys
import time

import pytest

from outflank.protocol.drivers.engineclient import MAX_TALK_BYTES
from outflank.protocol.drivers.errors import EngineCrash, EngineError, EngineProtocolError, EngineTimeout
from outflank.protocol.drivers.nboardclient import NBoardClient
from outflank.tests.support import fake_engine, fake_nboard_engine
from outflank.tests.support.processes import living_members

PATIENCE = 0.4  # seconds for an answer in these tests
SLACK = 5  # seconds that a loaded machine may add; a deadline that does not hold would add for ever
START = "set game (;GM[Othello];)"


def client(fault: str = "none", turn: int = 1, heard: list[str] | None = None) -> NBoardClient:
    listener = None if heard is None else lambda *words: heard.append(" ".join(words))
    return NBoardClient(fake_nboard_engine.command(fault, turn), "engine A", on_line=listener)


def test_the_handshake_learns_the_name() -> None:
    with client() as engine:
        engine.handshake()

        assert engine.name == "Fake Engine"


def test_a_name_that_is_said_between_two_commands_is_learned() -> None:
    with client("no clock") as engine:
        engine.handshake()
        engine.tell("set depth 8")
        time.sleep(PATIENCE)  # in which it says its name
        engine.tell(START)
        engine.synchronise()

        assert engine.name == "Edax8"


@pytest.mark.parametrize(
    ("fault", "text", "score"),
    [
        ("none", "D3", 1.0),
        ("blanks", "d3", -1.0),
        ("no score", "d3", None),
        ("time alone", "d3", None),
        ("not a score", "d3", None),
        ("too much", "d3", 6400.0),
        ("thousands of digits", "d3", None),
        ("reports without a move", "D3", 1.0),
        ("nonsense", "hello", None),
        ("empty", "", None),
        ("needless pass", "PA", None),
        ("slow", "D3", 1.0),
        ("error flood", "D3", 1.0),
    ],
)
def test_an_answer_is_read_however_it_is_written(fault: str, text: str, score: float | None) -> None:
    with client(fault) as engine:
        engine.handshake()
        engine.tell(START)
        engine.synchronise()
        chosen = engine.go(20)

    assert (chosen.text, chosen.score) == (text, score)
    assert chosen.seconds < 20


@pytest.mark.parametrize(
    ("fault", "error", "sentence"),
    [
        ("crash", EngineCrash, "engine A exited with code 3 when asked 'go'"),
        ("leave quietly", EngineCrash, "engine A exited with code 0 when asked 'go'"),
        ("segfault", EngineCrash, "engine A was killed by SIGSEGV when asked 'go'"),
        ("orphan", EngineCrash, "engine A exited with code 5 when asked 'go'"),
        ("closed output", EngineCrash, "engine A closed its output but keeps running when asked 'go'"),
        ("silence", EngineTimeout, "engine A gave no complete answer in time when asked 'go'"),
        ("half a line", EngineTimeout, "no complete answer in time"),
        ("drip", EngineTimeout, "no complete answer in time"),
        ("busy loop", EngineTimeout, "no complete answer in time"),
        ("endless search", EngineTimeout, "no complete answer in time"),
        ("endless line", EngineProtocolError, "engine A wrote a line of more than 65536 bytes"),
    ],
)
def test_each_fault_is_a_typed_error_by_the_deadline(
    fault: str, error: type[EngineError], sentence: str
) -> None:
    with client(fault) as engine:
        engine.handshake()
        asked = time.monotonic()
        with pytest.raises(error, match=sentence):
            engine.go(PATIENCE)
        took = time.monotonic() - asked
        engine.close(0.1)

        assert took < PATIENCE + SLACK
        assert living_members(engine.pid) == []


def test_a_flood_of_reports_ends_by_its_size() -> None:
    with client("chatter flood") as engine:
        engine.handshake()
        with pytest.raises(
            EngineProtocolError, match=f"more than {MAX_TALK_BYTES} bytes where .* 'go' was due"
        ):
            engine.go(60)


def test_what_came_before_the_pong_answers_nothing() -> None:
    """The second answer to a `go` is not the answer to the next one."""
    heard: list[str] = []
    with client("twice", heard=heard) as engine:
        engine.handshake()
        for _ in range(3):
            engine.tell(START)
            engine.synchronise()
            assert engine.go(20).text == "d3"

    assert heard.count("< === d3") == 3


@pytest.mark.parametrize(
    ("command", "sentence"),
    [
        (
            fake_nboard_engine.command("speaks GTP"),
            "engine A is no NBoard engine: expected 'pong 1', got '? unknown command'",
        ),
        (fake_engine.command(), "engine A is no NBoard engine: expected 'pong 1', got '='"),
        (
            [sys.executable, "-c", "print('= 3.14'); raise SystemExit('so it is')"],
            "engine A is no NBoard engine: expected 'pong 1', got '= 3.14'; its last words were: so it is",
        ),
    ],
)
def test_a_program_that_speaks_something_else_is_told_so_soon(command: list[str], sentence: str) -> None:
    with NBoardClient(command, "engine A") as engine:
        with pytest.raises(EngineProtocolError) as told:
            engine.handshake()

        assert str(told.value) == sentence


def test_a_greeting_is_passed_over() -> None:
    with client("banner") as engine:
        engine.handshake()
        assert engine.go(20).text == "D3"


@pytest.mark.parametrize(("fault", "error"), [("no pong", EngineTimeout), ("crash at start", EngineCrash)])
def test_a_program_that_says_nothing_is_not_waited_for_for_ever(fault: str, error: type[EngineError]) -> None:
    with client(fault) as engine, pytest.raises(error, match="when asked 'ping 1'"):
        engine.handshake(2)
