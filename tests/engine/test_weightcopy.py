"""The copy of the weights that processes share: where it lies, used if it can be trusted, else done without."""

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from outflank.engine import FileFormatError
from outflank.engine.evaluation import weights
from outflank.engine.evaluation.packing import MOST_ROWS, checksum
from outflank.engine.evaluation.weightcopy import ReadyWeights, load

NOBODY = 65534


def cache() -> Path:
    """Where copies are kept now."""
    return Path(os.environ["XDG_CACHE_HOME"]) / "outflank"


def only_copy(folder: Path) -> Path:
    """The one file of a folder."""
    (found,) = folder.iterdir()
    return found


def holds(found: ReadyWeights, expected: ReadyWeights) -> bool:
    """Whether the numbers are equal."""
    return all(
        np.array_equal(np.asarray(getattr(found, name)), np.asarray(getattr(expected, name)))
        for name in ("rows", "entries", "layers", "starts")
    )


@pytest.fixture(scope="module")
def expected() -> ReadyWeights:
    """What the shipped file holds."""
    return ReadyWeights.of(weights.read())


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A copy of the shipped weights, as it is made."""
    folder = tmp_path_factory.mktemp("made")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(folder))
        load()
        copy = only_copy(cache())
    yield copy
    shutil.rmtree(folder)


@pytest.fixture(autouse=True)
def empty_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """An empty cache folder for each test."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    yield
    shutil.rmtree(tmp_path / "cache", ignore_errors=True)


def planted(made: Path) -> Path:
    """A good copy in an otherwise empty cache, to be spoilt."""
    cache().mkdir(parents=True, mode=0o700)
    return Path(shutil.copy(made, cache() / made.name))


def is_mapped(file: Path) -> bool:
    """Whether this process has mapped a file, by the system's account."""
    return f" {file}\n" in Path("/proc/self/maps").read_text()


def test_the_copy_holds_what_the_file_does(expected: ReadyWeights) -> None:
    found = load()

    assert is_mapped(only_copy(cache()))
    assert holds(found, expected)


def test_the_next_process_uses_the_same_copy(made: Path) -> None:
    file = planted(made)
    before = file.stat().st_ino

    found = load()

    assert is_mapped(file)
    assert len(found.entries)
    assert only_copy(cache()).stat().st_ino == before


def test_nobody_else_can_read_or_change_it(made: Path) -> None:
    assert made.stat().st_mode & 0o777 == 0o400
    assert made.parent.stat().st_mode & 0o777 == 0o700


def test_the_numbers_can_not_be_written_to(made: Path) -> None:
    planted(made)
    found = load()

    with pytest.raises(TypeError, match="read-only"):
        found.entries[0] = 1


@pytest.mark.parametrize("place", [0, 45, 64, 20_000_000, -65, -64, -1])
def test_a_changed_byte_is_noticed_and_the_copy_made_anew(
    made: Path, expected: ReadyWeights, place: int
) -> None:
    file = planted(made)
    file.chmod(0o600)
    with file.open("r+b") as copy:
        copy.seek(place, os.SEEK_SET if place >= 0 else os.SEEK_END)
        byte = copy.read(1)[0]
        copy.seek(-1, os.SEEK_CUR)
        copy.write(bytes([byte ^ 16]))
    spoilt = file.stat().st_ino

    found = load()

    assert holds(found, expected)
    assert is_mapped(file)
    assert file.stat().st_ino != spoilt
    assert file.read_bytes() == made.read_bytes()


@pytest.mark.parametrize("size", [0, 64, 100, 4096, 80_000_000])
def test_another_length_is_noticed(made: Path, expected: ReadyWeights, size: int) -> None:
    file = planted(made)
    os.truncate(file, size)

    assert holds(load(), expected)
    assert file.stat().st_size == made.stat().st_size


