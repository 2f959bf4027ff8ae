"""Shards of positions: what is written is read; what a position is taught; the time that a run took; dev sets."""

import random
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from outflank.engine import FileFormatError, Limit, Position, Rules, Searcher
from outflank.protocol.formats import obf
from outflank.protocol.formats.samples import samples
from outflank.tests.support.transcripts import run
from outflank.tools.train.bootstrap import spending, spent_on
from outflank.tools.train.dataset import (
    RECORD,
    Records,
    empties,
    game_numbers,
    games_there,
    load,
    load_solved,
    read_header,
    read_shard,
    set_aside,
    shard_path,
    write_shard,
)
from outflank.tools.train.label import make_devset
from outflank.tools.train.settings import Trust
from outflank.tools.train.targets import targets

FULL_BUT_9 = 2**55 - 1
A, B, C = 1, 2, 4  # single discs: what counts is whose they are


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


def test_what_is_written_is_read_in_the_order_of_shards(folder: Path, records: Records) -> None:
    path = shard_path(folder, 3)

    assert np.array_equal(read_shard(path), records)
    assert read_header(path)["games"] == 2
    assert read_header(path)["positions"] == 5
    assert [path] == list(folder.iterdir())

    write_shard(shard_path(folder, 1), records[3:], {"settings": {"exact_from": 8}})

    assert np.array_equal(load([folder]), np.concatenate([records[3:], records]))


def test_games_and_solved_positions_are_told_apart(folder: Path, records: Records) -> None:
    solved = load_solved([folder])

    assert game_numbers(records).tolist() == [0, 0, 0, 1, 1]
    assert empties(records).tolist() == [9, 8, 7, 9, 8]
    assert empties(solved).tolist() == [8, 7, 8]
    assert game_numbers(solved).tolist() == [0, 0, 1]


def test_a_damaged_shard_is_refused_by_name(folder: Path) -> None:
    path = shard_path(folder, 3)
    whole = path.read_bytes()
    rng = random.Random(1)
    begin = whole.index(b"\n", whole.index(b"\n") + 1) + 1
    flipped = bytearray(whole)
    flipped[rng.randrange(begin + 2, len(whole) - 4)] ^= 4
    cut = (whole[:kept] for kept in (0, 10, -1, begin, begin - 5))
    for damaged in (*cut, b"x" + whole, bytes(flipped)):
        path.write_bytes(damaged)
        with pytest.raises(FileFormatError, match=path.name):
            read_shard(path)


def test_games_of_other_weights_of_the_same_name_are_not_continued(folder: Path, records: Records) -> None:
    """Those of 1.0.0 name no checksum, and go on."""
    asked = {"exact_from": 8, "evaluation": "f2eaca31"}
    assert games_there(folder, asked).keys() == {3}

    write_shard(
        shard_path(folder, 3), records, {"settings": {**asked, "evaluation": "d5a9d812"}, "number": 3}
    )
    with pytest.raises(FileFormatError, match=r"'f2eaca31'.*, got .*'d5a9d812'"):
        games_there(folder, asked)


def test_a_folder_without_shards_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FileFormatError, match="has no shards of positions"):
        load([tmp_path])


@pytest.fixture
def taught_records() -> Records:
    """Return a game in which the sides alternate, then one in which the second position follows a pass."""
    alternating = [(A, B, 10, 2, 0), (B, A | C, -10, -4, 1), (A | C, B, 10, 6, 2)]
    passing = [(A, B, 20, 1, 0), (A | C, B, 20, 3, 1)]
    return np.array([(*row, 4, 100, True) for row in alternating + passing], RECORD)


@pytest.mark.parametrize(
    ("trust", "taught"),
    [(1.0, [10, -10, 10, 20, 20]), (0.0, [2, -4, 6, 1, 3]), (0.5, [4, -6, 8, 6.25, 11.5])],
)
def test_trust_mixes_guess_and_result_as_the_side_to_move_sees_them(
    taught_records: Records, trust: float, taught: list[float]
) -> None:
    """With half of it: (6 + 10) / 2 last, (-4 - 8) / 2 before, (2 + 6) / 2 first; after the pass (3 + 20) / 2."""
    assert targets(taught_records, Trust(trust, trust)).tolist() == taught


def test_guesses_are_rid_of_their_bias(taught_records: Records) -> None:
    many = np.tile(taught_records, 1200)
    many["result"] = many["guess"] + np.where(many["depth"] == 4, 3, 0)
    many["depth"][::5] = 7  # the first of every five: as many of another depth that are right
    many["result"][::5] = many["guess"][::5]
    few = many[:500]

    found = targets(many, Trust(0.0, 0.0)) - many["guess"]

    assert found[:5].tolist() == [0, 3, 3, 3, 3]
    assert targets(few, Trust(0.0, 0.0)).tolist() == few["guess"].tolist()


