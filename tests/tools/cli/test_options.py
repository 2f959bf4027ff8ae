"""Options that several commands take: numbers, engines and files, and what is said to what can't be read."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner

from outflank.engine import FileFormatError, Searcher, SettingsError
from outflank.engine.evaluation import weights
from outflank.tests.support.program import outflank
from outflank.tests.support.transcripts import run
from outflank.tools.cli.command import Command
from outflank.tools.cli.program import cli
from outflank.tools.cli.types import BEYOND_USE, MOST_THREADS, SECONDS, Number, WholeNumber
from outflank.tools.commands.analyze import analyze

COUNT = WholeNumber(1, 60)
A_COUNT = "expected a whole number from 1 to 60, got "
A_TIME = "expected a time such as 5, 0.5s, 500ms or 2m, got "


def test_the_most_threads_are_those_that_a_search_takes() -> None:
    assert Searcher(1, MOST_THREADS).threads == MOST_THREADS
    with pytest.raises(SettingsError, match="expected threads of at most"):
        Searcher(1, MOST_THREADS + 1)


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
        *((SECONDS, text, 5.0) for text in ("5", "5s")),
        *((SECONDS, text, 0.5) for text in ("0.5", ".5 s", "500ms")),
        *((SECONDS, text, 120.0) for text in ("2m", "2 min")),
        (SECONDS, "1.5h", 5400.0),
    ],
)
def test_a_number_within_the_bounds_is_taken(kind: click.ParamType[Any], text: Any, number: float) -> None:
    assert kind.convert(text, None, None) == number


@pytest.mark.parametrize(
    ("kind", "text", "sentence"),
    [
        *((COUNT, text, f"{A_COUNT}{text!r}") for text in ("x", "0", "61", "2.5", "")),
        (WholeNumber(0), "-1", "expected a whole number of at least 0, got '-1'"),
        (WholeNumber(), "many", "expected a whole number, got 'many'"),
        (Number(0, 1), "1.01", "expected a number from 0 to 1, got '1.01'"),
        (Number(0, 1), "nan", "expected a number from 0 to 1, got 'nan'"),
        (Number(min=0), "inf", "expected a number of at least 0, got 'inf'"),
        (Number(0, min_open=True), "0", "expected a number above 0, got '0'"),
        (Number(0, 1, min_open=True), "0", "expected a number above 0 up to 1, got '0'"),
        (Number(), "nan", "expected a number, got 'nan'"),
        *((SECONDS, text, f"{A_TIME}{text!r}") for text in ("5x", "s", "-1", "nan")),
        (SECONDS, "0s", "expected a time of more than 0 seconds, got '0s'"),
        (SECONDS, "9" * 400, "expected a finite time of more than 0 seconds"),
    ],
)
def test_what_is_none_is_refused_in_words(kind: click.ParamType[Any], text: str, sentence: str) -> None:
    with pytest.raises(click.BadParameter) as refused:
        kind.convert(text, None, None)

    assert refused.value.message.startswith(sentence)


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
    ("words", "sentence"),
    [
        ("--left --right", "--left and --right are mutually exclusive"),
        ("x --right", "WORD and --right are mutually exclusive"),
        ("--tail", "--tail needs --left or --right"),
        ("--left --tail", ""),
    ],
)
def test_a_command_says_which_options_exclude_or_need_each_other(words: str, sentence: str) -> None:
    flags = [click.Option([f"--{name}"], is_flag=True) for name in ("left", "right", "tail")]
    command = Command(
        name="c",
        params=[click.Argument(["texts"], nargs=-1, metavar="[WORD...]"), *flags],
        exclusive=[("--left", "--right"), ("WORD", "--right")],
        needs={"--tail": ["--left", "--right"]},
        callback=lambda **_: None,
    )

    assert sentence in CliRunner().invoke(command, words.split()).stderr
    assert CliRunner().invoke(command, words.split()).exit_code == (2 if sentence else 0)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("analyze f5d6c3 --lines 3", "No such option '--lines'. Did you mean '--multipv'?"),
        ("web games.sgf --prot 8080", "No such option '--prot'."),
        ("web games.sgf --port 8080", "No such option '--port'. Did you mean '--listen'?"),
        ("solve f5 --wlds", "No such option '--wlds'. Did you mean '--wld'?"),
        ("job start folder f5 --foo", "No such option '--foo'."),
        ("proof make f5 --output-file x", "No such option '--output-file'. Did you mean '--output'?"),
        ("board f5 --foo", "No such option '--foo'."),
        ("archive show a.archive f5 --booc x", "No such option '--booc'. Did you mean '--book'?"),
        ("book show f5 --foo", "No such option '--foo'."),
        ("match -engine x", "No such option '-engine'. Did you mean '--engine'?"),
        ("web --serv 8000", "No such option '--serv'."),  # a former name of --listen
    ],
)
def test_a_word_that_begins_with_two_dashes_and_is_no_option_is_refused(words: str, sentence: str) -> None:
    assert run(*words.split(), code=2).stderr.endswith(f"Error: {sentence}\n")


def test_a_board_may_begin_with_dashes() -> None:
    board = "---------------------------OX------XO--------------------------- X"

    assert run("board", board).stdout == run("board", "").stdout
    assert "expected a board of 64 squares, got 63" in run("board", board[1:64], code=2).stderr
    assert run("solve", "--board", board[2:], code=2).stderr.count("64 squares") == 1


def test_every_command_reads_its_words_by_the_same_rules() -> None:
    def commands(group: click.Group) -> Iterator[click.Command]:
        for name in group.list_commands(click.Context(group)):
            command = group.get_command(click.Context(group), name)
            assert command is not None
            yield command
            if isinstance(command, click.Group):
                yield from commands(command)

    others = [each.name for each in commands(cli) if not isinstance(each, Command | click.Group)]

    assert others == []


@pytest.mark.parametrize(
    ("words", "former"),
    [
        ("web --listen 127.0.0.1:0", "--serve"),
        ("analyze --listen 127.0.0.1:0", "--serve"),
        ("match --listen 127.0.0.1:0", "--live"),
        ("tournament --listen 127.0.0.1:0", "--live"),
        ("report FOLDER --listen 127.0.0.1:0", "--live"),
        ("ggs --engine cmd=x --user me --concurrency 4", "--games"),
        ("join http://127.0.0.1 --token t --engine cmd=x --concurrency 4", "--slots"),
        ("train devset FOLDER --output boards.obf", "--out"),
        ("review f5d6 --output page.html", "--html"),
        ("review f5d6 --output game.sgf", "--sgf"),
        ("puzzles find sample --output page.html", "--html"),
    ],
)
def test_a_former_name_of_an_option_is_taken_and_not_shown(words: str, former: str, tmp_path: Path) -> None:
    command: click.Command = cli
    arguments = [str(tmp_path) if word == "FOLDER" else word for word in words.split()]
    while isinstance(command, click.Group):
        found = command.get_command(click.Context(command), arguments.pop(0))
        assert found is not None
        command = found
    now = [word for word in arguments if word.startswith("--")][-1]
    present, past = (
        command.make_context("c", [former if word == now and is_former else word for word in arguments])
        for is_former in (False, True)
    )

    assert present.params | {"seed": 0} == past.params | {"seed": 0}  # a seed is drawn
    assert not re.search(rf"^ +{former}\b", present.get_help(), re.MULTILINE)


@pytest.mark.parametrize(
    ("words", "web", "texts"),
    [
        ("--web f5d6", "0", ("f5d6",)),
        ("--web 127.0.0.1:8000 f5d6", "127.0.0.1:8000", ("f5d6",)),
        ("--web 8000", "8000", ()),
        ("--web", "0", ()),
        ("f5d6", None, ("f5d6",)),
    ],
)
def test_a_word_after_an_address_option_is_its_value_if_it_has_a_port(
    words: str, web: str | None, texts: tuple[str, ...]
) -> None:
    given = analyze.make_context("analyze", words.split()).params

    assert (given["web"], given["texts"]) == (web, texts)


def test_weights_without_an_end_are_refused_in_words() -> None:
    with pytest.raises(FileFormatError, match="it is a pipe or a device, not a regular file"):
        weights.read(Path("/dev/zero"))


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
    if words[0] in ("gtp", "nboard", "uci"):  # which read from the descriptor of standard input
        result = outflank(*words, "--weights", str(nothing), input=lines)
        said = result.stdout + result.stderr
    else:
        said = run(*words, "--weights", nothing, typed=lines).output

    assert f"evaluation {weights.checksum(nothing)}" in said
    assert weights.checksum() not in said


def test_weights_serve_until_the_command_ends(nothing: Path) -> None:
    """All scores of weights that are 0 are 0."""
    command = ["analyze", "f5", "--depth", "1", "--book", "none", "--json"]
    given, usual = (
        json.loads(run(*command, *more).stdout.splitlines()[-1])["score"]
        for more in (["--weights", nothing], [])
    )

    assert given == 0 != usual
    assert weights.in_use() == weights.SHIPPED


@pytest.mark.parametrize("command", ["gtp", "bench", "play"])
@pytest.mark.parametrize(
    ("damage", "wrong"), [(b"", "do not match their checksum"), (b"x", "the wrong file type")]
)
def test_a_file_that_is_not_weights_is_refused_before_any_work(
    nothing: Path, tmp_path: Path, command: str, damage: bytes, wrong: str
) -> None:
    path = tmp_path / "spoilt.bin"
    path.write_bytes(damage + nothing.read_bytes()[:-1])

    result = run(command, "--weights", path, code=1)

    assert result.stdout == ""
    (sentence,) = result.stderr.splitlines()
    assert str(path) in sentence
    assert wrong in sentence


def test_each_command_of_train_reads_its_options_from_a_file_and_the_line_takes_precedence(
    tmp_path: Path,
) -> None:
    group = cli.get_command(click.Context(cli), "train")
    assert isinstance(group, click.Group)
    without = [
        name
        for name, each in group.commands.items()
        if not any("--config" in param.opts for param in each.params)
    ]
    assert without == ["info"]
    path = tmp_path / "run.toml"
    path.write_text("games = 100\ndepth = 2\n")

    context = group.commands["selfplay"].make_context(
        "selfplay", [str(tmp_path / "new"), "--depth", "3", "--config", str(path)]
    )
    assert (context.params["games"], context.params["depth"]) == (100, 3)
    path.write_text("gmes = 100\n")
    assert (
        "unknown key 'gmes'; did you mean 'games'?"
        in run("train", "selfplay", str(tmp_path / "new"), "--config", str(path), code=1).stderr
    )
