"""Options that several commands take: numbers, engines and files, and what is said to what can't be read."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner

from outflank.engine import FileFormatError, Searcher, SettingsError
from outflank.engine.evaluation import weights
from outflank.tests import __file__ as tests
from outflank.tools.commands.options import (
    BEYOND_USE,
    MOST_THREADS,
    SECONDS,
    Number,
    WholeNumber,
    cluster_option,
)
from outflank.tools.commands.program import cli
from outflank.tools.commands.run_options import run_options
from outflank.tools.match.state.config_file import read_config

COUNT = WholeNumber(1, 60)
FFO = Path(tests).with_name("data") / "ffo" / "fforum-40-59.obf"
LIMITED = "import resource; resource.setrlimit(resource.RLIMIT_AS, (3 << 30, 3 << 30)); "
PROGRAM = [sys.executable, "-c", LIMITED + "from outflank.tools.commands.start import main; main()"]


@click.command()
@click.option("--time", "seconds", type=SECONDS)
def probe(seconds: float) -> None:
    """Print the seconds."""
    click.echo(repr(seconds))


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("5", 5.0),
        ("5s", 5.0),
        ("0.5", 0.5),
        (".5 s", 0.5),
        ("500ms", 0.5),
        ("2m", 120.0),
        ("2 min", 120.0),
        ("1.5h", 5400.0),
    ],
)
def test_times_are_seconds_or_name_their_unit(text: str, seconds: float) -> None:
    assert CliRunner().invoke(probe, ["--time", text]).output == f"{seconds!r}\n"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("5x", "expected a time such as 5, 0.5s, 500ms or 2m, got '5x'"),
        ("s", "expected a time such as 5, 0.5s, 500ms or 2m, got 's'"),
        ("-1", "expected a time such as 5, 0.5s, 500ms or 2m, got '-1'"),
        ("nan", "expected a time such as 5, 0.5s, 500ms or 2m, got 'nan'"),
        ("0s", "expected a time of more than 0 seconds, got '0s'"),
        ("9" * 400, "expected a time of more than 0 seconds and less than for ever"),
    ],
)
def test_what_is_no_time_is_wrong_usage(text: str, sentence: str) -> None:
    result = CliRunner().invoke(probe, ["--time", text])

    assert result.exit_code == 2
    assert sentence in result.output


def test_the_most_threads_are_those_that_a_search_takes() -> None:
    assert Searcher(1, MOST_THREADS).threads == MOST_THREADS
    with pytest.raises(SettingsError, match="expected threads of at most"):
        Searcher(1, MOST_THREADS + 1)


@pytest.mark.parametrize("decorate", [cluster_option, run_options])
def test_an_address_without_a_port_is_wrong_usage(
    decorate: Callable[[Callable[..., None]], Callable[..., None]],
) -> None:
    @click.command()
    @decorate
    def work(**_: object) -> None:
        """Work."""

    result = CliRunner().invoke(work, ["--cluster", "tcp://127.0.0.1"])

    assert result.exit_code == 2
    assert (
        "expected the address of a Dask scheduler, tcp://HOST:PORT or tls://HOST:PORT, got 'tcp://127.0.0.1'"
        in result.output
    )


@pytest.mark.parametrize(
    ("kind", "text", "number"),
    [
        (COUNT, "1", 1),
        (COUNT, "60", 60),
        (COUNT, 7, 7),
        (WholeNumber(), "-5", -5),
        (Number(0, 1), "0", 0.0),
        (Number(0, 1), "1e0", 1.0),
        (Number(0, min_open=True), "0.001", 0.001),
    ],
)
def test_a_number_within_the_bounds_is_taken(kind: WholeNumber | Number, text: Any, number: float) -> None:
    assert kind.convert(text, None, None) == number


@pytest.mark.parametrize(
    ("kind", "text", "sentence"),
    [
        (COUNT, "x", "expected a whole number from 1 to 60, got 'x'"),
        (COUNT, "0", "expected a whole number from 1 to 60, got '0'"),
        (COUNT, "61", "expected a whole number from 1 to 60, got '61'"),
        (COUNT, "2.5", "expected a whole number from 1 to 60, got '2.5'"),
        (COUNT, "", "expected a whole number from 1 to 60, got ''"),
        (WholeNumber(0), "-1", "expected a whole number of at least 0, got '-1'"),
        (WholeNumber(), "many", "expected a whole number, got 'many'"),
        (Number(0, 1), "1.01", "expected a number from 0 to 1, got '1.01'"),
        (Number(0, 1), "nan", "expected a number from 0 to 1, got 'nan'"),
        (Number(min=0), "inf", "expected a number of at least 0, got 'inf'"),
        (Number(0, min_open=True), "0", "expected a number above 0, got '0'"),
        (Number(0, 1, min_open=True), "0", "expected a number above 0 up to 1, got '0'"),
        (Number(), "nan", "expected a number, got 'nan'"),
    ],
)
def test_what_is_none_is_refused_in_words(kind: WholeNumber | Number, text: str, sentence: str) -> None:
    with pytest.raises(click.BadParameter) as refused:
        kind.convert(text, None, None)

    assert refused.value.message == sentence


@pytest.mark.parametrize(
    ("kind", "shown"),
    [
        (COUNT, "[1<=x<=60]"),
        (WholeNumber(1, BEYOND_USE), "[x>=1]"),
        (WholeNumber(0), "[x>=0]"),
        (WholeNumber(), ""),
        (Number(0, 1), "[0<=x<=1]"),
        (Number(0, min_open=True), "[x>0]"),
        (Number(), ""),
    ],
)
def test_the_help_shows_the_bounds_that_somebody_may_meet(kind: WholeNumber | Number, shown: str) -> None:
    option = click.Option(["--n"], type=kind, help="A number.")
    (_, text) = option.get_help_record(click.Context(click.Command("c"))) or ("", "")

    assert text == f"A number.  {shown}".rstrip()


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ("x", "expected discs and perhaps plies, as 1.5:12, got 'x'"),
        ("1:x", "got '1:x'"),
        ("99", "expected 0 to 64 discs"),
    ],
)
def test_a_variety_that_is_none_is_refused(given: str, sentence: str) -> None:
    result = CliRunner().invoke(cli, ["gtp", "--variety", given])

    assert result.exit_code == 2
    assert sentence in result.output


def outflank(*words: str, **given: Any) -> subprocess.CompletedProcess[str]:
    """The program with 3 GiB of address space."""
    return subprocess.run([*PROGRAM, *words], **given, capture_output=True, text=True, timeout=100)


@pytest.mark.parametrize(
    "words",
    [
        ["match", "--config", "/dev/zero"],
        ["match", "--engines", "/dev/zero"],
        ["match", "--no-records", "--openings", "/dev/zero", "--engine=cmd=cat name=a", "--engine=cmd=cat"],
        ["solve", "/dev/zero"],
        ["bench", "accuracy", "/dev/zero", "--depth", "2"],
        ["analyze", "/dev/zero", "--depth", "1"],
    ],
)
def test_a_file_without_an_end_is_refused_in_words(words: list[str]) -> None:
    result = outflank(*words)

    assert result.returncode == 1
    assert result.stderr.splitlines()[-1].startswith("outflank: ")
    assert "Traceback" not in result.stderr
    assert len(result.stderr) < 1000


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("y", "standard input is no file of positions: 1,000 can't be read"),
        (f"X{'-' * 63} X; no", "this is no file of positions: 1000 lines are none"),
        ("f5d6", "standard input has more than 100,000 positions"),
    ],
)
def test_lines_without_an_end_are_refused_in_words(line: str, sentence: str) -> None:
    with subprocess.Popen(["yes", line], stdout=subprocess.PIPE) as endless:
        result = outflank("solve", "-", stdin=endless.stdout)
        endless.kill()

    assert result.returncode == 1
    assert sentence in result.stderr


def test_pipes_are_read_as_files_are() -> None:
    shell = f"{sys.executable} -m outflank.tools.commands.start solve <(head -1 {FFO})"
    solved = subprocess.run(
        ["bash", "-c", f"{shell} --time 0.1"], capture_output=True, text=True, timeout=100, check=False
    )
    shell = f"{sys.executable} -m outflank.tools.commands.start match --config <(echo 'games = \"x\"')"
    refused = subprocess.run(["bash", "-c", shell], capture_output=True, text=True, timeout=100, check=False)

    assert (solved.returncode, solved.stderr) == (0, "")
    assert "expected a whole number from 1 to 1000000, got 'x'" in refused.stderr


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a = " + "[" * 100_000, "nested too deeply"),
        ("a = " + "{a = " * 3000 + "1" + "}" * 3000, "nested too deeply"),
        ("a" + ".a" * 50_000 + " = 1", "dots in a line"),
        ("a = " + "9" * 5000, "not TOML"),
        ("a = 1\n" * 100_000, "it has more than 262,144 bytes"),
        ("\0", "not TOML"),
    ],
)
def test_a_hostile_config_is_refused_in_words(tmp_path: Path, text: str, words: str) -> None:
    (tmp_path / "run.toml").write_text(text)

    with pytest.raises(FileFormatError, match=words):
        read_config(tmp_path / "run.toml")


def test_weights_without_an_end_are_refused_in_words() -> None:
    with pytest.raises(FileFormatError, match="it is a pipe or a device, and has to be a file"):
        weights.read(Path("/dev/zero"))


@pytest.mark.parametrize(
    "words",
    [
        ["report", "PIPE"],
        ["export", "PIPE", "--format", "ggf"],
        ["match", "--resume", "FOLDER"],
        ["book", "show", "PIPE"],
        ["book", "check", "PIPE"],
        ["book", "merge", "PIPE", "PIPE"],
        ["gtp", "--book", "PIPE"],
        ["analyze", "f5", "--weights", "PIPE"],
        ["train", "gate", "PIPE"],
        ["match", "--no-records", "--openings", "PIPE", "--engine", "cmd=cat name=a", "--engine", "cmd=cat"],
    ],
)
def test_a_pipe_that_nobody_writes_to_is_waited_for_by_no_command(tmp_path: Path, words: list[str]) -> None:
    """Runs, books, weights and openings are read more than once, so they have to be files."""
    pipe = tmp_path / "run.db"
    os.mkfifo(pipe)
    places = {"PIPE": str(pipe), "FOLDER": str(tmp_path)}
    result = outflank(*(places.get(word, word) for word in words), input="genmove b\n")

    assert (result.returncode, "Traceback" in result.stderr) == (0 if words[0] == "gtp" else 1, False)
    last = result.stderr.splitlines()[-1]
    assert "a pipe or a device" in last or "has no run.db" in last


@pytest.mark.parametrize(
    ("words", "lines"),
    [
        (["gtp"], "version\n"),
        (["nboard"], "nboard 2\n"),
        (["uci"], "uci\n"),
        (["play", "--level", "1"], "quit\n"),
        (["analyze", "f5", "--depth", "1"], ""),
        (["solve", "--board", "X" * 61 + "O-- O"], ""),
        (["review", "f5d6", "--level", "1", "--exact-from", "1", "--no-values"], ""),
    ],
)
def test_a_command_searches_with_the_weights_it_is_given_and_names_them(
    nothing: Path, words: list[str], lines: str
) -> None:
    result = outflank(*words, "--weights", str(nothing), input=lines)

    assert result.stderr + result.stdout != ""
    assert f"evaluation {weights.checksum(nothing)}" in result.stdout + result.stderr
    assert weights.checksum() not in result.stdout + result.stderr


def test_weights_serve_until_the_command_ends(nothing: Path) -> None:
    """All scores of weights that are 0 are 0."""
    command = ["analyze", "f5", "--depth", "1", "--book", "none", "--json"]
    given, usual = (
        json.loads(CliRunner().invoke(cli, [*command, *more]).stdout.splitlines()[-1])["score"]
        for more in (["--weights", str(nothing)], [])
    )

    assert given == 0 != usual
    assert weights.in_use() == weights.SHIPPED


@pytest.mark.parametrize("command", ["gtp", "bench", "play"])
@pytest.mark.parametrize(("damage", "wrong"), [(b"", "differ from their checksum"), (b"x", "another kind")])
def test_a_file_that_is_not_weights_is_refused_before_any_work(
    nothing: Path, tmp_path: Path, command: str, damage: bytes, wrong: str
) -> None:
    path = tmp_path / "spoilt.bin"
    path.write_bytes(damage + nothing.read_bytes()[:-1])

    result = outflank(command, "--weights", str(path), input="genmove b\n")

    assert (result.returncode, result.stdout) == (1, "")
    (sentence,) = result.stderr.splitlines()
    assert str(path) in sentence
    assert wrong in sentence
