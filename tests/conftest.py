"""What more than one folder of tests needs: how hard Hypothesis tries, random numbers to be had again, and turns.

A failing Hypothesis test prints the smallest example and a blob that replays it, and the next run tries that
example first. ``--hypothesis-profile=thorough`` tries forty times as many examples. Other random tests take
`rng`; its seed is printed when they fail, and ``OUTFLANK_TEST_SEED`` sets it.

Tests marked ``alone`` measure time: while one of them runs, no other test does, in any of pytest-xdist's workers.
They come after the others of their file. Two locks make sure that nothing runs beside them. A test holds the room
while it runs, together with others or alone. It comes in by the door, and whoever waits to be alone stands in it, so
that nobody else comes in meanwhile.
"""

import fcntl
import os
import random
import signal
import sqlite3
import sys
import traceback
from collections.abc import Callable, Generator, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

_RUN = "OUTFLANK_TEST_RUN"
"""A variable with the process id of the test run, by which its processes are found, whoever their parent is."""
_DOOR, _ROOM = Path(__file__), Path(__file__).with_name("__init__.py")
settings.register_profile(
    "default",
    max_examples=50,
    deadline=None,  # a shared machine stalls now and then; pytest-timeout catches what hangs
    derandomize=False,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],  # the oracle is slow on purpose
)
settings.register_profile("thorough", settings.get_profile("default"), max_examples=2000)


def is_alone(item: pytest.Item) -> bool:
    return item.get_closest_marker("alone") is not None


@contextmanager
def turn(alone: bool) -> Iterator[None]:
    """Wait until a test may run, and let no other run beside it that must not."""
    with _ROOM.open() as room:  # closing a file unlocks it
        with _DOOR.open() as door:
            fcntl.flock(door, fcntl.LOCK_EX)
            fcntl.flock(room, fcntl.LOCK_EX if alone else fcntl.LOCK_SH)
        yield
        fcntl.flock(room, fcntl.LOCK_UN)  # a child that the test forked may hold the file open


def pytest_configure(config: pytest.Config) -> None:
    """Use our default unless the command line names a profile; with CI set Hypothesis would use its own."""
    if config.getoption("--hypothesis-profile") is None:
        settings.load_profile("default")
    os.environ["XDG_CONFIG_HOME"] = os.devnull  # a developer's own defaults of options change no test
    heed_signals()
    if not hasattr(config, "workerinput"):  # the workers of pytest-xdist inherit both
        os.environ[_RUN] = str(os.getpid())
        state = TemporaryDirectory(prefix="outflank-state-", ignore_cleanup_errors=True)
        os.environ["XDG_STATE_HOME"] = state.name  # nothing is kept in a developer's own folder
        # Without a folder of its own, Matplotlib lists this machine's fonts again in each process.
        os.environ.setdefault("MPLCONFIGDIR", str(config.cache.mkdir("matplotlib")))
        config.add_cleanup(state.cleanup)


def heed_signals() -> None:
    """Give the programs that tests start the default handlers, also below ``nohup`` and in a background job.

    Ignored signals are inherited, handlers written in Python are not. Of the ignored signals, this process itself heeds
    SIGINT alone.
    """
    for number in (signal.SIGINT, signal.SIGHUP, signal.SIGQUIT, signal.SIGTERM):
        if signal.getsignal(number) == signal.SIG_IGN:
            signal.signal(number, signal.default_int_handler if number == signal.SIGINT else lambda *_: None)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_sessionfinish(session: pytest.Session) -> Generator[None, object, object]:
    """Kill processes that the tests left behind, and fail the run with their names."""
    result = yield
    if not hasattr(session.config, "workerinput"):
        from outflank.tests.support.processes import kill_remains

        if left := kill_remains(f"{_RUN}={os.environ[_RUN]}"):
            print("\nprocesses that the tests left behind, now killed:", *left, sep="\n    ")
            session.exitstatus = pytest.ExitCode.TESTS_FAILED
    return result


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """Three times as many workers for ``-n auto`` as this process may use processors: many tests wait."""
    return 3 * len(os.sched_getaffinity(0))


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Start the longest files first if several processes share the tests: the web pages, then the other tools."""
    if hasattr(config, "workerinput"):
        items.sort(key=lambda item: ("tools" not in item.path.parts, "web" not in item.path.parts))
    items.sort(key=is_alone)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Wait for a test's turn before its own time begins."""
    with turn(is_alone(item)):
        return (yield)


@pytest.fixture
def sit() -> Iterator[Callable[..., Any]]:
    """``dialogue.fake_driver``, whose engines are gone when the test is over."""
    from outflank.tests.support.dialogue import fake_driver  # not at the top: few tests need it

    with ExitStack() as stack:

        def sit_down(*arguments: Any, **named: Any) -> Any:
            driver = fake_driver(*arguments, **named)
            stack.callback(driver.close, 0.1)
            return driver

        yield sit_down


@pytest.fixture(autouse=True)
def closed_connections(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Fail a test that leaves a connection to SQLite open; Python 3.13 and newer report one that is only collected."""
    opened: list[tuple[sqlite3.Connection, traceback.StackSummary]] = []
    connect = sqlite3.connect

    def watched_connect(*arguments: Any, **named: Any) -> sqlite3.Connection:
        connection: sqlite3.Connection = connect(*arguments, **named)
        callers = traceback.walk_stack(sys._getframe(1))
        opened.append((connection, traceback.StackSummary.extract(callers, limit=10, lookup_lines=False)))
        return connection

    monkeypatch.setattr(sqlite3, "connect", watched_connect)
    yield
    left = ["".join(callers.format()) for connection, callers in opened if is_open(connection)]
    assert not left, "connections left open, innermost call first:\n\n" + "\n\n".join(left)


def is_open(connection: sqlite3.Connection) -> bool:
    try:
        return connection.total_changes >= 0
    except sqlite3.ProgrammingError:
        return False


@pytest.fixture
def rng() -> random.Random:
    """Random numbers, new in every run; the seed is shown with a failure."""
    seed = int(os.environ.get("OUTFLANK_TEST_SEED", random.SystemRandom().randrange(2**32)))
    print(f"repeat with OUTFLANK_TEST_SEED={seed}")
    return random.Random(seed)
