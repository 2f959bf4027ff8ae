"""Tasks run here and there alike, as few at a time as there is room for; they share searchers, and tell progress."""

import os
import re
import signal
import sys
from collections.abc import Iterator
from itertools import count, islice
from operator import neg
from pathlib import Path

import pytest

from outflank.engine import Limit, Position
from outflank.engine.evaluation import weights
from outflank.tests.support.installation import python_script
from outflank.tests.support.processes import living_with
from outflank.tests.support.program import open_terminal
from outflank.tools.runtime import progress
from outflank.tools.runtime.executor import cleared_searcher, open_executor, run_all, shared_searcher, within
from outflank.tools.runtime.progress import progress_bar


def test_every_key_meets_its_result_and_one_is_tried_however_little_time_there_is() -> None:
    assert list(within(0.0, range(5))) == [0]
    assert list(within(None, range(5))) == [0, 1, 2, 3, 4]
    with open_executor(workers=2) as (executor, at_once):
        assert at_once == 2
        assert dict(run_all(executor, neg, range(20), at_once)) == {key: -key for key in range(20)}


def test_keys_without_end_are_read_only_as_tasks_finish() -> None:
    read = []

    def keys() -> Iterator[int]:
        for number in count():
            read.append(number)
            yield number

    with open_executor(workers=1) as (executor, at_once):
        results = list(islice(run_all(executor, neg, keys(), at_once), 5))

    assert [key for key, _ in results] == [0, 1, 2, 3, 4]
    assert len(read) <= 6


BROKEN_OFF = """
import os, signal, sys
from multiprocessing import forkserver
from outflank.tools.runtime.executor import open_executor
connect = forkserver.connect_to_new_process
def connect_and_be_ended(fds):
    try:
        return connect(fds)
    finally:
        os.kill(os.getpid(), signal.SIGTERM)
forkserver.connect_to_new_process = connect_and_be_ended
if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    with open_executor(workers=1) as (executor, _):
        executor.submit(abs, -1).result()
"""


def test_a_signal_while_a_worker_starts_prints_nothing() -> None:
    """The worker lacked what its parent had not sent yet, and printed a traceback."""
    ran = python_script("-c", BROKEN_OFF)

    assert (ran.returncode, ran.stderr) == (143, "")


LEFT_LOCKED = """
import signal, sys, time
from outflank.tools.runtime import executor as executors
from outflank.tools.runtime.signals import end_within
if __name__ == "__main__":
    executors._MOST_SECONDS_TO_CLOSE = 0.1
    try:
        with executors.open_executor(workers=1) as (executor, _):
            executor.submit(time.sleep, 1000)._condition.acquire()
            raise KeyboardInterrupt
    except KeyboardInterrupt:
        end_within(0.1, 130)
        sys.exit(130)
"""


def test_an_interruption_that_leaves_a_lock_taken_ends_the_program(tmp_path: Path) -> None:
    """The executor's thread, which waited for it, kept a build of a book from ending for a minute."""
    (tmp_path / "locked.py").write_text(LEFT_LOCKED)

    assert python_script(str(tmp_path / "locked.py")).returncode == 130


KILLED = """
import os, signal, sys, time
from outflank.tools.runtime.executor import open_executor
if __name__ == "__main__":
    with open_executor(workers=2) as (executor, at_once):
        running = [executor.submit(time.sleep, seconds) for seconds in (1000, 0.1)]
        running[1].result()
        os.kill(os.getpid(), signal.SIGKILL)
"""


def test_workers_end_when_their_parent_is_killed(tmp_path: Path) -> None:
    """One that is at work, and one that waits for more."""
    script = tmp_path / "killed.py"
    script.write_text(KILLED)
    mark = f"OUTFLANK_TEST={tmp_path}"
    try:
        ran = python_script(str(script), **dict([mark.split("=", 1)]))
    finally:
        left = living_with(mark)
        for worker in left:
            os.kill(worker, signal.SIGKILL)

    assert ran.returncode == -signal.SIGKILL, ran.stderr
    assert left == []


def test_both_evaluations_keep_their_searchers_which_can_be_cleared(nothing: Path) -> None:
    shipped, other = shared_searcher(), shared_searcher(nothing)

    assert shipped is not other
    assert (shared_searcher(), shared_searcher(nothing)) == (shipped, other)

    first = cleared_searcher().search(Position.start(), Limit(depth=10))
    again = shared_searcher().search(Position.start(), Limit(depth=10))
    cleared = cleared_searcher().search(Position.start(), Limit(depth=10))

    assert (cleared.nodes, cleared.pv) == (first.nodes, first.pv)
    assert again.nodes < first.nodes


def test_workers_search_with_the_weights_of_their_parent(
    nothing: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(weights, "_in_use", nothing)
    with open_executor(workers=1) as (executor, _):
        assert executor.submit(weights.checksum).result() == weights.checksum(nothing)


def test_the_bar_counts_what_is_done(monkeypatch: pytest.MonkeyPatch) -> None:
    screen, terminal = open_terminal()
    with os.fdopen(terminal, "w") as shown:
        monkeypatch.setattr(sys, "stderr", shown)
        with progress_bar("fit", 3, "phases", done=1) as advance:
            advance(1)
        printed = b""
        while b"2/3\x1b[0m phases" not in printed:  # else no end comes, and the test is out of time
            printed += os.read(screen, 1 << 16)
    os.close(screen)


@pytest.mark.parametrize(
    ("seconds", "lines"),
    [
        (10.0, ""),
        (0.0, "fit: 2 of 4 phases, N a second, 0:00:00 left\nfit: 4 of 4 phases, N a second, 0:00:00 left\n"),
    ],
)
def test_without_a_terminal_there_is_a_line_now_and_then_and_no_bar(
    seconds: float, lines: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(progress, "_SECONDS_BETWEEN_LINES", seconds)
    with progress_bar("fit", 4, "phases", done=1) as advance:
        advance(1)
        advance(2)
    printed = capsys.readouterr()

    assert printed.out == ""
    assert re.sub("[0-9,]+ a second", "N a second", printed.err) == lines
