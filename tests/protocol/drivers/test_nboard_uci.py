"""The words of NBoard's protocol and of UCI: what engines are sent, and how their answers are read."""

import pytest

from outflank.engine import Position
from outflank.protocol.clock import NO_LIMIT, RunningClock
from outflank.protocol.drivers import EngineSpec, TimeControl, UnfitEngineError
from outflank.protocol.drivers.nboard import instructions, read_origin, sent_clock
from outflank.protocol.drivers.uci import position_line, search_limits
from outflank.protocol.formats.annotated import AnnotatedGame
from outflank.protocol.server.uci import read_fen
from outflank.tests.support.dialogue import Sit

START = AnnotatedGame()


@pytest.mark.parametrize(
    ("fault", "text", "score"),
    [
        *((fault, "D3", 1.0) for fault in ("none", "reports without a move", "slow", "error flood")),
        *((fault, "D3", None) for fault in ("no score", "time alone", "not a score", "too much")),
        ("thousands of digits", "D3", None),
        ("blanks", "D3", -1.0),
        ("nonsense", "hello", None),
        ("empty", "", None),
        ("needless pass", "PASS", None),
    ],
)
def test_an_answer_of_nboard_is_read_however_it_is_written(
    sit: Sit, fault: str, text: str, score: float | None
) -> None:
    driver = sit(fault, 1, speak="nboard")
    driver.follow(START, RunningClock(NO_LIMIT))
    reply = driver.choose(20)

    assert (reply.text, reply.score) == (text, score)
    assert reply.seconds < 20


@pytest.mark.parametrize(
    ("line", "origin"),
    [
        ("book F5 +2.00 0 100%W", {"F5": True}),
        ("search f5d6c3 +2.00 0 12", {"F5": False}),
        ("book", {}),
        ("status F5", {}),
    ],
)
def test_a_report_tells_whether_its_first_move_is_from_a_book(line: str, origin: dict[str, bool]) -> None:
    assert read_origin(line) == origin


def test_a_name_that_is_said_between_two_commands_is_learned(sit: Sit) -> None:
    driver = sit("no clock", speak="nboard", extra="depth=8")
    driver.open()
    assert driver.own_name == "Edax8"
    driver.tell("set depth 9")
    driver.synchronise()

    assert driver.own_name == "Edax9"


def test_what_came_before_the_pong_answers_nothing(sit: Sit) -> None:
    """The second answer to a `go` is not the answer to the next one."""
    heard: list[str] = []
    driver = sit("twice", 1, heard=heard, speak="nboard")
    for _ in range(3):
        driver.new_game()
        assert driver.decide(START, RunningClock(NO_LIMIT), 20).text == "d3"

    assert heard.count("A < === D3") == 3


@pytest.mark.parametrize(
    ("time", "text"),
    [
        ("900+0", "15:00"),
        ("60.9+1.9", "1:00/0:01"),
        ("60+0.5", "1:00"),
        ("5400+0", "90:00"),
        *((other, "") for other in ("none", "0.5", "0.5+1", "60+10/5")),
    ],
)
def test_a_clock_is_sent_in_whole_seconds_or_not_at_all(time: str, text: str) -> None:
    assert sent_clock(TimeControl.parse(time)) == text


SENT_10 = "it is sent 'set depth 10' (depth=N selects another)"


@pytest.mark.parametrize(
    ("fault", "settings", "remarks"),
    [
        (
            "none",
            "tc=0.5 depth=4",
            ["A can't be sent its time control 0.5 in a game record, but is held to it"],
        ),
        ("none", "", [f"A was given no depth: {SENT_10}"]),
        ("no clock", "tc=100+0", [f"A ignores the clock in the game record: {SENT_10}"]),
        ("no clock", "tc=100+0 depth=8", []),
    ],
)
def test_what_nboards_protocol_cannot_say_is_remarked(
    sit: Sit, fault: str, settings: str, remarks: list[str]
) -> None:
    words = dict(word.split("=") for word in settings.split())
    driver = sit(fault, 90, words.pop("tc", "none"), speak="nboard", extra=settings.partition(" ")[2])
    reply = driver.decide(START, RunningClock(driver.spec.time), 20)

    assert reply.text == "d3"  # an engine that knows no clock does not think for ever
    assert driver.remarks == remarks


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("depth=6", ["set depth 6"]),
        ("level=12 threads=2", ["set depth 12"]),
        ("level=4 command='set contempt 0' command='set depth {level}'", ["set contempt 0", "set depth 4"]),
        ("level=4 cmd='x -l {level}'", ["set depth 4"]),
        ("level=4 depth=6 cmd='x -l {level}'", ["set depth 6"]),
        ("tc=60+1 depth=6", ["set depth 6"]),
        ("", ["set depth 10"]),
        ("tc=0.5", ["set depth 10"]),
        ("tc=60+1", ["set depth 60"]),
        ("tc=60+1 command='set depth 7'", ["set depth 7"]),
        ("tc=60+1 level=4 cmd='outflank nboard'", []),
    ],
)
def test_nboard_is_sent_a_depth_and_then_what_the_user_wants(text: str, lines: list[str]) -> None:
    command = "" if "cmd=" in text else "cmd=x"
    assert instructions(EngineSpec.parse(f"{command} protocol=nboard {text}")) == lines


