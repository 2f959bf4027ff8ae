"""Squares and colours: how the words of the game are written."""

from typing import Any

import numpy as np
import pytest

from outflank.engine import Colour, NotationError
from outflank.engine.squares import (
    DIRECTIONS,
    SQUARE_NAMES,
    SQUARES,
    mask_of,
    parse_square,
    square_name,
    squares_of,
)
from outflank.tests import reference


@pytest.mark.parametrize(("name", "square"), [("a1", 0), ("h1", 7), ("a2", 8), ("f5", 37), ("h8", 63)])
def test_letters_are_columns_and_row_1_is_on_top(name: str, square: int) -> None:
    assert square == parse_square(name)
    assert name == square_name(square)


def test_every_square_has_the_oracles_name_and_is_read_back() -> None:
    assert [reference.name_of(square // 8, square % 8) for square in SQUARES] == list(SQUARE_NAMES)
    assert [parse_square(name) for name in SQUARE_NAMES] == list(SQUARES)


def test_a_square_may_be_written_in_capitals() -> None:
    assert parse_square("F5") == parse_square("f5")


@pytest.mark.parametrize(
    "text", ["", "a", "a0", "a9", "i1", "5f", "f5 ", " f5", "f55", "é5", "f\u0665", "pass"]
)
def test_what_is_no_square_is_refused_in_one_sentence(text: str) -> None:
    with pytest.raises(NotationError) as caught:
        parse_square(text)

    assert str(caught.value) == f"expected a square from a1 to h8, got {text!r}"


@pytest.mark.parametrize("number", [37, 99])
def test_a_number_is_no_name_of_a_square(number: int) -> None:
    with pytest.raises(NotationError, match=f"expected a square from a1 to h8, got {number}"):
        parse_square(number)  # type: ignore[arg-type]


@pytest.mark.parametrize("square", [-1, 64, "f5", None])
def test_what_is_no_number_of_a_square_has_no_name(square: object) -> None:
    with pytest.raises(IndexError) as caught:
        square_name(square)  # type: ignore[arg-type]

    assert str(caught.value) == f"expected a square from 0 to 63, got {square!r}"


def test_the_squares_of_a_mask_make_that_mask() -> None:
    assert mask_of([63, 0, 37]) == 1 << 63 | 1 << 37 | 1
    assert list(squares_of(mask_of([63, 0, 37]))) == [0, 37, 63]
    assert mask_of([]) == 0


@pytest.mark.parametrize("mask", [-1, 1 << 64, 1 << 70])
def test_a_mask_has_64_bits(mask: int) -> None:
    with pytest.raises(OverflowError, match=f"^expected a mask of 64 bits, got {mask}$"):
        list(squares_of(mask))


def test_a_mask_may_be_any_whole_number() -> None:
    mask: Any = np.uint64(5)

    assert list(squares_of(mask)) == [0, 2]


def test_the_directions_go_clockwise_from_north() -> None:
    assert list(DIRECTIONS) == list(reference.STEPS)


def test_each_colour_has_an_opponent_and_a_letter() -> None:
    assert (Colour.BLACK.other, Colour.WHITE.other) == (Colour.WHITE, Colour.BLACK)
    assert (Colour.BLACK.letter, Colour.WHITE.letter) == ("B", "W")


def test_a_colour_reads_as_its_word() -> None:
    assert (str(Colour.BLACK), str(Colour.WHITE)) == ("black", "white")
