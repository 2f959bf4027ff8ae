"""A GUI that people have: Quarry plays a whole game between two Outflanks."""

import sys
from pathlib import Path

import pytest

from outflank.tests.quarry import missing_programs, play

pytestmark = pytest.mark.skipif(bool(missing_programs()), reason=f"not installed: {missing_programs()}")


def test_quarry_plays_a_whole_game_between_two_outflanks(tmp_path: Path) -> None:
    command = f"{Path(sys.executable).with_name('outflank')} gtp --level 1"

    black_saw, white_saw = play(command, "0", tmp_path)

    assert black_saw.position.is_over
    assert black_saw.transcript() == white_saw.transcript()
