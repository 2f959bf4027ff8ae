"""The wire: which bytes are which command, and how answers look (reliability test 3); and the words of a command."""

from collections.abc import Callable
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outflank.engine import PASS, Colour, Game, Move, Position
from outflank.protocol.lines import LINE_CAP, LineSplitter
from outflank.protocol.server.gtp.grammar import (
    Arguments,
    CommandError,
    answer,
    is_interrupt,
    parse,
    scored,
    variation,
    vertex,
)
from outflank.tests.support.dialogue import check_form

NOTHING = [
    b"",
    b"   \t ",
    b"\r",
    b"\x00\x01\x1f\x7f",
    b"# a comment",
    b"   # a comment",
    b"#",
    b"12",
    b"-5",
    b"12 # name",
]
NAME = [b"name", b"name#comment", b"name # \xff\x00", b"-1 name", b"-1name"]
WITH_CONTROL_CHARACTERS = [b"name\r", b"na\rme", b"n\x00a\x01m\x1fe\x7f", b"na\x0bme", b"na\x1cme"]
PLAY = [b"play b d3", b"  play   b  d3  ", b"\tplay\tb\td3", b"play b d3 # a1"]
READINGS = {
    **dict.fromkeys(NOTHING),
    **dict.fromkeys(NAME + WITH_CONTROL_CHARACTERS, ("", "name", [])),
    **dict.fromkeys(PLAY, ("", "play", ["b", "d3"])),
    b"na#me": ("", "na", []),
    # other scripts
    b"n\xc3\xa4me": ("", "näme", []),
    b"n\xe4me": ("", "n\udce4me", []),
    b"na\xc2\xa0me": ("", "na\xa0me", []),
    b"na\xe2\x80\xa8me": ("", "na\u2028me", []),
    # ids
    b"0 name": ("0", "name", []),
    b"5 name": ("5", "name", []),
    b"007 name": ("007", "name", []),
    **dict.fromkeys([b"12name", b" 12 name", b"12\tname"], ("12", "name", [])),
    **dict.fromkeys(
        [b"2147483647 name", b"2147483648 name", b"9" * 5000 + b" name"], ("2147483647", "name", [])
    ),
    b"0" * 5000 + b"7 name": ("7", "name", []),
    b"- 1 name": ("", "-", ["1", "name"]),
    b"1 2 name": ("1", "2", ["name"]),
    b"1.5 name": ("1", ".5", ["name"]),
    b"\xd9\xa3 name": ("", "٣", ["name"]),
}


@pytest.mark.parametrize("line", READINGS, ids=lambda line: repr(line[:20]))
def test_a_line_is_read_as_the_page_says(line: bytes) -> None:
    assert parse(line) == READINGS[line]


def test_a_comment_sign_in_any_column_ends_the_command() -> None:
    line = b"5 play b d3"

    for column in range(len(line) + 1):
        assert parse(line[:column] + b"#" + line[column:]) == parse(line[:column])


def test_the_interrupt_line_is_seen_and_no_other() -> None:
    for line in (b"# interrupt", b"# interrupt\r", b"  # interrupt \t", b"\x00# interrupt"):
        assert is_interrupt(line)
        assert parse(line) is None
    for line in (b"#interrupt", b"# interrupted", b"interrupt", b"name # interrupt", b""):
        assert not is_interrupt(line)


@given(st.binary(max_size=300), st.lists(st.integers(0, 300)))
def test_lines_do_not_depend_on_how_the_stream_is_cut(data: bytes, cuts: list[int]) -> None:
    bounds = sorted({0, len(data), *(cut for cut in cuts if cut < len(data))})
    splitter = LineSplitter()

    lines = [line for begin, end in pairwise(bounds) for line in splitter.feed(data[begin:end])]

    assert lines == data.split(b"\n")[:-1]


def test_a_line_up_to_the_cap_is_a_command_and_a_longer_one_is_drained_and_keeps_its_id() -> None:
    splitter = LineSplitter()
    assert parse(*splitter.feed(b"name" + b" " * (LINE_CAP - 4) + b"\n")) == ("", "name", [])

    lines = splitter.feed(b"7 ")
    for _ in range(100):
        lines += splitter.feed(b"x" * 65536)
    lines += splitter.feed(b"\nname\n")

    assert [parse(line) for line in lines] == [("7", "", []), ("", "name", [])]
    assert len(lines[0]) <= LINE_CAP + 1
    # An endless comment is still a comment.
    lines = splitter.feed(b"# " + b"x" * 2 * LINE_CAP + b"\n3 name #" + b"x" * 2 * LINE_CAP + b"\n")
    assert [parse(line) for line in lines] == [None, ("3", "name", [])]


