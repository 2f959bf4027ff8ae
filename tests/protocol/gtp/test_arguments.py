"""Words become colours, moves and numbers, or a failure that says what was expected."""

from collections.abc import Callable

import pytest

from outflank.engine import Colour, Move
from outflank.protocol.gtp.arguments import Arguments
from outflank.protocol.gtp.grammar import CommandError


@pytest.mark.parametrize("word", ["b", "B", "black", "BLACK", "bLaCk"])
def test_black_is_read_in_any_case(word: str) -> None:
    assert Arguments([word]).colour() is Colour.BLACK


@pytest.mark.parametrize("word", ["w", "W", "white", "White"])
def test_white_is_read_in_any_case(word: str) -> None:
    assert Arguments([word]).colour() is Colour.WHITE


def test_words_are_taken_in_order_and_the_rest_can_be_had() -> None:
    arguments = Arguments(["w", "F5", "8", "more", "words"])

    assert arguments.colour() is Colour.WHITE
    assert arguments.move() == Move.parse("f5")
    assert arguments.whole("a size", 0) == 8
    assert arguments.rest() == ["more", "words"]
    assert not arguments


NO_NUMBERS = [
    "",
    "x",
    "nan",
    "inf",
    "-inf",
    "1e400",
    "0x10",
    "1_000",
    "1,5",
    "٣",
    "--1",
    "9" * 20,
    "9" * 10**6,
]


@pytest.mark.parametrize("word", NO_NUMBERS, ids=lambda word: word[:20])
def test_what_is_no_number_is_refused(word: str) -> None:
    with pytest.raises(
        CommandError, match=r"^syntax error: expected a komi from -2147483647 to 2147483647, got '"
    ):
        Arguments([word]).number("a komi")


@pytest.mark.parametrize("word", [*NO_NUMBERS, "1.5", "1e1", "-1", "2147483648"], ids=lambda word: word[:20])
def test_what_is_no_whole_number_is_refused(word: str) -> None:
    with pytest.raises(CommandError, match=r"^syntax error: expected a size from 0 to 2147483647, got '"):
        Arguments([word]).whole("a size", 0)


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
