"""Self-play: its results are right, and a run can be repeated, interrupted and gone on with."""

from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from outflank.engine import Colour, FileFormatError, Limit, Position, Searcher
from outflank.tools.train.dataset import (
    RECORD,
    empties,
    game_numbers,
    load,
    read_shard,
    set_aside,
    shard_path,
)
from outflank.tools.train.selfplay import SelfplaySettings, play_shard, selfplay


def test_every_game_is_kept_once(games: Path) -> None:
    records = load([games])

    assert game_numbers(records)[-1] == 59
    assert len(list(games.iterdir())) == 6


def test_solved_positions_have_their_exact_score(games: Path, settings: SelfplaySettings) -> None:
    records = load([games])
    solved = records[empties(records) <= settings.judging.exact_from]
    searcher = Searcher(16)

    for record in solved[::7]:
        position = Position(int(record["own"]), int(record["opp"]), Colour.BLACK)
        assert searcher.search(position, Limit.solve()).score == record["result"] == record["guess"]
    assert len(solved) > 200


def test_results_are_told_from_the_side_to_move(games: Path) -> None:
    records = load([games])
    for before, after in pairwise(records):
        if after["place"] == 0:
            continue
        # The mover keeps his discs: if some are no longer `own`, the other side is to move now.
        other_side = int(before["own"]) & ~int(after["own"])
        assert after["result"] == (-before["result"] if other_side else before["result"])


def test_only_positions_with_a_choice_of_squares_are_kept(games: Path) -> None:
    for record in load([games])[::5]:
        position = Position(int(record["own"]), int(record["opp"]), Colour.BLACK)
        assert not position.must_pass
        assert not position.is_over


def test_games_never_begin_where_matches_do(games: Path) -> None:
    records = load([games])
    for record in records[records["place"] == 0]:
        assert not set_aside(Position(int(record["own"]), int(record["opp"]), Colour.BLACK))


def test_a_shard_is_the_same_wherever_it_is_played(games: Path, settings: SelfplaySettings) -> None:
    here = np.frombuffer(play_shard(settings, 4), RECORD)

    assert np.array_equal(here, read_shard(shard_path(games, 4)))


def test_an_interrupted_run_goes_on_where_it_was(tmp_path: Path, settings: SelfplaySettings) -> None:
    selfplay(tmp_path, settings, 20, workers=1)
    first = shard_path(tmp_path, 0)
    before = first.stat().st_mtime_ns
    shard_path(tmp_path, 1).unlink()

    assert selfplay(tmp_path, settings, 20, workers=1) == 20
    assert shard_path(tmp_path, 1).exists()
    assert first.stat().st_mtime_ns == before


def test_a_run_without_time_plays_one_round(tmp_path: Path, settings: SelfplaySettings) -> None:
    assert selfplay(tmp_path, settings, 1000, seconds=0.001, workers=1) == settings.games_a_shard


def test_shards_of_other_settings_are_refused(games: Path, settings: SelfplaySettings) -> None:
    with pytest.raises(FileFormatError, match=r"expected .*000000"):
        selfplay(games, replace(settings, seed=6), 60, workers=1)
