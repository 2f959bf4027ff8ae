"""The match between two evaluations."""

import random
from pathlib import Path

import pytest

from outflank.engine import Colour, Position
from outflank.engine.evaluation import weights
from outflank.tools.match.stats.sprt import Sprt
from outflank.tools.train.dataset import random_opening, set_aside
from outflank.tools.train.gate import GateSettings, gate, play_pair


def test_knowledge_beats_none(nothing: Path) -> None:
    result = gate(GateSettings(weights.SHIPPED, nothing, depth=2, seed=1), Sprt(0, 100), 40, workers=2)

    assert result.accepted
    assert result.described()["verdict"] == "accept"
    assert sum(result.points) > 0.8 * len(result.points)


def test_an_evaluation_is_worth_half_the_points_against_itself(nothing: Path) -> None:
    settings = GateSettings(nothing, nothing, depth=1, seed=3)

    for number in range(5):
        assert sum(play_pair(settings, number)) == 1


def test_too_few_pairs_leave_it_undecided(nothing: Path) -> None:
    result = gate(GateSettings(nothing, nothing, depth=1, seed=2), Sprt(0, 5), 2, workers=1)

    assert result.accepted is None
    assert str(result).startswith("undecided: 2 of 4 points (50.0 %)")


@pytest.mark.parametrize("matches", [True, False])
def test_openings_of_matches_and_of_self_play_are_apart(matches: bool) -> None:
    rng = random.Random(9)

    for _ in range(20):
        opening = random_opening(rng, 8, matches=matches)
        assert all(set_aside(image) == matches for image in opening.symmetries())


def test_an_opening_has_as_many_discs_as_were_asked_for() -> None:
    rng = random.Random(10)

    for moves in (1, 6, 30, 50):
        opening = random_opening(rng, moves, matches=False)
        assert opening.empties == 60 - moves
        assert not opening.must_pass
        assert Position(opening.own, opening.opp, Colour.BLACK).legal_moves()
