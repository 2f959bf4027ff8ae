"""Entries of weights: what each says and which row it has."""

from array import array

import numpy as np
import pytest

from outflank.engine.evaluation.entries import MOST_IN_TABLE, MOST_ROWS, distinct_rows, with_rows

WIDTH = 64


def test_each_stage_keeps_each_of_its_rows_once() -> None:
    chance = np.random.default_rng(3)
    rows = chance.integers(-1, 2, (2, 5000, 8), np.int8).repeat(8, axis=2)  # 6561 different ones
    rows[1] = rows[1, chance.permutation(5000) // 10]

    distinct, starts, numbers = distinct_rows(array("b", rows.tobytes()), WIDTH, 2)

    kept = np.asarray(distinct).reshape(-1, WIDTH)
    number_of = np.asarray(numbers).reshape(2, -1)
    different = [len(np.unique(stage, axis=0)) for stage in rows]
    assert list(starts) == [0, different[0]]
    assert len(kept) == sum(different)
    for stage in range(2):
        assert np.array_equal(kept[starts[stage] + number_of[stage]], rows[stage])


def test_more_rows_than_an_entry_can_tell_apart_are_refused() -> None:
    rows = np.zeros((MOST_ROWS + 1, WIDTH), np.int8)
    rows[:, :4] = np.arange(MOST_ROWS + 1, dtype=np.int32).view(np.int8).reshape(-1, 4)

    _, _, numbers = distinct_rows(array("b", rows[:-1].tobytes()), WIDTH, 1)
    assert len(set(numbers)) == MOST_ROWS
    with pytest.raises(
        ValueError, match=f"at most {MOST_ROWS} different rows in a stage, got {MOST_ROWS + 1}"
    ):
        distinct_rows(array("b", rows.tobytes()), WIDTH, 1)


def test_an_entry_tells_what_the_weight_says_and_its_row() -> None:
    tables = array("h", [0, MOST_IN_TABLE, -MOST_IN_TABLE, -1, 5, 6, 7, 8])  # four phases, two weights each
    numbers = array("i", [0, MOST_ROWS - 1, 1, 2])  # two stages

    entries = with_rows(tables, numbers, 4, 2)

    assert [entry >> 18 for entry in entries] == list(tables)
    assert [entry & (MOST_ROWS - 1) for entry in entries] == [0, MOST_ROWS - 1, 0, MOST_ROWS - 1, 1, 2, 1, 2]
