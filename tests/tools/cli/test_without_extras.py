"""What needs click alone: all help, and all that searches, shows and converts without SGF and pages."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from outflank.tools.commands.program import COMMANDS

# Of every extra.
BARE = """
import sys
for name in ("rich", "scipy", "numpy", "networkx", "sgfmill", "jinja2", "matplotlib", "tomli_w", "torch", "resvg_py",
             "distributed", "dask"):
    sys.modules[name] = None
from outflank.tools.commands.program import main
sys.argv[0] = "outflank"
"""
HELP = """
import click, json
from outflank.tools.commands.program import cli
def faults(command, *words):
    try:
        command.main(["--help"], prog_name=" ".join(("outflank", *words)), standalone_mode=False)
        names = getattr(command, "summaries", ())
        commands = [(name, command.get_command(click.Context(command), name)) for name in names]
    except Exception as error:
        return [f"{words}: {error}"]
    return [fault for name, found in commands for fault in faults(found, *words, name)]
print("FAULTS", json.dumps(faults(cli)))
"""
LATE = "XXXXXXXXXXXXXXXXXXXXXXXXOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOO-OOOOOO-- X"
GAME = "f5d6c3d3c4f4f6f3e6e7"


def bare(script: str, *words: str, folder: Path | None = None) -> "subprocess.CompletedProcess[str]":
    """Run a script where no package of an extra can be imported; the first line of its input is `quit`."""
    return subprocess.run(
        [sys.executable, "-c", BARE + script, *words],
        cwd=folder,
        input="quit\n",
        capture_output=True,
        text=True,
        timeout=100,
    )


def test_every_command_tells_its_help() -> None:
    told = bare(HELP)

    assert told.stderr == ""
    assert json.loads(told.stdout.partition("FAULTS ")[2]) == []
    assert all(f"Usage: outflank {name} " in told.stdout for name in COMMANDS)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("analyze", GAME, "--depth", "3"), "move    score   line"),
        (("analyze", GAME, "f5", "--depth", "3"), "line"),
        (("solve", "--board", LATE), "certainty"),
        (("review", GAME, "--depth", "2"), "Black"),
        (("convert", "games.txt", "--to", "ggf"), "(;GM[Othello]"),
        (("play", "--depth", "1"), "Black (X)"),
        (("board", GAME, "--svg"), "<svg"),
        (("book", "build", "new.book", "--positions", "3", "--level", "1", "--workers", "1"), "positions"),
        (
            ("openings", "make", "-o", "found.txt", "--moves", "2", "--depth", "1", "--workers", "1"),
            "openings",
        ),
        (("solo", "--auto", "--games", "2"), "mean"),
    ],
    ids=lambda value: value[0] if isinstance(value, tuple) else "",
)
def test_it_runs(words: tuple[str, ...], expected: str, tmp_path: Path) -> None:
    (tmp_path / "games.txt").write_text(f"{GAME}\n")

    told = bare("main()", *words, folder=tmp_path)

    assert told.returncode == 0, told.stderr
    assert expected in told.stdout + told.stderr


@pytest.mark.parametrize(
    ("words", "package"),
    [
        (("match", "--games", "2"), "match"),
        (("sprt", "10", "5", "3"), "match"),
        (("convert", "games.txt", "--to", "sgf"), "match"),
        (("review", GAME, "--depth", "1", "--html", "page.html"), "match"),
        (("board", GAME, "--png", "-o", "board.png"), "png"),
    ],
    ids=lambda value: value[0] if isinstance(value, tuple) else "",
)
def test_what_it_lacks_is_named(words: tuple[str, ...], package: str, tmp_path: Path) -> None:
    (tmp_path / "games.txt").write_text(f"{GAME}\n")

    told = bare("main()", *words, folder=tmp_path)

    assert told.returncode == 1
    assert f"pip install 'outflank[{package}]'" in told.stderr
    assert "Traceback" not in told.stderr


@pytest.mark.parametrize("package", ["jinja2", "sgfmill"])
def test_what_the_records_of_a_match_need_is_missed_before_the_first_game(
    package: str, tmp_path: Path
) -> None:
    script = f"import sys; sys.modules[{package!r}] = None; from outflank.tools.commands.program import main; main()"

    told = subprocess.run(
        [sys.executable, "-c", script, "match", "--games", "2", "--out", str(tmp_path / "run")],
        capture_output=True,
        text=True,
        timeout=100,
    )

    assert told.returncode == 1
    assert package in told.stderr
    assert "pip install 'outflank[match]'" in told.stderr
    assert not list(tmp_path.iterdir())