def test_single_positions_teach_their_guess_or_exact_result(taught_records: Records) -> None:
    single = np.array([(A, B, 7, 7, 0, 4, 73, True)] * 2000, RECORD)
    biased = np.tile(taught_records, 1200)
    biased["result"] = biased["guess"] + 3
    solved = np.array([((1 << 60) - 1, 1 << 60, 8, 8, 0, 3, 100, True)] * 2, RECORD)

    found = targets(np.concatenate([biased, single]), Trust(0.5, 0.5))[len(biased) :]

    assert found.tolist() == [10] * 2000  # the games tell what such guesses are off by; the single ones can't
    assert targets(single, Trust(1.0, 1.0)).tolist() == [7] * 2000
    assert targets(solved, Trust(0.7, 0.7)).tolist() == [8, 8]
    assert targets(np.empty(0, RECORD), Trust()).tolist() == []


def test_trust_depends_on_the_phase_and_on_the_depth(taught_records: Records) -> None:
    late, shallow, trust = taught_records.copy(), taught_records.copy(), Trust(late=0.0, early=1.0)
    late["opp"] |= np.uint64((1 << 50) - 8)
    shallow["depth"][[0, 3]] = 3

    assert targets(taught_records, trust).tolist() == [10, -10, 10, 20, 20]
    assert targets(late, trust).tolist() == [2, -4, 6, 1, 3]
    assert targets(shallow, Trust(0.0, 0.0, least_depth=4)).tolist() == [4, -4, 6, 3, 3]


def test_time_is_kept_from_run_to_run_also_of_a_step_that_is_interrupted(tmp_path: Path) -> None:
    path = tmp_path / "spent.json"

    def interrupted() -> None:
        time.sleep(0.02)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), spending(path, "games"):
        interrupted()
    first = spent_on(path, "games")

    with spending(path, "games"):
        time.sleep(0.02)
    with spending(path, "fit"):
        pass

    assert first >= 0.02
    assert first + 0.02 <= spent_on(path, "games") <= spent_on(path, "games", "fit", "labels")


@pytest.mark.parametrize("content", ["", "[]", "{", '{"games": "long"}', '{"games": null}'])
def test_another_file_is_refused(tmp_path: Path, content: str) -> None:
    path = tmp_path / "spent.json"
    path.write_text(content)

    with pytest.raises(FileFormatError, match=r"spent\.json does not contain the seconds of each step"):
        spent_on(path)


# --- Dev sets


SETTINGS: dict[str, Any] = {"empty": 10, "count": 3, "seed": 1, "all_moves": True, "workers": 1}
SETS = {"dev-20": 20, "dev-24": 24, "dev-26": 26}


def problems_of(path: Path) -> tuple[obf.Problem, ...]:
    problems, errors = obf.read_problems(path.read_text().splitlines(), path.name, Rules())
    assert not errors
    return problems


def test_the_boards_are_set_aside_and_solved_move_by_move(games: Path, tmp_path: Path) -> None:
    out, searcher = tmp_path / "dev.obf", Searcher(1)

    assert make_devset(load([games]), out, **SETTINGS) == 3

    for problem in problems_of(out):
        assert problem.position.empties == 10
        assert set_aside(problem.position)
        assert set(problem.scores) == set(problem.position.legal_moves())
        for move, score in problem.scores.items():
            assert searcher.search(problem.position, Limit.solve(), moves=[move]).score == score


def test_an_interrupted_run_goes_on_with_the_same_settings(games: Path, tmp_path: Path) -> None:
    whole, parts = tmp_path / "whole.obf", tmp_path / "parts.obf"
    make_devset(load([games]), whole, **SETTINGS)
    first = whole.read_text().splitlines(keepends=True)[0]
    parts.write_text(first + "--XX")  # as a kill leaves it

    make_devset(load([games]), parts, **SETTINGS)
    with pytest.raises(FileFormatError, match=r"parts\.obf has boards that were chosen with other settings"):
        make_devset(load([games]), parts, **{**SETTINGS, "empty": 9})

    assert parts.read_text() == whole.read_text()


def test_without_all_moves_a_board_has_its_own_score(games: Path, tmp_path: Path) -> None:
    out = tmp_path / "dev.obf"
    words = ("devset", games, "--empties", 9, "--boards", 2, "-o", out, "--workers", 1)
    result = run("train", *words)

    assert result.stdout == f"2 boards in {out}, seed 1\n"
    for problem in problems_of(out):
        assert problem.own_score == Searcher(1).search(problem.position, Limit.solve()).score


def moves_of_both(position: Position) -> int:
    others = Position(position.opp, position.own, position.side.other)
    return len(position.legal_moves()) + len(others.legal_moves())


@pytest.mark.parametrize(("name", "empties"), SETS.items())
def test_each_board_is_set_aside_and_there_once(name: str, empties: int) -> None:
    problems = problems_of(samples()[name])

    boards = {problem.position.canonical()[0].board_string() for problem in problems}
    assert len(boards) == len(problems) == 300
    for problem in problems:
        assert problem.position.empties == empties
        assert set_aside(problem.position)
        assert problem.score is not None
        assert name != "dev-20" or set(problem.scores) == set(problem.position.legal_moves())


@pytest.mark.parametrize("most", [1, pytest.param(None, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", SETS)
def test_scores_are_those_of_the_solver(name: str, most: int | None) -> None:
    searcher = Searcher(64)
    soon_solved = sorted(problems_of(samples()[name]), key=lambda problem: moves_of_both(problem.position))

    for problem in soon_solved[:most]:
        assert searcher.search(problem.position, Limit.solve()).score == problem.score
