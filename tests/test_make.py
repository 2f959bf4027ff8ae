"""The Makefile builds, lists its targets, and says what is missing on a bare machine."""

import os
import re
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
    """What `make help` lists."""
    return set(re.findall(r"^make (\w+) ", make(ROOT, "--no-print-directory", "help").stdout, re.MULTILINE))


@pytest.fixture
def bare(tmp_path: Path) -> Path:
    """A folder in which nothing has been made."""
    for name in ("Makefile", "pyproject.toml", "requirements.txt", "setup.py"):
        shutil.copy(ROOT / name, tmp_path)
    (tmp_path / "package").mkdir()
    shutil.copy(ROOT / "package" / "__init__.py", tmp_path / "package")
    return tmp_path


@pytest.fixture
def python(tmp_path: Path) -> Path:
    """An interpreter that can be spoiled: a shell script before the real one."""
    return tmp_path / "python3.12"


def spoil(python: Path, pattern: str, action: str) -> None:
    """Let `python` do `action` when its arguments match `pattern`."""
    python.write_text(f'#!/bin/sh\ncase "$*" in {pattern}) {action};; *) exec {sys.executable} "$@";; esac\n')
    python.chmod(0o755)


def test_make_help_lists_the_targets() -> None:
    assert targets() >= {"match", "test", "build", "lint", "types", "bench", "annotate", "clean", "help"}


@pytest.mark.parametrize("page", ["README.md", "CONTRIBUTING.md"])
def test_the_documentation_names_only_what_make_can_do(page: str) -> None:
    named = re.findall(
        r"(?:^    |`)(?:\w+=\S+ )*make ([a-z0-9 ]+?)(?=`| ARGS|  |$)", (ROOT / page).read_text(), re.MULTILINE
    )

    assert {target for targets in named for target in targets.split()} - targets() == set()


def test_an_old_python_is_refused(bare: Path, python: Path) -> None:
    spoil(python, "*version_info*", "exit 1")

    told = make(bare, "test", f"PYTHON={python}")

    assert told.returncode == 2
    assert "make: Outflank needs Python 3.11 or newer: try apt-get install python3," in told.stderr


def test_a_missing_venv_module_is_named(bare: Path, python: Path) -> None:
    spoil(python, "*ensurepip*", "exit 1")

    assert (
        "needs Python's venv module: try apt-get install python3.12-venv"
        in make(bare, "match", f"PYTHON={python}").stderr
    )


def test_missing_headers_are_named(bare: Path, python: Path) -> None:
    spoil(python, "*get_path*", "echo /nowhere")

    assert (
        "needs Python's headers: try apt-get install python3.12-dev"
        in make(bare, "test", f"PYTHON={python}").stderr
    )


@pytest.mark.parametrize("targets", [[], ["build"], ["test"]], ids=["make", "make build", "make test"])
def test_a_missing_compiler_is_named(bare: Path, targets: list[str]) -> None:
    assert "needs a C compiler: try apt-get install gcc" in make(bare, *targets, "CC=no-such-compiler").stderr


def test_nothing_is_left_behind_when_something_is_missing(bare: Path) -> None:
    before = sorted(os.listdir(bare))

    assert make(bare, "test", "CC=no-such-compiler").returncode == 2
    assert sorted(os.listdir(bare)) == before
