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
from collections.abc import Callable
from pathlib import Path

import click
import pytest
from click.shell_completion import ShellComplete
from click.testing import CliRunner, Result

from outflank.engine import NotationError
from outflank.engine.evaluation import weights
from outflank.tests.support.installation import python_script
from outflank.tools.commands.bench import bench
from outflank.tools.commands.program import COMMANDS, LazyGroup, cli
from outflank.tools.commands.shellfiles import main, manual, shell_files
from outflank.tools.commands.train import train
from outflank.tools.work.progress import json_line, warn

GROUPS = {"outflank": cli, "train": train, "bench": bench}
PROGRAM = f"'{sys.executable}' -m outflank.tools.commands.program"
CLOSED = re.compile(r"^outflank: .*Bad file descriptor\n\Z", re.MULTILINE)


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
        "outflank.tools.commands",
        "outflank.tools.commands.program",
        "outflank.tools.work",
        "outflank.tools.work.signals",
    ]
    assert told.stdout.endswith(f"{needed}\n")


def test_help_says_where_the_pages_are_that_it_names() -> None:
    told = CliRunner().invoke(cli, ["--help"], prog_name="outflank").stdout
    (folder,) = re.findall(r"docs/\.\.\. are in (.*)/\.$", told, re.MULTILINE)

    assert (Path(folder) / "docs" / "rules.md").is_file()


def test_python_m_outflank_is_the_program() -> None:
    told = python_script("-m", "outflank", "--version").stdout

    assert told == CliRunner().invoke(cli, ["--version"], prog_name="outflank").output


def test_the_version_says_in_a_sentence_that_the_weights_are_not_built(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name in ("SHIPPED", "_in_use"):
        monkeypatch.setattr(weights, name, tmp_path / "weights.unpacked")

    shown = CliRunner().invoke(cli, ["--version"])

    assert shown.exit_code == 1
    assert shown.stderr.splitlines()[-1].endswith("(No such file or directory); make build makes it")


@pytest.mark.parametrize(
    "words", ["perft x", "perft -1", "board x", "analyze x", "play --resume x", "match --openings x"]
)
def test_what_is_said_on_the_command_line_and_means_nothing_is_wrong_usage(words: str) -> None:
    assert CliRunner().invoke(cli, words.split(), prog_name="outflank").exit_code == 2


@pytest.mark.parametrize("words", ["perft -1", "sprt 3 -1 2"])
def test_a_negative_number_is_not_taken_for_an_option(words: str) -> None:
    told = CliRunner().invoke(cli, words.split(), prog_name="outflank")

    assert (told.exit_code, told.stdout) == (2, "")
    assert "no number here may be negative, got -1" in told.stderr


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


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("analyse", "No such command 'analyse'. Did you mean 'analyze'?"),
        ("help mtach", "No such command 'mtach'. Did you mean 'match'?"),
        ("book shwo", "No such command 'shwo'. Did you mean 'show'?"),
        ("xyzzy", "No such command 'xyzzy'.\n"),
        ("help xyzzy", "No such command 'xyzzy'.\n"),
    ],
)
def test_a_mistyped_command_is_told_the_right_one(words: str, sentence: str) -> None:
    told = CliRunner().invoke(cli, words.split(), prog_name="outflank")

    assert told.exit_code == 2
    assert sentence in told.output


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (NotationError("expected a square, got 'z9'"), "expected a square, got 'z9'"),
        (PermissionError(13, "Permission denied", "/records"), "can't use '/records' (Permission denied)"),
    ],
)
def test_an_error_is_one_sentence_and_exit_code_1(
    ending: Callable[[BaseException], Result], error: Exception, sentence: str
) -> None:
    told = ending(error)

    assert (told.exit_code, told.stdout, told.stderr) == (1, "", f"outflank: {sentence}\n")


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


def test_a_missing_module_of_ours_asks_for_a_new_installation(
    ending: Callable[[BaseException], Result],
) -> None:
    ended = ending(
        ModuleNotFoundError("No module named 'outflank.engine.board'", name="outflank.engine.board")
    )

    assert ended.exit_code == 1
    assert "install outflank again" in ended.stderr
    assert "pip install 'outflank[" not in ended.stderr


