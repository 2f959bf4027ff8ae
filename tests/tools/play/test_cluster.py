"""A run on a Dask cluster of this machine: scheduler and workers are processes, and one of them dies half-way."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from outflank.tests.processes import children, living_members
from outflank.tests.tools.play.halls import conduct, settings
from outflank.tests.tools.state.test_resume import ENGINES, OUTFLANK, SEED, begin, results
from outflank.tools.state.store import read_run

pytest.importorskip("distributed")
_ADDRESS = re.compile(rb"(tcp://127\.0\.0\.1:\d+)")


@contextmanager
def process(*arguments: str) -> Iterator[subprocess.Popen[bytes]]:
    """A program of Dask that is gone afterwards, with all of its children."""
    command = [sys.executable, "-m", *arguments, "--host", "127.0.0.1", "--no-dashboard"]
    running = subprocess.Popen(command, stderr=subprocess.PIPE, start_new_session=True)
    try:
        yield running
    finally:
        os.killpg(running.pid, signal.SIGKILL)
        running.communicate()


@contextmanager
def scheduler() -> Iterator[str]:
    """The address of a scheduler."""
    with process("distributed.cli.dask_scheduler", "--port", "0") as running:
        assert running.stderr is not None
        for line in running.stderr:
            if found := _ADDRESS.search(line):
                yield found[1].decode()
                return
        raise AssertionError("the scheduler did not start")


def worker(address: str) -> list[str]:
    return ["distributed.cli.dask_worker", address, "--nthreads", "1", "--no-nanny"]


def test_a_worker_that_dies_half_way_costs_nothing(tmp_path: Path) -> None:
    with scheduler() as address, process(*worker(address)) as doomed, process(*worker(address)):
        running = subprocess.Popen(
            [OUTFLANK, *begin(tmp_path / "m", 40, 1), "--cluster", address],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert running.stdout is not None
        ended = 0
        while ended < 10:
            line = running.stdout.readline()
            assert line, running.communicate()[1]
            ended += json.loads(line)["event"] == "game-ended"
        while not (engines := children(doomed.pid)):
            time.sleep(0.001)
        doomed.send_signal(signal.SIGKILL)
        output, errors = running.communicate(timeout=100)
    run = read_run(tmp_path / "m")

    assert running.returncode == 0, errors
    assert json.loads(output.splitlines()[-1])["games"] == 40
    assert results(run) == results(conduct(settings(*ENGINES, games=40, seed=SEED), tmp_path / "whole"))
    assert run.finished
    assert run.voids == ()
    assert all(living_members(engine) == [] for engine in engines)


def test_ctrl_c_ends_what_the_workers_are_playing(tmp_path: Path) -> None:
    with scheduler() as address, process(*worker(address)) as at_work:
        running = subprocess.Popen(
            [OUTFLANK, *begin(tmp_path / "m", 10_000, 1), "--cluster", address],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        assert running.stdout is not None
        for _ in range(4):
            running.stdout.readline()
        running.send_signal(signal.SIGINT)
        running.communicate(timeout=60)

        deadline = time.monotonic() + 10
        while children(at_work.pid) and time.monotonic() < deadline:
            time.sleep(0.1)
        assert running.returncode == 128 + signal.SIGINT
        assert children(at_work.pid) == []
        assert read_run(tmp_path / "m").interrupted


def test_an_engine_that_can_not_play_there_is_refused_in_words(tmp_path: Path) -> None:
    with scheduler() as address, process(*worker(address)):
        ran = subprocess.run(
            [OUTFLANK, "match", "--engine", "name=A cmd=no-such-engine", "--engine", "name=B cmd=cat"]
            + ["--cluster", address, "--out", str(tmp_path / "m")],
            capture_output=True,
            text=True,
            check=False,
        )

    assert ran.returncode == 1
    assert ran.stderr.splitlines()[-1].endswith("expected a program to run, found no 'no-such-engine'")
    assert not (tmp_path / "m").exists()


def test_a_scheduler_that_is_not_there_is_named(tmp_path: Path) -> None:
    ran = subprocess.run(
        [OUTFLANK, "match", "--cluster", "tcp://127.0.0.1:1", "--games", "2", "--no-records"],
        capture_output=True,
        text=True,
        check=False,
    )

    assert ran.returncode == 1
    assert "expected a Dask scheduler at tcp://127.0.0.1:1, got: " in ran.stderr
    assert "Traceback" not in ran.stderr
