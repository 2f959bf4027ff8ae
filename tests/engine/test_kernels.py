"""The kernels: what this build uses and the portable ones, both against the oracle and against each other."""

import random
from collections.abc import Callable, Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outflank.tests.support import kernels, reference, strategies
from outflank.tests.support.positions import board_of_mask, mask_of, mask_of_discs
from outflank.tests.support.reference import BLACK, EMPTY, STEPS, WHITE

LEGAL = [kernels.legal_moves, kernels.legal_moves_portable]
TURNED = [kernels.turned_discs, kernels.turned_discs_portable]


def masks_of(board: reference.Board) -> tuple[int, int]:
    return mask_of_discs(board, BLACK), mask_of_discs(board, WHITE)


def empty_squares(board: reference.Board) -> Iterator[tuple[int, int, int]]:
    for row in range(8):
        for column in range(8):
            if board[row][column] == EMPTY:
                yield 8 * row + column, row, column


def turned_by_black(board: reference.Board, row: int, column: int) -> int:
    lines = (reference.bracketed(board, BLACK, row, column, direction) for direction in STEPS)
    return mask_of(disc for line in lines for disc in line)


@pytest.mark.parametrize("legal_moves", LEGAL)
@given(board=strategies.boards)
def test_legal_moves_are_the_oracles_on_any_board(
    legal_moves: Callable[[int, int], int], board: reference.Board
) -> None:
    squares = [(row, column) for _, row, column in empty_squares(board)]
    expected = mask_of(square for square in squares if turned_by_black(board, *square))

    assert expected == legal_moves(*masks_of(board))


@pytest.mark.parametrize("turned_discs", TURNED)
@given(board=strategies.boards)
def test_turned_discs_are_the_oracles_on_every_empty_square_of_any_board(
    turned_discs: Callable[[int, int, int], int], board: reference.Board
) -> None:
    for square, row, column in empty_squares(board):
        assert turned_by_black(board, row, column) == turned_discs(*masks_of(board), square)


@given(board=strategies.boards)
def test_one_direction_turns_what_the_oracle_brackets_in_it(board: reference.Board) -> None:
    for square, row, column in empty_squares(board):
        for number, direction in enumerate(STEPS):
            expected = mask_of(reference.bracketed(board, BLACK, row, column, direction))

            assert expected == kernels.turned_one_way(*masks_of(board), square, number)


def rays() -> Iterator[tuple[int, str, list[reference.Square]]]:
    """Yield every square, every direction, and the squares from there to the rim."""
    for row in range(8):
        for column in range(8):
            for direction, (down, right) in STEPS.items():
                ray = [(row + n * down, column + n * right) for n in range(1, 8)]
                yield 8 * row + column, direction, [(r, c) for r, c in ray if 0 <= r < 8 and 0 <= c < 8]


@pytest.mark.parametrize(("legal_moves", "turned_discs"), [*zip(LEGAL, TURNED, strict=True)])
def test_every_run_of_every_length_is_turned_exactly_if_an_own_disc_ends_it(
    legal_moves: Callable[[int, int], int], turned_discs: Callable[[int, int, int], int]
) -> None:
    for square, _, ray in rays():
        for length in range(len(ray) + 1):
            run = mask_of(ray[:length])
            if length < len(ray):
                bracketed = mask_of(ray[length : length + 1]), run, square
                assert turned_discs(*bracketed) == run
                assert bool(legal_moves(*bracketed[:2]) >> square & 1) == bool(run)
            assert turned_discs(0, run, square) == 0


