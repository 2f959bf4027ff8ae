"""A run on a Dask cluster of this machine: scheduler and workers are processes, and one of them dies half-way."""

import json
import os
import re
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from outflank import __version__
from outflank.book import BookWriter
from outflank.engine import Rules, SettingsError
from outflank.engine.evaluation.weights import SHIPPED, checksum
from outflank.tests.support.processes import children, living_members
from outflank.tests.support.program import certificate, outflank, started
from outflank.tests.support.runs import conduct, settings
from outflank.tests.support.transcripts import run
from outflank.tests.tools.commands.test_tune import USUAL as TUNED
from outflank.tests.tools.match.test_resume import ENGINES, SEED, begin, results
from outflank.tools.match.state.store import read_run
from outflank.tools.report.figures import Figures
from outflank.tools.runtime.cluster import if_same_build, this_build

Client = pytest.importorskip("distributed").Client
_ADDRESS = re.compile(rb"(t(?:cp|ls)://127\.0\.0\.1:\d+)")


MATCH = [
    *("--games", "2", "--openings", "random:2"),
    *("--engine", "name=A cmd='outflank gtp --level 1'", "--engine", "name=B cmd='outflank gtp --level 1'"),
]


@contextmanager
def process(*arguments: str) -> Iterator[subprocess.Popen[bytes]]:
    """Yield a program of Dask that is gone afterwards, with all of its children."""
    command = [sys.executable, "-m", *arguments, "--host", "127.0.0.1", "--no-dashboard"]
    running = subprocess.Popen(command, stderr=subprocess.PIPE, start_new_session=True)
    try:
        yield running
    finally:
        os.killpg(running.pid, signal.SIGKILL)
        running.communicate()


@contextmanager
def scheduler(*options: str) -> Iterator[str]:
    with process("distributed.cli.dask_scheduler", "--port", "0", *options) as running:
        assert running.stderr is not None
        for line in running.stderr:
            if found := _ADDRESS.search(line):
                yield found[1].decode()
                return
        raise AssertionError("the scheduler did not start")


def worker(address: str, *options: str) -> list[str]:
    return ["distributed.cli.dask_worker", address, "--nthreads", "1", "--no-nanny", *options]


def wait_for_worker(address: str) -> None:
    """Without one there is nobody whose build could be looked at."""
    with Client(address, set_as_default=False) as client:
        client.wait_for_workers(1, timeout=60)


def refused(*words: str) -> str:
    """Run the program in this process, which has imported Dask already, and return the last line of its refusal."""
    return run(*words, code=1).stderr.splitlines()[-1]


@pytest.fixture(scope="module")
def cluster() -> Iterator[tuple[str, list[int]]]:
    """Yield the address of a scheduler, and the ids of its two workers."""
    with scheduler() as address, process(*worker(address)) as first, process(*worker(address)) as second:
        yield address, [first.pid, second.pid]


def test_a_tuning_takes_the_same_path_on_a_cluster(tmp_path: Path, cluster: tuple[str, list[int]]) -> None:
    options = ["tune", *TUNED, "--games", "20", "--concurrency", "2", "--sprt", "none"]
    run(*options, "--out", tmp_path / "here")
    run(*options, "--out", tmp_path / "there", "--cluster", cluster[0])
    here, there = read_run(tmp_path / "here"), read_run(tmp_path / "there")

    assert results(there) == results(here)
    assert Figures(there).values == Figures(here).values != ()


def test_an_engine_that_is_not_there_is_named_and_ctrl_c_ends_what_the_workers_play(
    tmp_path: Path, cluster: tuple[str, list[int]]
) -> None:
    address, workers = cluster
    engines = ["--engine", "name=A cmd=no-such-engine", "--engine", "name=B cmd=cat"]
    said = refused("match", *engines, "--cluster", address, "--out", str(tmp_path / "m"))
    assert said.endswith("there is no program 'no-such-engine'")
    assert not (tmp_path / "m").exists()
    running = started(*begin(tmp_path / "m", 10_000, 1), "--cluster", address)
    assert running.stdout is not None
    for _ in range(4):
        running.stdout.readline()
    running.send_signal(signal.SIGINT)
    running.communicate(timeout=60)

    deadline = time.monotonic() + 10
    while any(map(children, workers)) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert running.returncode == 128 + signal.SIGINT
    assert [children(at_work) for at_work in workers] == [[], []]
    assert read_run(tmp_path / "m").interrupted


