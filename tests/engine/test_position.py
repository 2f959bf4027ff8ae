"""Positions: every preset against the oracle, what a value has to be, and boards as text."""

import copy
import pickle
from itertools import product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from outflank.engine import (
    PRESETS,
    SQUARE_NAMES,
    SQUARES,
    Colour,
    IllegalMoveError,
    Move,
    NotationError,
    Position,
    Rules,
)
from outflank.engine.squares import squares_of
from outflank.tests.support import reference, strategies
from outflank.tests.support.positions import COLOURS, mask_of, mask_of_discs, position_of, rules_of

START = "-" * 27 + "OX" + "-" * 6 + "XO" + "-" * 27


def assert_same(board: reference.Board, side: str, sheet: reference.Sheet, position: Position) -> None:
    assert position.board_string() == f"{reference.text_of(board)} {side}"
    assert position.side is COLOURS[side]
    assert position.empties == reference.count(board, "-")
    options = reference.choices(board, side, sheet.turns)
    assert options == [str(move) for move in position.legal_moves()]
    assert position.is_over == (options == [])
    assert position.must_pass == (options == ["pass"])
    black, white = mask_of_discs(board, "X"), mask_of_discs(board, "O")
    assert (position.black, position.white) == (black, white)
    assert (position.own, position.opp) == ((black, white) if side == "X" else (white, black))
    for letter, colour in COLOURS.items():
        assert position.discs(colour) == reference.count(board, letter)
        assert position.with_side(colour) == position_of(board, letter, position.rules)
        playable = {move[:2] for move in reference.moves(board, letter, sheet.turns)}
        assert playable == {str(Move(square)) for square in squares_of(position.legal_mask(colour))}
    for move, turned in reference.moves(board, side, sheet.turns).items():
        assert position.turned(move) == mask_of(turned)
    if position.is_over:
        assert position.score() == -position.score(Colour.WHITE) == reference.final_score(board, sheet)
        winner = reference.winner(board, sheet)
        outcome = position.outcome()
        assert outcome is not None
        assert outcome.winner is (COLOURS[winner] if winner else None)
        assert outcome.margin_of(Colour.BLACK) == position.score()
    else:
        assert position.outcome() is None
        lead = reference.count(board, "X") - reference.count(board, "O")
        assert (position.score(), position.score(Colour.WHITE)) == (lead, -lead)


@pytest.mark.parametrize("name", strategies.PRESETS)
@settings(max_examples=10)
@given(data=st.data())
def test_every_position_of_a_whole_game_is_the_oracles(name: str, data: st.DataObject) -> None:
    sheet = reference.SHEETS[name]
    game = data.draw(strategies.games(sheet, whole=True))
    position = Position.start(PRESETS[name])
    for board, side, _, move in game.played:
        assert_same(board, side, sheet, position)
        position = position.play(move)

    assert_same(game.board, game.side, sheet, position)
    assert position.is_over


@given(named=strategies.sheets(), board=strategies.boards, side=strategies.sides)
def test_any_board_under_any_rules_is_the_oracles(
    named: tuple[str, reference.Sheet], board: reference.Board, side: str
) -> None:
    """So are its squares' owners and what each move leads to; copies, pickled and written boards are equal to it."""
    position, turns = position_of(board, side, rules_of(*named)), named[1].turns
    letters = reference.text_of(board)
    assert_same(board, side, named[1], position)
    for square in SQUARES:
        assert position.disc_at(square) is COLOURS.get(letters[square])
        assert position.disc_at(SQUARE_NAMES[square]) is COLOURS.get(letters[square])
    for move in reference.choices(board, side, turns):
        board_after = reference.after(board, side, move, turns)
        after = position_of(board_after, reference.other(side), position.rules)
        assert after == position.play(move) == position.play(Move.parse(move))
    assert position == Position.parse(position.board_string(), position.rules)
    for again in (pickle.loads(pickle.dumps(position)), copy.copy(position), copy.deepcopy(position)):
        assert again == position
        assert hash(again) == hash(position)
        assert again.rules == position.rules


