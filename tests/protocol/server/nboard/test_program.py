"""``outflank nboard`` as a process, its clock, and whatever a controller sends: every answer is one of the protocol."""

import doctest
import re
import subprocess
import time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from outflank.engine import Clock, Colour
from outflank.protocol.lines import LINE_CAP
from outflank.protocol.server.nboard.commands import COMMANDS
from outflank.protocol.server.session import Strength
from outflank.tests.support.installation import ROOT
from outflank.tests.support.nboard_dialogue import COMMAND, Dialogue, Program, check_line, ggf

START = f"nboard 2\nset depth 60\nset game {ggf()}\n"
SOON = 20  # seconds, on a loaded machine; what is interrupted here would take hours
BLACK, WHITE = Colour.BLACK, Colour.WHITE
QUIET = sorted(COMMANDS.keys() - {"analyze"})
LINES = st.one_of(
    st.binary(max_size=80),
    st.builds(lambda name, rest: f"{name} {rest}".encode(), st.sampled_from(QUIET), st.text(max_size=40)),
    st.builds(
        lambda moves: f"set game (;GM[Othello]{''.join(moves)};)".encode(),
        st.lists(
            st.sampled_from(["B[F5]", "W[D6]", "W[PA]", "B[", "]", "TI[9]", "BO[8 x]", "(;", "W[F6/1/-2]"])
        ),
    ),
    st.builds(
        lambda square, rest: f"move {square}{rest}".encode(),
        st.sampled_from(["f5", "d6", "F6", "pa", "C3", "z9", ""]),
        st.sampled_from(["", "/", "//", "/1", "/1/2", "//1e9", "//-7", "//nan", "/inf/inf"]),
    ),
)


def run(data: str, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [*COMMAND, *arguments], input=data.encode(), capture_output=True, timeout=60, check=False
    )


def test_the_program_answers_as_its_page_shows() -> None:
    lines = re.findall(r"^    ([<>]) (.*\n)", (ROOT / "docs" / "nboard.md").read_text(), re.MULTILINE)
    *typed, move = [line for sign, line in lines if sign == ">"]
    shown = "".join(line for sign, line in lines if sign == "<")
    with Program() as program:
        program.write("".join(typed))
        answer = "\n".join([*program.until("==="), ""])
        program.write(f"{move}ping 2\n")

        assert doctest.OutputChecker().check_output(shown, answer, doctest.ELLIPSIS), answer
        assert program.line() == "pong 2"


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

        assert after[:-1] == ["pong 2", "status analyzing"]
        assert re.match(r"search (D6|F4|F6)", after[-1])


def test_the_end_of_the_input_ends_a_search_and_the_program() -> None:
    result = run(f"{START}go\n")

    assert (result.returncode, result.stderr) == (0, b"")
    assert run("").stdout == b""
    assert result.stdout.decode().splitlines()[-1].startswith("=== ")


MINUTE = f"set game {ggf(TI='1:00')}"
INCREMENTS = f"set game {ggf('B[F5//10.5]W[F6/1.00/20]B[E6]', TI='1:00/0:02')}"
EXTENDED = f"set game {ggf('B[F5//70]W[F6//5]', TI='1:00//0:30')}"


@pytest.mark.parametrize(
    ("lines", "black", "white"),
    [
        ([INCREMENTS], Clock(53.5, increment=2.0), Clock(42.0, increment=2.0)),
        ([MINUTE, "move F5//10", "move F6/150", "move E6/0/5.5"], Clock(44.5), Clock(60.0)),
        ([f"set game {ggf(TI='0')}"], None, None),
        ([f"set game {ggf(TI='0:00//2:00')}"], None, None),
        ([f"set game {ggf('B[F5//10]')}", "move F6//3"], None, None),
        ([MINUTE, f"set game {ggf()}"], None, None),
        ([EXTENDED], Clock(20.0), Clock(55.0)),
        ([EXTENDED, "move E6//25"], Clock(0.0), Clock(55.0)),
    ],
    ids=[
        *("increments are added", "a move takes its time", "no time", "an extension alone"),
        *("no clock", "no clock any more", "the extension is given to who needs it", "and once"),
    ],
)
def test_a_clock_has_what_the_moves_have_left(
    lines: list[str], black: Clock | None, white: Clock | None
) -> None:
    dialogue = Dialogue()
    for line in lines:
        assert dialogue.send(line) == []

    assert dialogue.session.clocks[BLACK].reading == black
    assert dialogue.session.clocks[WHITE].reading == white


@pytest.mark.parametrize(
    ("depth", "game", "command", "reached"),
    [
        (3, ggf("B[F5]", TI="99:00:00"), "go", range(3, 4)),
        (60, ggf("B[F5//59]W[F6]", TI="1:00"), "go", range(1, 30)),
        (5, ggf("B[F5//60]W[F6//60]", TI="1:00"), "hint 1", range(5, 6)),
    ],
    ids=["the depth ends a move", "the clock ends a move", "no clock ends a hint"],
)
def test_a_search_ends_at_its_depth_or_by_the_clock(
    depth: int, game: str, command: str, reached: range
) -> None:
    dialogue = Dialogue(strength=Strength())
    dialogue.send(f"set depth {depth}")
    dialogue.send(f"set game {game}")
    depths = re.findall(r"^search \S+ \S+ 0 (\d+)", "\n".join(dialogue.send(command)), re.MULTILINE)

    assert int(depths[-1]) in reached
    assert list(map(int, depths)) == list(range(1, int(depths[-1]) + 1))


@given(st.lists(LINES, max_size=12))
@example([b"set game (;GM[Othello]TI[1];)", b"move f5//99999999", b"go"])
@example([b"nboard\t2", b"no\x00board 2", b"set\x0b depth 3"])
def test_nothing_makes_it_say_what_the_protocol_does_not_know(lines: list[bytes]) -> None:
    """``Dialogue.send`` looks at every line."""
    dialogue = Dialogue()
    for line in lines:
        before = dialogue.state()
        told = dialogue.send(line)
        if line.split()[:1] != [b"hint"] and any(text.startswith("status expected") for text in told):
            assert dialogue.state() == before, line
        assert not [text for text in told if "internal error" in text], line


def test_a_line_that_is_too_long_fails_once_and_changes_nothing() -> None:
    dialogue = Dialogue()
    before = dialogue.state()
    line = f"set game {ggf('B[F5]' + ' ' * LINE_CAP)}"[: LINE_CAP + 1]

    assert dialogue.send(line) == [f"status the line is longer than {LINE_CAP} bytes"]
    assert dialogue.state() == before
    assert dialogue.send(b"x" * (LINE_CAP + 1)) == []


def test_odd_bytes_in_names_do_no_harm() -> None:
    dialogue = Dialogue()

    assert dialogue.send(b"set game (;GM[Othello]PB[J\xf6rg \xff\x1b[1m]PW[\xe5\xad\x97]B[F5];)") == []
    assert dialogue.session.game.transcript() == "f5"
    assert dialogue.send("move a1\x1b[2J")[0].startswith("status expected ")


def test_a_record_of_many_moves_is_read_at_once() -> None:
    dialogue = Dialogue()

    assert dialogue.send(f"set game {ggf('W[F5]' * 20_000)}")[0].startswith("status move 1: ")
