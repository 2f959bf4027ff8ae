"""Proofs that are made survive whatever ends the command, and the same command continues them."""

import json
import lzma
import os
import random
import sqlite3
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from outflank.engine import FileFormatError, Move, OutflankError, Position, Rules, SettingsError
from outflank.engine.search.proving import Prover
from outflank.protocol.formats.obf import Problem
from outflank.tests.support.books import no_file_beyond
from outflank.tests.support.positions import problems, reached
from outflank.tests.support.program import started
from outflank.tests.support.transcripts import run
from outflank.tools.runtime.executor import open_executor
from outflank.tools.solving.jobs.work import Workers
from outflank.tools.solving.proofs import check, make
from outflank.tools.solving.proofs.file import PART_SUFFIX, ProofFile
from outflank.tools.solving.proofs.make import ProofMaker
from outflank.tools.solving.proofs.write import ProofState, ProofWriter
from outflank.tools.solving.solutions import SolutionReport

SMALL = problems("ffo-1")
LARGE = problems("ffo-20")[6]  # 20 empty squares, more than 200,000 lines: several steps
OTHELLO = Rules()


class FreshSearches:
    """Answers from a search with an empty table, so that they depend on the question alone."""

    def answer(self, position: Position, score: int) -> Move:
        return Prover(position.rules, 1).answer(position, score)


def written(path: Path) -> dict[str, str]:
    """Return the proofs of a file by their boards."""
    texts = lzma.decompress(path.read_bytes()).decode().split("outflank proof 3\n")[1:]
    return {text.split("\n")[3]: text for text in texts}


@pytest.mark.parametrize(
    "seed", [0, 1, 2, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (3, 4, 5))]
)
def test_a_proof_that_is_interrupted_after_any_line_is_the_same(seed: int, rng: random.Random) -> None:
    position = reached(seed, 8)
    score = int(run_score(position))
    whole: list[str] = []
    ProofWriter(position, score, 3, FreshSearches()).write(whole.append)

    parts: list[str] = []
    state = ProofState()
    shares = [0.0]
    while not state.is_complete:
        writer = ProofWriter(position, score, 3, FreshSearches(), state=state)
        end = len(parts) + rng.randint(1, 20)
        writer.write(parts.append, lambda end=end: len(parts) >= end)  # type: ignore[misc]
        state = writer.state
        shares.append(writer.share)

    assert parts == whole
    assert shares == sorted(shares)
    assert (shares[-1], state.lines) == (1.0, len(whole))


def run_score(position: Position) -> float:
    return float(
        json.loads(run("solve", "--board", position.board_string(), "--json").stdout.splitlines()[-1])[
            "score"
        ]
    )


@pytest.mark.parametrize(
    "path", [(("a1", 0),), (("", 0),), (("pass", 1),), (("d3", 99),), (("d3", 0), ("c3", 0)), (("d3", -1),)]
)
def test_a_state_of_another_proof_is_refused(path: tuple[tuple[str, int], ...]) -> None:
    with pytest.raises(OutflankError):
        ProofWriter(Position.start(), 0, 6, FreshSearches(), state=ProofState(9, 0, path))


def test_a_killed_proof_equals_an_undisturbed_one_and_loses_nothing_that_was_whole(
    tmp_path: Path, rng: random.Random
) -> None:
    kill_and_compare(tmp_path, SMALL[12:], 3, rng)


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_sixty_kills_of_proofs_lose_nothing(tmp_path: Path, rng: random.Random) -> None:
    kill_and_compare(tmp_path, [LARGE, *SMALL], 60, rng)


def kill_and_compare(folder: Path, asked: Sequence[Problem], times: int, rng: random.Random) -> None:
    suite = folder / "x.obf"
    suite.write_text("\n".join(map(str, asked)))
    command = ("proof", "make", suite, "--hash", 4, "--workers", 2, "--check", "-o")
    undisturbed, killed = folder / "a.proof", folder / "b.proof"
    run(*command, undisturbed)
    before: dict[str, str] = {}
    ended = 0
    for _ in range(times):
        maker = started(*command, killed)
        time.sleep(rng.uniform(0.2, 3))
        maker.kill()
        maker.communicate()
        if before and not killed.with_name(killed.name + PART_SUFFIX).exists():
            ended += 1
            killed.unlink()
            before = {}
            continue
        after = complete(killed)
        assert before.items() <= after.items()
        before = after
    told = run(*command, killed)

    assert f"{killed}: proofs {len(asked)}" in told.stdout
    assert written(killed) == written(undisturbed)
    assert {path.name for path in folder.iterdir()} - {"b.proof.outflank-lock"} == {
        "x.obf",
        "a.proof",
        "b.proof",
    }
    assert times < 10 or ended + times // 4 < times, "most kills came while proofs were made"


