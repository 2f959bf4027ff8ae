"""What each long command keeps when it is killed: the table of docs/reliability.md, command by command."""

import json
import os
import random
import re
import shutil
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import psutil
import pytest

from outflank.engine.evaluation import weights
from outflank.tests.support.installation import ROOT
from outflank.tests.support.positions import random_game
from outflank.tests.support.transcripts import run

FFO = ROOT / "protocol" / "formats" / "data" / "ffo-1.obf"


@dataclass(frozen=True)
class Long:
    """A command that may take long.

    Attributes:
        words: the words of the command; OUT is a new folder.
        kept: the amount that it has kept so far, in any unit; it is killed when this grows.
        result: the result of the command, without the parts that differ from run to run.
    """

    words: tuple[str, ...]
    kept: Callable[[Path], int]
    result: Callable[[Path, str], object]


def rows(pattern: str, table: str) -> Callable[[Path], int]:
    """Return the rows of a table in all files of this pattern."""

    def count(folder: Path) -> int:
        total = 0
        for file in folder.glob(pattern):
            try:
                with closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True, timeout=10)) as connection:
                    total += connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0]
            except sqlite3.Error:  # it is being made
                continue
        return total

    return count


RESULTS = rows("state/outflank/unfinished/*.results", "result")


def printed(folder: Path, out: str) -> str:
    """Return the output without times, and without nodes that depend on the tasks that a worker had before."""
    return re.sub(r"[\d.,]+ (s\b|nodes\S*)|\"(seconds|nodes)\": [\d.]+", "", out, flags=re.MULTILINE)


def contents(name: str) -> Callable[[Path, str], object]:
    return lambda folder, out: (folder / name).read_bytes()


def size(name: str) -> Callable[[Path], int]:
    return lambda folder: (folder / name).stat().st_size if (folder / name).exists() else 0


def scores(folder: Path, out: str) -> list[tuple[str, ...]]:
    return re.findall(r"^ +(\d+) +(\d+) +([+-]\d+)", out, re.MULTILINE)


def proofs(folder: Path, out: str) -> list[str]:
    return re.findall(r"proofs \d+, lines [\d,]+", out)[-1:]


def checked(folder: Path) -> int:
    """Return the number of lines of a proof that were checked."""
    for state in folder.glob("state/outflank/unfinished/proof-check-*.results"):
        return int(state.read_text().split()[0])
    return 0


def leaves(folder: Path, out: str) -> list[str]:
    return re.findall(r"^leaves +(\d+)", out, re.MULTILINE)


def audited(folder: Path, out: str) -> list[str]:
    return re.findall(r"\d+ of \d+ claims? solved again, \d+ wrong", out)


COMMANDS = {
    "job start": Long(
        ("job", "start", "OUT/job", str(FFO), "--workers", "1", "--hash", "4"),
        rows("job/job.db", "solved"),
        scores,
    ),
    "proof make": Long(
        ("proof", "make", "OUT/../few.obf", "-o", "OUT/x.proof", "--workers", "1", "--hash", "4"),
        size("x.proof"),
        proofs,
    ),
    "proof check": Long(("proof", "check", "OUT/made.proof"), checked, lambda folder, out: out),
    "proof audit": Long(
        ("proof", "audit", "OUT/claims.csv", "--workers", "1", "--hash", "4"), RESULTS, audited
    ),
    "openings make": Long(
        ("openings", "make", "--moves", "4", "--depth", "8", "--workers", "1", "-o", "OUT/o.txt"),
        RESULTS,
        contents("o.txt"),
    ),
    "bench accuracy": Long(
        ("bench", "accuracy", str(FFO), "--depth", "8", "--hash", "4", "--json"), RESULTS, printed
    ),
    "puzzles find": Long(
        ("puzzles", "find", "OUT/games.txt", "--empties", "8-12", "--workers", "1", "-o", "OUT/p.obf"),
        RESULTS,
        contents("p.obf"),
    ),
    "review": Long(
        ("review", "OUT/games.txt", "--level", "4", "--exact-from", "10", "--workers", "1"), RESULTS, printed
    ),
    "book build": Long(
        ("book", "build", "OUT/b.book", "--level", "3", "--positions", "150", "--workers", "1"),
        rows("b.book", "position"),
        lambda folder, out: rows("b.book", "position")(folder) >= 150,
    ),
    "archive build": Long(
        ("archive", "build", "OUT/many.txt", "-o", "OUT/x.archive"),
        rows(".x.archive.????????????", "game"),
        lambda folder, out: rows("x.archive", "visit")(folder),
    ),
    "solve": Long(("solve", str(FFO)), RESULTS, scores),
    "perft": Long(("perft", "11"), RESULTS, leaves),
    "train fit": Long(("train", "fit", "GAMES", "-o", "OUT/w.bin"), RESULTS, printed),
    "train calibrate": Long(
        (
            "train",
            "calibrate",
            "GAMES",
            "--weights",
            "OUT/w.bin",
            "-o",
            "OUT/calibrated.bin",
            "--boards",
            "30",
            "--depth",
            "4",
            "--workers",
            "1",
        ),
        RESULTS,
        printed,
    ),
    "train probcut": Long(
        ("train", "probcut", "GAMES", "-o", "OUT/p.json", "--boards", "10", "--depth", "6", "--workers", "1"),
        RESULTS,
        printed,
    ),
    "train gate": Long(
        ("train", "gate", "OUT/w.bin", "--depth", "1", "--pairs", "20", "--workers", "1"), RESULTS, printed
    ),
}


