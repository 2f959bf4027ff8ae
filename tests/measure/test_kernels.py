"""What one call of each hot function costs: `make bench`. Each round makes the number of calls its name says."""

import random

import numpy as np
import pytest
from numpy.typing import NDArray
from pytest_benchmark.fixture import BenchmarkFixture

from outflank.engine.evaluation import weights
from outflank.engine.evaluation.evaluate import Evaluator
from outflank.tests.support import kernels
from outflank.tests.support.positions import random_game

Boards = tuple[NDArray[np.uint64], NDArray[np.uint64]]

BOARDS = 1000
TIMES = 100


@pytest.fixture(scope="module")
def boards() -> Boards:
    """Boards out of random games, where the side to move has a move."""
    chance = random.Random(1)
    found: list[tuple[int, int]] = []
    while len(found) < BOARDS:
        game = random_game(chance, moves=chance.randint(4, 50))
        if game.position.legal_moves():
            found.append((game.position.own, game.position.opp))
    own, opp = zip(*found, strict=True)
    return np.array(own, np.uint64), np.array(opp, np.uint64)


def test_legal_moves_of_1000_boards(benchmark: BenchmarkFixture, boards: Boards) -> None:
    expected = sum(
        kernels.popcount(kernels.legal_moves(int(a), int(b))) for a, b in zip(*boards, strict=True)
    )

    note(benchmark, BOARDS, "legal moves")
    assert benchmark(kernels.total_legal_moves, *boards) == expected


def test_turned_discs_of_all_moves_on_1000_boards(benchmark: BenchmarkFixture, boards: Boards) -> None:
    moves = kernels.total_legal_moves(*boards)
    expected = sum(
        kernels.popcount(kernels.turned_discs(int(a), int(b), square))
        for a, b in zip(*boards, strict=True)
        for square in range(64)
        if kernels.legal_moves(int(a), int(b)) >> square & 1
    )

    note(benchmark, moves, "turned discs of one move, finding the legal moves included")
    assert benchmark(kernels.total_turned_discs, *boards) == expected


def test_64000_last_moves(benchmark: BenchmarkFixture, boards: Boards) -> None:
    own = boards[0]
    everywhere = 2**64 - 1
    expected = sum(
        2 * kernels.popcount(kernels.turned_discs(mask, everywhere ^ mask ^ 1 << square, square))
        for mask, square in ((int(a) & ~(1 << square), square) for a in own for square in range(64))
    )

    note(benchmark, 64 * BOARDS, "turned discs on the last square")
    assert benchmark(kernels.total_last_moves, own) == expected


def test_100000_evaluations(benchmark: BenchmarkFixture, boards: Boards) -> None:
    evaluator = Evaluator(weights.load())

    note(benchmark, TIMES * BOARDS, "evaluation: moves, tables and network")
    assert benchmark(kernels.total_evaluations, evaluator, *boards, TIMES) == kernels.total_evaluations(
        evaluator, *boards, TIMES
    )


def test_a_table_of_16_mb_and_1000_probes(benchmark: BenchmarkFixture, boards: Boards) -> None:
    different = len(set(zip(*(side.tolist() for side in boards), strict=True)))

    assert different // 2 <= benchmark(kernels.total_probes, *boards, 16) <= BOARDS


def note(benchmark: BenchmarkFixture, calls: int, one: str) -> None:
    """Say what one call of a round is, for docs/results.md."""
    benchmark.extra_info.update(calls=calls, one=one)
