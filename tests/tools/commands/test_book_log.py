"""``outflank book build --log``: how a book grew can be read, and drawn, afterwards."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from outflank.book.growing import Progress
from outflank.tests.bench.book_curve import draw
from outflank.tools.books.growth import growth_log
from outflank.tools.commands.program import cli


def build(path: Path, log: Path, positions: int) -> Result:
    words = f"--positions {positions} --level 2 --workers 1 --json --log".split()
    return CliRunner().invoke(cli, ["book", "build", str(path), *words, str(log)])


def lines(log: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in log.read_text().splitlines()]


def progress(seconds: float) -> Progress:
    """Of a book that gets ten positions a second."""
    return Progress(round(10 * seconds), 5, 9, seconds, 2, 7, (1, -3, 5))


def test_each_minute_has_a_line_and_so_has_the_end(tmp_path: Path) -> None:
    with growth_log(tmp_path / "log", tmp_path / "b") as note:
        for seconds in (0.5, 59.9, 60.1, 61, 119, 120, 300.5, 301, 360):
            note(progress(seconds))
        note(progress(361))

    found = lines(tmp_path / "log")
    assert [line["seconds"] for line in found] == [60.1, 120, 300.5, 360, 361]
    assert [line["positions"] for line in found] == [601, 1200, 3005, 3600, 3610]
    assert found[0]["root"] == {"score": 1, "lower": -3, "upper": 5}
    assert (found[0]["error"], found[0]["ply"], found[0]["searches"]) == (2, 7, 9)


def test_an_error_leaves_the_last_line_too(tmp_path: Path) -> None:
    def stopped() -> None:
        with growth_log(tmp_path / "log", tmp_path / "b") as note:
            note(progress(3))
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        stopped()

    assert [line["seconds"] for line in lines(tmp_path / "log")] == [3]


def test_a_build_goes_on_in_its_log(tmp_path: Path) -> None:
    path, log = tmp_path / "b", tmp_path / "log"
    told = [json.loads(build(path, log, positions).stdout) for positions in (20, 35)]

    found = lines(log)
    assert [line["positions"] for line in found] == [20, 35]
    for line, result in zip(found, told, strict=True):
        assert 0 < line.pop("processor_seconds") < 60
        assert line.pop("seconds") <= result["seconds"]
        assert line == {name: result[name] for name in line}


@pytest.mark.parametrize("name", ["b", "b-wal"])
def test_a_book_is_no_log(tmp_path: Path, name: str) -> None:
    path = tmp_path / "b"
    assert "expected another file to write than" in build(path, tmp_path / name, 20).stderr
    assert list(tmp_path.iterdir()) == [], "neither the log nor a new book"
    assert build(path, tmp_path / "log", 20).exit_code == 0
    refused = build(path, tmp_path / name, 35)

    assert refused.exit_code == 1
    assert "expected another file to write than" in refused.stderr
    assert build(path, tmp_path / "log", 20).exit_code == 0


def test_a_log_that_cannot_be_written_costs_a_sentence(tmp_path: Path) -> None:
    refused = build(tmp_path / "b", tmp_path / "none" / "log", 20)

    assert refused.exit_code == 1
    assert refused.stderr.startswith("outflank: ")
    assert "none/log" in refused.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_book_grows_on_without_a_log_that_is_full(tmp_path: Path) -> None:
    built = build(tmp_path / "b", Path("/dev/full"), 20)

    assert json.loads(built.stdout)["positions"] == 20
    assert built.stderr == "outflank: can't write '/dev/full' (No space left on device)\n"
    assert built.exit_code == 1


def test_a_log_is_drawn(tmp_path: Path) -> None:
    build(tmp_path / "b", tmp_path / "log", 20)
    draw([*lines(tmp_path / "log"), {"root": None}], tmp_path / "curve.svg")

    assert "<svg" in (tmp_path / "curve.svg").read_text()
