"""Counting games: what engines claim of them, and exact counts in a tournament of faulty engines."""

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from outflank.engine import Colour, Position, Rules
from outflank.tests.support import fake_engine
from outflank.tests.support.positions import WIPE_OUT
from outflank.tests.support.processes import living_with
from outflank.tests.support.runs import broken_off, played
from outflank.tools.match.game.results import Ending, is_true_claim, standing

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
OUTFLANK = str(Path(sys.executable).with_name("outflank"))
FAULTS = {
    "crash": "crash",
    "leave quietly": "crash",
    "segfault": "crash",
    "orphan": "crash",
    "closed input": "crash",
    "closed output": "crash",
    "endless answer": "protocol error",
    "endless line": "protocol error",
    "chatter flood": "protocol error",
    "empty": "protocol error",
    "refuse": "protocol error",
    "nonsense": "protocol error",
    "wrong id": "protocol error",
    "no blank after the sign": "protocol error",
    "illegal": "illegal move",
    "needless pass": "illegal move",
    "silence": "stall",
    "half a line": "stall",
    "drip": "stall",
    "line feeds": "stall",
}
NO_FAULTS = ("resign", "error flood", "upper case")


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


@pytest.mark.parametrize("text", ["B+13", "B+64", "b+13.0", " B+64 "])
def test_the_discs_may_be_counted_with_the_empty_squares_or_without(text: str) -> None:
    assert is_true_claim(text, FINAL)


@pytest.mark.parametrize(
    "text",
    ["W+13", "W+64", "B+14", "0", "draw", "", "?", "B+", "Black wins", "B+13.5", "B+" + "9" * 5000],
)
def test_another_winner_or_margin_is_false(text: str) -> None:
    assert not is_true_claim(text, FINAL)


@pytest.mark.parametrize(("text", "true"), [("0", True), ("Draw", True), ("B+0", False), ("B+2", False)])
def test_a_draw_has_no_winner(text: str, true: bool) -> None:
    assert is_true_claim(text, DRAWN) is true


def test_a_tie_may_have_a_winner() -> None:
    final = Position.parse("X" * 32 + "O" * 32 + " black", Rules.parse("ravensburger-2006"))

    assert is_true_claim("B+0", final)
    assert not is_true_claim("0", final)


def gauntlet(folder: Path, *options: str) -> dict[str, dict[str, object]]:
    """The engines of a gauntlet in which a good engine meets every other, by their names."""
    others = [
        word
        for fault in (*FAULTS, *NO_FAULTS)
        for word in (
            "--engine",
            f"name={fault!r} cmd={shlex.quote(shlex.join(fake_engine.command(fault, 3)))}",
        )
    ]
    good = ["--engine", f"name=good cmd={shlex.quote(shlex.join(fake_engine.command()))}"]
    arguments = ["--format", "gauntlet", "--games", "2", "--stall", "1.5", "--openings", "random:2", *options]
    mark = f"OUTFLANK_TEST=matrix-{os.getpid()}"
    ran = subprocess.run(
        [OUTFLANK, "tournament", *good, *others, *arguments, "--out", str(folder / "run")],
        capture_output=True,
        text=True,
        timeout=110,
        env={**os.environ, **dict([mark.split("=")])},
    )

    assert ran.returncode == 0, ran.stderr
    assert living_with(mark) == []
    engines = json.loads((folder / "run" / "summary.json").read_text())["engines"]
    return {engine["name"]: engine for engine in engines}


def check(engines: dict[str, dict[str, object]]) -> None:
    for fault, ending in FAULTS.items():
        assert (fault, engines[fault]["losses"], engines[fault]["faults"]) == (fault, 2, {ending: 2})
    for name in (*NO_FAULTS, "good"):
        assert (name, engines[name]["faults"]) == (name, {})
    won = {ending: 2 * list(FAULTS.values()).count(ending) for ending in FAULTS.values()}
    assert engines["good"]["wins_by_fault"] == won


def test_every_fault_is_counted_exactly_and_costs_nobody_else_a_game(tmp_path: Path) -> None:
    check(gauntlet(tmp_path))


@pytest.mark.slow
def test_and_so_it_is_when_games_are_played_side_by_side(tmp_path: Path) -> None:
    check(gauntlet(tmp_path, "--concurrency", "4"))
