"""Four times as many games at once as there are processors, by a short clock: nobody loses on time for that."""

import os
from dataclasses import replace
from pathlib import Path

import pytest

from outflank.protocol.opponent.clock import TimeControl
from outflank.tests.tools.play.halls import conduct, instant_settings
from outflank.tools.match.game.results import Ending
from outflank.tools.match.state.run import Run


def overloaded(folder: Path, games: int) -> Run:
    """A match by 0.05 seconds a move between engines that answer at once."""
    settings = instant_settings(folder, games=games, concurrency=4 * len(os.sched_getaffinity(0)))
    time = TimeControl.parse("0.05")
    entries = tuple(replace(entry, time=time) for entry in settings.entries)
    return conduct(replace(settings, entries=entries), folder / "m")


def check(run: Run, games: int) -> None:
    print(f"{len(run.games)} games, voids: {[void.reason for void in run.voids]}")
    assert [game.pairing.number for game in run.games] == list(range(1, games + 1))
    assert {game.ending for game in run.games} == {Ending.DISCS}
    assert sum(game.points_of("A") for game in run.games) == games / 2


def test_nobody_loses_on_time_for_the_runners_sake(tmp_path: Path) -> None:
    check(overloaded(tmp_path, 64), 64)


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_nobody_loses_on_time_for_the_runners_sake_in_two_thousand_games(tmp_path: Path) -> None:
    run = overloaded(tmp_path, 2000)
    check(run, 2000)
    assert run.is_valid
