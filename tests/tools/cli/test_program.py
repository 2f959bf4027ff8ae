"""The program finds its commands without importing them; every end has a sentence and an exit code."""

import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import types
from collections.abc import Callable, Iterator
from contextlib import suppress
from importlib.metadata import PackageNotFoundError
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

from outflank.engine import NotationError
from outflank.engine.evaluation import weights
from outflank.tests.support.installation import python_script
from outflank.tests.support.program import OUTFLANK
from outflank.tools.cli import installation
from outflank.tools.cli.command import Command, option_groups
from outflank.tools.cli.manual import main, manual_pages, shell_files
from outflank.tools.cli.program import COMMANDS, SECTIONS, cli
from outflank.tools.runtime.progress import json_line, warn


@pytest.fixture
def ending(monkeypatch: pytest.MonkeyPatch) -> Callable[[BaseException], Result]:
    """Run the program with a command that raises an exception."""

    def run(error: BaseException) -> Result:
        @click.command(cls=Command)
        def probe() -> None:
            """Probe."""
            raise error

        module = types.ModuleType("outflank.tools.commands.probe")
        module.__dict__["probe"] = probe
        monkeypatch.setitem(sys.modules, "outflank.tools.commands.probe", module)
        monkeypatch.setitem(COMMANDS, "probe", "Probe.")
        return CliRunner().invoke(cli, ["probe"])

    return run


def test_help_lists_every_command_and_imports_none() -> None:
    ran = python_script("-c", """
import sys
from outflank.tools.cli.program import cli
try:
    cli(["--help-all"], prog_name="outflank")
finally:
    print(sorted(name for name in sys.modules if name.startswith("outflank.")))
""")  # fmt: skip

    assert [name for name in COMMANDS if f"\n  {name} " not in ran.stdout] == []
    needed = [
        "outflank.storage",
        "outflank.storage.folders",
        "outflank.tools",
        "outflank.tools.cli",
        "outflank.tools.cli.command",
        "outflank.tools.cli.defaults",
        "outflank.tools.cli.program",
        "outflank.tools.runtime",
        "outflank.tools.runtime.signals",
        "outflank.tools.runtime.streams",
    ]
    assert ran.stdout.endswith(f"{needed}\n")


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (NotationError("expected a square, got 'z9'"), "expected a square, got 'z9'\n"),
        (PermissionError(13, "Permission denied", "/records"), "can't use '/records' (Permission denied)\n"),
        (
            RuntimeError("can't start new thread"),
            "the system refuses to start a thread: the limit on processes",
        ),
        (MemoryError(), "there is not enough memory for this command"),
        *(
            (ModuleNotFoundError(f"No module named {name!r}", name=name), f"No module named {name!r}: {cure}")
            for name, cure in (
                ("rich", "pip install 'outflank[match]'"),
                ("torch", "pip install 'outflank[train]'"),
                ("distributed", "pip install 'outflank[cluster]'"),
                ("outflank.engine.board", "the installation is incomplete; install outflank again"),
            )
        ),
    ],
)
def test_an_error_is_one_sentence_and_exit_code_1(
    ending: Callable[[BaseException], Result], error: Exception, sentence: str
) -> None:
    ended = ending(error)

    assert (ended.exit_code, ended.stdout, ended.stderr.count("\n")) == (1, "", 1)
    assert ended.stderr.startswith(f"outflank: {sentence}")


HOSTILE = "\x1b]0;owned\x07 \x1bP1$r\x1b\\ \x9b2J \x7f \u202e"


@pytest.mark.parametrize(
    "error",
    [
        NotationError(f"expected a move, got {HOSTILE}\nand {HOSTILE}"),
        FileNotFoundError(2, f"No such file {HOSTILE}"),
        click.BadParameter(HOSTILE),
        click.UsageError(HOSTILE),
        click.ClickException(HOSTILE),
    ],
)
def test_no_message_holds_what_a_terminal_obeys(
    ending: Callable[[BaseException], Result], error: BaseException
) -> None:
    result = ending(error)

    assert result.exit_code in (1, 2)
    assert "]0;owned" in result.stderr
    assert all(line.isprintable() for line in result.stderr.split("\n"))


@pytest.mark.parametrize(
    "command", ["convert", "review", "analyze", "play", "solve", "board", "report", "export"]
)
def test_no_command_repeats_the_name_of_a_file_as_it_is(command: str) -> None:
    options = {"convert": ["--format", "sgf"], "export": ["--format", "ggf"], "play": ["--resume"]}
    result = CliRunner().invoke(cli, [command, *options.get(command, []), f"f5{HOSTILE}.sgf"])

    assert result.exit_code in (1, 2)
    assert all(line.isprintable() for line in result.stderr.split("\n"))


