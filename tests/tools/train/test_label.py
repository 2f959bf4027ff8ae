"""Dev sets: boards that nothing is trained on, each with its exact score; also those that are kept."""

from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from outflank.engine import FileFormatError, Limit, Position, Rules, Searcher
from outflank.protocol.formats import obf
from outflank.tools.commands.train import train
from outflank.tools.train.dataset import load, set_aside
from outflank.tools.train.label import make_devset

SETTINGS: dict[str, Any] = {"empty": 10, "count": 3, "seed": 1, "all_moves": True, "workers": 1}
DATA = Path(__file__).parents[2] / "data" / "dev"
SETS = {"dev-20.obf": 20, "dev-24.obf": 24, "dev-26.obf": 26}


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

    arguments = ["devset", str(games), "--empties", "9", "--boards", "2", "--out", str(out), "--workers", "1"]
    result = CliRunner().invoke(train, arguments)

    assert result.stdout == f"2 boards in {out}, seed 1\n"
    for problem in problems_of(out):
        assert problem.own_score == Searcher(1).search(problem.position, Limit.solve()).score


def moves_of_both(position: Position) -> int:
    others = Position(position.opp, position.own, position.side.other)
    return len(position.legal_moves()) + len(others.legal_moves())


@pytest.mark.parametrize(("name", "empties"), SETS.items())
def test_each_board_is_set_aside_and_there_once(name: str, empties: int) -> None:
    problems = problems_of(DATA / name)

    boards = {problem.position.canonical()[0].board_string() for problem in problems}
    assert len(boards) == len(problems) == 300
    for problem in problems:
        assert problem.position.empties == empties
        assert set_aside(problem.position)
        assert problem.score is not None
        assert name != "dev-20.obf" or set(problem.scores) == set(problem.position.legal_moves())


@pytest.mark.parametrize("most", [1, pytest.param(None, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", SETS)
def test_scores_are_those_of_the_solver(name: str, most: int | None) -> None:
    searcher = Searcher(64)
    soon_solved = sorted(problems_of(DATA / name), key=lambda problem: moves_of_both(problem.position))

    for problem in soon_solved[:most]:
        assert searcher.search(problem.position, Limit.solve()).score == problem.score
