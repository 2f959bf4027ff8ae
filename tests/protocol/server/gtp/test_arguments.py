"""Words become colours, moves and numbers, or a failure that says what was expected; and moves as GoGui reads them."""

from collections.abc import Callable

import pytest

from outflank.engine import PASS, Colour, Game, Move, Position
from outflank.protocol.server.gtp.grammar import Arguments, CommandError, scored, variation, vertex


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
