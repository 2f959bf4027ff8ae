"""A file is written whole or not at all, and nowhere else."""

import errno
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from outflank.engine import SettingsError
from outflank.storage.database import DatabaseKind
from outflank.storage.files import (
    STDOUT,
    UnwritableError,
    expect_writable,
    open_output,
    open_to_append,
    write_whole,
)
from outflank.tests.support.books import no_file_beyond

SMALL = 10
NOTES = DatabaseKind("a file of notes", application=1, tables="CREATE TABLE note (name TEXT, value TEXT);")


def test_a_full_disk_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    write_whole(path, b"old")

    with no_file_beyond(SMALL), pytest.raises(OSError, match=os.strerror(errno.EFBIG)):
        write_whole(path, b"n" * (SMALL + 1))

    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(
    "write", [expect_writable, lambda path: write_whole(path, b"new"), lambda path: NOTES.create(path, {})]
)
def test_a_signal_that_comes_when_the_new_file_is_there_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, write: Callable[[Path], object]
) -> None:
    create = os.open

    def interrupted(*given: Any) -> int:
        os.close(create(*given))
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "open", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write(tmp_path / "file")

    assert list(tmp_path.iterdir()) == []


def test_a_device_stays_one_and_a_link_is_followed(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("file")
    write_whole(Path("/dev/null"), b"new")
    write_whole(tmp_path / "link", b"new")

    with pytest.raises(OSError, match=r"^can't write '/dev/full' \(No space left on device\)$"):
        write_whole(Path("/dev/full"), b"new")
    assert Path("/dev/null").is_char_device()
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "file").read_text() == "new"


def test_a_link_that_somebody_laid_is_not_written_through(tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_text("mine")
    for name in (".report.html.new", "report.html.new", "report.unfinished"):
        (tmp_path / name).symlink_to(victim)

    write_whole(tmp_path / "report.html", b"new")

    assert victim.read_text() == "mine"
    assert not (tmp_path / "report.html").is_symlink()


def test_a_new_file_can_be_read_by_others_and_an_old_one_keeps_its_permissions(tmp_path: Path) -> None:
    new, old = tmp_path / "new", tmp_path / "old"
    old.touch(mode=0o600)
    umask = os.umask(0o022)
    try:
        write_whole(new, b"")
        write_whole(old, b"")
    finally:
        os.umask(umask)

    assert new.stat().st_mode & 0o777 == 0o644
    assert old.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("write", [expect_writable, open_to_append, lambda path: write_whole(path, b"new")])
@pytest.mark.parametrize(("name", "error"), [("circle", errno.ELOOP), ("no-such-folder/file", errno.ENOENT)])
def test_a_path_that_leads_nowhere_is_named(
    tmp_path: Path, write: Callable[[Path], object], name: str, error: int
) -> None:
    (tmp_path / "circle").symlink_to("b")
    (tmp_path / "b").symlink_to("circle")
    with pytest.raises(UnwritableError) as caught:
        write(tmp_path / name)

    assert str(caught.value) == f"can't write '{tmp_path / name}' ({os.strerror(error)})"
    assert caught.value.errno == error
    assert (tmp_path / "circle").is_symlink()


def test_what_can_be_written_is_left_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "old").write_text("old")
    for name in ("old", "new"):
        expect_writable(tmp_path / name)

    assert [path.name for path in tmp_path.iterdir()] == ["old"]
    assert (tmp_path / "old").read_text() == "old"


def test_standard_output_is_no_file_of_that_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    monkeypatch.chdir(tmp_path)
    for path in (STDOUT, Path("./-")):
        with open_output(path) as file:
            file.write(b"new")

    assert capsysbinary.readouterr().out == b"new"
    assert (tmp_path / "-").read_bytes() == b"new"


@pytest.mark.parametrize("name", ["run.db", "link"])
def test_a_database_is_not_written_over(tmp_path: Path, name: str) -> None:
    (tmp_path / "run.db").write_bytes(b"SQLite format 3\0 and all that was played")
    (tmp_path / "link").symlink_to("run.db")

    sentence = "^can't write to '.*', which is a database, such as a run, book or archive: use another file$"

    for write in (lambda path: write_whole(path, b"new"), open_to_append):
        with pytest.raises(SettingsError, match=sentence):
            write(tmp_path / name)

    assert (tmp_path / "run.db").read_bytes().startswith(b"SQLite")
    assert {path.name for path in tmp_path.iterdir()} == {"run.db", "link"}
