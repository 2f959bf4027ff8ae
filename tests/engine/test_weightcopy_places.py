"""Where the shared copy of the weights lies, and what happens where there is no place for it."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from outflank.engine import FileFormatError
from outflank.engine.evaluation import weights
from outflank.engine.evaluation.weightcopy import ReadyWeights, load
from outflank.tests.engine.copies import cache, holds, only_copy

NOBODY = 65534


@pytest.fixture(scope="module")
def expected() -> ReadyWeights:
    """What the shipped file holds."""
    return ReadyWeights.of(weights.read())


@pytest.fixture(autouse=True)
def empty_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """An empty cache folder for each test."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    yield
    shutil.rmtree(tmp_path / "cache", ignore_errors=True)


@pytest.mark.parametrize("above", ["/proc/none", "/dev/null", "not/absolute"])
def test_without_a_folder_the_numbers_are_the_process_s_own(
    above: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, expected: ReadyWeights
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", above)
    monkeypatch.setenv("HOME", "/dev/null")

    before = _mapped_copies()

    assert holds(load(), expected)
    assert _mapped_copies() == before
    assert list(tmp_path.iterdir()) == []


def _mapped_copies() -> list[str]:
    """The copies that this process has mapped, those of other tests among them."""
    return [line for line in Path("/proc/self/maps").read_text().splitlines() if "weights-" in line]


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that any user may enter, unlike pytest's."""
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        shutil.copy(weights.SHIPPED, name)
        yield Path(name)


def test_a_read_only_home_is_no_trouble(
    open_folder: Path, monkeypatch: pytest.MonkeyPatch, expected: ReadyWeights
) -> None:
    home = open_folder / "home"
    home.mkdir(mode=0o555)
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(home))
    if os.geteuid() == 0:  # whom no mode holds back
        os.seteuid(NOBODY)
    try:
        found = load(open_folder / weights.SHIPPED.name)
    finally:
        os.seteuid(os.getuid())

    assert holds(found, expected)
    assert list(home.iterdir()) == []


def test_without_the_variable_it_lies_in_the_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))

    load()

    assert only_copy(tmp_path / ".cache" / "outflank").stat().st_size > 30_000_000


def test_a_full_disk_is_no_trouble(expected: ReadyWeights, monkeypatch: pytest.MonkeyPatch) -> None:
    real = os.write
    monkeypatch.setattr(os, "write", lambda file, data: real(file, data[:1000]))

    assert holds(load(), expected)
    assert list(cache().iterdir()) == []


def test_ctrl_c_leaves_nothing_unfinished(monkeypatch: pytest.MonkeyPatch) -> None:
    real = os.write

    def interrupted(file: int, content: bytes) -> int:
        real(file, content[:1000])
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "write", interrupted)
    with pytest.raises(KeyboardInterrupt):
        load()

    assert list(cache().iterdir()) == []


def test_a_damaged_header_is_named_before_any_copy_is_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "weights.bin"
    path.write_bytes(weights.SHIPPED.read_bytes().replace(b'"crc32"', b'"crc31"'))

    with pytest.raises(FileFormatError, match="a header without a checksum"):
        load(path)


def test_a_damaged_file_without_a_copy_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "weights.bin"
    content = bytearray(weights.SHIPPED.read_bytes())
    content[-100] ^= 1
    path.write_bytes(content)

    with pytest.raises(FileFormatError, match="checksum"):
        load(path)
    assert list(cache().iterdir()) == []
