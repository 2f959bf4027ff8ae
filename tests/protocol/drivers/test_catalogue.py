"""Engines by their names in the catalogue: how a program is found, started and set up."""

import shlex
from pathlib import Path

import pytest

from outflank.engine import NotationError
from outflank.protocol.drivers.catalogue import catalogue
from outflank.protocol.drivers.dialect import Dialect
from outflank.protocol.drivers.spec import READERS, EngineSpec, Protocol, command_line


@pytest.fixture
def edax(tmp_path: Path) -> Path:
    """A folder as one has it after a build of Edax."""
    folder = tmp_path / "my edax"
    for name in ("bin/lEdax-native", "data/eval.dat"):
        (folder / name).parent.mkdir(parents=True)
        (folder / name).touch(0o755)
    return folder


def test_an_engine_is_found_in_its_folder_and_started_where_its_files_are(edax: Path) -> None:
    """The run keeps what was found and not the name; an engine of the catalogue has no book anyway."""
    entry = EngineSpec.parse(f"catalogue:edax dir='{edax}'")
    settings = entry.settings()

    assert command_line(entry) == [
        str(edax / "bin/lEdax-native"),
        *shlex.split("-gtp -n-tasks 1 -ponder off -book-usage off"),
    ]
    assert (entry.name, entry.dialect, entry.dir) == ("Edax", Dialect.PER_MOVE, str(edax))
    assert "catalogue" not in settings
    assert EngineSpec.from_settings(settings) == entry
    assert EngineSpec.parse(f"catalogue:edax dir='{edax}' book=none") == entry


def test_an_engine_is_found_on_the_path_by_a_link(
    edax: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "programs").mkdir()
    (tmp_path / "programs" / "edax").symlink_to(edax / "bin/lEdax-native")
    monkeypatch.setenv("PATH", str(tmp_path / "programs"))

    assert EngineSpec.parse("catalogue:edax").dir == str(edax)


def test_further_keys_fill_its_command_and_take_precedence(edax: Path) -> None:
    entry = EngineSpec.parse(
        f"catalogue:edax dir='{edax}' name=E level=9 option.hash=20 book=my.book threads=2 dialect=spec"
    )

    assert command_line(entry)[1:] == shlex.split(
        "-gtp -n-tasks 2 -ponder off -l 9 -h 20 -book-usage on -book-file my.book"
    )
    assert (entry.name, entry.dialect) == ("E", Dialect.SPEC)


def test_a_command_of_ones_own_is_taken_as_it_is() -> None:
    entry = EngineSpec.parse("catalogue:ntest cmd='/opt/ntest x'")

    assert (entry.cmd, entry.protocol, entry.name) == ("/opt/ntest x", Protocol.NBOARD, "NTest")


def test_a_file_of_engines_may_name_it_too(edax: Path) -> None:
    table = {"catalogue": "edax", "dir": str(edax), "options": {"hash": 20}}

    assert EngineSpec.from_settings(table) == EngineSpec.parse(f"catalogue:edax dir='{edax}' option.hash=20")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("catalogue:deep-blue", "the catalogue has no engine 'deep-blue', only edax, "),
        (
            "catalogue:edax dir=/nowhere",
            r"Edax was not found in '/nowhere' \(edax or .*give dir= with its folder",
        ),
        ("catalogue:edax catalogue:ntest", "catalogue= is there twice"),
    ],
)
def test_an_engine_that_is_not_there_is_refused_in_a_sentence(text: str, message: str) -> None:
    with pytest.raises(NotationError, match=message):
        EngineSpec.parse(text)


def test_an_engine_without_its_files_or_the_permission_to_execute_it_is_refused(edax: Path) -> None:
    (edax / "data/eval.dat").unlink()
    with pytest.raises(NotationError, match=r"Edax .* needs data/eval\.dat in its folder or the one above"):
        EngineSpec.parse(f"catalogue:edax dir='{edax}'")

    (edax / "bin/lEdax-native").chmod(0o644)
    with pytest.raises(NotationError, match="Edax was not found"):
        EngineSpec.parse(f"catalogue:edax dir='{edax}'")


def test_a_script_needs_no_permission_if_another_program_reads_it(tmp_path: Path) -> None:
    for name in ("uci.js", "stockfish.wasm"):
        (tmp_path / name).touch(0o644)

    entry = EngineSpec.parse(f"catalogue:fairy-stockfish-node dir={tmp_path}")

    assert command_line(entry) == ["node", "--no-experimental-fetch", str(tmp_path / "uci.js")]


@pytest.mark.parametrize("key", catalogue())
def test_every_entry_starts_an_engine_and_each_fact_has_a_source(key: str, tmp_path: Path) -> None:
    known = catalogue()[key]
    program = tmp_path / known.programs[0].replace("*", "x")
    program.touch(0o755)
    if known.home:
        (tmp_path / known.home).parent.mkdir(exist_ok=True)
        (tmp_path / known.home).touch()
    values = {name: 3 for name in known.given if name in READERS and name != "book"}

    entry = EngineSpec.from_settings({"catalogue": key, "dir": str(tmp_path), **values})

    assert str(program) in command_line(entry)
    assert not [word for word in command_line(entry) if "{" in word]
    assert known.facts
    assert known.seen
    assert all(fact.keys() == {"fact", "source", "date"} for fact in known.facts)
    assert all(
        each["fact"].endswith(".") and each["source"] and each["date"].year >= 2026 for each in known.facts
    )
