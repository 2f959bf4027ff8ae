"""NBoard's protocol, in this process and as a program: every answer is one of the protocol; clocks; the book."""

import doctest
import re
import sys
import time
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from outflank.book import Book, BookWriter
from outflank.book.checking import check
from outflank.engine import Clock, Colour, Game, Searcher
from outflank.engine.evaluation.weights import checksum
from outflank.protocol.lines import LINE_CAP, Inbox
from outflank.protocol.server.booksource import BookSource
from outflank.protocol.server.movesource import SearchSource
from outflank.protocol.server.nboard.commands import COMMANDS, NBoard
from outflank.protocol.server.session import Session, Strength
from outflank.tests.support.books import after, records, small_book
from outflank.tests.support.dialogue import Program as GtpProgram
from outflank.tests.support.dialogue import run_program
from outflank.tests.support.installation import ROOT
from outflank.tests.support.positions import CUT_SHORT

COMMAND = (sys.executable, "-m", "outflank.tools.cli.program", "nboard", "--book", "none")
BOARD = "8 " + "-" * 27 + "O*" + "-" * 6 + "*O" + "-" * 27 + " *"
WORDS = ("set myname ", "status ", "nodestats ", "search ", "book ", "pong ", "learned", "analysis ", "=== ")
"""The beginnings of lines that an engine sends."""


def ggf(moves: str = "", **tags: str) -> str:
    """Return a game as NBoard sends it: moves as ``B[F5]W[F6]``, tags besides the usual ones."""
    named = "".join(f"{tag}[{value}]" for tag, value in tags.items())
    return f"(;GM[Othello]PC[NBoard]PB[a]PW[b]RE[?]TY[8]{named}BO[{BOARD}]{moves};)"


class Dialogue:
    """A session in this process, with a small table and a shallow search unless `settings` say otherwise."""

    def __init__(self, **settings: Any) -> None:
        settings.setdefault("strength", Strength(depth=1))
        self.wire = NBoard()
        self.session = Session(SearchSource(Searcher(hash_mb=1)), **settings)

    def send(self, line: str | bytes) -> list[str]:
        """Return the lines of the answer, each checked to be one that the protocol knows."""
        data = line if isinstance(line, bytes) else line.encode("utf-8", "surrogateescape")
        text = "".join(self.wire.answer(self.session, data))
        assert not text or text.endswith("\n"), text
        lines = text.split("\n")[:-1]
        for told in lines:
            check_line(told)
        return lines

    def state(self) -> tuple[object, ...]:
        session = self.session
        clocks = [session.clocks[colour].reading for colour in Colour]
        return session.game.transcript(passes=True), session.position, session.strength, clocks


def check_line(line: str) -> None:
    assert line.startswith(WORDS), line
    assert line.isprintable(), line


class Program(GtpProgram):
    """``outflank nboard`` in a process of its own, killed at the end of ``with``."""

    command = COMMAND

    def line(self, patience: float = 30.0) -> str:
        """Return the next line, checked to be one that the protocol knows."""
        text = self.read_until(b"\n", patience).rstrip("\n")
        check_line(text)
        return text

    def until(self, beginning: str, patience: float = 30.0) -> list[str]:
        """Return the lines up to and with one that begins so."""
        lines = [self.line(patience)]
        while not lines[-1].startswith(beginning):
            lines.append(self.line(patience))
        return lines


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
    work = "".join(f"go\nping {number}\n" for number in range(20))
    result = run_program(f"{START}{work}quit\n".encode(), command=COMMAND)

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
    result = run_program(f"{START}go\n".encode(), command=COMMAND)

    assert (result.returncode, result.stderr) == (0, b"")
    assert run_program(b"", command=COMMAND).stdout == b""
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


# --- The opening book: hints and moves from it, and learning


def test_a_game_is_learned_into_the_book_and_played_from_it(tmp_path: Path) -> None:
    """The first two positions that it does not know, on the level of the book; the book is whole afterwards."""
    path = small_book(tmp_path)
    dialogue = Dialogue(books=[BookSource(path, pytest.fail)])
    dialogue.send(f"set game {ggf('B[F5]W[F4]B[E3]')}")
    assert not [line for line in dialogue.send("go") if line.startswith("book")]
    dialogue.send(f"set game {ggf('B[F5]W[F4]B[E3]W[D6]')}")
    lines = dialogue.send("learn")

    assert lines == ["status learning", "learned", "status the book has learned 2 positions of the game"]
    with Book.open(path) as book:
        known = [after(line) in book for line in ("f5f4", "f5f4e3", "f5f4e3d6")]
        (record,) = [each for each in book.records() if each.position == after("f5f4e3").canonical()[0]]
        history = [change.what for change in book.history()]
        assert list(check(book, None, 0).faults) == []
    assert known == [True, True, False]
    assert record.level == 10
    assert history[-1].endswith(f"learn from a game, level 10, weights {checksum()}, from 6 positions")
    dialogue.send(f"set game {ggf('B[F5]W[F4]B[E3]')}")
    assert [line for line in dialogue.send("go") if line.startswith("book")]


@pytest.mark.parametrize(
    ("trouble", "sentence"),
    [
        ("known", "the book already knows the whole game"),
        (
            "shipped",
            "the game was not learned: the book that comes with the package is never changed: name another one ",
        ),
        ("locked", "the game was not learned: another process is changing the book "),
        ("rules", "the game was not learned: {book} is a book for "),
        ("missing", "the game was not learned: can't read "),
    ],
)
def test_why_nothing_is_learned_is_told_and_the_book_stays_as_it_was(
    tmp_path: Path, trouble: str, sentence: str
) -> None:
    path = small_book(tmp_path)
    before = records(path)
    if trouble == "missing":
        path = tmp_path / "nowhere.book"
    told: list[str] = []
    dialogue = Dialogue(books=[BookSource(path, told.append, shipped=trouble == "shipped")])
    moves = "B[F5]W[D6]B[C4]" if trouble == "known" else "B[F5]W[F4]"
    rules = "othello,scoring=count" if trouble == "rules" else "othello"
    dialogue.send(f"set game {ggf(moves, RU=rules)}")
    with BookWriter.open(path) if trouble == "locked" else nullcontext():
        lines = dialogue.send("learn")

    assert lines[:2] == ["status learning", "learned"]
    assert lines[2].startswith(f"status {sentence}".replace("{book}", repr(str(path))))
    assert len(lines) == 3
    assert trouble == "missing" or records(path) == before


def test_another_command_breaks_learning_off(tmp_path: Path) -> None:
    """As the ping behind it has come already, the first search is the last, and nothing of it is kept."""
    path = small_book(tmp_path)
    before = records(path)
    inbox = Inbox()
    for line in (b"learn", b"ping 1"):
        inbox.put(line, NBoard().kind(line))
    dialogue = Dialogue(books=[BookSource(path, pytest.fail)], inbox=inbox)
    dialogue.send(f"set game {ggf('B[F5]W[F4]B[E3]')}")
    assert inbox.take() == b"learn"

    assert dialogue.send("learn")[-1] == (
        "status the game was not learned: another command interrupted learning"
    )
    assert records(path) == before


def test_the_last_line_before_the_move_is_about_it_where_a_limit_cut_the_search() -> None:
    dialogue = Dialogue(strength=Strength(nodes=3000))
    dialogue.session.resume(Game(CUT_SHORT))

    *_, line, _, choice = dialogue.send("go")

    assert line.startswith("search ")
    assert choice.startswith(f"=== {line.split()[1][:2]}/{line.split()[2].removeprefix('+')}/")
