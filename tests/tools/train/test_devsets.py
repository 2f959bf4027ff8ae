"""The dev sets that are kept: boards that no training uses, and the right scores."""

from pathlib import Path

import pytest

from outflank.engine import Limit, Rules, Searcher
from outflank.protocol.formats import obf
from outflank.tools.train.openings import set_aside

DATA = Path(__file__).parents[2] / "data" / "dev"
SETS = {"dev-20.obf": 20, "dev-24.obf": 24}


def problems_of(name: str) -> tuple[obf.Problem, ...]:
    suite = obf.read((DATA / name).read_text().splitlines(), name, Rules())
    assert not suite.errors
    return suite.problems


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
    problems = sorted(problems_of(name), key=lambda problem: len(problem.position.legal_moves()))

    for problem in problems[:2]:
        assert searcher.search(problem.position, Limit.solve()).score == problem.score


@pytest.mark.slow
@pytest.mark.parametrize("name", SETS)
def test_all_scores_are_those_of_the_solver(name: str) -> None:
    searcher = Searcher(64)

    for problem in problems_of(name):
        assert searcher.search(problem.position, Limit.solve()).score == problem.score
