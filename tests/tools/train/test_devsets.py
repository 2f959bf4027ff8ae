"""The dev sets that are kept: boards that no training uses, and the right scores."""

from pathlib import Path

import pytest

from outflank.engine import Limit, Position, Rules, Searcher
from outflank.protocol.formats import obf
from outflank.tools.train.dataset import set_aside

DATA = Path(__file__).parents[2] / "data" / "dev"
SETS = {"dev-20.obf": 20, "dev-24.obf": 24, "dev-26.obf": 26}


def problems_of(name: str) -> tuple[obf.Problem, ...]:
    suite = obf.read((DATA / name).read_text().splitlines(), name, Rules())
    assert not suite.errors
    return suite.problems


def moves_of_both(position: Position) -> int:
    others = Position(position.opp, position.own, position.side.other)
    return len(position.legal_moves()) + len(others.legal_moves())


@pytest.mark.parametrize(("name", "empties"), SETS.items())
def test_each_board_is_set_aside_and_there_once(name: str, empties: int) -> None:
    problems = problems_of(name)

    boards = {
        (problem.position.canonical()[0].own, problem.position.canonical()[0].opp) for problem in problems
    }
    assert len(boards) == len(problems) == 300
    for problem in problems:
        assert problem.position.empties == empties
        assert set_aside(problem.position)
        assert problem.score is not None


def test_all_moves_have_a_score_where_the_file_has_moves() -> None:
    for problem in problems_of("dev-20.obf"):
        assert set(problem.scores) == set(problem.position.legal_moves())


@pytest.mark.parametrize("name", SETS)
def test_some_scores_are_those_of_the_solver(name: str) -> None:
    searcher = Searcher(64)
    soon_solved = sorted(problems_of(name), key=lambda problem: moves_of_both(problem.position))

    for problem in soon_solved[:2]:
        assert searcher.search(problem.position, Limit.solve()).score == problem.score


@pytest.mark.slow
@pytest.mark.parametrize("name", SETS)
def test_all_scores_are_those_of_the_solver(name: str) -> None:
    searcher = Searcher(64)

    for problem in problems_of(name):
        assert searcher.search(problem.position, Limit.solve()).score == problem.score