def test_no_warning_and_no_json_hold_what_a_terminal_obeys(capsys: pytest.CaptureFixture[str]) -> None:
    warn(f"{HOSTILE}\n{HOSTILE}")
    said, line = capsys.readouterr().err, json_line({"name": f"Zoë {HOSTILE}", "number": 1})

    assert said.count("owned") == said.count("\n") == 2
    assert all(part.isprintable() for part in (line, *said.split("\n")))
    assert "Zoë" in line
    assert json.loads(line) == {"name": f"Zoë {HOSTILE}", "number": 1}


def test_mistakes_of_ours_are_shown_and_ctrl_c_is_130(ending: Callable[[BaseException], Result]) -> None:
    assert isinstance(ending(ZeroDivisionError()).exception, ZeroDivisionError)
    assert ending(KeyboardInterrupt()).exit_code == 128 + signal.SIGINT


def test_a_reader_that_goes_away_is_no_error() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    command = [sys.executable, "-m", "outflank.tools.cli.program", "perft", "1"]
    ran = subprocess.run(command, stdout=writing, stderr=subprocess.PIPE, timeout=20)
    os.close(writing)

    assert ran.returncode == 128 + signal.SIGPIPE
    assert ran.stderr == b""


@pytest.mark.parametrize("name", COMMANDS)
def test_the_list_says_what_the_command_says_of_itself(name: str) -> None:
    command = cli.get_command(click.Context(cli), name)

    assert command is not None
    assert command.name == name
    assert " ".join((command.help or "").partition("\n\n")[0].split()) == COMMANDS[name]


def contexts(group: click.Context) -> Iterator[click.Context]:
    assert isinstance(group.command, click.Group)
    for name in group.command.list_commands(group):
        command = group.command.get_command(group, name)
        assert command is not None
        context = click.Context(command, info_name=name, parent=group, **cli.context_settings)
        yield context
        if isinstance(command, click.Group):
            yield from contexts(context)


def test_a_long_help_has_its_options_in_groups() -> None:
    """Two screens of 24 lines, or 16 options, are long; --help itself is one more."""
    for context in contexts(click.Context(cli, info_name="outflank")):
        groups, lines = option_groups(context), context.get_help().splitlines()
        is_long = len(lines) > 48 or sum(map(len, groups.values())) > 17
        assert (len(groups) > 2) is is_long, context.command_path
        assert [title for title in groups if f"{title}:" not in lines] == []
        assert max(map(len, groups.values())) <= 17