@pytest.mark.parametrize("text", ["nodes=100", "option.hash=64", "level=4 depth=5"])
def test_what_nboard_cannot_be_sent_is_refused(text: str) -> None:
    sentence = r"engine x: NBoard's protocol can only set a depth: .*(nodes|hash|level)="
    with pytest.raises(UnfitEngineError, match=sentence):
        instructions(EngineSpec.parse(f"cmd=x protocol=nboard {text}"))


@pytest.mark.parametrize(
    ("fault", "extra", "sentence"),
    [
        ("chess alone", "", r"engine A does not play Othello: UCI_Variant can't be flipello"),
        ("none", "option.Contempt=3", r"has no option 'Contempt'; it has Threads, Move Overhead, UCI_Var"),
        ("none", "level=3", r"has no option 'level'"),
    ],
)
def test_a_uci_engine_that_cannot_be_sent_an_option_is_unfit(
    sit: Sit, fault: str, extra: str, sentence: str
) -> None:
    with pytest.raises(UnfitEngineError, match=sentence):
        sit(fault, extra=extra, speak="uci").open()


def test_a_uci_engine_is_sent_its_options_its_commands_and_the_board(sit: Sit) -> None:
    heard: list[str] = []
    extra = "threads=2 option.'Move Overhead'=50 command='debug on' depth=4"
    sit(extra=extra, heard=heard, speak="uci").decide(START, RunningClock(NO_LIMIT), 20)

    assert [line.removeprefix("A > ") for line in heard if line.startswith("A > ")] == [
        "uci",
        "setoption name UCI_Variant value flipello",
        "setoption name Move Overhead value 50",
        "setoption name Threads value 2",
        "debug on",
        "isready",
        "ucinewgame",
        "isready",
        position_line(Position.start()),
        "isready",
        "go depth 4",
    ]


def test_blacks_discs_are_whites_pieces_and_squares_keep_their_names() -> None:
    after = Position.start().play("f5")

    assert position_line(after) == (f"position fen 8/8/8/3PPP2/3pP3/8/8/8[{'P' * 59}{'p' * 59}] b - - 0 1")
    assert read_fen(position_line(after).split()[2:]) == after


@pytest.mark.parametrize(
    ("control", "extra", "limits"),
    [
        ("0.5", "", "movetime 500"),
        ("0.5", "nodes=900", "nodes 900 movetime 500"),
        ("60+0", "", "wtime 60000 btime 60000 winc 0 binc 0"),
        ("60+1.5", "", "wtime 60000 btime 60000 winc 1500 binc 1500"),
        ("0+6/3", "", "wtime 6000 btime 6000 winc 0 binc 0 movestogo 3"),
        ("none", "depth=7", "depth 7"),
        ("none", "", "depth 10"),
        ("none", "cmd='outflank uci'", ""),
    ],
)
def test_the_clock_of_uci_is_sent_with_each_question(control: str, extra: str, limits: str) -> None:
    command = "" if "cmd=" in extra else "cmd=x"
    spec = EngineSpec.parse(f"{command} protocol=uci tc={control} {extra}")

    assert search_limits(spec, RunningClock(TimeControl.parse(control))) == limits


@pytest.mark.parametrize("fault", ["mate", "too many pieces"])
def test_a_score_that_no_game_can_have_is_not_kept(sit: Sit, fault: str) -> None:
    reply = sit(fault, 1, speak="uci").decide(START, RunningClock(NO_LIMIT), 20)

    assert (reply.text, reply.score) == ("d3", None)
