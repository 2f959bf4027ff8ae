"""Installs clones of the checkout, and compares builds by the nodes of ``outflank bench``."""

import json
import os
import platform
import re
import shutil
import subprocess
import sys
import venv
from importlib.metadata import distribution
from pathlib import Path
from typing import NamedTuple

from outflank.tests.support.program import outflank

ROOT = Path(__file__).resolve().parents[2]
HURRY = {"CFLAGS": "-O0", "OUTFLANK_MARCH": "x86-64" if platform.machine() == "x86_64" else "native"}
"""The environment variables that reduce the time of a build to a fifth."""
_MADE = ".git .venv build dist *.egg-info *.so buildinfo.py weights.un* __pycache__ .*_cache .hypothesis"
"""The patterns of files that a fresh clone does not have."""


def clone(folder: Path) -> Path:
    """Copy the checkout to `folder`/outflank, as if it were a fresh clone.

    The copy has the current contents of the files that git tracks. Outside a repository, as in a source distribution,
    it has all files except built ones.
    """
    target = folder / "outflank"
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True)
    if listed.returncode or not (ROOT / ".git").exists():
        return Path(shutil.copytree(ROOT, target, ignore=shutil.ignore_patterns(*_MADE.split())))
    for name in filter(None, listed.stdout.split("\0")):
        if (ROOT / name).exists():  # a file may be deleted, and the deletion not yet committed
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, target / name)
    return target


class Door(NamedTuple):
    """A row of the table of the ways to Outflank.

    Attributes:
        who: the person who asks.
        way: the cells between, which name the system and what to install or unpack.
        commands: the commands that then work.
    """

    who: str
    way: str
    commands: list[str]


def doors(page: str) -> list[Door]:
    """Return the rows of the table of doors on a page, README.md or docs/install.md."""
    rows = re.findall(
        r"^\| (a(?:n)? (?:player|author|programmer)\b.*?) \| (.*) \| (.*) \|$",
        (ROOT / page).read_text(),
        re.M,
    )
    return [Door(who, way, re.findall("`(.*?)`", commands)) for who, way, commands in rows]


class Environment:
    """A virtual environment with pip and the packages that Outflank needs.

    Args:
        folder: the folder of the environment.
        march: the value of OUTFLANK_MARCH; None for no value.
    """

    def __init__(self, folder: Path, march: str | None = None) -> None:
        venv.create(folder / "venv", with_pip=True)
        self._bin = folder / "venv" / "bin"
        self._folder = folder
        self._variables = {
            "PATH": f"{self._bin}{os.pathsep}{os.environ['PATH']}",
            "PYTHONPATH": str(_lend(folder / "lent", "click", "Cython", "setuptools")),
        }
        if march is not None:
            self._variables["OUTFLANK_MARCH"] = march

    def install(self, *what: str) -> None:
        """Let pip install `what`, compiling with this interpreter's Cython."""
        self.run("python", "-m", "pip", "install", "--no-index", "--no-deps", "--no-build-isolation", *what)

    def run(self, *command: str) -> str:
        """Return the output of a command of the environment, run in `folder`, where ``clone`` puts a checkout.

        Raises: AssertionError with the command's output if the command fails.
        """
        program = shutil.which(command[0], path=self._variables["PATH"])
        made = subprocess.run(
            [program or command[0], *command[1:]],
            cwd=self._folder,
            env=self._variables,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        assert made.returncode == 0, f"{' '.join(command)}: exit {made.returncode}\n{made.stdout}"
        return made.stdout


def python_script(*arguments: str, **variables: str) -> "subprocess.CompletedProcess[str]":
    """Run this interpreter with `arguments` and some environment variables changed."""
    words, environment = [sys.executable, *arguments], {**os.environ, **variables}
    return subprocess.run(words, env=environment, capture_output=True, text=True, timeout=60)


def _lend(folder: Path, *names: str) -> Path:
    """Return a folder with links to installed distributions, metadata included."""
    folder.mkdir()
    for name in names:
        lender = distribution(name)
        for top in {file.parts[0] for file in lender.files or () if not file.parts[0].startswith(".")}:
            (folder / top).symlink_to(Path(str(lender.locate_file(top))))
    return folder


def nodes(printed: str) -> dict[str, int]:
    """Return the nodes of each item that ``outflank bench --json`` prints."""
    return {item["name"]: item["nodes"] for item in map(json.loads, printed.splitlines())}


def nodes_here() -> dict[str, int]:
    """Return the nodes of each item of ``outflank bench`` in this installation."""
    return nodes(outflank("bench", "--json", timeout=1200, check=True).stdout)
