"""Stable discs: what is called stable is never turned, whatever is played."""

from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outflank.engine.search.stability import edge_stable_discs, stable_discs
from outflank.tests import reference, strategies
from outflank.tests.engine import kernels
from outflank.tests.masks import mask_of_discs, mask_of_names
from outflank.tests.reference import BLACK, EMPTY, WHITE

FULL = 2**64 - 1


@given(board=strategies.boards, picks=st.lists(st.integers(0, 255), min_size=64, max_size=64))
def test_a_stable_disc_is_never_turned_whoever_plays_whatever(
    board: reference.Board, picks: list[int]
) -> None:
    """Either side may play at any time, so more than any game is tried."""
    stable = stable_discs(mask_of_discs(board, BLACK), mask_of_discs(board, WHITE))
    for pick in picks:
        options = [(side, move) for side in (BLACK, WHITE) for move in reference.moves(board, side, "all")]
        if not options:
            break
        side, move = options[pick % len(options)]
        board = reference.after(board, side, move, "all")

        assert stable & ~mask_of_discs(board, BLACK) == 0


@given(board=strategies.boards)
def test_only_own_discs_are_stable(board: reference.Board) -> None:
    own, opp = mask_of_discs(board, BLACK), mask_of_discs(board, WHITE)

    assert stable_discs(own, opp) & ~own == 0


@given(board=strategies.boards)
def test_a_symmetry_of_the_board_moves_its_stable_discs_along(board: reference.Board) -> None:
    own, opp = mask_of_discs(board, BLACK), mask_of_discs(board, WHITE)
    stable = stable_discs(own, opp)
    for number in range(8):
        image = stable_discs(kernels.transform(own, number), kernels.transform(opp, number))

        assert image == kernels.transform(stable, number)


@given(own=strategies.masks)
def test_every_disc_of_a_full_board_is_stable(own: int) -> None:
    assert stable_discs(own, FULL & ~own) == own


def test_a_corner_and_a_run_from_it_along_the_edge_are_stable() -> None:
    assert stable_discs(mask_of_names("a1 b1 c1"), mask_of_names("d1 e1")) == mask_of_names("a1 b1 c1")


def test_a_triangle_built_on_a_corner_is_stable() -> None:
    triangle = mask_of_names("a1 b1 c1 a2 b2 a3")

    assert stable_discs(triangle, mask_of_names("c3 d4")) == triangle


def test_nothing_is_stable_at_the_start() -> None:
    assert stable_discs(mask_of_names("e4 d5"), mask_of_names("d4 e5")) == 0


def turned_along(edge: str, at: int, side: str) -> str:
    """The edge after `side` has played at a place, discs between turned; it need not turn any there."""
    letters = list(edge)
    letters[at] = side
    for step in (-1, 1):
        run = []
        place = at + step
        while 0 <= place < 8 and edge[place] not in (EMPTY, side):
            run.append(place)
            place += step
        if 0 <= place < 8 and edge[place] == side:
            for turned in run:
                letters[turned] = side
    return "".join(letters)


@cache
def never_turned(edge: str) -> frozenset[int]:
    """The places whose disc stays what it is, whatever either side plays on the edge."""
    places = {place for place in range(8) if edge[place] != EMPTY}
    for at in range(8):
        if edge[at] == EMPTY:
            for side in (BLACK, WHITE):
                later = turned_along(edge, at, side)
                places &= {place for place in never_turned(later) if later[place] == edge[place]}
    return frozenset(places)


def edges(letters: int) -> list[str]:
    """Every edge."""
    return (
        [""] if letters == 0 else [edge + new for edge in edges(letters - 1) for new in (EMPTY, BLACK, WHITE)]
    )


@pytest.mark.parametrize("corner", [EMPTY, BLACK, WHITE])
def test_on_an_edge_exactly_the_discs_are_stable_that_no_play_on_it_can_turn(corner: str) -> None:
    for rest in edges(7):
        edge = corner + rest
        own, opp = (sum(1 << place for place in range(8) if edge[place] == side) for side in (BLACK, WHITE))
        expected = sum(1 << place for place in never_turned(edge) if edge[place] == BLACK)

        assert expected == edge_stable_discs(own, opp), edge