def complete(path: Path) -> dict[str, str]:
    """Return the complete proofs of a file whose writer was killed."""
    if not path.exists():
        return {}
    data, texts = path.read_bytes(), ""
    while data:
        unpacker = lzma.LZMADecompressor(lzma.FORMAT_XZ)
        text = unpacker.decompress(data).decode()
        if not unpacker.eof:
            break
        texts, data = texts + text, unpacker.unused_data
    proofs = texts.split("outflank proof 3\n")[1:]
    return {text.split("\n")[3]: text for text in proofs if text.endswith("\nend\n")}


def test_the_same_command_does_what_is_left_and_then_nothing(tmp_path: Path) -> None:
    two, three = tmp_path / "two.obf", tmp_path / "three.obf"
    two.write_text(f"{SMALL[4]}\n{SMALL[6]}\n")
    three.write_text(f"{SMALL[5]}\n{two.read_text()}")
    path = tmp_path / "x.proof"
    run("proof", "make", two, "-o", path)
    before = path.read_bytes()

    again = run("proof", "make", two, "-o", path)
    assert "x.proof: proofs 2" in again.stdout
    assert "0 solved" in again.stdout
    assert path.read_bytes() == before

    more = run("proof", "make", three, "-o", path)
    assert "1 solved" in more.stdout
    assert path.read_bytes().startswith(before)
    assert len(written(path)) == 3


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ((SMALL[5],), "has a proof of another position, "),
        ((SMALL[4], "--searched", "5"), "has proofs under the rules othello with --searched 6: use these"),
        (
            (SMALL[4], "--rules", "othello,scoring=count"),
            "has proofs under the rules othello with --searched 6",
        ),
    ],
)
def test_a_file_of_other_proofs_is_named_and_left_alone(
    words: tuple[object, ...], sentence: str, tmp_path: Path
) -> None:
    path = tmp_path / "x.proof"
    run("proof", "make", "--board", SMALL[4], "-o", path)
    before = path.read_bytes()
    refused = run("proof", "make", "--board", *words, "-o", path, code=1)

    assert sentence in refused.stderr
    assert path.read_bytes() == before
    assert [each.name for each in tmp_path.iterdir()] == ["x.proof"]


@pytest.mark.parametrize("data", [b"dear diary\n", lzma.compress(b"dear diary\n"), b"\xfd7zXZ\x00junk"])
def test_a_file_that_has_no_proofs_is_left_alone(data: bytes, tmp_path: Path) -> None:
    path = tmp_path / "diary"
    path.write_bytes(data)

    assert "is not a file of proofs" in run("proof", "make", "--board", SMALL[4], "-o", path, code=1).stderr
    assert path.read_bytes() == data
    assert [each.name for each in tmp_path.iterdir()] == ["diary"]


def test_only_one_process_writes_to_a_file(tmp_path: Path) -> None:
    with (
        ProofFile(tmp_path / "x.proof", OTHELLO, 6),
        pytest.raises(FileFormatError, match=r"only one process may write proofs to .*, held by process \d+"),
    ):
        ProofFile(tmp_path / "x.proof", OTHELLO, 6)


def made(path: Path, count: int = 3) -> ProofFile:
    """Make the first proofs of a suite in this process, and return their file, which is closed."""
    report = SolutionReport(False, False)
    with ProofFile(path, OTHELLO, 6) as file, Workers(partial(open_executor, 1, None), 4) as workers:
        ProofMaker(SMALL[4 : 4 + count], file, workers, report, 6, {}).run()
    return file


def test_an_interrupted_append_is_cut_off(tmp_path: Path) -> None:
    path = tmp_path / "x.proof"
    made(path)
    whole = path.read_bytes()
    for more in (
        b"\xfd7zXZ",
        lzma.compress(b"outflank proof 3\n")[:-5],
        lzma.compress(b"outflank proof 3\n"),
    ):
        path.write_bytes(whole + more)
        with ProofFile(path, OTHELLO, 6) as file:
            assert len(file.done) == 3
        assert path.read_bytes() == whole


