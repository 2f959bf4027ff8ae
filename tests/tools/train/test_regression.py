"""The regression finds weights that are there to be found."""

import numpy as np
from scipy.sparse import csr_array, random_array

from outflank.tools.train.fit import Block, Vector, solve

COLUMNS = 50


def sparse_rows(count: int, seed: int) -> csr_array:
    rows = random_array((count, COLUMNS), density=0.2, rng=np.random.default_rng(seed), dtype=np.float32)
    rows.data[:] = 1
    return csr_array(rows)


def problem(noise: float) -> tuple[Block, Block, Vector]:
    """Rows to fit, rows kept out, and the weights behind both; the last column is in no row."""
    rng = np.random.default_rng(7)
    truth = rng.normal(size=COLUMNS).astype(np.float32)
    blocks = []
    for seed, count in ((1, 2000), (2, 500)):
        rows = sparse_rows(count, seed)
        rows.data[rows.indices == COLUMNS - 1] = 0
        targets = rows @ truth + rng.normal(scale=noise, size=count).astype(np.float32)
        blocks.append(Block(rows, targets.astype(np.float32), 1.0))
    fitted, kept_out = blocks
    return fitted, kept_out, truth


def test_weights_are_found_where_nothing_is_in_the_way() -> None:
    fitted, kept_out, truth = problem(noise=0)

    solution = solve([fitted], kept_out, np.zeros(COLUMNS, np.float32), ridge=1e-6)

    assert np.allclose(solution.weights[:-1], truth[:-1], atol=0.01)


def test_a_weight_that_no_row_mentions_stays_where_it_began() -> None:
    fitted, kept_out, _ = problem(noise=1)
    start = np.full(COLUMNS, 0.25, np.float32)

    assert solve([fitted], kept_out, start, ridge=1.0).weights[-1] == 0.25


def test_a_firm_ridge_keeps_weights_near_their_start() -> None:
    fitted, kept_out, _ = problem(noise=1)
    start = np.zeros(COLUMNS, np.float32)

    loose = solve([fitted], kept_out, start, ridge=1.0).weights
    firm = solve([fitted], kept_out, start, ridge=1e5).weights

    assert np.abs(firm).max() < 0.1 * np.abs(loose).max()


def test_rows_of_no_weight_count_for_nothing() -> None:
    fitted, kept_out, _ = problem(noise=0)
    wrong = Block(fitted.rows, -fitted.targets, 0.0)
    start = np.zeros(COLUMNS, np.float32)

    alone = solve([fitted], kept_out, start, ridge=1.0).weights
    beside = solve([fitted, wrong], kept_out, start, ridge=1.0).weights

    assert np.allclose(alone, beside, atol=1e-4)


def test_without_rows_nothing_changes() -> None:
    none = Block(csr_array((0, COLUMNS), dtype=np.float32), np.empty(0, np.float32), 1.0)
    start = np.ones(COLUMNS, np.float32)

    assert solve([none], none, start, ridge=1.0).weights.tolist() == start.tolist()
