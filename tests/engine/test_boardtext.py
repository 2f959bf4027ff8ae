"""Boards as text: what is read, and what is refused."""

import pytest
from hypothesis import given

from outflank.engine import PRESETS, Colour, NotationError, Position
from outflank.tests import reference, strategies
from outflank.tests.masks import position_of, rules_of

START = "-" * 27 + "OX" + "-" * 6 + "XO" + "-" * 27


class TestReading:
    """``Position.parse`` and ``board_string``."""

    @given(named=strategies.sheets(), board=strategies.boards, side=strategies.sides)
    def test_reads_back_any_board_it_writes(
        self, named: tuple[str, reference.Sheet], board: reference.Board, side: str
    ) -> None:
        position = position_of(board, side, rules_of(*named))

        assert position == Position.parse(position.board_string(), position.rules)

    @pytest.mark.parametrize("black", "Xx*bB1")
    @pytest.mark.parametrize("white", "OowW2")
    @pytest.mark.parametrize("empty", "-._")
    def test_knows_every_alphabet(self, black: str, white: str, empty: str) -> None:
        letters = START.replace("X", black).replace("O", white).replace("-", empty)

        assert Position.parse(f"{letters} {black}") == Position.start()
        assert Position.parse(f"{letters} {white}").side is Colour.WHITE

    @pytest.mark.parametrize(
        "side", ["O", " O", "\nO", " white", " White", "  WHITE ", " O;", " O; F5:+2; D3:-4;"]
    )
    def test_takes_the_side_from_what_follows_the_board(self, side: str) -> None:
        assert Position.parse(START + side) == Position.start().with_side(Colour.WHITE)

    @pytest.mark.parametrize(("name", "side"), [("othello", Colour.BLACK), ("reversi", Colour.WHITE)])
    def test_without_a_side_the_one_that_begins_moves(self, name: str, side: Colour) -> None:
        assert Position.parse(START, PRESETS[name]).side is side

    def test_skips_blanks_and_line_ends_between_squares(self) -> None:
        rows = [" ".join(START[at : at + 8]) for at in range(0, 64, 8)]

        assert Position.parse("\n".join(rows) + "\r\n\t") == Position.start()

    @given(text=strategies.bad_boards)
    def test_refuses_what_is_no_board_in_one_sentence(self, text: str) -> None:
        with pytest.raises(NotationError, match=r"^expected .*, got ") as caught:
            Position.parse(text)

        assert "\n" not in str(caught.value)

    def test_says_which_square_is_wrong(self) -> None:
        with pytest.raises(NotationError) as caught:
            Position.parse(START[:37] + "?" + START[38:])

        assert str(caught.value) == "expected X, O or - for square f5 of the board, got '?'"

    def test_says_how_many_squares_there_are(self) -> None:
        with pytest.raises(NotationError, match=r"^expected a board of 64 squares, got 63: "):
            Position.parse(START[:63])

    def test_says_what_stands_where_the_side_should(self) -> None:
        with pytest.raises(NotationError) as caught:
            Position.parse(START + " green")

        assert str(caught.value) == "expected X, O, black or white behind the 64 squares, got 'green'"

    def test_says_which_square_has_two_owners(self) -> None:
        with pytest.raises(NotationError) as caught:
            Position(0b110, 0b010, Colour.BLACK)

        assert str(caught.value) == "a square has one owner, and b1 has two"