def test_a_mistake_of_ours_is_not_hidden(ending: Callable[[BaseException], Result]) -> None:
    assert isinstance(ending(ZeroDivisionError()).exception, ZeroDivisionError)


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (RuntimeError("can't start new thread"), "the system refuses another thread: its limit of processes"),
        (MemoryError(), "there is not enough memory for this command"),
    ],
)
def test_threads_and_memory_that_the_system_refuses_are_named(
    ending: Callable[[BaseException], Result], error: Exception, sentence: str
) -> None:
    ended = ending(error)

    assert ended.exit_code == 1
    assert ended.stderr.startswith(f"outflank: {sentence}")
    assert ended.stderr.count("\n") == 1


@pytest.mark.parametrize("command", ["gtp", "nboard", "uci"])
def test_an_engine_without_memory_for_a_thread_ends_with_a_sentence(command: str) -> None:
    told = subprocess.run(
        f"ulimit -v 100000; exec {PROGRAM} {command}", shell=True, capture_output=True, text=True, timeout=60
    )

    assert told.returncode == 1
    assert re.fullmatch(r"outflank: (the system refuses|there is no).*\n", told.stderr), told.stderr


def test_ctrl_c_ends_with_130(ending: Callable[[BaseException], Result]) -> None:
    assert ending(KeyboardInterrupt()).exit_code == 128 + signal.SIGINT


def test_a_reader_that_goes_away_is_no_error() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    command = [sys.executable, "-m", "outflank.tools.commands.program", "perft", "1"]
    told = subprocess.run(command, stdout=writing, stderr=subprocess.PIPE, timeout=20)
    os.close(writing)

    assert told.returncode == 128 + signal.SIGPIPE
    assert told.stderr == b""


@pytest.mark.parametrize(
    ("group", "name"), [(group, name) for group, found in GROUPS.items() for name in found.summaries]
)
def test_the_list_says_what_the_command_says_of_itself(group: str, name: str) -> None:
    found = GROUPS[group]
    command = found.get_command(click.Context(found), name)

    assert isinstance(found, LazyGroup)
    assert command is not None
    assert command.name == name
    assert " ".join((command.help or "").partition("\n\n")[0].split()) == found.summaries[name]


def test_there_is_no_other_command() -> None:
    assert train.get_command(click.Context(train), "options") is None


def test_help_of_the_training_imports_no_part_of_it() -> None:
    told = python_script("-c", """
import sys
from outflank.tools.commands.program import cli
try:
    cli(["train", "--help"], prog_name="outflank")
finally:
    print(sorted(name for name in sys.modules if name.startswith(("outflank.tools.train", "numpy", "scipy"))))
""")  # fmt: skip

    assert [name for name in train.summaries if f"\n  {name} " not in told.stdout] == []
    assert told.stdout.endswith("[]\n")


def run(words: str, folder: Path | None = None) -> subprocess.CompletedProcess[str]:
    """The program with the words of a shell, which closes streams."""
    return subprocess.run(
        f"exec {PROGRAM} {words}", shell=True, cwd=folder, capture_output=True, text=True, timeout=60
    )


@pytest.mark.parametrize(
    "words",
    [
        "--help",
        "--version",
        "perft --help",
        "perft 1",
        "sprt 1 2 3",
        "board f5",
        "board f5 --svg",
        "board f5 --png",
        "analyze f5 --depth 1",
        "convert games.txt --to ggf",
        "play --book none --level 1 </dev/null",
        "gtp --book none <commands.gtp",
        "nboard --book none <commands.nboard",
    ],
)
def test_what_can_not_be_printed_ends_the_program_with_one_sentence(words: str, tmp_path: Path) -> None:
    (tmp_path / "games.txt").write_text("f5d6c3\n")
    (tmp_path / "commands.gtp").write_text("name\n")
    (tmp_path / "commands.nboard").write_text("nboard 2\nping 1\n")
    told = run(f"{words} >&-", tmp_path)

    assert told.returncode == 1
    assert CLOSED.search(told.stderr)
    assert "Traceback" not in told.stderr


