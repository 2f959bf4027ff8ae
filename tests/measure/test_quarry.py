"""A GUI that people have: Quarry plays whole games between two Outflanks, and takes their time."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from outflank.measure.quarry import A_MINUTE_AND_BYO_YOMI, TWO_SECONDS_A_MOVE, missing_programs, play
from outflank.protocol.drivers.spawn import tied_to_us
from outflank.tests.support.program import OUTFLANK

pytestmark = pytest.mark.skipif(bool(missing_programs()), reason=f"not installed: {missing_programs()}")


def test_quarry_plays_a_whole_game_between_two_outflanks(tmp_path: Path) -> None:
    black_saw, white_saw = play(f"{OUTFLANK} gtp --level 1", "0", tmp_path)

    assert black_saw.position.is_over
    assert black_saw.transcript() == white_saw.transcript()


@pytest.fixture
def busy_machine() -> Iterator[None]:
    """Yield a process for each processor that never rests."""
    idle = tied_to_us([sys.executable, "-c", "while True: pass"], None, os.defpath)
    idlers = [subprocess.Popen(idle) for _ in os.sched_getaffinity(0)]
    try:
        yield
    finally:
        for process in idlers:
            process.kill()
            process.wait()


@pytest.mark.alone
@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.usefixtures("busy_machine")
@pytest.mark.parametrize(
    ("clock", "settings"),
    [(TWO_SECONDS_A_MOVE, "time_settings 0 2 1"), (A_MINUTE_AND_BYO_YOMI, "time_settings 60 20 5")],
    ids=["2 s a move", "60 s and 20 s for 5 moves"],
)
def test_no_game_is_lost_on_time_beside_a_busy_process(
    tmp_path: Path, clock: Sequence[str], settings: str
) -> None:
    """Quarry ends a game whose flag has fallen, so that it would not be over on the board."""
    black_saw, white_saw = play(f"{OUTFLANK} gtp --book none", "0", tmp_path, clock=clock, patience=500)

    assert black_saw.position.is_over
    assert black_saw.transcript() == white_saw.transcript()
    for log in tmp_path.glob("*.engine"):
        assert re.search(rf" < {settings}$", log.read_text(), re.MULTILINE)
