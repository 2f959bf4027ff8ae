"""When a match ends early: by the schedule, not by who was quicker, and not by what is known already."""

from itertools import permutations

from outflank.tests.tools.samples import random_run
from outflank.tools.match.conduct.ledger import EarlyStop, complete_pairs
from outflank.tools.match.game.results import GameRecord
from outflank.tools.match.stats.sprt import Sprt

TEST = Sprt(0, 200)
GAMES = random_run(("A", "B"), pairs=40).games
PAIRS = dict(complete_pairs(GAMES))


def watched(pairs: list[tuple[int, list[GameRecord]]]) -> EarlyStop:
    watch = EarlyStop(TEST, "A")
    for number, games in pairs:
        watch.add(number, games)
    return watch


def test_the_order_in_which_pairs_end_makes_no_difference() -> None:
    first = list(PAIRS.items())[:5]
    ratios = {watched(list(order)).ratio for order in permutations(first)}

    assert len(ratios) == 1
    assert ratios != {0.0}


def test_a_pair_waits_for_those_before_it() -> None:
    later = list(PAIRS.items())[1:]

    assert watched(later).ratio == 0.0
    assert watched([*later, (1, PAIRS[1])]).ratio == watched(list(PAIRS.items())).ratio


def test_a_pair_that_repeats_an_earlier_one_adds_nothing() -> None:
    once = watched([(1, PAIRS[1]), (2, PAIRS[2])])
    again = watched([(1, PAIRS[1]), (2, PAIRS[2]), (3, PAIRS[1]), (4, PAIRS[2])])

    assert once.ratio == again.ratio


def test_the_first_verdict_stands() -> None:
    wins = [games for games in PAIRS.values() if sum(game.points_of("A") for game in games) == 2]
    watch = EarlyStop(Sprt(0, 200, alpha=0.45, beta=0.45), "A")
    for number, games in enumerate(wins, 1):
        watch.add(number, games)
    assert watch.verdict is True

    ratio = watch.ratio
    for number, games in enumerate(PAIRS.values(), len(wins) + 1):
        watch.add(number, games)
    assert (watch.verdict, watch.ratio) == (True, ratio)
