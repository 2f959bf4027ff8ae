"""Moves: reading and writing them, whatever the position."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outflank.engine import PASS, Move, NotationError
from outflank.engine.squares import DIRECTIONS, Direction
from outflank.tests import strategies


@given(square=st.integers(0, 63), direction=st.sampled_from([None, *DIRECTIONS]))
def test_every_move_is_read_back_as_it_is_written(square: int, direction: Direction | None) -> None:
    move = Move(square, direction)

    assert move == Move.parse(str(move)) == Move.parse(str(move).upper()) == Move.parse(f" {move}\n")


def test_a_move_is_written_in_small_letters_with_its_direction_behind_a_slash() -> None:
    assert str(Move.parse("F5")) == "f5"
    assert str(Move.parse("D3/NE")) == "d3/ne"


@pytest.mark.parametrize("word", ["pass", "PASS", "Pass", "pa", "PA", "ps", "--", " pass "])
def test_a_pass_has_several_words(word: str) -> None:
    assert Move.parse(word) == PASS


@given(square=st.integers(0, 63), direction=st.sampled_from([None, *DIRECTIONS]))
def test_the_repr_of_a_move_gives_it_again(square: int, direction: Direction | None) -> None:
    move = Move(square, direction)

    assert eval(repr(move)) == move
    assert repr(PASS) == "Move.parse('pass')"


def test_a_pass_is_written_pass() -> None:
    assert str(PASS) == "pass"
    assert PASS.is_pass
    assert not Move(0).is_pass


@given(text=strategies.bad_moves)
def test_what_is_no_move_is_refused_with_the_text_that_came(text: str) -> None:
    with pytest.raises(NotationError, match=r"^expected a (square|direction out of n ne e)") as caught:
        Move.parse(text)

    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("text", ["d3/", "d3/x", "d3/north", "d3/n/e", "d3//n"])
def test_a_direction_other_than_the_eight_is_refused_with_the_list(text: str) -> None:
    with pytest.raises(NotationError) as caught:
        Move.parse(text)

    expected = f"expected a direction out of n ne e se s sw w nw after the slash, got {text!r}"
    assert expected == str(caught.value)


def test_equal_moves_are_interchangeable() -> None:
    assert {Move(3), Move(3), Move(3, "n"), PASS, Move(None)} == {Move(3), Move(3, "n"), PASS}


def test_a_move_cannot_be_changed() -> None:
    with pytest.raises(AttributeError):
        Move(3).square = 4  # type: ignore[misc]


@pytest.mark.parametrize("square", [64, -1, "d3", 1.5])
def test_a_move_to_no_square_is_named_and_is_not_read_back(square: Any) -> None:
    name = str(Move(square))

    assert name == f"square {square!r}"
    assert repr(Move(square)) == f"Move.parse({name!r})"
    with pytest.raises(NotationError, match=r"^expected a square from a1 to h8, got "):
        Move.parse(name)


def test_a_number_is_no_text_of_a_move() -> None:
    with pytest.raises(NotationError, match="expected a square from a1 to h8, got '37'"):
        Move.parse(37)  # type: ignore[arg-type]
