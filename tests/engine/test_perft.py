"""Perft: the published leaves, in both conventions, and the oracle's for the rest of the family; and symmetries."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from outflank.engine import PRESETS, Game, NotationError, Position, Rules, SettingsError, divide, perft
from outflank.engine.rules import Turns
from outflank.engine.symmetry import Symmetry
from outflank.tests.support import reference, strategies
from outflank.tests.support.positions import BLACK_MUST_PASS, position_of, rules_of

COUNTS = Path(__file__).parents[1] / "data" / "perft.json"
PUBLISHED: dict[str, Any] = json.loads(COUNTS.read_text())
CONVENTIONS = {"pass_is_a_ply": False, "pass_is_free": True}


@pytest.mark.parametrize("convention", CONVENTIONS)
@pytest.mark.parametrize("table", ["standard", "parallel"])
@pytest.mark.parametrize(
    "depth", [*range(11), pytest.param(11, marks=pytest.mark.slow), pytest.param(12, marks=pytest.mark.slow)]
)
def test_leaves_are_the_published_ones(table: str, convention: str, depth: int) -> None:
    first = Position.start(Rules(start=PUBLISHED[table]["start"]))

    assert PUBLISHED[table][convention][depth] == perft(first, depth, CONVENTIONS[convention])


@pytest.mark.parametrize("pass_is_free", [False, True])
@pytest.mark.parametrize("name", strategies.PRESETS)
def test_leaves_of_each_preset_are_the_oracles(name: str, pass_is_free: bool) -> None:
    sheet = reference.SHEETS[name]
    expected = reference.leaves(
        reference.start_board(sheet.start), sheet.begins, sheet.turns, 4, pass_is_free
    )

    assert expected == perft(Position.start(Rules.parse(name)), 4, pass_is_free)


@settings(max_examples=60)
@given(data=st.data(), turns=st.sampled_from(["all", "one"]), pass_is_free=st.booleans())
def test_leaves_of_an_endgame_are_the_oracles_to_the_last_disc(
    data: st.DataObject, turns: Turns, pass_is_free: bool
) -> None:
    """Forced passes and games that end early are the rule here, not the exception."""
    sheet = reference.Sheet(turns=turns)
    game = data.draw(strategies.endgames(sheet, 5))
    position = position_of(game.board, game.side, rules_of("othello", sheet))
    for depth in range(9):
        expected = reference.leaves(game.board, game.side, turns, depth, pass_is_free)

        assert expected == perft(position, depth, pass_is_free)


def test_a_pass_is_a_ply_unless_it_is_free() -> None:
    """Black has to pass; White then turns b1 and b3 in either order, Black passing in between."""
    assert [perft(BLACK_MUST_PASS, depth) for depth in range(5)] == [1, 1, 2, 2, 2]
    assert [perft(BLACK_MUST_PASS, depth, pass_is_free=True) for depth in range(4)] == [1, 2, 2, 2]
    assert divide(BLACK_MUST_PASS, 2) == divide(BLACK_MUST_PASS, 1, pass_is_free=True) == {"pass": 2}
    assert divide(BLACK_MUST_PASS, 1) == {"pass": 1}


# Black has to pass after eight discs, with 52 squares empty.
EARLY_PASS = "d3c3b3b2e6a3a1c1"


@pytest.mark.parametrize("depth", [1, 6, 7, 8, 9])
def test_a_forced_pass_far_above_the_leaves_costs_a_ply_unless_it_is_free(depth: int) -> None:
    """Deep counts are begun in Python and go on in C; a pass on either side of that border counts alike."""
    position = Game.from_transcript(EARLY_PASS).position

    assert position.must_pass
    assert perft(position, depth) == perft(position.pass_(), depth - 1)
    assert perft(position, depth, pass_is_free=True) == perft(position.pass_(), depth, pass_is_free=True)


@pytest.mark.parametrize("pass_is_free", [False, True])
@pytest.mark.parametrize("name", strategies.PRESETS)
@pytest.mark.parametrize("depth", [7, 8])
def test_the_leaves_of_a_position_are_those_behind_its_moves(
    name: str, depth: int, pass_is_free: bool
) -> None:
    first = Position.start(Rules.parse(name))
    parts = [perft(first.play(move), depth - 1, pass_is_free) for move in first.legal_moves()]

    assert perft(first, depth, pass_is_free) == sum(parts) == sum(divide(first, depth, pass_is_free).values())


def test_a_finished_game_is_one_leaf_at_every_depth() -> None:
    wiped_out = Position.parse("X" + "-" * 63)

    assert [perft(wiped_out, depth) for depth in (0, 1, 2, 30)] == [1, 1, 1, 1]
    assert divide(wiped_out, 3) == {}


def test_a_move_in_one_direction_is_a_leaf_for_each_direction() -> None:
    """d3 is Black's only square; from there he brackets discs to the east, the south and the west."""
    board = "-" * 16 + "-XO-OX--" + "---O----" + "---X----" + "-" * 24

    assert perft(Position.parse(board), 1) == 1
    assert perft(Position.parse(board, Rules(turns="one")), 1) == 3
    assert list(divide(Position.parse(board, Rules(turns="one")), 1)) == ["d3/e", "d3/s", "d3/w"]


def test_a_negative_depth_is_refused() -> None:
    with pytest.raises(SettingsError, match=r"^expected a depth of at least 0, got -1$"):
        perft(Position.start(), -1)
    with pytest.raises(SettingsError, match=r"^expected a depth of at least 1, got 0$"):
        divide(Position.start(), 0)


class TestSymmetries:
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
        canonical, symmetry = position.canonical()

        assert {image.canonical()[0] for image in images} == {canonical}
        assert (canonical.own, canonical.opp) == min((image.own, image.opp) for image in images)
        assert canonical == position.transformed(symmetry)
        assert canonical.transformed(symmetry.inverse) == position

    @pytest.mark.parametrize(
        "discs", [*range(8), pytest.param(8, marks=pytest.mark.slow), pytest.param(9, marks=pytest.mark.slow)]
    )
    def test_leave_as_many_different_positions_as_published(self, discs: int) -> None:
        """After so many discs played; a forced pass on the way is no position of its own."""
        different = {Position.start().canonical()[0]}
        for _ in range(discs):
            movers = [position.pass_() if position.must_pass else position for position in different]
            different = {mover.play(move).canonical()[0] for mover in movers for move in mover.legal_moves()}

        assert PUBLISHED["distinct_by_discs_played"][discs] == len(different)


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


def test_other_directions_and_symmetries_than_there_are_have_no_image() -> None:
    direction: Any = "x"
    with pytest.raises(IndexError, match="expected a symmetry from 0 to 7, got 8"):
        Position.start().transformed(8)  # type: ignore[arg-type]
    with pytest.raises(NotationError, match=r"^expected one of the directions n ne e se s sw w nw, got 'x'$"):
        Symmetry.HALF_TURN.direction(direction)
