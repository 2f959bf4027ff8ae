"""Dev sets: boards that nothing is trained on, each with its exact score."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from outflank.engine import FileFormatError, Limit, Rules, Searcher
from outflank.protocol.formats import obf
from outflank.tools.commands.train import train
from outflank.tools.train.dataset import load, set_aside
from outflank.tools.train.label import DevsetSettings, make_devset

SETTINGS = DevsetSettings(empties=10, boards=3, seed=1, all_moves=True)


def problems_of(path: Path) -> tuple[obf.Problem, ...]:
    suite = obf.read(path.read_text().splitlines(), path.name, Rules())
    assert not suite.errors
    return suite.problems


def test_the_boards_are_set_aside_and_solved_move_by_move(games: Path, tmp_path: Path) -> None:
    out, searcher = tmp_path / "dev.obf", Searcher(1)

    assert make_devset(load([games]), out, SETTINGS, workers=1) == 3

    for problem in problems_of(out):
        assert problem.position.empties == 10
        assert set_aside(problem.position)
        assert set(problem.scores) == set(problem.position.legal_moves())
        for move, score in problem.scores.items():
            assert searcher.search(problem.position, Limit.solve(), moves=[move]).score == score


def test_an_interrupted_run_goes_on_where_it_was(games: Path, tmp_path: Path) -> None:
    whole, parts = tmp_path / "whole.obf", tmp_path / "parts.obf"
    make_devset(load([games]), whole, SETTINGS, workers=1)
    first = whole.read_text().splitlines(keepends=True)[0]
    parts.write_text(first + "--XX")  # as a kill leaves it

    make_devset(load([games]), parts, SETTINGS, workers=1)

    assert parts.read_text() == whole.read_text()


def test_a_file_of_other_boards_is_refused(games: Path, tmp_path: Path) -> None:
    out = tmp_path / "dev.obf"
    make_devset(load([games]), out, SETTINGS, workers=1)
    before = out.read_text()

    with pytest.raises(FileFormatError, match=r"expected boards chosen with these settings in .*dev\.obf"):
        make_devset(load([games]), out, DevsetSettings(9, 3, 1, all_moves=True), workers=1)

    assert out.read_text() == before


def test_without_all_moves_a_board_has_its_own_score(games: Path, tmp_path: Path) -> None:
    out = tmp_path / "dev.obf"

    arguments = ["devset", str(games), "--empties", "9", "--boards", "2", "--out", str(out), "--workers", "1"]
    result = CliRunner().invoke(train, arguments)

    assert result.stdout == f"2 boards in {out}, seed 1\n"
    for problem in problems_of(out):
        assert problem.own_score == Searcher(1).search(problem.position, Limit.solve()).score