IN_SMALL_STEPS = {
    "archive": "from outflank.tools.archive import build; "
    "build._SECONDS_BETWEEN_COMMITS, build._GAMES_AT_ONCE = 0, 50",
    "openings": "from outflank.tools.match.openings import sources; sources._BATCH = 8",
    "proof": "from outflank.tools.solving.proofs import check; check.NOTED = 20",
}
"""The statements that make a command keep something more often, by the first word of the command."""


def begun(
    words: tuple[str, ...], folder: Path, seconds: float = 0.0, least_empties: int = 24
) -> "subprocess.Popen[str]":
    """Begin a command that keeps something every `seconds`, otherwise short commands would keep nothing.

    It keeps searches of positions with `least_empties` or more empty squares.
    """
    program = f"""
{IN_SMALL_STEPS.get(words[0], "")}
from outflank.tools.runtime import kept
kept._SECONDS_BETWEEN_WRITES, kept._LEAST_EMPTIES = {seconds}, {least_empties}
from outflank.tools.cli.program import main
main()
"""
    games = str(folder.parent / "games")
    given = [word.replace("OUT", str(folder)).replace("GAMES", games) for word in words]
    environment = {**os.environ, "XDG_STATE_HOME": str(folder / "state"), "XDG_CONFIG_HOME": str(folder)}
    return subprocess.Popen(
        [sys.executable, "-P", "-c", program, *given],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def prepared(folder: Path, words: Sequence[str]) -> Path:
    folder.mkdir()
    games = (random_game(random.Random(seed)).transcript() for seed in range(4))
    (folder / "games.txt").write_text("".join(f"{game}\n" for game in games))
    if "OUT/many.txt" in words:
        many = (random_game(random.Random(seed)).transcript() for seed in range(400))
        (folder / "many.txt").write_text("".join(f"{game}\n" for game in many))
    boards = [line.split(";")[0] for line in FFO.read_text().splitlines()]
    if "OUT/w.bin" in words:  # packing takes more than a second
        (folder / "w.bin").write_bytes(weights.packed(weights.Weights.nothing(), {}))
    (folder / "claims.csv").write_text("".join(f"{board},-64,62\n" for board in boards))
    for made in folder.parent.glob("*.proof"):
        shutil.copy(made, folder)
    return folder


@pytest.mark.timeout(240)
@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=pytest.mark.slow) if name.startswith("train ") else name for name in COMMANDS],
)
def test_a_long_command_that_is_killed_continues_with_what_it_kept(name: str, tmp_path: Path) -> None:
    command = COMMANDS[name]
    if "GAMES" in command.words:
        run(
            "train",
            "selfplay",
            tmp_path / "games",
            "--games",
            60,
            "--shard",
            60,
            "--depth",
            1,
            "--workers",
            1,
        )
    (few := tmp_path / "few.obf").write_text("".join(FFO.read_text().splitlines(True)[:6]))
    if "OUT/made.proof" in command.words:
        run("proof", "make", few, "-o", tmp_path / "made.proof", "--workers", 1, "--hash", 4)
    undisturbed = prepared(tmp_path / "undisturbed", command.words)
    with begun(command.words, undisturbed) as running:
        out, err = running.communicate()
        assert running.returncode == 0, err
    expected = command.result(undisturbed, out)

    killed = prepared(tmp_path / "killed", command.words)
    before = 0
    for _ in range(3):
        with begun(command.words, killed) as running:
            while command.kept(killed) <= before and running.poll() is None:
                time.sleep(0.01)
            running.kill()
            running.communicate()
        if running.returncode == 0:  # it was at its end
            break
        assert command.kept(killed) >= before
        before = command.kept(killed)
    with begun(command.words, killed) as running:
        out, err = running.communicate()
        assert running.returncode == 0, err

    assert before > 0
    assert command.result(killed, out) == expected
    assert list(killed.glob("state/outflank/unfinished/*")) == []


