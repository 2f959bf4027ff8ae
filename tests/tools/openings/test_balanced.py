"""The shipped suite of balanced openings, and how one is made."""

import random

import pytest

from outflank.engine import PRESETS, Game, Limit, Rules, Searcher, SettingsError
from outflank.tests.tools.openings.different import count_different
from outflank.tools.match.openings.balanced import (
    SUITE,
    Judgement,
    balanced_openings,
    judge,
    openings_of,
    suite,
)
from outflank.tools.match.openings.sources import OpeningsChoice, default_openings

OTHELLO = Rules()


def test_the_suite_has_every_position_once_eight_moves_into_the_game() -> None:
    games = [Game.from_transcript(transcript) for transcript in suite()]

    assert len(games) > 10_000
    assert len({game.position.canonical()[0] for game in games}) == len(games)
    assert all(len(game.turns) == 8 and not game.position.must_pass for game in games)
    assert all(not game.position.is_over for game in games)
    assert suite() == sorted(suite())


def test_the_suite_says_how_it_was_made() -> None:
    header = SUITE.read_text().split("\nf5")[0]

    assert f"{len(suite())} of the 67239 positions after 8 moves" in header
    assert "outflank openings make --moves 8 --within 2 --depth 14 --selectivity 73" in header


def test_a_search_of_few_plies_sees_no_side_far_ahead(rng: random.Random) -> None:
    searcher = Searcher(16)

    for transcript in rng.sample(suite(), 30):
        result = searcher.search(Game.from_transcript(transcript).position, Limit(depth=8, selectivity=73))
        assert abs(result.score) <= 8, transcript


def test_balanced_openings_depend_on_the_seed_alone() -> None:
    drawn = list(balanced_openings(30, OTHELLO, seed=7))

    assert drawn == list(balanced_openings(30, OTHELLO, seed=7))
    assert drawn[:5] == list(balanced_openings(5, OTHELLO, seed=7))
    assert drawn != list(balanced_openings(30, OTHELLO, seed=8))
    assert count_different(drawn, OTHELLO) == 30
    assert list(OpeningsChoice.parse("balanced").take(30, OTHELLO, seed=7)) == drawn


def test_openings_begin_again_once_all_have_come_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "outflank.tools.match.openings.balanced.suite", lambda: ["f5d6c3d3c4f4f6f3", "f5f6e6f4"]
    )
    drawn = list(balanced_openings(5, OTHELLO, seed=1))

    assert drawn[:2] == drawn[2:4]
    assert count_different(drawn, OTHELLO) == 2


@pytest.mark.parametrize("rules", PRESETS.values(), ids=PRESETS)
def test_the_default_is_balanced_where_the_rules_allow_it(rules: Rules) -> None:
    assert len(list(default_openings(rules).take(3, rules, seed=1))) == 3
    assert str(default_openings(rules)) == ("balanced" if rules.name == "othello" else "random:8")


def test_rules_with_other_moves_are_refused() -> None:
    with pytest.raises(SettingsError, match=r"expected rules with Othello's start and moves .*, got reversi"):
        balanced_openings(1, PRESETS["reversi"], seed=1)


@pytest.mark.parametrize(("moves", "positions"), [(1, 1), (2, 3), (3, 14), (4, 60), (5, 322)])
def test_each_position_is_there_once_up_to_symmetry(moves: int, positions: int) -> None:
    found = openings_of(moves)

    assert len(found) == positions
    assert len({opening.position.canonical()[0] for opening in found}) == positions
    assert all(str(opening).startswith("f5") and len(opening.moves) == moves for opening in found)


def test_openings_are_judged_from_the_side_of_black() -> None:
    """After f5f6 White has answered diagonally, which is known to be level; after f5 f4 White is behind."""
    level, bad = (
        next(opening for opening in openings_of(2) if str(opening) == text) for text in ("f5d6", "f5f4")
    )

    assert abs(judge(Judgement(within=10, depth=12), level) or 0) <= 2
    assert (judge(Judgement(within=20, depth=12), bad) or 0) > 2
    assert judge(Judgement(within=1, depth=12), bad) is None
