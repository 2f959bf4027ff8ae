"""Counting games: what engines claim of them, and exact counts in a tournament of faulty engines."""

import json
import os
import shlex
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import pytest

from outflank.engine import Colour, Position, Rules
from outflank.protocol.drivers.reports import is_true_claim
from outflank.tests.support import fake_engine
from outflank.tests.support.positions import WIPE_OUT
from outflank.tests.support.processes import living_with
from outflank.tests.support.program import outflank
from outflank.tests.support.runs import broken_off, played, run_of
from outflank.tests.tools.match import test_referee
from outflank.tools.match.game.results import Ending, GameRecord, Score
from outflank.tools.report.figures import Figures

GAMES = [
    played(number=1, names=("A", "B")),  # A wins by 64
    played(number=2, names=("B", "A"), seconds=0.5),  # A loses by 64
    broken_off(Ending.CRASH, Colour.WHITE, number=3, names=("A", "B")),  # B crashes
    broken_off(Ending.RESIGNATION, Colour.WHITE, number=4, names=("B", "A")),  # A resigns
    broken_off(Ending.TIME, Colour.BLACK, number=5, names=("A", "B")),  # A is late
]
WIPED_OUT = played(WIPE_OUT)
FINAL = WIPED_OUT.turns[-1].before.play(WIPED_OUT.turns[-1].move)
DRAWN = Position.parse("X" * 32 + "O" * 32 + " black")
# What strikes in a move; the engines that make the runner wait come by themselves, since its patience is theirs.
FAULTS = {
    fault: ending
    for fault, ending, _ in test_referee.FAULTS
    if ending.is_fault and fault in fake_engine.FAULTS
}
STALLS = [fault for fault, ending in FAULTS.items() if ending is Ending.STALL]
NO_FAULTS = ("resign", "error flood", "upper case")


def score(name: str, games: Iterable[GameRecord]) -> Score:
    return sum((game.score_of(name) for game in games), Score())


def test_wins_losses_and_discs_are_counted_for_each_side() -> None:
    """Discs are those of games played to the end."""
    ours, theirs = score("A", GAMES), score("B", GAMES)

    assert ours == Score(wins=2, losses=3, discs=0, measured=2)
    assert theirs == ours.of_opponent == Score(wins=3, losses=2, discs=0, measured=2)
    assert (ours.points, ours.games) == (2, 5)
    assert [score(name, GAMES[:1]).mean_margin for name in "AB"] == [64, -64]
    assert score("A", GAMES[2:]).mean_margin is None
    assert ours - ours == Score()


def test_seconds_are_counted_for_each_side() -> None:
    """Of the nine moves of a game two are given: Black has chosen four, White three."""
    first, second = Figures(run_of(GAMES[:2])).engines

    assert first.seconds == [0.25] * 4 + [0.5] * 3
    assert second.seconds == [0.25] * 3 + [0.5] * 4
    assert (first.longest_seconds, first.mean_seconds) == (0.5, (4 * 0.25 + 3 * 0.5) / 7)
    empty = Figures(run_of([])).engines[0]
    assert empty.score.points == 0
    assert {empty.score.mean_margin, empty.mean_seconds, empty.longest_seconds} == {None}


def test_fair_play_and_faults_of_the_runner_are_no_faults_of_the_loser() -> None:
    innocent = {Ending.DISCS, Ending.RESIGNATION, Ending.ADJUDICATION, Ending.AGREEMENT, Ending.RUNNER_FAULT}
    assert {ending for ending in Ending if not ending.is_fault} == innocent


FALSE = ["W+13", "W+64", "B+14", "0", "draw", "", "?", "B+", "Black wins", "B+13.5", "B+" + "9" * 5000]


@pytest.mark.parametrize(
    ("final", "true", "false"),
    [
        (FINAL, ["B+13", "B+64", "b+13.0", " B+64 "], FALSE),  # counted with the empty squares or without
        (DRAWN, ["0", "Draw"], ["B+0", "B+2"]),
        (DRAWN.with_rules(Rules.parse("ravensburger-2006")), ["B+0"], ["0"]),  # a tie may have a winner
    ],
)
def test_a_claim_names_the_winner_and_the_discs(final: Position, true: list[str], false: list[str]) -> None:
    assert [is_true_claim(text, final) for text in true] == [True] * len(true)
    assert [is_true_claim(text, final) for text in false] == [False] * len(false)


def gauntlet(folder: Path, faults: Iterable[str], stall: float, *options: str) -> None:
    """Let a good engine meet every other in two games, and see that the table has each fault and nothing else."""
    names = {"good": fake_engine.command(), **{fault: fake_engine.command(fault, 3) for fault in faults}}
    engines = [
        f"--engine=name={name!r} cmd={shlex.quote(shlex.join(command))}" for name, command in names.items()
    ]
    arguments = ["--pairing", "gauntlet", "--games", "2", "--openings", "random:2", *options]
    mark = f"OUTFLANK_TEST=matrix-{os.getpid()}"
    environment = {**os.environ, **dict([mark.split("=")])}
    ran = outflank("tournament", *engines, *arguments, "--stall", stall, "--out", folder, env=environment)

    assert ran.returncode == 0, ran.stderr
    assert living_with(mark) == []
    told = {engine["name"]: engine for engine in json.loads((folder / "summary.json").read_text())["engines"]}
    expected = {name: {FAULTS[name]: 2} if name in FAULTS else {} for name in names}
    assert {name: engine["faults"] for name, engine in told.items()} == expected
    assert [told[name]["losses"] for name in names if name in FAULTS] == [2] * len(FAULTS.keys() & names)
    assert told["good"]["wins_by_fault"] == sum((Counter(faults) for faults in expected.values()), Counter())


@pytest.mark.parametrize(
    "options",
    [
        ("--concurrency", "2"),
        *(pytest.param(more, marks=pytest.mark.slow) for more in ((), ("--concurrency", "4"))),
    ],
)
def test_every_fault_is_counted_exactly_and_costs_nobody_else_a_game(
    tmp_path: Path, options: tuple[str, ...]
) -> None:
    """Who writes twenty megabytes before a move is slow where the machine is: only those that stall are hurried."""
    gauntlet(tmp_path / "stalls", STALLS, 1.5, *options)
    gauntlet(
        tmp_path / "others", [fault for fault in (*FAULTS, *NO_FAULTS) if fault not in STALLS], 60, *options
    )