class TestRefusals:
    def test_what_is_not_legal_is_answered_with_the_legal_moves(self) -> None:
        first = Position.start()
        for refused in (first.play, first.turned):
            with pytest.raises(IllegalMoveError, match=r"^a1 is illegal; legal for Black: d3 c4 f5 e6$"):
                refused("a1")
        with pytest.raises(
            IllegalMoveError,
            match=r"^a pass is legal only if there is no other move; legal for Black: d3 c4 f5 e6",
        ):
            first.pass_()
        with pytest.raises(NotationError):
            first.play("k9")

    def test_nothing_may_be_played_after_the_end(self) -> None:
        over = Position.parse("X" + "-" * 63)
        for move in ("a2", "pass"):
            with pytest.raises(IllegalMoveError, match="the game is over"):
                over.play(move)


class TestValue:
    def test_positions_reached_in_different_ways_are_equal(self) -> None:
        one = Position.start().play("f5").play("f6").play("e6")
        other = Position.start(Rules.parse("othello")).play("e6").play("f6").play("f5")

        assert one == other
        assert hash(one) == hash(other)
        assert one != one.board_string()

    def test_differs_by_board_side_and_rules(self) -> None:
        first = Position.start()
        others = [
            first.play("f5"),
            first.with_side(Colour.WHITE),
            first.with_rules(PRESETS["ravensburger-2006"]),
            Position(first.opp, first.own, Colour.BLACK),
        ]

        assert len({first, *others}) == 5
        assert first not in others

    @pytest.mark.parametrize("name", ["own", "opp", "side", "rules", "black", "white", "nickname"])
    def test_cannot_be_changed(self, name: str) -> None:
        with pytest.raises(AttributeError):
            setattr(Position.start(), name, 0)

    def test_a_colour_may_be_given_as_its_word(self) -> None:
        """In Python ``"white" == Colour.WHITE``, so a word must not be taken for the other colour."""
        position = Position.start().play("f5")
        for colour in Colour:
            word: Any = str(colour)

            assert position.discs(word) == position.discs(colour)
            assert position.score(word) == position.score(colour)
            assert position.legal_mask(word) == position.legal_mask(colour)
            assert position.with_side(word) == position.with_side(colour)

    def test_its_representation_makes_it_again(self) -> None:
        position = Position.start(Rules.parse("obversi,turns=one")).play("c3")

        assert eval(repr(position)) == position


class TestPicture:
    def test_shows_rows_legal_squares_counts_and_the_side_to_move(self) -> None:
        assert str(Position.start()).splitlines() == [
            "  a b c d e f g h",
            "1                 1",
            "2                 2",
            "3       .         3",
            "4     . O X       4",
            "5       X O .     5",
            "6         .       6",
            "7                 7",
            "8                 8",
            "  a b c d e f g h",
            "Black (X) 2, White (O) 2, Black to move",
        ]
        assert str(Position.start(PRESETS["obversi"])).endswith("Red (X) 2, Yellow (O) 2, Red to move")
        assert str(Position.parse("X" + "-" * 63)).endswith("Black (X) 1, White (O) 0, game over")


def test_a_position_that_is_made_can_not_be_made_into_another() -> None:
    for position in (Position.start(), Position.start().play("f5")):
        before = position.board_string()
        with pytest.raises(TypeError, match="a position is immutable"):
            position.__init__(1, 2, Colour.BLACK)  # type: ignore[misc]

        assert position.board_string() == before


ROWS = [START[at : at + 8] for at in range(0, 64, 8)]


