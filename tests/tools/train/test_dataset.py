"""Shards of positions: what is written is read, and nothing else is."""

import random
from pathlib import Path

import numpy as np
import pytest

from outflank.engine import FileFormatError
from outflank.tools.train.dataset import (
    RECORD,
    Records,
    empties,
    game_numbers,
    load,
    load_solved,
    read_header,
    read_shard,
    shard_path,
    write_shard,
)

FULL_BUT_9 = 2**55 - 1


@pytest.fixture
def records() -> Records:
    """Two games, of three positions and of two, with 9, 8, 7 and 9, 8 empty squares."""
    rows = [(FULL_BUT_9, 0, 5, 1, 0, 4), (1, 2 * FULL_BUT_9, -5, 2, 1, 8), (FULL_BUT_9, 3 << 55, 5, 3, 2, 7)]
    rows += [(0, FULL_BUT_9, -7, 4, 0, 4), (3 * 2**54, FULL_BUT_9, 7, 5, 1, 8)]
    return np.array([(*row, 87, True) for row in rows], RECORD)


@pytest.fixture
def folder(tmp_path: Path, records: Records) -> Path:
    write_shard(shard_path(tmp_path, 3), records, {"settings": {"exact_from": 8}, "number": 3})
    return tmp_path


def test_what_is_written_is_read(folder: Path, records: Records) -> None:
    path = shard_path(folder, 3)

    assert np.array_equal(read_shard(path), records)
    assert read_header(path)["games"] == 2
    assert read_header(path)["positions"] == 5
    assert [path] == list(folder.iterdir())


def test_games_are_told_apart_by_their_first_place(records: Records) -> None:
    assert game_numbers(records).tolist() == [0, 0, 0, 1, 1]


def test_empty_squares_are_counted(records: Records) -> None:
    assert empties(records).tolist() == [9, 8, 7, 9, 8]


def test_only_solved_positions_are_loaded_where_that_is_asked_for(folder: Path) -> None:
    solved = load_solved([folder])

    assert empties(solved).tolist() == [8, 7, 8]
    assert game_numbers(solved).tolist() == [0, 0, 1]


def test_shards_are_loaded_in_the_order_of_their_numbers(folder: Path, records: Records) -> None:
    write_shard(shard_path(folder, 1), records[3:], {"settings": {"exact_from": 8}})

    assert np.array_equal(load([folder]), np.concatenate([records[3:], records]))


def test_a_damaged_shard_is_refused_by_name(folder: Path) -> None:
    path = shard_path(folder, 3)
    whole = path.read_bytes()
    rng = random.Random(1)
    begin = whole.index(b"\n", whole.index(b"\n") + 1) + 1
    flipped = bytearray(whole)
    flipped[rng.randrange(begin + 2, len(whole) - 4)] ^= 4
    for damaged in (
        b"",
        whole[:10],
        whole[:-1],
        whole[:begin],
        whole[: begin - 5],
        b"x" + whole,
        bytes(flipped),
    ):
        path.write_bytes(damaged)
        with pytest.raises(FileFormatError, match=path.name):
            read_shard(path)


def test_a_folder_without_shards_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FileFormatError, match="got none"):
        load([tmp_path])
