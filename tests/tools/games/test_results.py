"""Counting games."""

from outflank.engine import Colour
from outflank.tests.tools.samples import broken_off, played
from outflank.tools.match.game.results import Ending, standing

GAMES = [
    played(number=1, names=("A", "B")),  # A wins by 64
    played(number=2, names=("B", "A"), seconds=0.5),  # A loses by 64
    broken_off(Ending.CRASH, Colour.WHITE, number=3, names=("A", "B")),  # B crashes
    broken_off(Ending.RESIGNATION, Colour.WHITE, number=4, names=("B", "A")),  # A resigns
    broken_off(Ending.TIME, Colour.BLACK, number=5, names=("A", "B")),  # A is late
]


def test_wins_losses_and_faults_are_counted_for_each_side() -> None:
    ours, theirs = standing("A", GAMES), standing("B", GAMES)

    assert (ours.wins, ours.draws, ours.losses, ours.points) == (2, 0, 3, 2)
    assert (theirs.wins, theirs.draws, theirs.losses, theirs.points) == (3, 0, 2, 3)
    assert (ours.fault_wins, ours.faults) == ({Ending.CRASH: 1}, {Ending.TIME: 1})
    assert (theirs.fault_wins, theirs.faults) == ({Ending.TIME: 1}, {Ending.CRASH: 1})


def test_fair_play_and_faults_of_the_runner_are_no_faults_of_the_loser() -> None:
    innocent = {Ending.DISCS, Ending.RESIGNATION, Ending.ADJUDICATION, Ending.RUNNER_FAULT}
    assert {ending for ending in Ending if not ending.is_fault} == innocent


def test_the_disc_difference_is_that_of_games_played_to_the_end() -> None:
    assert standing("A", GAMES).margins == [64, -64]
    assert standing("A", GAMES[:1]).mean_margin == 64
    assert standing("B", GAMES[:1]).mean_margin == -64
    assert standing("A", GAMES[2:]).mean_margin is None


def test_seconds_are_those_of_an_engines_own_moves_without_the_opening() -> None:
    """Nine moves, two of them given: Black has chosen four, White three."""
    assert standing("A", GAMES[:1]).seconds == [0.25] * 4
    assert standing("B", GAMES[:1]).seconds == [0.25] * 3
    both = standing("A", GAMES[:2])
    assert both.longest_seconds == 0.5
    assert both.mean_seconds == (4 * 0.25 + 3 * 0.5) / 7


def test_no_games_leave_nothing_to_divide() -> None:
    empty = standing("A", [])

    assert (empty.points, empty.mean_margin, empty.mean_seconds, empty.longest_seconds) == (
        0,
        None,
        None,
        None,
    )