@pytest.fixture(scope="module")
def share(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("share")
    main(folder)
    return folder


def test_the_manual_has_every_command_and_every_option() -> None:
    pages = manual_pages()
    assert len(pages) == 1 + len(COMMANDS)
    for name in COMMANDS:
        assert f"\\fBoutflank\\-{name}\\fR(1)" in pages["man/man1/outflank.1"]
        section = pages[f"man/man1/outflank-{name}.1"].partition("\n.SH COMMANDS\n")[0]
        command = cli.get_command(click.Context(cli), name)
        assert command is not None
        for parameter in command.params:
            if isinstance(parameter, click.Option) and not parameter.hidden:
                assert parameter.opts[-1].replace("-", "\\-") in section, (name, parameter.opts)


def test_the_page_of_a_group_has_its_subcommands() -> None:
    page = manual_pages()["man/man1/outflank-train.1"]

    assert re.findall(r"^\.SS train (.*)$", page, re.MULTILINE)[:3] == ["selfplay", "label", "bank"]
    assert "\\-\\-shard" in page


def test_the_manual_has_the_sections_that_manuals_have_and_its_examples_are_understood() -> None:
    page = manual_pages()["man/man1/outflank.1"]
    examples = re.findall(r"^\.RS\noutflank (.*)\n\.RE$", page, re.MULTILINE)

    sections = re.findall(r"^\.SH (.*)$", page, re.MULTILINE)[4:]
    others = ["EXIT STATUS", "ENVIRONMENT", "FILES", "EXAMPLES", "SEE ALSO"]
    assert sections == [*map(str.upper, SECTIONS), *others]
    lines = "\n".join(manual_pages().values()).splitlines()
    requests = {line.split()[0] for line in lines if line.startswith((".", "'"))}
    assert requests == {".TH", ".SH", ".SS", ".TP", ".PP", ".RS", ".RE", ".nf", ".fi"}
    assert len(examples) == 4
    for example in examples:
        expect_understood(example.replace("\\-", "-"))


def expect_understood(words: str) -> None:
    """Parse the words after ``outflank``, and run nothing."""
    name, *others = shlex.split(words)
    command = cli.get_command(click.Context(cli), name)
    assert command is not None
    command.make_context(name, others, parent=click.Context(cli, **cli.context_settings))


def test_without_arguments_the_program_prints_five_lines_to_type_and_the_commands_in_their_sections() -> None:
    shown = CliRunner().invoke(cli, [], prog_name="outflank")
    first, *sections = shown.stdout.split("\n\n")[1:-1]
    lines = re.findall(r"^  outflank (.*?)  ", first, re.MULTILINE)

    assert (shown.exit_code, shown.stderr, len(lines)) == (0, "", 5)
    assert [section.partition(":\n")[0] for section in sections] == list(SECTIONS)[:-2]
    for line in lines:
        expect_understood(line)


def test_the_first_list_has_what_most_people_need_and_help_all_has_the_others() -> None:
    short, long = (CliRunner().invoke(cli, [option]).stdout for option in ("--help", "--help-all"))
    first, complete = (re.findall(r"^  ([a-z]+)  +[A-Z]", shown, re.MULTILINE) for shown in (short, long))

    assert len(first) == 22
    assert complete == list(COMMANDS)
    assert f"lists {len(COMMANDS) - len(first)} more commands" in short


@pytest.mark.parametrize(
    "name",
    [
        *(
            "check",
            "verify",
            "stats",
            "drill",
            "practise",
            "study",
            "opening",
            "explorer",
            "show",
            "log",
            "status",
        ),
        *(
            "games",
            "diagram",
            "image",
            "spsa",
            "ratings",
            "pgn",
            "live",
            "gui",
            "search",
            "ponder",
            "elo",
            "watch",
        ),
    ],
)
def test_a_word_for_a_part_of_a_command_gets_this_command(name: str) -> None:
    refused = CliRunner().invoke(cli, [name])
    meant = re.findall(r"'outflank (.*?)'", refused.stderr.splitlines()[-1])

    assert refused.exit_code == 2
    assert meant
    for words in meant:
        with suppress(click.MissingParameter):
            expect_understood(words)


@pytest.mark.skipif(shutil.which("groff") is None, reason="groff is not installed")
def test_groff_reads_the_manual_without_a_warning(share: Path) -> None:
    pages = [str(path) for path in (share / "man/man1").iterdir()]
    ran = subprocess.run(
        ["groff", "-man", "-Tutf8", "-ww", *pages], capture_output=True, text=True, timeout=60
    )
    shown = re.sub("\x1b\\[[0-9;]*m|.\x08", "", ran.stdout)

    assert ran.stderr == ""
    assert "outflank tournament [OPTIONS]" in shown
    assert "--concurrency" in shown


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_each_shell_has_a_file_that_asks_the_program(shell: str) -> None:
    (text,) = [text for name, text in shell_files().items() if shell in name]

    assert "_OUTFLANK_COMPLETE" in text
    assert f"{shell}_complete" in text


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed")
def test_bash_completes_commands_with_that_file(share: Path) -> None:
    file = share / "bash-completion/completions/outflank"
    ask = "COMP_WORDS=(outflank tour); COMP_CWORD=1; _outflank_completion outflank; echo ${COMPREPLY[@]}"
    variables = {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    ran = subprocess.run(
        ["bash", "-c", f"source {file}; {ask}"], env=variables, capture_output=True, text=True, timeout=60
    )

    assert ran.stdout == "tournament\n"


def test_the_version_says_in_a_sentence_that_the_weights_are_not_built(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name in ("SHIPPED", "_in_use"):
        monkeypatch.setattr(weights, name, tmp_path / "weights.unpacked")

    shown = CliRunner().invoke(cli, ["--version"])

    assert shown.exit_code == 1
    assert shown.stderr.splitlines()[-1].endswith("(No such file or directory); run make build")


@pytest.mark.parametrize("command", ["gtp", "nboard", "uci"])
@pytest.mark.parametrize("kilobytes", [90_000, 100_000])
def test_an_engine_with_little_memory_ends_at_once_without_a_traceback(command: str, kilobytes: int) -> None:
    words = f"ulimit -v {kilobytes}; exec {shlex.quote(OUTFLANK)} {command} </dev/null"
    for _ in range(9):
        ran = subprocess.run(words, shell=True, capture_output=True, text=True, timeout=60)
        if "libgcc_s.so.1" not in ran.stderr:  # where it can't load this for a thread's end, libc aborts
            break

    assert ran.returncode in (0, 1), ran
    assert "Traceback" not in ran.stderr
    assert (ran.returncode == 1) is ran.stderr.startswith("outflank: "), ran.stderr


@pytest.mark.parametrize("installed", [True, False])
def test_a_bug_report_names_missing_packages_and_needs_no_installation(
    installed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    def version_of(name: str) -> str:
        if name == "rich":
            raise PackageNotFoundError(name)
        return "9.8"

    def requirements(name: str) -> list[str]:
        if not installed:
            raise PackageNotFoundError(name)
        return [
            "click>=8.1",
            'numpy>=1.26; extra == "match"',
            'rich>=13.7; extra == "match"',
            'build; extra == "dev"',
        ]

    monkeypatch.setattr(installation, "version", version_of)
    monkeypatch.setattr(installation, "requires", requirements)

    shown = [line for line in installation.installation_lines() if line.startswith("extra")]

    assert shown == (["extra match: numpy 9.8; missing rich"] if installed else [])