@pytest.mark.parametrize(("legal_moves", "turned_discs"), [*zip(LEGAL, TURNED, strict=True)])
def test_a_run_to_the_rim_is_not_turned_whatever_stands_anywhere_else(
    legal_moves: Callable[[int, int], int], turned_discs: Callable[[int, int, int], int]
) -> None:
    """Own discs everywhere off the ray are what a shift that wraps round the board would find."""
    for square, direction, ray in rays():
        run = mask_of(ray)
        own = (2**64 - 1) & ~run & ~(1 << square)
        board = [list(row) for row in board_of_mask(own)]
        for row, column in ray:
            board[row][column] = WHITE
        expected = turned_by_black(board, square // 8, square % 8)

        assert reference.bracketed(board, BLACK, square // 8, square % 8, direction) == []
        assert turned_discs(own, run, square) == expected
        assert legal_moves(own, run) == (1 << square if expected else 0)


def test_the_kernels_of_this_build_agree_with_the_portable_ones(rng: random.Random) -> None:
    assert kernels.KERNELS in ("avx512", "avx2", "neon", "portable")
    for _ in range(20_000):
        own, opp = rng.getrandbits(64), rng.getrandbits(64)
        own &= ~opp
        if rng.random() < 0.5:  # half as many discs
            own, opp = own & rng.getrandbits(64), opp & rng.getrandbits(64)
        moves = kernels.legal_moves_portable(own, opp)

        assert moves == kernels.legal_moves(own, opp)
        assert kernels.moves_of_both(own, opp) == (moves, kernels.legal_moves_portable(opp, own))
        for square in range(64):
            if not (own | opp) >> square & 1:
                turned = kernels.turned_discs_portable(own, opp, square)
                assert turned == kernels.turned_discs(own, opp, square)
                assert bool(turned) == bool(moves >> square & 1)


@given(board=strategies.boards, square=st.integers(0, 63))
def test_nothing_is_turned_by_playing_on_an_occupied_square(board: reference.Board, square: int) -> None:
    board[square // 8][square % 8] = WHITE

    for turned_discs in TURNED:
        assert turned_discs(*masks_of(board), square) == 0


def image_of(mask: int, symmetry: Callable[[reference.Board], reference.Board]) -> int:
    return mask_of_discs(symmetry(board_of_mask(mask)), BLACK)


TELLTALE = 0b1011
"""The discs on a1, b1 and d1 have eight different images, so they tell the symmetries apart."""


def test_transform_knows_eight_symmetries_and_0_is_the_identity() -> None:
    expected = {image_of(TELLTALE, symmetry) for symmetry in reference.SYMMETRIES}

    assert kernels.transform(TELLTALE, 0) == TELLTALE
    assert {kernels.transform(TELLTALE, number) for number in range(8)} == expected
    assert len(expected) == 8


@given(mask=strategies.masks)
def test_transform_moves_any_mask_as_it_moves_the_telltale_and_popcount_counts_it(mask: int) -> None:
    by_telltale = {image_of(TELLTALE, symmetry): symmetry for symmetry in reference.SYMMETRIES}
    assert kernels.popcount(mask) == mask.bit_count()
    for number in range(8):
        symmetry = by_telltale[kernels.transform(TELLTALE, number)]

        assert image_of(mask, symmetry) == kernels.transform(mask, number)


@given(own=strategies.masks)
def test_on_the_last_square_as_many_discs_are_counted_as_turned(own: int) -> None:
    for square in range(64):
        mine = own & ~(1 << square)
        turned = kernels.turned_discs_portable(mine, ~mine & 2**64 - 1 & ~(1 << square), square)

        assert kernels.turned_last(mine, square) == turned.bit_count()


def test_the_owner_of_every_square_reaches_every_bit_of_the_key_of_an_evaluation(rng: random.Random) -> None:
    """A key whose bits did not depend on who owns h8 took one board's evaluation for the other's."""
    for square in range(64):
        disc, ones, boards = 1 << square, [0] * 64, 200
        for _ in range(boards):
            discs = rng.getrandbits(64) | rng.getrandbits(64) | disc
            own = discs & rng.getrandbits(64) | disc
            opp = discs & ~own
            changed = kernels.guess_key(own, opp) ^ kernels.guess_key(own ^ disc, opp ^ disc)
            for bit in range(64):
                ones[bit] += changed >> bit & 1

        assert all(0.2 * boards < count < 0.8 * boards for count in ones), (square, ones)
