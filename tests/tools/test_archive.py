"""The files of a match: complete, and kept whatever goes wrong."""

import json
import os
from pathlib import Path

import pytest

from outflank.engine import Colour, FileFormatError
from outflank.tests.tools.samples import broken_off, played
from outflank.tools.games.results import Ending
from outflank.tools.show.archive import Archive

GAMES = [played(number=1), broken_off(Ending.CRASH, Colour.WHITE, number=2)]


def test_a_finished_match_leaves_its_files(tmp_path: Path) -> None:
    archive = Archive(tmp_path / "new" / "match")
    for game in GAMES:
        archive.add(game)
    archive.finish(GAMES, {"games": 2}, "<html>")
    files = {path.name: path.read_text() for path in archive.folder.iterdir()}

    assert files.keys() == {
        "fault-game-2.txt",
        "games.ggf",
        "games.jsonl",
        "games.sgf",
        "match.json",
        "report.html",
        "transcripts.txt",
    }
    assert archive.trouble == ""
    assert [json.loads(line)["game"] for line in files["games.jsonl"].splitlines()] == [1, 2]
    assert files["fault-game-2.txt"] == "A > genmove black\nA < = a1\n"
    assert files["transcripts.txt"].splitlines()[1] == "f5d6c3  # game 2: A - B A wins by crash"
    assert json.loads(files["match.json"]) == {"games": 2}


def test_a_game_is_on_disk_the_moment_it_ends(tmp_path: Path) -> None:
    archive = Archive(tmp_path / "match")
    archive.add(GAMES[0])

    assert json.loads((tmp_path / "match" / "games.jsonl").read_text())["game"] == 1


def test_an_empty_folder_is_taken(tmp_path: Path) -> None:
    assert Archive(tmp_path).folder == tmp_path


def test_a_folder_with_something_in_it_is_refused_and_left_alone(tmp_path: Path) -> None:
    (tmp_path / "games.jsonl").write_text("precious")

    with pytest.raises(FileFormatError, match="expected a new or empty folder for the records, got "):
        Archive(tmp_path)
    assert (tmp_path / "games.jsonl").read_text() == "precious"


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()

    with pytest.raises(FileFormatError, match=r"expected to write records to .*file/match.*Not a directory"):
        Archive(tmp_path / "file" / "match")


def test_games_that_meet_a_full_disk_are_written_when_there_is_room_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first sync fails after its line was written: the line must not be there twice in the end."""
    archive = Archive(tmp_path / "match")
    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", _full_disk)
        archive.add(GAMES[0])
        assert "No space left on device" in archive.trouble
    archive.add(GAMES[1])

    lines = (tmp_path / "match" / "games.jsonl").read_text().splitlines()
    assert [json.loads(line)["game"] for line in lines] == [1, 2]
    assert archive.trouble == ""


def test_what_cannot_be_written_at_the_end_is_named_and_the_rest_is_written(tmp_path: Path) -> None:
    archive = Archive(tmp_path / "match")
    (tmp_path / "match" / "games.sgf").mkdir()
    archive.finish(GAMES, {}, "<html>")

    assert "games.sgf" in archive.trouble
    assert (tmp_path / "match" / "report.html").read_text() == "<html>"


def _full_disk(descriptor: int) -> None:
    raise OSError(28, os.strerror(28))