def test_a_full_disk_is_told_and_keeps_the_proofs(tmp_path: Path) -> None:
    path = tmp_path / "x.proof"
    made(path, 1)
    whole = path.read_bytes()
    with no_file_beyond(len(whole) + 100), pytest.raises(OutflankError, match=r"can't (use|write) "):
        made(path)
    assert path.read_bytes() == whole
    made(path)

    assert len(written(path)) == 3


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE part SET lines = 5",
        "UPDATE part SET path = 'x'",
        "UPDATE part SET facts = '{}'",
        "UPDATE part SET proven = 5",
        "UPDATE chunk SET lines = x'00'",
        "UPDATE chunk SET lines = 'text'",
        "UPDATE chunk SET lines = x'' WHERE number = 1",
        "UPDATE chunk SET number = number + 5",
        "UPDATE chunk SET board = 'x'",
        "DELETE FROM chunk",
    ],
)
def test_a_damaged_part_is_written_again(
    change: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "x.proof"
    position = SMALL[4].position
    monkeypatch.setattr(make, "STEP_LINES", 100)
    with ProofFile(path, OTHELLO, 6) as file:
        file.begin(position, 32, {"pv": ["g8"], "nodes": 1, "seconds": 0.5})
        state = ProofState()
        for _ in range(2):
            step = make._write(position, 32, 6, state, {}, 4, 1)
            state = step.state
            file.add(position, state, step.lines, 0.1)
    with closing(sqlite3.connect(f"{path}{PART_SUFFIX}")) as connection, connection:
        connection.execute(change)
    if change.startswith("UPDATE chunk SET lines"):
        with pytest.raises(FileFormatError, match="is damaged: repeat the command to write the proof of"):
            made(path, 1)
        assert complete(path) == {}
    made(path, 1)

    assert check.main([str(path)]) == 0
    assert len(written(path)) == 1


def test_parts_of_other_rules_are_named_and_kept(tmp_path: Path) -> None:
    path = tmp_path / "x.proof"
    with ProofFile(path, OTHELLO, 6) as file:
        file.begin(SMALL[4].position, 32, {"pv": [], "nodes": 1, "seconds": 0.5})
    with pytest.raises(SettingsError, match="has incomplete proofs with searched 6: use this value"):
        ProofFile(path, OTHELLO, 5)
    with ProofFile(path, OTHELLO, 6) as file:
        assert len(file.parts) == 1


def test_proofs_of_a_job_use_what_the_job_knows(tmp_path: Path) -> None:
    suite = tmp_path / "x.obf"
    suite.write_text("\n".join(map(str, SMALL[4:7])))
    run("job", "start", tmp_path / "job", suite, "--workers", 1)
    told = run("proof", "make", tmp_path / "job", "--check", "--json", "-o", tmp_path / "x.proof")

    found = [json.loads(line) for line in told.stdout.splitlines()]
    assert [each["nodes"] for each in found] == [0, 0, 0]
    assert check.main([str(tmp_path / "x.proof")]) == 0


def test_progress_says_how_much_is_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(make, "_JSON_SECONDS", 0.0)
    with (
        ProofFile(tmp_path / "x.proof", OTHELLO, 6) as file,
        Workers(partial(open_executor, 1, None), 4) as workers,
    ):
        maker = ProofMaker(SMALL[4:7], file, workers, SolutionReport(False, True), 6, {})
        before = maker._draw()
        maker.run()
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    shares = [line["progress"]["share"] for line in lines if "progress" in line]

    assert before == "0 of 3 proofs, 0 s"
    assert shares == sorted(shares)
    assert shares[-1] == 1.0
    assert all(
        line["progress"]["left"] >= 0 for line in lines if line.get("progress", {}).get("left") is not None
    )


class MortalWorkers(Workers):
    """Workers of which the first few die of their first task."""

    def __init__(self, deaths: int) -> None:
        super().__init__(partial(open_executor, 1, None), 4)
        self._deaths = deaths

    def submit(self, task: Callable[..., Any], *arguments: Any) -> "Future[Any]":
        self._deaths -= 1
        return self.executor.submit(os._exit, 1) if self._deaths >= 0 else super().submit(task, *arguments)


def test_a_worker_that_dies_is_replaced_unless_they_die_again_and_again(tmp_path: Path) -> None:
    def make_by(workers: Workers, path: Path) -> None:
        with ProofFile(path, OTHELLO, 6) as file, workers:
            ProofMaker(SMALL[4:5], file, workers, SolutionReport(False, False), 6, {}).run()

    make_by(MortalWorkers(2), tmp_path / "x.proof")
    with pytest.raises(OutflankError, match="workers died 3 times without a result"):
        make_by(MortalWorkers(3), tmp_path / "y.proof")

    assert len(written(tmp_path / "x.proof")) == 1
    assert [path.name for path in tmp_path.iterdir()] == ["x.proof"]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning")
def test_a_cluster_makes_the_proofs_that_one_machine_makes(tmp_path: Path, cluster: str) -> None:
    there = Workers(partial(open_executor, None, cluster), 4)
    with ProofFile(tmp_path / "x.proof", OTHELLO, 6) as file, there:
        ProofMaker(SMALL[4:7], file, there, SolutionReport(False, False), 6, {}).run()
    made(tmp_path / "y.proof")

    assert written(tmp_path / "x.proof") == written(tmp_path / "y.proof")
