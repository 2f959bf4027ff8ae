"""The Makefile builds, lists its targets, and says what is missing on a bare machine."""

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from outflank.tests.support.installation import ROOT

pytestmark = pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed")


def make(folder: Path, *arguments: str) -> "subprocess.CompletedProcess[str]":
    """Run make in `folder`, even if the tests themselves were started by make."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
    command = ["make", "-C", str(folder), *arguments]
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60)


def targets() -> set[str]:
    return set(re.findall(r"^make (\w+) ", make(ROOT, "--no-print-directory", "help").stdout, re.MULTILINE))


@pytest.fixture
def bare(tmp_path: Path) -> Path:
    """Return a folder in which nothing has been made."""
    for name in ("Makefile", "pyproject.toml", "requirements.txt", "requirements-dev.txt", "setup.py"):
        shutil.copy(ROOT / name, tmp_path)
    (tmp_path / "package").mkdir()
    shutil.copy(ROOT / "package" / "__init__.py", tmp_path / "package")
    return tmp_path


def test_make_help_lists_the_targets() -> None:
    assert targets() >= {"match", "test", "build", "lint", "types", "bench", "annotate", "clean", "help"}


@pytest.mark.parametrize("page", ["README.md", "CONTRIBUTING.md"])
def test_the_documentation_names_only_what_make_can_do(page: str) -> None:
    named = re.findall(
        r"(?:^    |`)(?:\w+=\S+ )*make ([a-z0-9 ]+?)(?=`| ARGS|  |$)", (ROOT / page).read_text(), re.MULTILINE
    )

    assert {target for targets in named for target in targets.split()} - targets() == set()


@pytest.mark.parametrize(
    ("target", "pattern", "action", "words"),
    [
        (
            "test",
            "*version_info*",
            "exit 1",
            "make: Outflank needs Python 3.11 or newer: try apt-get install python3,",
        ),
        ("match", "*ensurepip*", "exit 1", "needs Python's venv module: try apt-get install python3.12-venv"),
        ("test", "*get_path*", "echo /nowhere", "needs Python's headers: try apt-get install python3.12-dev"),
    ],
)
def test_what_python_lacks_is_named(bare: Path, target: str, pattern: str, action: str, words: str) -> None:
    """By an interpreter that is spoiled: a shell script that does `action` in place of the matching calls."""
    python = bare / "python3.12"
    python.write_text(
        f'#!/bin/sh\ncase "$*" in {pattern}) {action};; *) exec {shlex.quote(sys.executable)} "$@";; esac\n'
    )
    python.chmod(0o755)
    told = make(bare, target, f"PYTHON={python}")

    assert told.returncode == 2
    assert words in told.stderr


def test_a_fresh_debian_is_not_made_where_that_is_impossible_and_the_reason_is_told(tmp_path: Path) -> None:
    for name in ("dirname", "sh"):
        (tmp_path / name).symlink_to(shutil.which(name) or "")
    told = subprocess.run(
        ["sh", ROOT / ".ci" / "fresh"],
        env={"PATH": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=60,
    )

    assert (told.returncode, told.stderr) == (0, "")
    assert told.stdout == "make fresh: skipped, since debootstrap is missing\n"


@pytest.mark.parametrize("targets", [[], ["test"]], ids=["make", "make test"])
def test_a_missing_compiler_is_named_and_nothing_is_left_behind(bare: Path, targets: list[str]) -> None:
    before = sorted(os.listdir(bare))
    told = make(bare, *targets, "CC=no-such-compiler")

    assert told.returncode == 2
    assert "needs a C compiler: try apt-get install gcc" in told.stderr
    assert sorted(os.listdir(bare)) == before
