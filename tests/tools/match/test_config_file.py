"""A run and its engines in TOML files."""

from pathlib import Path

import pytest

from outflank.engine import FileFormatError, NotationError, OutflankError, Rules
from outflank.protocol.clock import TimeControl
from outflank.protocol.drivers.spec import EngineSpec
from outflank.tests.support.transcripts import run
from outflank.tools.match.game.referee import ScoreRule
from outflank.tools.match.openings.sources import OpeningsChoice
from outflank.tools.match.state.config_file import chosen_engines, read_config, save_config
from outflank.tools.match.state.run import Format, RunSettings
from outflank.tools.match.stats.sprt import Sprt

ENGINES = """
[[engine]]
name = "A"
cmd = "engine-a --fast"
tc = 0.5

[[engine]]
name = "the other"
cmd = "engine-b 'x y'"
level = 4
cpus = [0, 1]
restart = true
commands = ["clear_cache", "say 'hello'"]
options = { hash = 64, mode = "two words" }
env = { LANG = "C" }
"""


@pytest.fixture
def engines(tmp_path: Path) -> Path:
    path = tmp_path / "engines.toml"
    path.write_text(ENGINES)
    return path


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig"])
def test_engines_come_from_a_file(engines: Path, encoding: str) -> None:
    engines.write_text(ENGINES, encoding=encoding)
    first, second = chosen_engines([], engines, TimeControl.parse("60+1"))

    assert first == EngineSpec("A", "engine-a --fast", TimeControl.parse("0.5"))
    assert second == EngineSpec(
        "the other",
        "engine-b 'x y'",
        TimeControl.parse("60+1"),
        level=4,
        cpus=(0, 1),
        restart=True,
        commands=("clear_cache", "say 'hello'"),
        options=(("hash", "64"), ("mode", "two words")),
        env=(("LANG", "C"),),
    )


def test_engines_and_config_read_a_table_alike(tmp_path: Path) -> None:
    path = tmp_path / "engines.toml"
    path.write_text(
        "[[engine]]\ncmd = 'x'\noptions = { verbose = true, quiet = false, list = [1, true], size = 0.5 }\n"
        "env = { ON = true, LIST = ['a', 'b c'] }"
    )
    (spec,) = chosen_engines([], path)

    assert chosen_engines(read_config(path)["engine"], None) == (spec,)
    assert spec.options == (("verbose", "yes"), ("quiet", "no"), ("list", "1,yes"), ("size", "0.5"))
    assert spec.env == (("ON", "yes"), ("LIST", "a,b c"))


def test_engines_are_chosen_by_name_and_others_added_and_a_missing_one_is_named(engines: Path) -> None:
    chosen = chosen_engines(["the other", "name=C cmd=engine-c"], engines)

    assert [spec.name for spec in chosen] == ["the other", "C"]
    with pytest.raises(NotationError, match=r".* has no engine 'B', only A, the other"):
        chosen_engines(["B"], engines)


def test_a_file_of_engines_with_settings_of_a_run_is_refused(engines: Path) -> None:
    engines.write_text("games = 2\npairing = 'swiss'\n" + engines.read_text())

    with pytest.raises(FileFormatError, match=r"games, pairing: --engines reads only \[\[engine\]\] tables"):
        chosen_engines([], engines)


def test_engines_of_a_file_without_names_are_told_apart(tmp_path: Path) -> None:
    path = tmp_path / "engines.toml"
    path.write_text("[[engine]]\ncmd = 'new/x'\n[[engine]]\ncmd = 'old/x'\n")

    assert [spec.name for spec in chosen_engines([], path)] == ["new/x", "old/x"]
    assert [spec.cmd for spec in chosen_engines(["old/x"], path)] == ["old/x"]


