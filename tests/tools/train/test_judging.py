"""How positions are searched, what of that is kept with them, and which of them nothing learns."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from outflank.engine import Colour, Position, Searcher
from outflank.tools.train.dataset import RECORD, Records, empties, load, load_solved, set_aside, solved
from outflank.tools.train.label import LabelSettings, boards_of_games, label
from outflank.tools.train.selfplay import Judging, SelfplaySettings, play_shard, to_the_end

SELECTIVE = Judging(depth=5, exact_from=14, selectivity=73, end_selectivity=87)


@pytest.fixture(scope="module")
def played(settings: SelfplaySettings) -> Records:
    """Thirty games with selective searches."""
    selective = replace(settings, judging=SELECTIVE, random_moves=(30, 36), games_a_shard=30)
    return np.frombuffer(play_shard(selective, 0), RECORD)


def test_how_each_position_was_judged_is_kept(played: Records) -> None:
    late = empties(played) <= SELECTIVE.exact_from

    assert late.sum() > 200 < (~late).sum()
    assert np.array_equal(solved(played), late)
    assert set(played["selectivity"][late].tolist()) == {87}
    assert set(played["selectivity"][~late].tolist()) == {73}
    assert set(played["depth"][~late].tolist()) == {5}
    assert np.array_equal(played["depth"][late], empties(played)[late])
    assert np.array_equal(played["result"][late], played["guess"][late])


def test_a_selective_search_to_the_end_is_the_result_of_its_game(played: Records, nothing: Path) -> None:
    first_solved = np.flatnonzero(np.diff(solved(played).astype(int)) == 1) + 1
    searcher = Searcher(16, weights=nothing)

    assert first_solved.size
    for record in played[first_solved[:10]]:
        position = Position(int(record["own"]), int(record["opp"]), Colour.BLACK)
        found = SELECTIVE.search(searcher, position)
        assert to_the_end(found, position)
        assert not found.exact
        assert abs(found.score - record["result"]) <= 8  # another table, perhaps other cuts


@pytest.mark.parametrize("depth", [4, 60])
def test_a_search_that_is_deep_enough_sees_the_end(depth: int, nothing: Path) -> None:
    position = Position(0xFFFFFFFFFFFFF0, 0x0F, Colour.BLACK)

    found = Judging(depth, exact_from=0).search(Searcher(16, weights=nothing), position)

    assert to_the_end(found, position) == (depth == 60)


def test_games_begin_after_the_random_moves_asked_for(played: Records) -> None:
    begin = empties(played[played["place"] == 0])

    assert 60 - 36 <= begin.min() <= begin.max() <= 60 - 30


def test_games_begin_near_a_draw(settings: SelfplaySettings) -> None:
    near = replace(settings, judging=SELECTIVE, random_moves=(46, 50), widest=4, games_a_shard=20)

    records = np.frombuffer(play_shard(near, 0), RECORD)

    assert np.abs(records["result"]).max() <= 4


def test_stray_games_begin_later(settings: SelfplaySettings) -> None:
    stray = replace(settings, random_moves=(8, 8), stray=1.0, games_a_shard=30)

    records = np.frombuffer(play_shard(stray, 0), RECORD)

    begin = empties(records[records["place"] == 0])
    assert len(set(begin.tolist())) > 5
    assert begin.max() < 52


def test_boards_set_aside_are_marked_and_those_alone(games: Path) -> None:
    records = load([games])

    marked = [
        set_aside(Position(int(row["own"]), int(row["opp"]), Colour.BLACK))
        for row in records
        if not row["learned"]
    ]
    assert len(marked) > 50
    assert all(marked)
    for row in records[records["learned"]][::10]:
        assert not set_aside(Position(int(row["own"]), int(row["opp"]), Colour.BLACK))


def test_boards_set_aside_are_not_labelled(games: Path, nothing: Path, tmp_path: Path) -> None:
    settings = LabelSettings(nothing, SELECTIVE, seed=1, fewest=9, most=14, stray=2, line_to=8)

    label(tmp_path, settings, load([games]), 200, workers=1)

    records = load([tmp_path])
    assert records["learned"][records["place"] == 0].all()
    assert not records["learned"].all()  # the lines behind them pass some
    assert set(records["selectivity"].tolist()) == {87}
    assert len(load_solved([tmp_path])) == len(records)


def test_boards_of_games_are_none_of_those_set_aside(games: Path) -> None:
    boards = list(boards_of_games(load([games]), 10, 40, seed=1))

    assert boards
    for own, opp in boards:
        assert not set_aside(Position(own, opp, Colour.BLACK))
