"""``outflank solve``, ``job`` and ``proof`` on whole suites, and interrupted; more in transcripts/analysis.console."""

import json
import signal
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner

from outflank.protocol.formats.samples import samples
from outflank.tests.support.program import started
from outflank.tests.support.transcripts import run
from outflank.tools.cli.program import cli
from outflank.tools.solving import problems
from outflank.tools.solving.proofs import check

LINES = samples()["ffo-1"].read_text().splitlines()


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_the_published_scores_of_all_moves_of_20_to_39_are_confirmed() -> None:
    run("solve", "ffo-20", "--check", "--all-moves")


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_an_interrupt_keeps_the_proofs_that_are_whole(number: int, code: int, tmp_path: Path) -> None:
    """The last of these positions would take hours."""
    hard = samples()["ffo-40"].read_text().splitlines()[-1]
    (tmp_path / "x.obf").write_text("\n".join((LINES[4], LINES[6], hard)))
    path = tmp_path / "x.proof"
    words = ("proof", "make", "--hash", 4, "--json", tmp_path / "x.obf", "-o", path)
    with started(*words, stderr=None) as solver:
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
    run("proof", "make", "ffo-1", "--check", "-o", path)
    assert check.main([str(path)]) == 0
    assert capsys.readouterr().out.count(" is proven for ") == 19


@pytest.mark.parametrize("limit", [1_000, pytest.param(None, marks=pytest.mark.slow)])
def test_positions_without_an_end_are_refused_at_a_limit(
    limit: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The quick case lowers the program's limit, since 100,000 positions take seconds."""
    if limit:
        monkeypatch.setattr(problems, "_MOST_POSITIONS", limit)
    with subprocess.Popen(["yes", "f5d6"], stdout=subprocess.PIPE) as endless:
        result = CliRunner().invoke(cli, ["solve", "-"], input=endless.stdout)

    assert result.exit_code == 1
    assert result.output == f"outflank: standard input has more than {limit or 100_000:,} positions\n"


@pytest.mark.parametrize(
    ("given", "force"),
    [
        ("", "1 worker of 3 threads"),
        ("--threads 2", "1 worker of 2 threads"),
        ("--workers 2", "2 workers, "),
        ("--workers 2 --threads 2", "2 workers of 2 threads"),
    ],
)
def test_one_worker_with_all_processors_is_the_default(
    given: str, force: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("outflank.tools.solving.jobs.work.processors", lambda: 3)
    found = run("job", "start", tmp_path / "job", "--board", LINES[0], *given.split()).output

    assert force in found
    assert "+18" in found