def ffo(number: int) -> str:
    """Return the board of a problem of the FFO suite, 40 to 59, as a line of OBF."""
    return (
        (ROOT / "protocol" / "formats" / "data" / "ffo-40.obf")
        .read_text()
        .splitlines()[number - 40]
        .split(";")[0]
    )


@pytest.mark.timeout(900)
@pytest.mark.parametrize(
    ("words", "board", "seconds", "least_empties", "share"),
    [
        (("solve", "--board", "BOARD", "--json"), ffo(46), 0.05, 0, 0.5),
        pytest.param(  # a worker does not get the numbers of this test, so its search has to take a while
            ("job", "start", "OUT/job", "--board", "BOARD", "--workers", "1", "--json"),
            ffo(54),
            10.0,
            24,
            0.0,
            marks=pytest.mark.slow,
        ),
    ],
    ids=["solve", "job start"],
)
def test_a_search_that_is_killed_goes_on_where_it_was(
    words: tuple[str, ...], board: str, seconds: float, least_empties: int, share: float, tmp_path: Path
) -> None:
    """The last kill comes after `share` of the search: with few saved entries, a search may need more nodes."""
    given = tuple(word.replace("BOARD", board) for word in words)

    def nodes(out: str) -> list[int]:
        return [found["nodes"] for line in out.splitlines() if "nodes" in (found := json.loads(line))]

    def searched(folder: Path, *kills: float) -> list[int]:
        """`kills`: the least processor seconds of each process that is killed."""
        folder.mkdir()
        for least in kills:
            with begun(given, folder, seconds, least_empties) as running:
                before = {file: file.stat().st_mtime_ns for file in files(folder)}
                process = psutil.Process(running.pid)
                while (
                    before.items() >= {file: file.stat().st_mtime_ns for file in files(folder)}.items()
                    or sum(process.cpu_times()[:2]) < least
                ):
                    assert running.poll() is None, running.communicate()
                    time.sleep(0.01)
                running.kill()
                running.communicate()
        with begun(given, folder, seconds, least_empties) as running:
            out, err = running.communicate()
            assert running.returncode == 0, err
        assert files(folder) == []
        return nodes(out)

    def files(folder: Path) -> list[Path]:
        return list(folder.glob("state/outflank/unfinished/search-*.results"))

    def seconds_of_children() -> float:
        return sum(os.times()[2:4])

    before = seconds_of_children()
    undisturbed = searched(tmp_path / "undisturbed")
    killed = searched(tmp_path / "killed", 0.0, 0.0, share * (seconds_of_children() - before))

    assert killed[-1] < undisturbed[-1]


def test_every_long_command_stands_in_the_table_of_the_page() -> None:
    page = (ROOT / "docs" / "reliability.md").read_text()
    section = page.partition("## What a kill costs")[2].partition("\n## ")[0]

    assert set(re.findall(r"^\| `outflank ([a-z ]+)`", section, re.MULTILINE)) >= set(COMMANDS)