def test_a_good_copy_of_other_weights_under_its_name_is_not_believed(
    made: Path, expected: ReadyWeights, tmp_path: Path
) -> None:
    other = tmp_path / "other.bin"
    other.write_bytes(weights.packed(weights.Weights.nothing(), {"command": "made for a test"}))

    assert not any(load(other).entries[:100_000])
    copy = only_copy(cache())
    assert copy.name != made.name
    copy.rename(cache() / made.name)

    assert holds(load(), expected)
    assert only_copy(cache()).read_bytes() == made.read_bytes()


@pytest.mark.parametrize("rows_size", [0, 1, 64, 63 << 20, 2**63, 2**64 - 64])
def test_sizes_that_do_not_fit_are_noticed(made: Path, expected: ReadyWeights, rows_size: int) -> None:
    """With a right checksum."""
    craft(planted(made), 48, rows_size.to_bytes(8, sys.byteorder))

    assert holds(load(), expected)
    assert only_copy(cache()).read_bytes() == made.read_bytes()


@pytest.mark.parametrize("start", [-1, 300_000, 2**31 - 1])
def test_rows_outside_the_copy_are_noticed(made: Path, expected: ReadyWeights, start: int) -> None:
    """The last stage's first row; with a right checksum."""
    content = made.read_bytes()
    right = expected.starts[-1].to_bytes(4, sys.byteorder, signed=True)
    craft(planted(made), content.rindex(right, 0, -64), start.to_bytes(4, sys.byteorder, signed=True))

    assert holds(load(), expected)
    assert only_copy(cache()).read_bytes() == made.read_bytes()


def test_entries_that_name_no_row_of_theirs_read_nothing_outside_the_copy(made: Path) -> None:
    """The evaluation is nonsense then, but nothing is read that is not there."""
    rows = int.from_bytes(made.read_bytes()[48:56], sys.byteorder)
    file = planted(made)
    craft(file, 64 + rows, b"\xff" * 30_000_000)
    program = "from outflank.engine import Game, Searcher; print(Searcher().evaluate(Game().position))"
    evaluated = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)

    assert evaluated.returncode == 0
    assert file.read_bytes() != made.read_bytes()


def craft(file: Path, place: int, changed: bytes) -> None:
    """Change some bytes of a copy, and its checksum with them."""
    content = bytearray(file.read_bytes())
    content[place : place + len(changed)] = changed
    content[-64:-56] = checksum(memoryview(content)[:-64]).to_bytes(8, sys.byteorder)
    file.chmod(0o600)
    file.write_bytes(content)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root becomes another user")
