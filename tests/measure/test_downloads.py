"""A download has the locked packages with their licences, all papers, and the same bytes when it is made again."""

import os
import re
import shutil
import stat
import subprocess
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from outflank.measure.downloads import (
    SYSTEMS,
    System,
    add_licences,
    add_papers,
    requirements,
    unpack_wheel,
    write_sums,
    write_tar,
    write_zip,
)
from outflank.tests.support.installation import ROOT
from outflank.tools.cli.program import COMMANDS

EPOCH = 1_700_000_000


@pytest.mark.parametrize("system", SYSTEMS.values(), ids=SYSTEMS)
def test_a_system_gets_one_version_of_each_package_with_its_hashes(system: System) -> None:
    entries = requirements(system)
    names = [entry.partition("==")[0] for entry in entries]
    locked = set(re.findall(r"^([a-z0-9-]+)==", (ROOT / "requirements.txt").read_text(), re.MULTILINE))

    assert len(names) == len(set(names))
    assert set(names) == locked - {"cython", "setuptools"}
    assert [entry for entry in entries if not re.search(r"--hash=sha256:[0-9a-f]{64}$", entry)] == []


def folder_of(path: Path) -> Path:
    """Return a folder with a program, a text and, in a folder of its own, an empty file."""
    folder = path / "outflank-1-system"
    (folder / "docs").mkdir(parents=True)
    (folder / "program").write_text("#!/bin/sh\n")
    (folder / "program").chmod(0o755)
    (folder / "Büchlein.txt").write_text("text")
    (folder / "docs" / "empty").touch()
    return folder


@pytest.mark.parametrize("write", [write_zip, write_tar])
def test_an_archive_depends_on_the_content_alone(
    write: Callable[[Path, Path], Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", str(EPOCH))
    made = []
    for number in (1, 2):
        folder = folder_of(tmp_path / str(number))
        for file in folder.rglob("*"):
            os.utime(file, (EPOCH * number / 3,) * 2)
        (folder / "Büchlein.txt").chmod(0o600 if number == 1 else 0o644)
        made.append(write(folder, tmp_path / f"out{number}" / "outflank").read_bytes())

    assert made[0] == made[1]


def test_an_archive_unpacks_to_one_folder_whose_programs_can_be_run(tmp_path: Path) -> None:
    folder = folder_of(tmp_path)
    (folder / "link").symlink_to("program")
    (tmp_path / "tar").mkdir()
    subprocess.run(["tar", "-xzf", write_tar(folder, tmp_path / "out"), "-C", tmp_path / "tar"], check=True)
    (folder / "link").unlink()
    shutil.unpack_archive(write_zip(folder, tmp_path / "out"), tmp_path / "zip")

    assert [path.name for path in (tmp_path / "tar").iterdir()] == [folder.name]
    assert [path.name for path in (tmp_path / "zip").iterdir()] == [folder.name]
    assert stat.S_IMODE((tmp_path / "tar" / folder.name / "program").stat().st_mode) == 0o755
    assert (tmp_path / "tar" / folder.name / "link").readlink() == Path("program")
    assert (tmp_path / "zip" / folder.name / "Büchlein.txt").read_text() == "text"
    with zipfile.ZipFile(tmp_path / "out.zip") as archive:
        modes = {member.filename: member.external_attr >> 16 for member in archive.infolist()}
    assert modes[f"{folder.name}/program"] == 0o755
    with tarfile.open(tmp_path / "out.tar.gz") as archive_of_tar:
        assert {member.uname for member in archive_of_tar} == {"root"}


def test_the_sums_can_be_checked(tmp_path: Path) -> None:
    (tmp_path / "a.zip").write_bytes(b"a")
    (tmp_path / "b.tar.gz").write_bytes(b"b")
    write_sums(tmp_path)
    write_sums(tmp_path)  # they have no sum of themselves

    def check() -> int:
        return subprocess.run(["sha256sum", "--check", "--quiet", "SHA256SUMS"], cwd=tmp_path).returncode

    assert check() == 0
    assert len((tmp_path / "SHA256SUMS").read_text().splitlines()) == 2
    (tmp_path / "a.zip").write_bytes(b"another")
    assert check() != 0


def test_the_pages_the_manual_the_examples_and_the_games_are_there(tmp_path: Path) -> None:
    add_papers(tmp_path)
    pages = {path.relative_to(ROOT) for path in (ROOT / "docs").rglob("*.*")}
    manual = {path.stem: path.read_text() for path in (tmp_path / "manual").iterdir()}

    assert {path.relative_to(tmp_path) for path in (tmp_path / "docs").rglob("*.*")} == pages
    assert {*manual} == {"outflank", *(f"outflank-{name}" for name in COMMANDS)}
    assert "Usage: outflank match" in manual["outflank-match"]
    assert "Usage: outflank book build" in manual["outflank-book"]
    assert "(;" in (tmp_path / "examples" / "games" / "sample.sgf").read_text()
    assert (tmp_path / "examples" / "tournament.toml").is_file()
    assert (tmp_path / "LICENSE").read_text() == (ROOT / "LICENSE").read_text()


def package(folder: Path, name: str, licence: str = "", **files: str) -> None:
    """Write the metadata of an installed package."""
    info = folder / "python" / "site-packages" / f"{name}-1.dist-info"
    info.mkdir(parents=True)
    (folder / "licences").mkdir(exist_ok=True)
    (info / "METADATA").write_text(f"Name: {name}\nVersion: 1\nAuthor: Ann\nLicense: {licence}\n")
    for file, text in files.items():
        (info / file).write_text(text)


def test_licences_are_gathered_and_a_package_without_one_is_refused(tmp_path: Path) -> None:
    package(tmp_path, "with_file", "BSD", LICENSE="You may.", NOTICE="Heed this.")
    package(tmp_path, "mit", "MIT")
    add_licences(tmp_path)

    text = (tmp_path / "licences" / "with_file-1.txt").read_text()
    assert "You may." in text
    assert "Heed this." in text
    assert re.search(r"Copyright \(c\) \d+ Ann\n", (tmp_path / "licences" / "mit-1.txt").read_text())

    package(tmp_path, "secret", "Proprietary")
    with pytest.raises(SystemExit, match="secret 1 has no licence"):
        add_licences(tmp_path)


def test_a_wheel_is_unpacked_without_what_no_command_needs(tmp_path: Path) -> None:
    kept = ("a/__init__.py", "a-1.dist-info/METADATA", "pygments/lexers/_mapping.py", "numpy/linalg.py")
    left_out = (
        "a-1.data/data/share/doc/page.md",
        "a/tests/test.py",
        "a/core.pyi",
        "numpy/f2py/main.py",
        "pygments/lexers/c.py",
    )
    with zipfile.ZipFile(tmp_path / "a.whl", "w") as wheel:
        for name in (*kept, *left_out):
            wheel.writestr(name, "")
    unpack_wheel(tmp_path / "a.whl", tmp_path / "site")

    site = tmp_path / "site"
    assert {path.relative_to(site).as_posix() for path in site.rglob("*") if path.is_file()} == set(kept)
