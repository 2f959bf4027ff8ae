"""A tournament of faulty engines: named results, exact counts, everybody else's games played, nothing left."""

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from outflank.tests import fake_engine
from outflank.tests.processes import living_with

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


def played(folder: Path, *options: str) -> dict[str, dict[str, object]]:
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
    check(played(tmp_path))


@pytest.mark.slow
def test_and_so_it_is_when_games_are_played_side_by_side(tmp_path: Path) -> None:
    check(played(tmp_path, "--concurrency", "4"))
