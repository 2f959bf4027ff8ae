"""Every way to install that docs/install.md names works as typed, and what it installs works in an empty folder.

Packages come from the index that pip is configured for. The modules are compiled in a hurry, for one CPU.
"""

import os
import re
import subprocess
import sys
import urllib.request
from pathlib import Path
from typing import Any

import pytest

import outflank
from outflank.tests.support.installation import HURRY, ROOT, Door, clone, doors

# Two workers try the ways at the same time, each in a home folder of its own. The last way makes a wheel, and the test
# of the wheel installs it.
_FIRST_HOME, _SECOND_HOME = (pytest.mark.xdist_group(f"{which} home") for which in ("first", "second"))
pytestmark = [pytest.mark.slow, pytest.mark.timeout(1200)]
LATE = "XXXXXXXXXXXXXXXXXXXXXXXXOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOO-OOOOOO-- X"


def ways() -> list[str]:
    """Return the blocks of commands of the page for those with Python, each a script that ends with the version."""
    page = (ROOT / "docs" / "install.md").read_text().partition("\n## With Python\n")[2].partition("\n## ")[0]
    return [block for block in re.findall(r"(?:^ {4}\S.*\n)+", page, re.MULTILINE) if "--version" in block]


def name_of(way: str) -> str:
    """Return the line of a way that says most about it."""
    return next((line.strip() for line in way.splitlines() if "-m venv" not in line), way)


def ways_by_home() -> list[Any]:
    """Return the ways as parameters, the first half of them for the first home."""
    found = ways()
    return [
        pytest.param(way, id=name_of(way), marks=_FIRST_HOME if number < len(found) // 2 else _SECOND_HOME)
        for number, way in enumerate(found)
    ]


def doors_of(way: str) -> list[Door]:
    """Return the doors that a way opens: its lines have the text in code of the door's cell."""
    lines = [line.strip().removeprefix("~/.venvs/outflank/bin/") for line in way.splitlines()]
    return [door for door in doors("docs/install.md") if {*re.findall("`(.*?)`", door.way)} & {*lines}]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a home folder with a fresh clone in it, and with the installers that the page names."""
    folder = tmp_path_factory.mktemp("home of a stranger")  # a path with blanks
    clone(folder)
    subprocess.run([sys.executable, "-m", "venv", folder / "installers"], check=True)
    subprocess.run([folder / "installers" / "bin" / "pip", "install", "--quiet", "pipx", "uv"], check=True)
    for name in ("pipx", "uv", "uvx"):
        (folder / "bin").mkdir(exist_ok=True)
        (folder / "bin" / name).symlink_to(folder / "installers" / "bin" / name)
    return folder


def shell(home: Path, script: str, folder: Path, **variables: str) -> str:
    """Run a script of bash as a user who has this home, and return its output; it has to succeed."""
    kept = {
        name: os.environ[name]
        for name in os.environ
        if not re.match("LANG|LC_|MAKE|PYTHON|VIRTUAL|XDG_", name)
    }
    path = [str(home / "bin"), *os.environ["PATH"].split(os.pathsep)]
    own = str(Path(sys.executable).parent)
    kept |= {"HOME": str(home), "PATH": os.pathsep.join(each for each in path if each != own), **variables}
    ran = subprocess.run(
        ["bash", "-ec", script],
        cwd=folder,
        env=kept,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert ran.returncode == 0, f"{script}\n{ran.stdout}"
    return ran.stdout


def test_the_page_names_the_usual_ways() -> None:
    text = "".join(ways())

    assert len(ways()) >= 8
    for each in (
        "bin/pip install '.",
        "pip install -e",
        "pipx install",
        "uv tool",
        "uvx",
        "-m build",
        "make\n",
    ):
        assert each in text


@pytest.mark.parametrize("way", ways_by_home())
def test_a_way_to_install_works_as_typed_and_what_it_installs_plays(
    way: str, home: Path, tmp_path: Path
) -> None:
    (home / ".local" / "bin" / "outflank").unlink(missing_ok=True)  # each way puts its own there
    printed = shell(home, way, home / "outflank", **HURRY)

    assert f"outflank {outflank.__version__}\n" in printed
    last = way.splitlines()[-1].strip()
    if not re.match("uvx|pipx run", last):
        program = last.removesuffix(" --version").replace("~", '"$HOME"')
        if not program.startswith('"$HOME"'):
            program = f'"$HOME/outflank/{program}"'
        for command in (command for door in doors_of(way) for command in door.commands):
            shell(home, f'PATH="$(dirname {program}):$PATH" {command}', tmp_path, CC="/nonexistent")
        expect_everything_works(home, program, tmp_path)


def test_every_door_with_python_is_a_way_of_the_page() -> None:
    opened = [door for way in ways() for door in doors_of(way)]

    assert sorted(opened) == sorted(door for door in doors("docs/install.md") if "#with-python" in door.way)


@_SECOND_HOME
def test_a_wheel_is_installed_without_a_compiler(home: Path, tmp_path: Path) -> None:
    (wheel,) = (home / "outflank" / "dist").glob("*.whl")
    install = f'bare/bin/python -m pip install "{wheel}[match,web]"'
    shell(home, f"python3 -m venv bare; CC=/nonexistent PATH=/nonexistent {install}", tmp_path)

    expect_everything_works(home, f'"{tmp_path}/bare/bin/outflank"', tmp_path)


def expect_everything_works(home: Path, program: str, folder: Path) -> None:
    """Play, solve, convert and serve from a folder that knows nothing of the checkout."""

    def told(words: str) -> str:
        return shell(home, words.replace("outflank", program, 1), folder, CC="/nonexistent")

    assert re.search(r"^= [a-h][1-8]$", told("outflank gtp --level 1 <<< $'genmove b\\nquit'"), re.MULTILINE)
    assert "exact" in told(f"outflank solve --board '{LATE}'")
    assert "(;FF[4]" in told("outflank convert - --format sgf <<< f5d6c3")
    told("outflank match --games 2 --out m")
    assert (folder / "m" / "report.html").is_file()
    with subprocess.Popen(
        ["bash", "-c", f"exec {program} web --listen"],
        cwd=folder,
        env={**os.environ, "HOME": str(home)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as server:
        try:
            assert server.stdout is not None
            page = re.match(r"Page: (http:\S+)\n", line := server.stdout.readline())
            assert page, line
            with urllib.request.urlopen(page[1]) as answer:
                assert b"<title>" in answer.read()
        finally:
            server.terminate()