ANSWERS = {
    ("", "", True): "=\n\n",
    ("", "", False): "?\n\n",
    ("5", "", True): "=5\n\n",
    ("", "d3", True): "= d3\n\n",
    ("5", "d3", True): "=5 d3\n\n",
    ("5", "illegal move", False): "?5 illegal move\n\n",
    ("", "a\nb", True): "= a\nb\n\n",
    ("", "a\n\n\nb\n", True): "= a\nb\n\n",
    ("", "a\n  \nb", True): "= a\nb\n\n",
    ("", "\na\nb", True): "=\na\nb\n\n",
    ("", "\n\na", True): "=\na\n\n",
    ("", "a\r\x00\x7fb", True): "= ab\n\n",
    ("", "cannot load file: \x9b2J\x1bP", False): "? cannot load file: 2JP\n\n",
}


@pytest.mark.parametrize(("given_answer", "expected"), ANSWERS.items(), ids=repr)
def test_an_answer_is_written_as_the_page_says(given_answer: tuple[str, str, bool], expected: str) -> None:
    assert answer(*given_answer) == expected


@given(st.text(), st.booleans())
def test_any_text_makes_one_well_formed_answer(text: str, success: bool) -> None:
    check_form(answer("1", text, success))


def test_a_failure_stays_short() -> None:
    assert len(answer("", "syntax error: " + "x" * 10**6, success=False)) < 2000


# --- Words of a command, and moves as GoGui reads them


@pytest.mark.parametrize(
    ("words", "colour"), [("b B black BLACK bLaCk", Colour.BLACK), ("w W white White", Colour.WHITE)]
)
def test_a_colour_is_read_in_any_case(words: str, colour: Colour) -> None:
    assert {Arguments([word]).colour() for word in words.split()} == {colour}


def test_words_are_taken_in_order_and_the_rest_can_be_had() -> None:
    arguments = Arguments(["w", "F5", "8", "more", "words"])

    assert arguments.colour() is Colour.WHITE
    assert arguments.move() == Move.parse("f5")
    assert arguments.whole("a size", 0) == 8
    assert arguments.rest() == ["more", "words"]
    assert not arguments


NO_NUMBERS = ["", "x", "nan", "-inf", "1e400", "0x10", "1_000", "1,5", "٣", "--1", "9" * 20, "9" * 10**6]


@pytest.mark.parametrize("word", [*NO_NUMBERS, "1.5", "1e1", "-1", "2147483648"], ids=lambda word: word[:20])
def test_what_is_no_number_is_refused(word: str) -> None:
    with pytest.raises(CommandError, match=r"^syntax error: expected a size from 0 to 2147483647, got '"):
        Arguments([word]).whole("a size", 0)
    if word in NO_NUMBERS:
        sentence = r"^syntax error: expected a komi from -2147483647 to 2147483647, got '"
        with pytest.raises(CommandError, match=sentence):
            Arguments([word]).number("a komi")


@pytest.mark.parametrize(
    ("word", "number"),
    [("7", 7), ("+7", 7), ("-7.5", -7.5), (".5", 0.5), ("5.", 5), ("1e3", 1000), ("2E-3", 0.002)],
)
def test_numbers_may_have_fractions_and_powers(word: str, number: float) -> None:
    assert Arguments([word]).number("seconds") == number


@pytest.mark.parametrize(
    "take",
    [
        Arguments.colour,
        Arguments.move,
        lambda arguments: arguments.word("a name"),
        lambda arguments: arguments.whole("a size", 0),
        lambda arguments: arguments.number("seconds"),
        lambda arguments: arguments.choice("a key", ["one", "two"]),
    ],
)
def test_a_missing_word_is_a_failure(take: Callable[[Arguments], object]) -> None:
    with pytest.raises(CommandError, match=r"^syntax error: expected .*, got nothing$"):
        take(Arguments([]))


def test_vertices_are_in_capitals_and_a_line_has_colours_in_turn_and_forced_passes() -> None:
    position = Game.from_transcript("e6f6c4e7e8d8g7f8").position

    assert variation(Position.start(), map(Move.parse, ("d3", "c3", "c4"))) == "b D3 w C3 b C4"
    assert variation(Position.start(), ()) == ""
    assert variation(position, (PASS, Move.parse("g5"))) == "b PASS w G5"
    assert [vertex(move) for move in (Move.parse("d3"), Move.parse("b3/se"), PASS)] == ["D3", "B3", "PASS"]


def test_a_square_has_the_score_of_its_best_direction() -> None:
    moves = [("c4/e", "+4"), ("g4/s", "+2"), ("c4/se", "-2"), ("c6/e", "-4")]

    assert scored((Move.parse(move), score) for move, score in moves) == "C4 +4\nG4 +2\nC6 -4"
    assert scored(()) == ""