def test_a_worker_that_dies_half_way_costs_nothing(tmp_path: Path, cluster: tuple[str, list[int]]) -> None:
    address, (doomed, _) = cluster
    running = started(*begin(tmp_path / "m", 24, 1), "--cluster", address)
    assert running.stdout is not None
    ended = 0
    while ended < 6:
        line = running.stdout.readline()
        assert line, running.communicate()[1]
        ended += json.loads(line)["event"] == "game-ended"
    while not (engines := children(doomed)):
        time.sleep(0.001)
    os.kill(doomed, signal.SIGKILL)
    output, errors = running.communicate(timeout=100)
    run = read_run(tmp_path / "m")

    assert running.returncode == 0, errors
    assert json.loads(output.splitlines()[-1])["games"] == 24
    assert results(run) == results(conduct(settings(*ENGINES, games=24, seed=SEED), tmp_path / "whole"))
    assert run.finished
    assert run.voids == ()
    assert all(living_members(engine) == [] for engine in engines)


def test_workers_of_another_build_are_refused_with_both_named(tmp_path: Path) -> None:
    """A match, a book and training would take their numbers for ours; no book is left that was only begun."""
    (tmp_path / "other.py").write_text("import outflank; outflank.__version__ = '0.9.0'")
    old, new = (f"Outflank {version} with evaluation {checksum()}" for version in ("0.9.0", __version__))
    named = f"runs {old}, but this command runs {new}: install the same build on both"
    with scheduler() as address, process(*worker(address, "--preload", str(tmp_path / "other.py"))):
        wait_for_worker(address)
        match = outflank("match", *MATCH, "--cluster", address, "--out", tmp_path / "m")
        assert (match.returncode, "Traceback" in match.stderr) == (1, False), match.stderr
        assert named in match.stderr.splitlines()[-1]
        assert named in refused("book", "build", str(tmp_path / "b"), "--cluster", address)
        assert named in refused("train", "gate", str(SHIPPED), "--cluster", address)

    assert {path.name for path in tmp_path.iterdir()} - {"__pycache__"} == {"other.py"}


def test_a_run_holds_its_build_and_a_worker_of_another_one_refuses_its_tasks(tmp_path: Path) -> None:
    conduct(settings(*ENGINES, games=2, seed=SEED), tmp_path)
    connection = sqlite3.connect(tmp_path / "run.db")
    facts = dict(connection.execute("SELECT name, value FROM run"))
    connection.close()

    assert (facts["outflank"], facts["evaluation"]) == this_build()

    assert if_same_build(this_build(), max, 1, 2) == 2
    with pytest.raises(SettingsError, match=r"runs Outflank .*, but this command runs Outflank 0\.9\.0 with"):
        if_same_build(("0.9.0", checksum()), max, 1, 2)
    with pytest.raises(SettingsError, match=r"runs Outflank .*, but this command runs Outflank .* 00c0ffee"):
        if_same_build((__version__, "00c0ffee"), max, 1, 2)


@pytest.mark.parametrize(
    "words",
    [["match", "--games", "2", "--no-records"], ["book", "build", "b"], ["book", "merge", "b", "other"]],
)
def test_a_scheduler_that_is_not_there_is_named_and_nothing_is_begun(
    words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("outflank.tools.runtime.cluster._CONNECT_SECONDS", 1)
    monkeypatch.chdir(tmp_path)
    BookWriter.create("other", Rules()).close()
    result = run(*words, "--cluster", "tcp://127.0.0.1:1", code=1)

    assert "can't reach a Dask scheduler at tcp://127.0.0.1:1: " in result.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["other"]


def test_a_match_is_played_on_a_cluster_behind_tls(tmp_path: Path) -> None:
    """With the certificates of Dask's configuration; without them it says what is missing."""
    cert, key = certificate(tmp_path)
    options = ["--tls-ca-file", str(cert), "--tls-cert", str(cert), "--tls-key", str(key)]
    configured = {
        "DASK_DISTRIBUTED__COMM__TLS__CA_FILE": str(cert),
        "DASK_DISTRIBUTED__COMM__TLS__CLIENT__CERT": str(cert),
        "DASK_DISTRIBUTED__COMM__TLS__CLIENT__KEY": str(key),
    }
    with scheduler("--protocol", "tls", *options) as address, process(*worker(address, *options)):
        assert address.startswith("tls://")
        words = ["match", *MATCH, "--no-records", "--cluster", address]
        played = outflank(*words, "--json", env={**os.environ, **configured})
        assert played.returncode == 0, played.stderr
        assert json.loads(played.stdout.splitlines()[-1])["games"] == 2
        assert "without certificates: set distributed.comm.tls" in refused(*words)
