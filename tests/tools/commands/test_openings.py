"""``outflank openings make`` as a user meets it."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from outflank.engine import Rules
from outflank.tools.commands.openings import openings
from outflank.tools.commands.program import cli
from outflank.tools.match.openings import balanced
from outflank.tools.match.openings.sources import OpeningsChoice


def test_a_suite_is_written_that_can_be_read_back(tmp_path: Path) -> None:
    path = tmp_path / "suite.txt"
    options = ["make", "-o", str(path), "--moves", "3", "--depth", "8", "--within", "4", "--workers", "1"]
    result = CliRunner().invoke(openings, options)

    assert result.exit_code == 0, result.output
    count = len(list(OpeningsChoice.parse(str(path)).take(1, Rules(), seed=1)))
    lines = [line for line in path.read_text().splitlines() if not line.startswith("#")]
    assert count == 1
    assert 0 < len(lines) < 14
    assert lines == sorted(lines)
    assert f"{len(lines)} of 14 openings are in {path}" in result.output
    assert list(tmp_path.iterdir()) == [path]


def test_a_suite_may_go_to_standard_output() -> None:
    options = ["-o", "-", "--moves", "2", "--depth", "1", "--workers", "1"]
    result = CliRunner().invoke(openings, ["make", *options])

    assert result.exit_code == 0, result.output
    assert result.stdout.startswith("# ")
    assert " openings are in standard output\n" in result.stderr


def test_a_file_that_cannot_be_written_is_told_before_any_work(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(balanced, "openings_of")
    result = CliRunner().invoke(cli, ["openings", "make", "-o", "/no/such/file"])

    assert result.exit_code == 1
    assert result.output == "outflank: can't write '/no/such/file' (No such file or directory)\n"
