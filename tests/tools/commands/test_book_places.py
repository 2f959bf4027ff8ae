"""Where a book's positions are searched makes no difference to what it is: here, in processes, on a cluster."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from outflank.book import Book
from outflank.engine import Position, Rules, SettingsError

OUTFLANK = str(Path(sys.executable).with_name("outflank"))
PARALLEL = Rules.parse("othello,start=parallel-north")


def build(path: Path, *options: str) -> dict[str, object]:
    """What ``outflank book build`` printed of a small book."""
    command = [OUTFLANK, "book", "build", str(path), "--level", "4", "--positions", "40", "--json", *options]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=100, check=True)
    found: dict[str, object] = json.loads(ran.stdout)
    return found


def expect_sound(path: Path) -> None:
    """Let ``outflank book check`` look for faults, and search every position again."""
    subprocess.run([OUTFLANK, "book", "check", str(path)], timeout=100, check=True, capture_output=True)


@pytest.mark.slow
def test_a_book_grows_on_a_cluster(tmp_path: Path) -> None:
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
        built = build(tmp_path / "b", "--cluster", cluster.scheduler_address)

    assert (built["positions"], built["added"]) == (40, 40)
    expect_sound(tmp_path / "b")


def test_the_parallel_start_has_a_book_of_its_own(tmp_path: Path) -> None:
    path = tmp_path / "b"
    built = build(path, "--rules", str(PARALLEL), "--workers", "1")

    assert built["rules"] == str(PARALLEL)
    expect_sound(path)
    with Book.open(path, PARALLEL) as book:
        assert Position.start(PARALLEL) in book
        with pytest.raises(SettingsError, match="expected a book for othello from diagonal"):
            book.probe(Position.start())


def test_a_game_uses_the_book_of_its_own_start_alone(tmp_path: Path) -> None:
    path = tmp_path / "b"
    build(path, "--rules", str(PARALLEL), "--workers", "1")
    lines = "kata-genmove_analyze b\nquit\n"

    def played(rules: Rules) -> subprocess.CompletedProcess[str]:
        command = [OUTFLANK, "gtp", "--book", str(path), "--level", "1", "--rules", str(rules)]
        return subprocess.run(command, input=lines, capture_output=True, text=True, timeout=60, check=True)

    fitting, other = played(PARALLEL), played(Rules())

    assert " book 1" in fitting.stdout
    assert fitting.stderr == ""
    assert " book 1" not in other.stdout
    assert "which is for othello,start=parallel-north; playing without a book" in other.stderr