def test_its_owner_can_not_shorten_a_copy_that_is_mapped(made: Path) -> None:
    """Who reads beyond the new end would be killed."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        file = Path(shutil.copy(made, folder))
        for owned in folder, file:
            os.chown(owned, NOBODY, NOBODY)
        os.seteuid(NOBODY)
        try:
            with pytest.raises(PermissionError):
                os.truncate(file, 0)
        finally:
            os.seteuid(os.getuid())

        assert file.stat().st_size == made.stat().st_size


CUT = """
import os, sys
from pathlib import Path
from outflank.engine import Game, Searcher
Searcher().evaluate(Game().position)
(copy,) = Path(os.environ["XDG_CACHE_HOME"], "outflank").glob("weights-*.bin")
copy.chmod(0o600)
os.truncate(copy, 0)
Searcher().evaluate(Game().position)
"""


def test_a_copy_that_is_cut_while_it_is_in_use_ends_the_process_with_a_sentence(made: Path) -> None:
    """By its owner after a chmod; there is no way to go on."""
    planted(made)
    ended = subprocess.run([sys.executable, "-c", CUT], capture_output=True, text=True, check=False)

    assert ended.returncode == -signal.SIGBUS
    assert ended.stderr == (
        "outflank: the unpacked evaluation in the cache folder was shortened while it was in use, or its disk "
        "failed: start again\n"
    )


def test_engines_keep_what_they_have_mapped_when_the_copy_is_removed(expected: ReadyWeights) -> None:
    found = load()
    only_copy(cache()).unlink()

    assert holds(found, expected)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
@pytest.mark.parametrize("whose", ["file", "folder"])
def test_what_belongs_to_another_user_is_not_used(made: Path, expected: ReadyWeights, whose: str) -> None:
    file = planted(made)
    os.chown(file if whose == "file" else cache(), NOBODY, NOBODY)

    found = load()

    assert holds(found, expected)
    assert is_mapped(file) == (whose == "file"), "expected a copy of one's own in place of a foreign one"
    assert file.stat().st_uid == 0


@pytest.mark.parametrize("mode", [0o720, 0o702])
@pytest.mark.parametrize("whose", ["file", "folder"])
def test_what_others_may_write_to_is_not_used(
    made: Path, expected: ReadyWeights, whose: str, mode: int
) -> None:
    file = planted(made)
    before = file.stat().st_ino
    (file if whose == "file" else cache()).chmod(mode)

    found = load()

    assert holds(found, expected)
    assert is_mapped(file) == (whose == "file")
    assert (file.stat().st_ino == before) == (whose == "folder")


def test_a_symbolic_link_is_not_followed(made: Path, expected: ReadyWeights) -> None:
    file = planted(made)
    elsewhere = file.rename(cache().parent / "elsewhere")
    file.symlink_to(elsewhere)

    found = load()

    assert holds(found, expected)
    assert not is_mapped(elsewhere)
    assert is_mapped(file)
    assert not file.is_symlink()


def test_a_folder_that_is_a_symbolic_link_is_not_used(tmp_path: Path, expected: ReadyWeights) -> None:
    (tmp_path / "elsewhere").mkdir(mode=0o700)
    cache().parent.mkdir()
    cache().symlink_to(tmp_path / "elsewhere")

    assert holds(load(), expected)
    assert list((tmp_path / "elsewhere").iterdir()) == []


@pytest.mark.parametrize("kind", ["pipe", "folder"])
def test_what_is_no_file_is_not_waited_for(expected: ReadyWeights, kind: str, made: Path) -> None:
    cache().mkdir(parents=True, mode=0o700)
    place = cache() / made.name
    if kind == "pipe":
        os.mkfifo(place, 0o600)
    else:
        place.mkdir()

    assert holds(load(), expected)


def test_another_weights_file_has_another_copy_and_old_ones_go(tmp_path: Path, made: Path) -> None:
    """Also where the file is written anew at the same path."""
    planted(made)
    path = tmp_path / "weights.bin"
    found = []
    for value in range(5):
        numbers = weights.Weights.nothing()
        numbers.tables[-1] = value
        path.write_bytes(weights.packed(numbers, {}))
        found.append(load(path).entries[-1] // MOST_ROWS)
        time.sleep(0.02)  # a time of their own for the copies

    assert found == list(range(5))
    assert len(list(cache().iterdir())) == 3
    assert not (cache() / made.name).exists()


def test_what_a_killed_maker_left_behind_goes(made: Path) -> None:
    cache().mkdir(parents=True, mode=0o700)
    old, young, foreign = (cache() / name for name in (".weights-1.bin.0", ".weights-2.bin.1", "notes"))
    for file in (old, young, foreign):
        file.touch()
    os.utime(old, (0, 0))
    os.utime(foreign, (0, 0))

    load()

    assert sorted(file.name for file in cache().iterdir()) == sorted([young.name, foreign.name, made.name])


def test_two_processes_may_make_it_at_once(made: Path) -> None:
    program = "from outflank.engine import Game, Searcher; print(Searcher().evaluate(Game().position))"
    makers = [
        subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True) for _ in range(3)
    ]

    said = {maker.communicate()[0] for maker in makers}

    assert [maker.returncode for maker in makers] == [0, 0, 0]
    assert len(said) == 1
    assert re.fullmatch(r"-?[\d.]+\n", said.pop())
    assert only_copy(cache()).read_bytes() == made.read_bytes()


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