def test_a_run_that_was_saved_is_read_back_and_not_written_over(tmp_path: Path, engines: Path) -> None:
    settings = RunSettings(
        engines=chosen_engines([], engines),
        openings=OpeningsChoice.parse("random:6"),
        format=Format.GAUNTLET,
        games=4,
        rounds=2,
        rules=Rules.parse("reversi,scoring=empties"),
        seed=77,
        stall=12.5,
        adjudicate=10,
        solve=12,
        resign=ScoreRule(40.5, 3),
        sprt=Sprt(0.0, 12.5, 0.01, 0.02, "logistic"),
        concurrency=3,
        replay_crashes=True,
    )
    path = tmp_path / "run.toml"
    save_config(settings, path)
    found = read_config(path)

    assert chosen_engines(found.pop("engine"), None) == settings.engines
    assert found == {
        "pairing": "gauntlet",
        "games": "4",
        "rounds": "2",
        "rules": "reversi,scoring=empties",
        "openings": "random:6",
        "seed": "77",
        "stall": "12.5",
        "adjudicate": "10",
        "count-errors-from": "12",
        "resign": "score=40.5 moves=3",
        "concurrency": "3",
        "replay-crashes": True,
        "sprt": "elo0=0.0 elo1=12.5 alpha=0.01 beta=0.02 model=logistic",
    }

    settings = RunSettings(chosen_engines([], engines), OpeningsChoice.parse("random:6"))
    with pytest.raises(OutflankError, match=r"can't write '.*engines.toml' \(File exists\)"):
        save_config(settings, engines)

    assert engines.read_text() == ENGINES


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("games = ", "run.toml: not TOML: "),
        ("games = [1]", r"run.toml: expected text, a number, true or false for games, got \[1\]"),
        ("engine = 'A'", r"run.toml: each engine needs an \[\[engine\]\] table"),
        ("[[engine]]\nname = 'A'", r"run.toml, engine 1: an engine needs cmd= with its command"),
        (
            "[[engine]]\ncmd = 'x'\n[[engine]]\ncmd = 'y'\nlevel = 'high'",
            "run.toml, engine 2: expected a whole",
        ),
        ("[[engine]]\nname = 'A'\ncmd = 'x'\n" * 2, "two engines are called 'A'"),
        ("\xff", "run.toml: not TOML: "),
        (f"games = 0x{'f' * 5000}", "run.toml: not TOML: "),
        ("a = " + "[" * 100_000, "nested too deeply"),
        ("a = " + "{a = " * 3000 + "1" + "}" * 3000, "nested too deeply"),
        ("a" + ".a" * 50_000 + " = 1", "dots in a line"),
        ("a = " + "9" * 5000, "not TOML"),
        ("a = 1\n" * 100_000, "more than 262,144 bytes"),
        ("\0", "not TOML"),
        (None, r"can't read '.*' \(No such file or directory\)"),
    ],
)
def test_what_is_wrong_in_a_file_is_named(tmp_path: Path, text: str | None, sentence: str) -> None:
    path = tmp_path / "run.toml"
    if text is not None:
        path.write_bytes(text.encode("latin-1"))
    with pytest.raises(FileFormatError, match=sentence):
        read_config(path)


def test_the_command_line_comes_before_the_file(tmp_path: Path) -> None:
    path, saved = tmp_path / "run.toml", tmp_path / "saved.toml"
    path.write_text(f"games = 5\nreplay-crashes = true\n{ENGINES}")
    run("match", "--config", path, "--games", "7", "--save-config", saved)
    found = read_config(saved)

    assert (found["games"], found["replay-crashes"], len(found["engine"])) == ("7", True, 2)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("gmaes = 5", "unknown key 'gmaes'; did you mean 'games'? Known: "),
        ("config = 'other.toml'", "unknown key 'config'"),
        ("replay-crashes = 'yes'", "expected true or false for replay-crashes, got 'yes'"),
        ("games = true", "expected a value for games, got True"),
    ],
)
def test_options_that_the_command_does_not_have_are_named(tmp_path: Path, text: str, sentence: str) -> None:
    path = tmp_path / "run.toml"
    path.write_text(text)

    assert f"outflank: {path}: {sentence}" in run("match", "--config", path, code=1).stderr
