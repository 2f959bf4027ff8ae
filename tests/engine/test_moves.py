"""Squares, colours, moves and transcripts: how the words of the game are read and written."""

import pickle
import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from outflank.engine import PASS, PRESETS, Colour, Game, IllegalMoveError, Move, NotationError, Position
from outflank.engine.squares import (
    DIRECTIONS,
    SQUARE_NAMES,
    SQUARES,
    Direction,
    mask_of,
    parse_square,
    square_name,
    squares_of,
)
from outflank.tests.support import reference, strategies
from outflank.tests.support.positions import BLACK_MUST_PASS


@given(square=st.integers(0, 63), direction=st.sampled_from([None, *DIRECTIONS]))
def test_every_move_is_read_back_as_it_is_written(square: int, direction: Direction | None) -> None:
    move = Move(square, direction)

    assert move == Move.parse(str(move)) == Move.parse(str(move).upper()) == Move.parse(f" {move}\n")
    assert eval(repr(move)) == move


def test_moves_and_their_texts_are_equal_and_sort_together_in_both_directions() -> None:
    move, other = Move("d3"), Move("d3/ne")

    assert move == "d3"
    assert "d3" == move  # noqa: SIM300  # the other way round
    assert move not in ("d4", "d3/ne", 19)
    assert other == "d3/ne"
    assert {"d3": 1, "pass": 2}[move] == {move: 1}["d3"] == 1  # type: ignore[index]
    assert sorted([PASS, Move("h1"), other, "c4", move]) == ["c4", "d3", "d3/ne", "h1", "pass"]  # type: ignore[type-var]
    assert move < "d4" <= Move("d4") < "e1" < PASS > "h8" >= Move("h8")
    with pytest.raises(TypeError):
        _ = move < 20


@pytest.mark.parametrize("word", ["pass", "PASS", "Pass", "pa", "PA", "ps", "--", " pass "])
def test_a_pass_has_several_words(word: str) -> None:
    assert Move.parse(word) == PASS
    assert (str(PASS), repr(PASS)) == ("pass", "Move.parse('pass')")
    assert PASS.is_pass
    assert not Move(0).is_pass


@given(text=strategies.bad_moves)
def test_what_is_no_move_is_refused_with_the_text_that_came(text: str) -> None:
    with pytest.raises(NotationError, match=r"^expected (a square|one of the directions n ne e)") as caught:
        Move.parse(text)

    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("text", ["d3/", "d3/x", "d3/north", "d3/n/e", "d3//n"])
def test_a_direction_other_than_the_eight_is_refused_with_the_list(text: str) -> None:
    with pytest.raises(NotationError) as caught:
        Move.parse(text)

    expected = f"expected one of the directions n ne e se s sw w nw after the slash, got {text!r}"
    assert expected == str(caught.value)


def test_equal_moves_are_interchangeable_and_can_not_be_changed() -> None:
    assert {Move(3), Move(3), Move(3, "n"), PASS, Move(None)} == {Move(3), Move(3, "n"), PASS}
    with pytest.raises(AttributeError):
        Move(3).square = 4  # type: ignore[misc]


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        *(((square,), "a ") for square in (64, -1, 1.5, b"d3", "z9", "")),
        (("d3/x",), "one of the directions "),
        ((19, "x"), "one of the directions "),
        *((pair, "(a|no|one) direction") for pair in (("d3/n", "e"), ("pass", "n"), (None, "n"))),
    ],
)
def test_no_move_is_made_of_what_is_none(arguments: tuple[Any, ...], expected: str) -> None:
    with pytest.raises(NotationError, match=f"^expected {expected}"):
        Move(*arguments)


@pytest.mark.parametrize("text", ["f5", "F5", "d3/ne", "pass", "PA"])
def test_a_move_may_be_made_of_its_text(text: str) -> None:
    assert Move(text) == Move.parse(text)
    assert pickle.loads(pickle.dumps(Move(text))) == replace(Move(text)) == Move.parse(text)


def test_a_move_holds_a_plain_number() -> None:
    square: Any = np.int64(37)

    assert type(Move(square).square) is int
    assert Move(square) == Move("f5") == Move(37)
    with pytest.raises(NotationError, match="expected a square from a1 to h8, got '37'"):
        Move.parse(37)  # type: ignore[arg-type]  # a number is no text


def test_a_move_may_be_given_as_text_or_as_its_square() -> None:
    start = Position.start()

    assert start.play(37) == start.play("f5") == start.play(Move("f5"))
    assert start.turned(37) == start.turned("f5")
    assert Game().play(37) == Move("f5")
    assert start.svg(last=None, scores={37: 1.0}, line=[37]) == start.svg(scores={"f5": 1.0}, line=["f5"])
    for wrong in (None, 64, 3.5):
        with pytest.raises(
            NotationError, match=r"^expected a move such as 'f5', or a square from 0 to 63, got "
        ):
            start.play(wrong)  # type: ignore[arg-type]


def test_texts_and_squares_are_found_among_the_legal_moves() -> None:
    start, legal = Position.start(), Position.start().legal_moves()

    for move in ("f5", "F5", 37, Move("f5")):
        assert move in legal
        assert start.is_legal(move)
    for other in ("a1", 0, "z9", 64, -1, None, PASS, "pass", object()):
        assert other not in legal
        assert not start.is_legal(other)  # type: ignore[arg-type]
    assert "pass" in BLACK_MUST_PASS.legal_moves()
    assert BLACK_MUST_PASS.is_legal("pass")
    assert legal == tuple(legal)
    assert pickle.loads(pickle.dumps(legal)) == legal