@pytest.mark.parametrize(
    ("words", "code", "sentence"),
    [
        ("play --book none --level 1", 0, ""),
        ("solo", 0, ""),
        ("gtp --book none", 0, ""),
        ("nboard --book none", 0, ""),
        ("analyze -", 1, "outflank: standard input: it holds no games"),
        ("board -", 1, "outflank: standard input: it holds no games"),
        ("convert - --to ggf", 1, "outflank: standard input: it holds no games"),
        ("review -", 1, "outflank: standard input: it holds no games"),
        ("solve -", 1, "outflank: standard input: it holds no games"),
    ],
)
def test_an_input_that_is_closed_is_an_empty_one(words: str, code: int, sentence: str) -> None:
    told = run(f"{words} <&-")

    assert told.returncode == code, told.stderr
    assert sentence in told.stderr
    assert "Traceback" not in told.stderr
    assert sentence or told.stderr == ""


@pytest.mark.parametrize(
    ("command", "line", "answer"),
    [
        ("gtp", "name", "= Outflank"),
        ("nboard", "nboard 2", "set myname Outflank"),
        ("uci", "uci", "uciok"),
        ("play", "moves", "d3 c4 f5 e6"),
        ("solo", "moves", "black"),
    ],
)
def test_a_byte_order_mark_before_the_first_line_is_dropped(
    command: str, line: str, answer: str, tmp_path: Path
) -> None:
    (tmp_path / "typed").write_text(f"{line}\n", encoding="utf-8-sig")
    told = run(f"{command} <typed", tmp_path)

    assert (told.returncode, told.stderr) == (0, "")
    assert answer in told.stdout


@pytest.mark.parametrize("errors", ["&-", "/dev/full"])
def test_warnings_that_nobody_reads_are_no_failure(errors: str, tmp_path: Path) -> None:
    (tmp_path / "games.txt").write_text("f5d6c3\n")
    told = run(f"convert games.txt --to ggf -o games.ggf 2>{errors}", tmp_path)

    assert (told.returncode, told.stderr) == (0, "")
    assert "B[F5]W[D6]B[C3]" in (tmp_path / "games.ggf").read_text()


@pytest.mark.parametrize(("words", "code"), [("perft 1", 1), ("jump", 2), ("gtp --book none", 0)])
def test_all_of_them_may_be_closed(words: str, code: int) -> None:
    assert run(f"{words} <&- >&- 2>&-").returncode == code


def test_a_file_does_not_take_the_place_of_a_closed_stream(tmp_path: Path) -> None:
    (tmp_path / "commands.gtp").write_text("name\n")
    told = run("gtp --book none --log log <commands.gtp >&-", tmp_path)

    assert told.returncode == 1
    assert "= Outflank" in (tmp_path / "log").read_text()


NAME = b"n\xff"
IN_RECORDS = b"""match --games 2 --out run --engine 'name=A cmd="outflank gtp"' """


def run_bytes(words: bytes, folder: Path) -> subprocess.CompletedProcess[str]:
    """The program with the words of a shell, and standard output as strict as in most locales."""
    strict = {**os.environ, "PYTHONIOENCODING": "utf-8:strict"}
    return subprocess.run(
        b"exec " + PROGRAM.encode() + b" " + words, shell=True, cwd=folder, capture_output=True, text=True,
        timeout=100, env=strict,
    )  # fmt: skip


@pytest.mark.parametrize(
    "words",
    [
        IN_RECORDS + b"--engine 'name=B cmd=\"outflank gtp\"' --openings " + NAME,
        IN_RECORDS + b'--engine \'name=B cmd="outflank gtp" dir=' + NAME + b"'",
        IN_RECORDS + b"--engine 'name=B cmd=" + NAME + b"'",
        IN_RECORDS + b'--engine \'name=B cmd="outflank gtp" env.A=' + NAME + b"'",
    ],
)
def test_a_path_that_a_run_cannot_keep_is_refused_in_a_sentence(words: bytes, tmp_path: Path) -> None:
    """The file of a run is UTF-8, and on Linux the name of a file may be any bytes."""
    told = run_bytes(words, tmp_path)

    assert told.returncode == 2
    assert re.search(r"not UTF-8, so a run can't keep it: .*'n\\udcff'}?; rename", told.stderr)
    assert list(tmp_path.iterdir()) == []


