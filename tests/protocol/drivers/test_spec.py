"""The text after --engine, its settings in a file, the command that it makes; and engines by names in the catalogue."""

import json
import os
import shlex
import sys
from pathlib import Path

import pytest

from outflank.engine import NotationError
from outflank.protocol.clock import TimeControl
from outflank.protocol.drivers.catalogue import catalogue
from outflank.protocol.drivers.command import join_command, split_command
from outflank.protocol.drivers.dialect import Dialect
from outflank.protocol.drivers.spec import EngineSpec, command_line, read_engines, shared_keys
from outflank.protocol.drivers.spec_values import READERS, Protocol

MATCH_TIME = TimeControl.parse("0.5")


def test_an_engine_has_a_name_a_command_and_the_time_of_the_match_or_its_own() -> None:
    assert EngineSpec.parse('name=A cmd="x -l 4"', MATCH_TIME) == EngineSpec("A", "x -l 4", MATCH_TIME)
    assert EngineSpec.parse("name=B cmd=engine tc=none", MATCH_TIME).time == TimeControl()
    blanks = EngineSpec.parse("""name='level 4' cmd="my-engine 'a b' c" """, MATCH_TIME)
    assert (blanks.name, command_line(blanks)) == ("level 4", ["my-engine", "a b", "c"])


@pytest.mark.parametrize(
    ("program", "name"),
    [
        ("/usr/games/gtp-rhino", "gtp-rhino"),
        ("/opt/" + "long-name-" * 5, "long-name-" * 4),
        ("'two  words\tand a tab'", "two  words?and a tab"),
    ],
)
def test_a_program_may_be_called_anything(program: str, name: str) -> None:
    """A file's name of more than 40 characters was refused even if the engine had another name."""
    assert EngineSpec.parse(f'name=A cmd="{program} --fast"').name == "A"
    assert EngineSpec.parse(f'cmd="{program} --fast"').name == name


EVERYTHING = """name=E cmd='my-engine --size={hash}' tc=60+1 grace=0.1 dialect=fischer level=4 depth=8 nodes=1000
    threads=2 option.hash=64 option.mode="two words" command='set_level {level}' command=clear_cache dir=/tmp
    env.LANG=C env.A='b c' cpus=0,2-4 memory=512 analysis=no restart=yes"""


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (r"C:\eng\edax.exe -gtp", [r"C:\eng\edax.exe", "-gtp"]),
        (
            r'"C:\Program Files\edax\edax.exe" -book "C:\my books\\"',
            [r"C:\Program Files\edax\edax.exe", "-book", "C:\\my books\\"],
        ),
        ('python x.py --say \\"hi\\" O\'Brien ""', ["python", "x.py", "--say", '"hi"', "O'Brien", ""]),
    ],
)
def test_a_command_is_split_on_windows_as_its_programs_do_it(text: str, words: list[str]) -> None:
    assert split_command(text, windows=True) == words
    assert split_command(join_command(words, windows=True), windows=True) == words


def test_an_open_quote_of_windows_is_refused() -> None:
    with pytest.raises(ValueError, match="No closing quotation"):
        split_command('"C:\\Program Files', windows=True)


def test_everything_about_an_engine_can_be_said_in_a_line() -> None:
    assert EngineSpec.parse(EVERYTHING, MATCH_TIME) == EngineSpec(
        name="E",
        cmd="my-engine --size={hash}",
        time=TimeControl.parse("60+1"),
        grace_seconds=0.1,
        dialect=Dialect.FISCHER,
        level=4,
        depth=8,
        nodes=1000,
        threads=2,
        options=(("hash", "64"), ("mode", "two words")),
        commands=("set_level {level}", "clear_cache"),
        dir="/tmp",
        env=(("LANG", "C"), ("A", "b c")),
        cpus=(0, 2, 3, 4),
        memory=512,
        analysis=False,
        restart=True,
    )


@pytest.mark.parametrize("text", [EVERYTHING, "cmd=x", "cmd=x tc=none", "cmd=x tc=0.25"])
def test_settings_that_were_written_are_read_back(text: str) -> None:
    entry = EngineSpec.parse(text)
    settings = entry.settings()

    assert EngineSpec.from_settings(json.loads(json.dumps(settings))) == entry
    assert settings["tc"] == str(entry.time)
    assert "analysis" in settings or entry.analysis


