"""Self-play: its results are right, how positions are searched on the way; and the match between two evaluations."""

import random
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from outflank.engine import Colour, FileFormatError, Limit, Position, Searcher
from outflank.engine.evaluation import weights
from outflank.tools.match.stats.sprt import Sprt
from outflank.tools.train.dataset import (
    RECORD,
    Records,
    empties,
    game_numbers,
    load,
    load_solved,
    position_of,
    random_opening,
    read_shard,
    set_aside,
    shard_path,
    solved,
)
from outflank.tools.train.gate import described, gate, play_pair
from outflank.tools.train.label import boards_of_games, label
from outflank.tools.train.selfplay import play_shard, selfplay, to_the_end
from outflank.tools.train.settings import LabelSettings, SearchSettings, SelfplaySettings

SELECTIVE = SearchSettings(depth=5, exact_from=14, selectivity=73, end_selectivity=87)


def test_every_game_is_kept_once_and_positions_with_a_choice_of_squares_alone(games: Path) -> None:
    records = load([games])

    assert game_numbers(records)[-1] == 59
    assert len(list(games.iterdir())) == 6
    for position in map(position_of, records[::5]):
        assert not position.must_pass
        assert not position.is_over


def test_solved_positions_have_exact_scores_of_the_side_to_move(
    games: Path, settings: SelfplaySettings
) -> None:
    records = load([games])
    solved = records[empties(records) <= settings.judging.exact_from]
    searcher = Searcher(16)

    for record in solved[::7]:
        position = position_of(record)
        assert searcher.search(position, Limit.solve()).score == record["result"] == record["guess"]
    assert len(solved) > 200

    records = load([games])
    for before, after in pairwise(records):
        if after["place"] == 0:
            continue
        # The mover keeps his discs: if some are no longer `own`, the other side is to move now.
        other_side = int(before["own"]) & ~int(after["own"])
        assert after["result"] == (-before["result"] if other_side else before["result"])


def test_games_never_begin_where_matches_do_and_boards_set_aside_are_marked_alone(games: Path) -> None:
    records = load([games])
    marked = [set_aside(position_of(row)) for row in records if not row["learned"]]

    assert len(marked) > 50
    assert all(marked)
    for row in (*records[records["learned"]][::10], *records[records["place"] == 0]):
        assert not set_aside(position_of(row))


def test_a_shard_is_the_same_wherever_it_is_played(games: Path, settings: SelfplaySettings) -> None:
    here = np.frombuffer(play_shard(settings, 4), RECORD)

    assert np.array_equal(here, read_shard(shard_path(games, 4)))


def test_an_interrupted_run_goes_on_and_a_short_one_plays_a_round(
    tmp_path: Path, settings: SelfplaySettings
) -> None:
    selfplay(tmp_path, settings, 20, workers=1)
    first = shard_path(tmp_path, 0)
    before = first.stat().st_mtime_ns
    shard_path(tmp_path, 1).unlink()

    assert selfplay(tmp_path, settings, 20, workers=1) == 20
    assert shard_path(tmp_path, 1).exists()
    assert first.stat().st_mtime_ns == before
    assert selfplay(tmp_path / "new", settings, 1000, seconds=0.001, workers=1) == settings.games_a_shard


def test_shards_of_other_settings_are_refused(games: Path, settings: SelfplaySettings) -> None:
    with pytest.raises(FileFormatError, match=r"expected .*000000"):
        selfplay(games, replace(settings, seed=6), 60, workers=1)


@pytest.fixture(scope="module")
def played(settings: SelfplaySettings) -> Records:
    """Thirty games with selective searches."""
    selective = replace(settings, judging=SELECTIVE, random_moves=(30, 36), games_a_shard=30)
    return np.frombuffer(play_shard(selective, 0), RECORD)


def test_how_each_position_was_judged_is_kept(played: Records) -> None:
    late = empties(played) <= SELECTIVE.exact_from
    begin = empties(played[played["place"] == 0])

    assert 60 - 36 <= begin.min() <= begin.max() <= 60 - 30  # after the random moves asked for
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
        position = position_of(record)
        found = SELECTIVE.search(searcher, position)
        assert to_the_end(found, position)
        assert not found.exact
        assert abs(found.score - record["result"]) <= 8  # another table, perhaps other cuts


@pytest.mark.parametrize("depth", [4, 60])
def test_a_search_that_is_deep_enough_sees_the_end(depth: int) -> None:
    position = Position(0xFFFFFFFFFFFFF0, 0x0F, Colour.BLACK)

    found = SearchSettings(depth, exact_from=0).search(Searcher(16), position)

    assert to_the_end(found, position) == (depth == 60)


def test_games_begin_near_a_draw_and_those_with_a_detour_begin_later(settings: SelfplaySettings) -> None:
    near = replace(settings, judging=SELECTIVE, random_moves=(46, 50), widest=4, games_a_shard=20)
    detoured = replace(settings, random_moves=(8, 8), detours=1.0, games_a_shard=30)

    drawn, later = (np.frombuffer(play_shard(each, 0), RECORD) for each in (near, detoured))

    begin = empties(later[later["place"] == 0])
    assert np.abs(drawn["result"]).max() <= 4
    assert len(set(begin.tolist())) > 5
    assert begin.max() < 52


def test_boards_set_aside_are_not_labelled(games: Path, tmp_path: Path) -> None:
    settings = LabelSettings(weights.SHIPPED, SELECTIVE, seed=1, fewest=9, most=14, stray=2, line_to=8)

    label(tmp_path, settings, load([games]), 200, workers=1)
    records, boards = load([tmp_path]), list(boards_of_games(load([games]), 10, 40, seed=1))

    assert records["learned"][records["place"] == 0].all()
    assert not records["learned"].all()  # the lines behind them pass some
    assert set(records["selectivity"].tolist()) == {87}
    assert len(load_solved([tmp_path])) == len(records)
    assert [set_aside(Position(own, opp, Colour.BLACK)) for own, opp in boards] == [False] * len(boards) != []


def test_knowledge_beats_none(nothing: Path) -> None:
    """What too few pairs leave undecided is in transcripts/train.console."""
    points, accepted = gate(weights.SHIPPED, nothing, Sprt(0, 100), 40, depth=2, seed=1, workers=2)

    assert described(points, accepted)["verdict"] == "accept"
    assert sum(points) > 0.8 * len(points)
    for number in range(5):  # an evaluation is worth half the points against itself
        assert sum(play_pair(weights.SHIPPED, weights.SHIPPED, 1, 3, number)) == 1


def test_openings_of_matches_and_self_play_are_apart_and_of_the_length_asked_for() -> None:
    rng = random.Random(9)

    for moves, matches in ((1, False), (6, False), (8, False), (8, True), (30, False), (50, False)):
        for _ in range(20 if moves == 8 else 1):
            opening = random_opening(rng, moves, matches=matches)
            assert all(set_aside(image) == matches for image in opening.symmetries())
            assert opening.empties == 60 - moves
            assert not opening.must_pass
            assert Position(opening.own, opening.opp, Colour.BLACK).legal_moves()