def test_every_square_has_the_oracles_name_and_is_read_back() -> None:
    """Letters are columns, and row 1 is on top."""
    assert [reference.name_of(square // 8, square % 8) for square in SQUARES] == list(SQUARE_NAMES)
    for square, name in zip(SQUARES, SQUARE_NAMES, strict=True):
        assert square == parse_square(name) == parse_square(name.upper())
        assert name == square_name(square)


@pytest.mark.parametrize(
    "text", ["", "a", "a0", "a9", "i1", "5f", "f5 ", " f5", "f55", "é5", "f\u0665", "pass", 37, 99]
)
def test_what_is_no_square_is_refused_in_one_sentence(text: Any) -> None:
    with pytest.raises(NotationError) as caught:
        parse_square(text)

    assert str(caught.value) == f"expected a square from a1 to h8, got {text!r}"


@given(mask=strategies.masks)
def test_the_squares_of_a_mask_are_listed_a1_first_and_make_that_mask(mask: int) -> None:
    squares = [square for square in SQUARES if mask >> square & 1]

    assert squares == list(squares_of(mask)) == list(squares_of(np.uint64(mask)))  # type: ignore[arg-type]
    assert mask_of(reversed(squares)) == mask


def test_the_directions_go_clockwise_from_north() -> None:
    assert list(DIRECTIONS) == list(reference.STEPS)


def test_each_colour_has_an_opponent_and_a_letter() -> None:
    assert (Colour.BLACK.other, Colour.WHITE.other) == (Colour.WHITE, Colour.BLACK)
    assert (Colour.BLACK.letter, Colour.WHITE.letter) == ("B", "W")
    assert (str(Colour.BLACK), str(Colour.WHITE)) == ("black", "white")


@pytest.mark.parametrize("name", strategies.PRESETS)
@settings(max_examples=30)
@given(data=st.data())
def test_a_transcript_is_read_back_with_and_without_passes(name: str, data: st.DataObject) -> None:
    oracle = data.draw(strategies.games(reference.SHEETS[name]))
    game = Game(PRESETS[name])
    for *_, move in oracle.played:
        game.play(move)
    with_passes = Game.from_transcript(game.transcript(passes=True), PRESETS[name])
    without = Game.from_transcript(game.transcript(), PRESETS[name])

    assert [turn.move for turn in with_passes.turns] == [turn.move for turn in game.turns]
    assert with_passes.position == game.position
    # A pass that ends the game's record is implied by nothing that follows.
    if not (game.turns and game.turns[-1].move.is_pass):
        assert [turn.move for turn in without.turns] == [turn.move for turn in game.turns]
        assert without.position == game.position


class TestTranscripts:
    @pytest.mark.parametrize(
        "text",
        [
            "f5d6c3d3",
            "F5D6C3D3",
            "f5 d6 c3 d3",
            " f5\td6\nc3\r\nd3\n",
            "1. f5 d6 2. c3 d3",
            "1.f5 2.d6 3.c3 4.d3",
            "1 f5 2 d6 3 c3 4 d3",
            "1. f5d6 2. c3d3",
        ],
    )
    def test_blanks_capitals_and_numbers_are_decoration(self, text: str) -> None:
        assert Game.from_transcript(text).transcript() == "f5d6c3d3"

    def test_an_empty_transcript_is_a_game_without_moves(self) -> None:
        assert Game.from_transcript(" \n") == Game.from_transcript("") == Game()

    @pytest.mark.parametrize("word", ["pa", "PA", "ps", "--", "pass", "PASS", " pass "])
    def test_a_pass_may_be_written_in_any_of_its_words_or_left_out(self, word: str) -> None:
        left_out = Game.from_transcript("c1c3", first=BLACK_MUST_PASS)
        written = Game.from_transcript(f"{word}c1{word}c3", first=BLACK_MUST_PASS)

        assert written.position == left_out.position
        assert written.transcript(passes=True) == left_out.transcript(passes=True) == "pac1pac3"
        assert written.transcript() == left_out.transcript() == "c1c3"

    @pytest.mark.parametrize(
        ("text", "number"), [("a1", 1), ("f5d6c3a1", 4), ("1. f5 d6 2. c3 a1", 4), ("f5pa", 2), ("f5d9", 2)]
    )
    def test_a_bad_move_is_named_by_its_number(self, text: str, number: int) -> None:
        with pytest.raises(
            (IllegalMoveError, NotationError),
            match=f"^move {number} of the transcript: .*(expected|legal for) ",
        ):
            Game.from_transcript(text)

    def test_what_is_no_move_at_all_is_named_by_its_place(self) -> None:
        with pytest.raises(
            NotationError, match=r"^expected a move at character 5 of the transcript, got '\?\?'$"
        ):
            Game.from_transcript("f5d6??")

    @given(text=st.text(alphabet="abcdefghi0123456789./-pase \n?"))
    def test_any_text_is_read_or_refused_in_one_sentence(self, text: str) -> None:
        for rules in (PRESETS["othello"], PRESETS["ravensburger-1987"]):
            sentence = ""
            try:
                Game.from_transcript(text, rules)
            except (IllegalMoveError, NotationError) as error:
                sentence = str(error)
            assert re.fullmatch("|.*(expected|legal).*", sentence)
