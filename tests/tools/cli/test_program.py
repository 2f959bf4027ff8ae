"""The program finds its commands without importing them, and every end has a sentence and an exit code."""

import json
import os
import signal
import subprocess
import sys
import time
import types
from collections.abc import Callable

import click
import pytest
from click.testing import CliRunner, Result

from outflank.engine import NotationError
from outflank.tests.installation import python_script
from outflank.tools.commands.program import COMMANDS, cli
from outflank.tools.work.progress import json_line, warn


@pytest.fixture
def ending(monkeypatch: pytest.MonkeyPatch) -> Callable[[BaseException], Result]:
    """Run the program with a command that raises an exception."""

    def run(error: BaseException) -> Result:
        @click.command()
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
    told = python_script("-c", """
import sys
from outflank.tools.commands.program import cli
try:
    cli(["--help"], prog_name="outflank")
finally:
    print(sorted(name for name in sys.modules if name.startswith("outflank.")))
""")  # fmt: skip

    assert [name for name in COMMANDS if f"\n  {name} " not in told.stdout] == []
    needed = [
        "outflank.tools",
        *(f"outflank.tools.cli{name}" for name in ("", ".lazygroup", ".program", ".signals", ".streams")),
        "outflank.tools.work",
        "outflank.tools.work.signals",
    ]
    assert told.stdout.endswith(f"{needed}\n")


@pytest.mark.parametrize(
    ("words", "same_as"),
    [
        (["help"], ["--help"]),
        (["-h"], ["--help"]),
        (["help", "perft"], ["perft", "--help"]),
        (["perft", "-h"], ["perft", "--help"]),
        (["help", "train", "fit"], ["train", "fit", "--help"]),
        (["version"], ["--version"]),
        (["-V"], ["--version"]),
    ],
)
def test_help_and_version_have_words_too(words: list[str], same_as: list[str]) -> None:
    told, wanted = CliRunner().invoke(cli, words), CliRunner().invoke(cli, same_as)

    assert (told.exit_code, told.output) == (0, wanted.output)
    assert told.output


def test_help_for_what_is_no_command_is_wrong_usage() -> None:
    told = CliRunner().invoke(cli, ["help", "jump"])

    assert told.exit_code == 2
    assert "No such command 'jump'" in told.stderr


def test_an_unknown_command_is_wrong_usage() -> None:
    told = CliRunner().invoke(cli, ["jump"])

    assert told.exit_code == 2
    assert "No such command 'jump'" in told.stderr


def test_an_error_of_ours_is_one_sentence_and_exit_code_1(ending: Callable[[BaseException], Result]) -> None:
    told = ending(NotationError("expected a square from a1 to h8, got 'z9'"))

    assert (told.exit_code, told.stdout) == (1, "")
    assert told.stderr == "outflank: expected a square from a1 to h8, got 'z9'\n"


def test_what_the_system_refuses_is_one_sentence_and_exit_code_1(
    ending: Callable[[BaseException], Result],
) -> None:
    told = ending(PermissionError(13, "Permission denied", "/records"))

    assert told.exit_code == 1
    assert told.stderr == "outflank: can't use '/records' (Permission denied)\n"


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


def test_no_object_of_json_holds_what_a_terminal_obeys() -> None:
    line = json_line({"name": f"Zoë {HOSTILE}", "number": 1})

    assert line.isprintable()
    assert "Zoë" in line
    assert json.loads(line) == {"name": f"Zoë {HOSTILE}", "number": 1}


@pytest.mark.parametrize(
    "command", ["convert", "review", "analyze", "play", "solve", "board", "report", "export"]
)
def test_no_command_repeats_the_name_of_a_file_as_it_is(command: str) -> None:
    options = {"convert": ["--to", "sgf"], "export": ["--format", "ggf"], "play": ["--resume"]}
    result = CliRunner().invoke(cli, [command, *options.get(command, []), f"f5{HOSTILE}.sgf"])

    assert result.exit_code in (1, 2)
    assert all(line.isprintable() for line in result.stderr.split("\n"))


def test_no_warning_holds_what_a_terminal_obeys(capsys: pytest.CaptureFixture[str]) -> None:
    warn(f"{HOSTILE}\n{HOSTILE}")
    said = capsys.readouterr().err

    assert said.count("owned") == said.count("\n") == 2
    assert all(line.isprintable() for line in said.split("\n"))


@pytest.mark.parametrize(
    ("package", "extra"), [("rich", "match"), ("torch", "train"), ("distributed", "cluster")]
)
def test_a_missing_package_is_named_with_the_extra_that_brings_it(
    ending: Callable[[BaseException], Result], package: str, extra: str
) -> None:
    told = ending(ModuleNotFoundError(f"No module named {package!r}", name=package))

    assert told.exit_code == 1
    assert told.stderr.startswith(f"outflank: No module named {package!r}: pip install 'outflank[{extra}]'")


def test_a_mistake_of_ours_is_not_hidden(ending: Callable[[BaseException], Result]) -> None:
    assert isinstance(ending(ZeroDivisionError()).exception, ZeroDivisionError)


def test_ctrl_c_ends_with_130(ending: Callable[[BaseException], Result]) -> None:
    assert ending(KeyboardInterrupt()).exit_code == 128 + signal.SIGINT


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_the_program_tidily(number: signal.Signals) -> None:
    command = [sys.executable, "-m", "outflank.tools.commands.program", "perft", "20"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        wait_until_busy(process.pid)
        process.send_signal(number)
        _, said = process.communicate(timeout=20)

    assert process.returncode == 128 + number
    assert "Traceback" not in said


def test_a_reader_that_goes_away_is_no_error() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    command = [sys.executable, "-m", "outflank.tools.commands.program", "perft", "1"]
    told = subprocess.run(command, stdout=writing, stderr=subprocess.PIPE, timeout=20)
    os.close(writing)

    assert told.returncode == 128 + signal.SIGPIPE
    assert told.stderr == b""


def wait_until_busy(pid: int) -> None:
    """Until the process is past its imports: it has used half a second of a processor."""
    ticks = os.sysconf("SC_CLK_TCK")
    while True:
        with open(f"/proc/{pid}/stat") as file:
            fields = file.read().rpartition(")")[2].split()
        if int(fields[11]) + int(fields[12]) > ticks / 2:
            return
        time.sleep(0.02)
