"""Transcripts of games: reading and writing ``f5d6c3...``."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from outflank.engine import (
    PRESETS,
    Game,
    IllegalMoveError,
    NotationError,
    Position,
    Rules,
)
from outflank.tests import reference, strategies

BLACK_MUST_PASS = Position.parse("OX------" + "-" * 8 + "OX------" + "-" * 40 + "X")
"""White can turn b1 and b3; Black can do nothing, now or later."""


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


def refusal(text: str, rules: Rules) -> str | None:
    """The sentence with which a transcript is refused, or None if it is read."""
    try:
        Game.from_transcript(text, rules)
    except (IllegalMoveError, NotationError) as error:
        return str(error)
    return None


class TestTranscripts:
    """Reading and writing ``f5d6c3...``."""

    def test_moves_are_written_without_blanks_in_small_letters(self) -> None:
        assert Game.from_transcript("F5D6C3").transcript() == "f5d6c3"

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
        assert Game.from_transcript("").turns == Game.from_transcript(" \n").turns == ()

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
            (IllegalMoveError, NotationError), match=f"^move {number} of the transcript: expected "
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
            sentence = refusal(text, rules)

            assert sentence is None or ("expected" in sentence and "\n" not in sentence)
