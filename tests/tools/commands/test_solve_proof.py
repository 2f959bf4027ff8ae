"""``outflank solve --proof``: one file with the proofs of all positions, which the checker confirms."""

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from outflank.tools.analysis.proofs import check
from outflank.tools.commands.program import cli

FFO = Path(__file__).parents[2] / "data" / "ffo"
LINES = (FFO / "fforum-1-19.obf").read_text().splitlines()
BOARD = LINES[4].partition(";")[0]


def run(*arguments: str) -> Result:
    return CliRunner().invoke(cli, ["solve", "--hash", "4", *arguments])


def test_the_proofs_of_a_suite_stand_in_one_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "two.obf").write_text("\n".join((LINES[4], LINES[6])))
    path = tmp_path / "two.proof"
    result = run(str(tmp_path / "two.obf"), "--proof", str(path), "--json")
    first, second = (json.loads(line)["proof"] for line in result.stdout.splitlines())

    assert result.exit_code == 0, result.output
    assert (first["line"], second["line"]) == (1, first["lines"] + 1)
    assert (
        f"proofs 2, lines {first['lines'] + second['lines']:,}, bytes {path.stat().st_size:,}"
        in result.stderr
    )
    assert check.main([str(path)]) == 0
    assert capsys.readouterr().out.splitlines() == [
        f"line {proof['line']}: {score} is proven for {line[:66]} by othello, scoring empties, {proof['lines']} lines"
        for proof, score, line in ((first, "+32", LINES[4]), (second, "+8", LINES[6]))
    ]


def test_other_scores_are_proven_by_their_own_rules(tmp_path: Path) -> None:
    path = tmp_path / "count.proof"
    result = run("--board", BOARD, "--rules", "othello,scoring=count", "--proof", str(path))

    assert result.exit_code == 0, result.output
    assert "proof: " in result.output
    assert check.main([str(path)]) == 0


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--wld"], "expected --proof without"),
        (["--time", "1"], "expected --proof without"),
        (["--selectivity", "73"], "expected --proof without"),
        (["--rules", "ravensburger-1987"], "expected rules that turn in every direction"),
        (["--proof", "-"], "it needs the name of a file, not '-' for standard output"),
    ],
)
def test_what_is_not_proven_is_wrong_usage(arguments: list[str], sentence: str, tmp_path: Path) -> None:
    result = run("--board", BOARD, "--proof", str(tmp_path / "x"), *arguments)

    assert result.exit_code == 2
    assert sentence in result.output
    assert list(tmp_path.iterdir()) == []


def test_options_that_clash_are_told_before_the_file_is_read(tmp_path: Path) -> None:
    (tmp_path / "x.obf").write_text("nonsense\n")
    result = run(str(tmp_path / "x.obf"), "--proof", str(tmp_path / "x.proof"), "--wld")

    assert result.exit_code == 2
    assert ":1:1: expected" not in result.output


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("none/x", "outflank: can't write 'none/x' (No such file or directory)\n"),
        ("run.db", "outflank: expected another file to write than "),
    ],
)
def test_a_file_that_cannot_be_written_is_told_before_any_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, sentence: str
) -> None:
    (tmp_path / "run.db").write_bytes(b"SQLite format 3\0 and all that was played")
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(cli, ["solve", "--board", BOARD, "--proof", name])

    assert result.exit_code == 1
    assert result.output.startswith(sentence)
    assert [path.name for path in tmp_path.iterdir()] == ["run.db"]


def test_a_file_without_a_position_leaves_an_older_proof(tmp_path: Path) -> None:
    (tmp_path / "x.obf").write_text("nonsense\n")
    (tmp_path / "x.proof").write_text("old")
    result = run(str(tmp_path / "x.obf"), "--proof", str(tmp_path / "x.proof"))

    assert result.exit_code == 1
    assert (tmp_path / "x.proof").read_text() == "old"


def test_the_positions_are_not_written_over(tmp_path: Path) -> None:
    suite = tmp_path / "x.obf"
    suite.write_text(LINES[4])
    result = run(str(suite), "--proof", str(tmp_path / "." / "x.obf"))

    assert result.exit_code == 2
    assert "expected another file for the proofs" in result.output
    assert suite.read_text() == LINES[4]


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_an_interrupt_keeps_the_proofs_that_are_whole(number: int, code: int, tmp_path: Path) -> None:
    """The last of these positions would take hours."""
    hard = (FFO / "fforum-40-59.obf").read_text().splitlines()[-1]
    (tmp_path / "x.obf").write_text("\n".join((LINES[4], LINES[6], hard)))
    path = tmp_path / "x.proof"
    command = [sys.executable, "-m", "outflank.tools.commands.program", "solve", "--hash", "4", "--json"]
    with subprocess.Popen(
        [*command, str(tmp_path / "x.obf"), "--proof", str(path)], stdout=subprocess.PIPE, text=True
    ) as solver:
        assert solver.stdout is not None
        proofs = [json.loads(solver.stdout.readline())["proof"] for _ in range(2)]
        solver.send_signal(number)
        assert solver.wait(timeout=60) == code

    assert proofs[1]["line"] == proofs[0]["lines"] + 1
    assert check.main([str(path)]) == 0
    assert [file.name for file in tmp_path.iterdir() if file.suffix != ".obf"] == ["x.proof"]


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_the_scores_of_ffo_1_to_19_are_proven(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "ffo.proof"

    assert run(str(FFO / "fforum-1-19.obf"), "--check", "--proof", str(path)).exit_code == 0
    assert check.main([str(path)]) == 0
    assert capsys.readouterr().out.count(" is proven for ") == 19
