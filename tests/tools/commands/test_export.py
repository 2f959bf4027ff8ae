"""What is derived from a run, and a run that is not finished; what export prints is in transcripts/matches.console."""

import re
from pathlib import Path

from outflank.engine import Colour
from outflank.tests.support.positions import WIPE_OUT, WITH_PASSES
from outflank.tests.support.runs import broken_off, played, run_of, store_run, write_files_of
from outflank.tests.support.transcripts import run
from outflank.tools.match.game.results import Ending
from outflank.tools.match.state.store import read_run
from outflank.tools.report.records import CSV_COLUMNS

GAMES = (played(WITH_PASSES), played(WIPE_OUT, number=2, names=("B", "A")))


def test_a_run_s_own_files_are_what_is_exported_or_are_named(tmp_path: Path) -> None:
    folder = store_run(tmp_path / "run", *GAMES)
    write_files_of(read_run(folder), tmp_path)

    for name, file in (("ggf", "games.ggf"), ("sgf", "games.sgf"), ("transcript", "games.txt")):
        assert run("export", folder, "--format", name).stdout == (tmp_path / file).read_text()
    assert "EV[" not in (tmp_path / "games.ggf").read_text()
    assert "EV[Outflank match]" in (tmp_path / "games.sgf").read_text()
    for file in ("games.sgf", "report.html"):
        (tmp_path / file).unlink()
    (tmp_path / "games.sgf").mkdir()
    trouble = write_files_of(run_of(GAMES), tmp_path)
    assert trouble.startswith(f"can't write {str(tmp_path / 'games.sgf')!r} (")
    assert (tmp_path / "report.html").exists()


def test_the_columns_of_csv_are_described() -> None:
    page = (Path(__file__).parents[3] / "docs" / "report.md").read_text()
    table = page.split("| column of `csv` |")[1].split("\n\n")[0]
    described = [
        name for line in table.splitlines()[2:] for name in re.findall(r"`(\w+)`", line.split("|")[1])
    ]

    assert sorted(described) == sorted(CSV_COLUMNS)


def test_a_dialogue_of_a_game_that_was_played_again_without_a_fault_is_removed(tmp_path: Path) -> None:
    """As a run has it whose pair was voided after it had been interrupted."""
    crash = broken_off(Ending.CRASH, Colour.WHITE)
    (tmp_path / "fault-game-1-of-mine.txt").touch()
    write_files_of(run_of([crash, broken_off(Ending.CRASH, Colour.WHITE, number=2)]), tmp_path)

    assert write_files_of(run_of([crash, GAMES[1]]), tmp_path) == ""
    assert {path.name for path in tmp_path.glob("fault-*")} == {
        "fault-game-1.txt",
        "fault-game-1-of-mine.txt",
    }
