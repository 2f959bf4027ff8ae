"""Files without an end, or nested without one, get a sentence; pipes are read as files are."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from outflank.engine import FileFormatError
from outflank.engine.evaluation import weights
from outflank.tests import __file__ as tests
from outflank.tools.match.state.config_file import read_config

FFO = Path(tests).with_name("data") / "ffo" / "fforum-40-59.obf"
LIMITED = "import resource; resource.setrlimit(resource.RLIMIT_AS, (3 << 30, 3 << 30)); "
PROGRAM = [sys.executable, "-c", LIMITED + "from outflank.tools.commands.start import main; main()"]


def outflank(*words: str, given: str | None = None) -> subprocess.CompletedProcess[str]:
    """The program with 3 GiB of address space."""
    return subprocess.run(
        [*PROGRAM, *words], input=given, capture_output=True, text=True, timeout=100, check=False
    )


@pytest.mark.parametrize(
    "words",
    [
        ["match", "--config", "/dev/zero"],
        ["match", "--engines", "/dev/zero"],
        [
            "match",
            "--no-records",
            "--openings",
            "/dev/zero",
            "--engine",
            "cmd=cat name=a",
            "--engine",
            "cmd=cat",
        ],
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


def test_lines_without_an_end_are_refused_in_words() -> None:
    with subprocess.Popen(["yes"], stdout=subprocess.PIPE) as endless:
        result = subprocess.run(
            [*PROGRAM, "solve", "-"],
            stdin=endless.stdout,
            capture_output=True,
            text=True,
            timeout=100,
            check=False,
        )
        endless.kill()

    assert result.returncode == 1
    assert "expected positions, got 1000 lines without" in result.stderr


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
        ("a = " + "9" * 5000, "expected TOML"),
        ("a = 1\n" * 100_000, "it has more than 262,144 bytes"),
        ("\0", "expected TOML"),
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
        ["train", "gate", "PIPE"],
        ["match", "--no-records", "--openings", "PIPE", "--engine", "cmd=cat name=a", "--engine", "cmd=cat"],
    ],
)
def test_a_pipe_that_nobody_writes_to_is_waited_for_by_no_command(tmp_path: Path, words: list[str]) -> None:
    """Runs, books, weights and openings are read more than once, so they have to be files."""
    pipe = tmp_path / "run.db"
    os.mkfifo(pipe)
    places = {"PIPE": str(pipe), "FOLDER": str(tmp_path)}
    result = outflank(*(places.get(word, word) for word in words), given="genmove b\n")

    assert (result.returncode, "Traceback" in result.stderr) == (0 if words[0] == "gtp" else 1, False)
    last = result.stderr.splitlines()[-1]
    assert "a pipe or a device" in last or "has no run.db" in last