def test_settings_for_all_engines_fill_the_gaps_of_each() -> None:
    each = shared_keys("tc=1 threads=2 option.hash=64 command=a env.X=1")
    entry = EngineSpec.parse(
        "cmd=x threads=4 option.hash=8 option.own=1 command=b", TimeControl.parse("9"), each
    )

    assert (str(entry.time), entry.threads, entry.commands) == ("1", 4, ("a", "b"))
    assert (dict(entry.options), dict(entry.env)) == ({"hash": "8", "own": "1"}, {"X": "1"})


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("name=A", "name can't be the same for all engines: give it in --engine"),
        ("catalogue:edax", "catalogue can't be the same for all engines: give it in --engine"),
        ("tcc=1", "engine: unknown key 'tcc'; did you mean 'tc'?"),
        ("threads=0", "expected a whole number from 1"),
    ],
)
def test_settings_that_not_all_engines_can_share_are_refused(text: str, sentence: str) -> None:
    with pytest.raises(NotationError) as caught:
        shared_keys(text)

    assert str(caught.value).startswith(sentence)


@pytest.mark.parametrize(
    ("text", "name", "cmd"),
    [
        ("./new", "new", "./new"),
        ("outflank gtp --level 4", "outflank", "outflank gtp --level 4"),
        ("outflank", "outflank", "outflank gtp"),
        ("python3 -u rob.py --fast", "rob.py", "python3 -u rob.py --fast"),
        ("java -jar build/Rob.jar", "Rob.jar", "java -jar build/Rob.jar"),
        ("name=A ./new --hash=64 'a b'", "A", "./new --hash=64 'a b'"),
        ("./new tc=60+1", "new", "./new"),
    ],
)
def test_words_without_keys_are_the_command_of_an_engine(text: str, name: str, cmd: str) -> None:
    spec = EngineSpec.parse(text)

    assert (spec.name, split_command(spec.cmd)) == (name, split_command(cmd))
    assert str(spec.time) == ("60+1" if "tc=" in text else "none")


def test_the_path_of_a_file_is_one_word_whatever_is_in_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("my engine", "a=b", "plain"):
        Path(name).touch()

    assert split_command(EngineSpec.parse("my engine").cmd) == [os.path.join(".", "my engine")]
    assert split_command(EngineSpec.parse(str(tmp_path / "a=b")).cmd) == [str(tmp_path / "a=b")]
    assert EngineSpec.parse("plain").cmd == os.path.join(".", "plain")


@pytest.mark.parametrize(
    ("texts", "names"),
    [
        (["./new", "./old"], ["new", "old"]),
        (["new/engine", "old/engine", "./third"], ["new/engine", "old/engine", "third"]),
        (["engine", "old/engine"], ["engine", "old/engine"]),
        (["a/build/engine", "b/build/engine"], ["engine", "engine 2"]),
        (["./mine", "./mine --fast", "name=mine ./x"], ["mine 2", "mine 3", "mine"]),
        (["dir=a ./engine", "dir=b ./engine"], ["a/engine", "b/engine"]),
        (["python3 new/rob.py", "python3 old/rob.py"], ["new/rob.py", "old/rob.py"]),
        ([f"a/{'x' * 50}", f"b/{'x' * 50}"], [f"a/{'x' * 38}", f"b/{'x' * 38}"]),
        (["x" * 50, f"{'x' * 50} 2"], ["x" * 40, f"{'x' * 35} 2"]),
    ],
)
def test_engines_without_names_are_told_apart_by_folder_or_number(texts: list[str], names: list[str]) -> None:
    assert [spec.name for spec in read_engines(texts)] == names


def test_two_engines_may_not_be_given_the_same_name() -> None:
    with pytest.raises(NotationError, match="two engines are called 'A': give each a different name="):
        read_engines(["name=A ./x", "name=A ./y"])


def test_our_own_engine_gets_its_weights_by_a_key() -> None:
    spec = EngineSpec.parse("outflank level=3 weights=new.bin")

    assert command_line(spec)[1:] == ["gtp", "--level=3", "--weights=new.bin"]
    assert spec.settings()["weights"] == "new.bin"


