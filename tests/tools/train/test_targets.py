"""What a position is taught."""

import numpy as np
import pytest

from outflank.tools.train.dataset import RECORD, Records
from outflank.tools.train.targets import Trust, targets

A, B, C = 1, 2, 4  # single discs: what counts is whose they are


@pytest.fixture
def records() -> Records:
    """A game in which the sides alternate, then one in which the second position follows a pass."""
    alternating = [(A, B, 10, 2, 0), (B, A | C, -10, -4, 1), (A | C, B, 10, 6, 2)]
    passing = [(A, B, 20, 1, 0), (A | C, B, 20, 3, 1)]
    return np.array([(*row, 4, 100, True) for row in alternating + passing], RECORD)


def test_full_trust_learns_the_result(records: Records) -> None:
    assert targets(records, Trust.everywhere(1.0)).tolist() == [10, -10, 10, 20, 20]


def test_no_trust_learns_the_guess(records: Records) -> None:
    assert targets(records, Trust.everywhere(0.0)).tolist() == [2, -4, 6, 1, 3]


def test_half_trust_mixes_what_comes_from_the_side_to_move(records: Records) -> None:
    last = (6 + 10) / 2
    second = (-4 - last) / 2
    after_pass = (3 + 20) / 2

    assert targets(records, Trust.everywhere(0.5)).tolist() == [
        (2 - second) / 2,
        second,
        last,
        (1 + after_pass) / 2,
        after_pass,
    ]


def test_guesses_are_rid_of_their_bias(records: Records) -> None:
    many = np.tile(records, 1200)
    many["result"] = many["guess"] + np.where(many["depth"] == 4, 3, 0)
    many["depth"][::5] = 7  # the first of every five: as many of another depth that are right
    many["result"][::5] = many["guess"][::5]
    few = many[:500]

    found = targets(many, Trust.everywhere(0.0)) - many["guess"]

    assert found[:5].tolist() == [0, 3, 3, 3, 3]
    assert targets(few, Trust.everywhere(0.0)).tolist() == few["guess"].tolist()


def test_single_positions_without_an_end_teach_their_guess(records: Records) -> None:
    single = np.array([(A, B, 7, 7, 0, 4, 73, True)] * 2000, RECORD)
    biased = np.tile(records, 1200)
    biased["result"] = biased["guess"] + 3
    many = np.concatenate([biased, single])

    found = targets(many, Trust.everywhere(0.5))[len(biased) :]

    assert found.tolist() == [10] * 2000  # the games tell what such guesses are off by; the single ones can't
    assert targets(single, Trust.everywhere(1.0)).tolist() == [7] * 2000


def test_single_positions_searched_to_the_end_teach_their_result() -> None:
    solved = np.array([((1 << 60) - 1, 1 << 60, 8, 8, 0, 3, 100, True)] * 2, RECORD)

    assert targets(solved, Trust.everywhere(0.7)).tolist() == [8, 8]


def test_no_records_have_no_targets() -> None:
    assert targets(np.empty(0, RECORD), Trust()).tolist() == []


def test_trust_depends_on_the_phase(records: Records) -> None:
    late = records.copy()
    late["opp"] |= np.uint64((1 << 50) - 8)
    trust = Trust(late=0.0, early=1.0)

    assert targets(records, trust).tolist() == [10, -10, 10, 20, 20]
    assert targets(late, trust).tolist() == [2, -4, 6, 1, 3]


def test_guesses_of_shallow_searches_do_not_count(records: Records) -> None:
    records["depth"][[0, 3]] = 3

    found = targets(records, Trust(0.0, 0.0, least_depth=4))

    assert found.tolist() == [4, -4, 6, 3, 3]
