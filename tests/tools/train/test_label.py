"""A bank of labels: which boards it holds, and how it grows."""

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from outflank.engine import FileFormatError
from outflank.engine.evaluation import weights
from outflank.storage.lock import WriterLock
from outflank.tests.support.program import OUTFLANK
from outflank.tools.train.dataset import (
    empties,
    load,
    position_of,
    read_header,
    set_aside,
    shard_path,
    shards_there,
)
from outflank.tools.train.label import fill_bank
from outflank.tools.train.settings import BankSettings, SearchSettings, SelfplaySettings

QUICK, DEEP = SearchSettings(1, exact_from=10), SearchSettings(2, exact_from=10)
SETTINGS = BankSettings(
    SelfplaySettings(weights.SHIPPED, QUICK, seed=3, games_a_shard=2, random_moves=(6, 24)),
    QUICK,
    DEEP,
    boards_a_shard=100,
)


@pytest.fixture(scope="module")
def bank(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("bank")
    assert fill_bank(folder, SETTINGS, 250, workers=2) == 300
    return folder


def test_a_bank_has_each_board_once_whatever_its_image_and_none_that_is_set_aside(bank: Path) -> None:
    labels = load([bank])
    positions = [position_of(label) for label in labels]

    assert len({position.canonical()[0] for position in positions}) == len(labels) == 300
    assert not any(map(set_aside, positions))
    assert 14 <= empties(labels).min() < 20
    assert 40 < empties(labels).max() <= 50
    assert not any(position.must_pass for position in positions)


def test_some_labels_are_of_the_deeper_search_and_all_are_scores_of_searches(bank: Path) -> None:
    labels = load([bank])

    assert 10 < np.count_nonzero(labels["depth"] == 2) < 60
    assert set(labels["depth"].tolist()) == {1, 2}
    assert np.array_equal(labels["result"], labels["guess"])


def test_a_header_says_how_the_shard_was_made(bank: Path) -> None:
    header = read_header(shard_path(bank, 2))

    assert header["number"] == 2
    assert header["games"] == header["positions"] == 100
    assert header["settings"]["evaluation"] == weights.checksum()
    assert header["settings"]["deep"]["depth"] == 2
    assert header["seconds"] > 0


def test_a_lost_shard_is_made_again_and_boards_that_are_known_are_left_out(
    bank: Path, tmp_path: Path
) -> None:
    for path in shards_there(bank):
        (tmp_path / path.name).write_bytes(path.read_bytes())
    shard_path(tmp_path, 1).unlink()

    assert fill_bank(tmp_path, SETTINGS, 300, workers=1) == 300
    assert np.array_equal(load([tmp_path]), load([bank]))

    shard_path(tmp_path, 1).rename(shard_path(tmp_path, 3))  # now number 1 has nothing new
    assert fill_bank(tmp_path, SETTINGS, seconds=0.001, workers=1) == 300
    assert read_header(shard_path(tmp_path, 1))["known before"] == 100
    assert len(load([tmp_path])) == 300


def test_a_bank_refuses_other_settings_a_damaged_shard_and_a_second_process(
    bank: Path, tmp_path: Path
) -> None:
    with pytest.raises(FileFormatError, match="to be made with"):
        fill_bank(bank, replace(SETTINGS, most=40), 1000, workers=1)
    with (
        WriterLock(bank / "bank", "only one"),
        pytest.raises(FileFormatError, match="only one process may fill the bank"),
    ):
        fill_bank(bank, SETTINGS, 1000, workers=1)
    damaged = shard_path(bank, 0).read_bytes()
    shard_path(tmp_path, 0).write_bytes(damaged[:-5])
    with pytest.raises(FileFormatError, match="damaged records"):
        fill_bank(tmp_path, SETTINGS, 1000, workers=1)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGTERM that a program can handle")
def test_a_stopped_command_leaves_whole_shards_and_the_next_one_continues(tmp_path: Path) -> None:
    quick = ("--depth", "1", "--deep-depth", "2", "--shard", "20", "--workers", "1")
    command = [OUTFLANK, "train", "bank", str(tmp_path), *quick]

    with subprocess.Popen(command, stderr=subprocess.DEVNULL) as running:
        while not shards_there(tmp_path):
            assert running.poll() is None
            time.sleep(0.05)
        niceness = os.getpriority(os.PRIO_PROCESS, running.pid)
        running.send_signal(signal.SIGTERM)
        assert running.wait(60) == 128 + signal.SIGTERM
    there = len(load([tmp_path]))
    told = subprocess.run([*command, "--boards", str(there + 20), "--json"], capture_output=True, check=True)

    assert niceness >= 10
    assert there >= 20
    assert json.loads(told.stdout)["boards"] == len(load([tmp_path])) == there + 20