def test_a_file_may_have_numbers_where_a_line_has_text_and_keys_their_former_names() -> None:
    settings = {"cmd": "x", "tc": 0.5, "level": 4, "options": {"hash": 64}, "cpus": [0, 1], "restart": True}
    text = "cmd=x tc=0.5 level=4 option.hash=64 cpus=0-1 restart=yes"

    assert EngineSpec.from_settings(settings) == EngineSpec.parse(text)
    former = EngineSpec.parse("cmd=x time=60+1 margin=0.1")
    assert former == EngineSpec.parse("cmd=x tc=60+1 grace=0.1")


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", r"an engine needs cmd= with its command"),
        ("name=A cmd=", r"expected cmd=\.\.\. with a command in the engine"),
        ("catalogue:edax fast", r"'fast' is not a key=value pair in .*: put its arguments into cmd="),
        ("cmd=x strength=4", "engine: unknown key 'strength'. Known: name cmd tc grace .* restart catalogue"),
        ("cmd=x tcc=1", "engine: unknown key 'tcc'; did you mean 'tc'\\? Known: name cmd tc grace"),
        ("cmd=x cmd=y", "cmd= is given twice"),
        ("cmd='x", "expected balanced quotes"),
        ("cmd=x tc=soon", "expected none, 0.5 \\(a move\\), 60\\+1 or 60\\+10/5, got 'soon'"),
        ("cmd=x name='a\tb'", "expected a printable name"),
        ("cmd=x name=" + "n" * 41, "expected a printable name of at most 40"),
        ("cmd=x grace=-1", "expected 0 to 60 seconds for grace, got '-1'"),
        ("cmd=x dialect=go", "expected dialect to be one of auto spec fischer per-move increment, got 'go'"),
        ("cmd=x protocol=xboard", "expected protocol to be one of gtp nboard uci join, got 'xboard'"),
        ("cmd=x level=-1", "expected a whole number from 0 to 2147483647 for level, got '-1'"),
        ("cmd=x nodes=1e6", "expected a whole number from 1 to 2147483647 for nodes, got '1e6'"),
        ("cmd=x nodes=" + "9" * 5000, "expected a whole number from 1 to 2147483647 for nodes"),
        ("cmd=x option.=1", "expected a name and a value for options"),
        ("cmd=x command=''", "expected one-line commands for commands"),
        ("cmd=x command='a\nb'", "expected one-line commands for commands"),
        ("cmd=x commands=a", "expected a list for commands, got 'a'"),
        ("cmd=x cpus=a", "expected processors like 0,2-3 for cpus, got 'a'"),
        ("cmd=x dir=", "expected a folder for dir"),
        ("cmd=x restart=maybe", "expected yes or no for restart, got 'maybe'"),
        ("cmd=x book=", "expected a file or none for book, got ''"),
        ("cmd=x env=1 env.A=b", "env= and .* exclude each other in the engine"),
        ("cmd=x options=1 option.a=2", "options= and .* exclude each other in the engine"),
    ],
)
def test_malformed_text_is_named(text: str, sentence: str) -> None:
    with pytest.raises(NotationError, match=sentence):
        EngineSpec.parse(text, MATCH_TIME)


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"cmd": 5}, "expected text for cmd, got 5"),
        ({"cmd": "x", "analysis": 1}, "expected yes or no for analysis, got 1"),
        ({"cmd": "x", "level": True}, "expected a whole number from 0 to 2147483647 for level, got True"),
        ({"cmd": "x", "grace": 10**400}, "expected 0 to 60 seconds for grace, got 1000"),
        ({"cmd": "x", "env": ["A"]}, r"expected names and values for env, got \['A'\]"),
        ({"cmd": "x", "cpus": [-1]}, "expected processors"),
        ({"cmd": "x", "commands": [1]}, "expected text for commands"),
    ],
)
def test_values_of_a_wrong_kind_are_named(settings: dict[str, object], sentence: str) -> None:
    with pytest.raises(NotationError, match=sentence):
        EngineSpec.from_settings(settings)


def test_outflank_is_the_program_of_this_installation_and_gets_options() -> None:
    text = "cmd='outflank gtp' level=4 nodes=1000 threads=2 option.hash=16 book='my openings.book'"
    entry = EngineSpec.parse(text)
    program, command, *options = command_line(entry)

    assert Path(program).parent == Path(sys.executable).parent
    assert command == "gtp"
    assert options == ["--level=4", "--nodes=1000", "--book=my openings.book", "--threads=2", "--hash=16"]
    assert entry.settings()["book"] == "my openings.book"


@pytest.mark.parametrize(
    ("text", "command"),
    [
        (
            "cmd='/opt/other/bin/outflank nboard --hash 16' level=4 book=none",
            "/opt/other/bin/outflank nboard --hash 16 --level=4 --book=none",
        ),
        ("cmd='edax -l {level} -n {threads} {hash}' level=4 option.hash=ab", "edax -l 4 -n 1 ab"),
        ("cmd='edax -book-file {book}' book=edax.dat", "edax -book-file edax.dat"),
        ("cmd='x {} {size}'", "x {} {size}"),
        ("cmd=x nodes=50 command='limit nodes {nodes}'", "x"),
        ("cmd=x threads=4", "x"),
    ],
)
def test_settings_go_to_their_places_in_the_command(text: str, command: str) -> None:
    """Braces of others stay."""
    assert command_line(EngineSpec.parse(text)) == command.split()


# --- Engines by their names in the catalogue


@pytest.fixture
def edax(tmp_path: Path) -> Path:
    """Return a folder as one has it after a build of Edax."""
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
            r"Edax was not found in '/nowhere' \(edax or .*set dir= to its folder",
        ),
        ("catalogue:edax catalogue:ntest", "catalogue= is given twice"),
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