class TestReading:
    def test_knows_every_alphabet(self) -> None:
        for black, white, empty in product("Xx*bB1", "OowW2", "-._"):
            letters = START.replace("X", black).replace("O", white).replace("-", empty)

            assert Position.parse(f"{letters} {black}") == Position.start()
            assert Position.parse(f"{letters} {white}").side is Colour.WHITE

    @pytest.mark.parametrize(
        "side",
        ["O", " O", "\nO", " White", "  WHITE ", " O;", ";O", "; O; +2", " O; F5:+2; D3/ne:-4;pass: 0"],
    )
    def test_takes_the_side_from_what_follows_the_board(self, side: str) -> None:
        assert Position.parse(START + side) == Position.start().with_side(Colour.WHITE)

    @pytest.mark.parametrize(("name", "side"), [("othello", Colour.BLACK), ("reversi", Colour.WHITE)])
    def test_without_a_side_the_one_that_begins_moves(self, name: str, side: Colour) -> None:
        assert Position.parse(START, PRESETS[name]).side is side

    @pytest.mark.parametrize(
        "text",
        [
            START.translate(str.maketrans("XO-", "01.")) + " 1",
            START.translate(str.maketrans("XO-", "120")) + " 2",
            START.translate(str.maketrans("XO-", "\u25cf\u25cb\u30fb")) + "\n\u25cb",
            START + " White to play",
            START + " O to move",
            "8/8/8/3pP3/3Pp3/8/8/8 w",  # Edax's, row 8 first
            "8/8/8/3pP3/3Pp3/8/8/8 w - - 0 1",
            "8/8/8/3OX3/3XO3/8/8/8 w",  # row 1 first
            str(Position.start().with_side(Colour.WHITE)),
            "|    A B C D E F G H\n"
            + "".join(f"|  {row} {' '.join(START[8 * row - 8 : 8 * row])} {row}\n" for row in range(1, 9))
            + "|    A B C D E F G H\n|\n|O to move\n",
            "\n".join(f"{row} {START[8 * row - 8 : 8 * row]}" for row in range(1, 9)) + "\nWhite's turn (O)",
            f"8 {' '.join(ROWS).replace('X', '*')}  O",  # NBoard's and GGF's
            f"8\n{START} O",
            "|".join(ROWS) + " O",
            "\n".join(f"| {' '.join(row)} |" for row in ROWS) + "\nO",
            "\n".join(" ".join(row) for row in ROWS) + "\r\n\tO",
        ],
    )
    def test_reads_boards_as_other_programs_and_people_write_them(self, text: str) -> None:
        assert Position.parse(text) == Position.start().with_side(Colour.WHITE)

    @given(text=strategies.bad_boards)
    def test_refuses_what_is_no_board_in_one_sentence(self, text: str) -> None:
        with pytest.raises(NotationError, match=r"^expected .*, got ") as caught:
            Position.parse(text)

        assert "\n" not in str(caught.value)

    @pytest.mark.parametrize(
        ("text", "sentence"),
        [
            (START[:37] + "?" + START[38:], r"expected X, O or - for square f5 of the board, got '\?'$"),
            (START.replace("O", "0"), "expected X, O or - for square d4 of the board, got '0'"),
            (START[:63], "expected a board of 64 squares, got 63: "),
            ("8/8/8/3pP3/3Pp3/8/7/8 w", "expected 8 squares in each row of a FEN, got 7 in '7'$"),
            (START + " green", "expected X, O, black or white after the 64 squares, got 'green'$"),
            *((START + text, "expected .*, got '(green|X|O)'$") for text in (";green", " O; X")),
            *((START + text, "expected .*, got '(green|X|O)'$") for text in (" O;F5:+2;green", "; F5:+2; O")),
        ],
    )
    def test_says_what_is_wrong(self, text: str, sentence: str) -> None:
        with pytest.raises(NotationError, match=f"^{sentence}"):
            Position.parse(text)

    def test_says_which_square_has_two_owners(self) -> None:
        with pytest.raises(NotationError) as caught:
            Position(0b110, 0b010, Colour.BLACK)

        assert str(caught.value) == "b1 has discs of both colours"