def test_names_of_files_may_be_any_bytes(tmp_path: Path) -> None:
    (tmp_path / os.fsdecode(NAME)).write_text("f5d6c3d3\n")
    (tmp_path / os.fsdecode(b"a" + NAME)).mkdir()
    book = b"b" + NAME
    for words in (
        b"convert " + NAME + b" --to sgf -o c" + NAME,
        b"analyze " + NAME + b" --depth 1",
        b"review " + NAME + b" --level 1 --html r" + NAME,
        b"board f5 -o s" + NAME + b".svg",
        b"book build " + book + b" --level 1 --positions 9 --workers 1",
        b"book extend " + book + b" " + NAME + b" --level 1 --workers 1",
        b"book stats " + book,
        b"book check " + book,
        b"book merge m" + NAME + b" " + book + b" --level 1 --workers 1",
        b"book tree " + book + b" -o t" + NAME + b".svg",
        b"book export " + book + b" --to text -o e" + NAME,
        b"book import e" + NAME + b" i" + NAME,
    ):
        told = run_bytes(words, tmp_path)
        assert (told.returncode, "Traceback" in told.stderr) == (0, False), (words, told.stderr)

    found = json.loads(run_bytes(b"book stats --json " + book, tmp_path).stdout)
    assert os.fsencode(found["book"]) == book


@pytest.fixture(scope="module")
def share(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("share")
    main(folder)
    return folder


def test_the_manual_has_every_command_and_every_option() -> None:
    page = manual()
    for name in COMMANDS:
        section = page.partition(f"\n.SS {name}\n")[2].partition("\n.SS ")[0]
        command = cli.get_command(click.Context(cli), name)
        assert command is not None
        for parameter in command.params:
            if isinstance(parameter, click.Option):
                assert parameter.opts[-1].replace("-", "\\-") in section, (name, parameter.opts)


def test_no_line_of_the_manual_is_taken_for_a_request() -> None:
    requests = {line.split()[0] for line in manual().splitlines() if line.startswith((".", "'"))}

    assert requests == {".TH", ".SH", ".SS", ".TP", ".PP", ".RS", ".RE", ".nf", ".fi"}


def test_the_manual_has_the_sections_that_manuals_have_and_its_examples_are_understood() -> None:
    page = manual()
    examples = re.findall(r"^\.RS\noutflank (.*)\n\.RE$", page, re.MULTILINE)

    sections = re.findall(r"^\.SH (.*)$", page, re.MULTILINE)[5:]
    assert sections == ["EXIT STATUS", "ENVIRONMENT", "FILES", "EXAMPLES", "SEE ALSO"]
    assert len(examples) == 4
    for example in examples:
        name, *others = shlex.split(example.replace("\\-", "-"))
        command = cli.get_command(click.Context(cli), name)
        assert command is not None
        command.make_context(name, others, parent=click.Context(cli, **cli.context_settings))


@pytest.mark.skipif(shutil.which("groff") is None, reason="groff is not installed")
def test_groff_reads_the_manual_without_a_warning(share: Path) -> None:
    page = str(share / "man/man1/outflank.1")
    told = subprocess.run(
        ["groff", "-man", "-Tutf8", "-ww", page], capture_output=True, text=True, timeout=60
    )
    shown = re.sub("\x1b\\[[0-9;]*m|.\x08", "", told.stdout)

    assert told.stderr == ""
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
    told = subprocess.run(
        ["bash", "-c", f"source {file}; {ask}"], env=variables, capture_output=True, text=True, timeout=60
    )

    assert told.stdout == "tournament\n"


@pytest.mark.parametrize(
    ("words", "completed"),
    [
        (["gtp", "--rules", "rav"], ["ravensburger-1987", "ravensburger-2006"]),
        (["gtp", "--level", "6"], ["6", "60"]),
        (["analyze", "--selectivity", "9"], ["95", "98", "99"]),
        (["convert", "--to", "sg"], ["sgf"]),
        (["perft", "--start", "parallel-n"], ["parallel-north"]),
        (["match", "--openings", "bal"], ["balanced", "bal"]),  # the last stands for files
        (["review", "--book", "no"], ["none", "no"]),
        (["board", "--threads", "x"], []),
    ],
)
def test_shells_complete_values(words: list[str], completed: list[str]) -> None:
    *before, incomplete = words
    made = ShellComplete(cli, {}, "outflank", "_OUTFLANK_COMPLETE")

    assert [item.value for item in made.get_completions(before, incomplete)] == completed
