"""Rotations and reflections: of positions, squares, directions and moves."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from outflank.engine import PRESETS, Colour, Move, NotationError, Position, Rules
from outflank.engine.symmetry import Symmetry
from outflank.tests import reference, strategies
from outflank.tests.masks import position_of

COUNTS = Path(__file__).parents[1] / "data" / "perft" / "counts.json"


class TestSymmetries:
    """The eight images of a board."""

    @given(board=strategies.boards, side=strategies.sides)
    def test_are_the_oracles_eight_with_the_position_itself_first(
        self, board: reference.Board, side: str
    ) -> None:
        position = position_of(board, side, Rules())
        expected = sorted(reference.text_of(image(board)) + f" {side}" for image in reference.SYMMETRIES)

        assert position == position.symmetries()[0]
        assert expected == sorted(image.board_string() for image in position.symmetries())

    @given(board=strategies.boards, side=strategies.sides)
    def test_share_one_canonical_position_which_is_the_smallest_of_them(
        self, board: reference.Board, side: str
    ) -> None:
        position = position_of(board, side, Rules())
        images = position.symmetries()

        assert {image.canonical()[0] for image in images} == {position.canonical()[0]}
        assert (position.canonical()[0].own, position.canonical()[0].opp) == min(
            (i.own, i.opp) for i in images
        )

    def test_keep_the_rules(self) -> None:
        position = Position.start(PRESETS["obversi"])

        assert {image.rules for image in position.symmetries()} == {PRESETS["obversi"]}

    @pytest.mark.parametrize(
        "discs", [*range(8), pytest.param(8, marks=pytest.mark.slow), pytest.param(9, marks=pytest.mark.slow)]
    )
    def test_leave_as_many_different_positions_as_published(self, discs: int) -> None:
        """After so many discs played; a forced pass on the way is no position of its own."""
        published = json.loads(COUNTS.read_text())["distinct_by_discs_played"]
        different = {Position.start().canonical()[0]}
        for _ in range(discs):
            movers = [position.pass_() if position.must_pass else position for position in different]
            different = {mover.play(move).canonical()[0] for mover in movers for move in mover.legal_moves()}

        assert published[discs] == len(different)


@given(square=st.integers(0, 63), symmetry=st.sampled_from(Symmetry))
def test_a_square_goes_where_its_disc_goes(square: int, symmetry: Symmetry) -> None:
    image = Position(1 << square, 0, Colour.BLACK).transformed(symmetry)

    assert image.own == 1 << symmetry.square(square)
    assert symmetry.inverse.square(symmetry.square(square)) == square
    assert image.transformed(symmetry.inverse).own == 1 << square


@pytest.mark.parametrize("name", ["othello", "ravensburger-1987"])
@settings(max_examples=30)
@given(data=st.data(), symmetry=st.sampled_from(Symmetry))
def test_a_move_of_the_image_is_the_image_of_a_move(
    name: str, data: st.DataObject, symmetry: Symmetry
) -> None:
    position = Position.start(PRESETS[name])
    for _ in range(data.draw(st.integers(0, 20))):
        if position.is_over:
            break
        position = position.play(data.draw(st.sampled_from(position.legal_moves())))
    image = position.transformed(symmetry)

    assert {symmetry.move(move) for move in position.legal_moves()} == set(image.legal_moves())
    for move in position.legal_moves():
        assert symmetry.inverse.move(symmetry.move(move)) == move
        assert image.play(symmetry.move(move)) == position.play(move).transformed(symmetry)


@settings(max_examples=30)
@given(board=strategies.boards, side=strategies.sides)
def test_the_canonical_position_comes_with_the_way_there(board: reference.Board, side: str) -> None:
    position = position_of(board, side, Rules())
    canonical, symmetry = position.canonical()

    assert canonical == position.transformed(symmetry)
    assert canonical.transformed(symmetry.inverse) == position


@pytest.mark.parametrize("square", [-1, 64, "f5"])
def test_a_square_off_the_board_has_no_image(square: Any) -> None:
    for call in (Symmetry.HALF_TURN.square, lambda square: Symmetry.HALF_TURN.move(Move(square))):
        with pytest.raises(IndexError, match=f"^expected a square from 0 to 63, got {square!r}$"):
            call(square)


def test_a_direction_other_than_the_eight_has_no_image() -> None:
    direction: Any = "x"
    with pytest.raises(NotationError, match=r"^expected a direction out of n ne e se s sw w nw, got 'x'$"):
        Symmetry.HALF_TURN.direction(direction)


@pytest.mark.parametrize("number", [-1, 8])
def test_a_symmetry_other_than_the_eight_is_refused(number: int) -> None:
    with pytest.raises(IndexError, match=f"expected a symmetry from 0 to 7, got {number}"):
        Position.start().transformed(number)  # type: ignore[arg-type]
