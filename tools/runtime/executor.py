"""Executors of tasks: processes on this machine, or a Dask cluster with the same interface."""

import functools
import multiprocessing
import os
import signal
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ProcessPoolExecutor, wait
from contextlib import contextmanager
from itertools import chain, islice
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import TypeVar

from outflank.engine import OutflankError, Searcher
from outflank.engine.evaluation.weights import checksum, in_use, use
from outflank.engine.machine import processors
from outflank.protocol.lines import LONGEST_WAIT_SECONDS
from outflank.tools.runtime.cluster import connect, if_same_build, places, this_build
from outflank.tools.runtime.signals import held_back

if sys.platform == "win32":
    from multiprocessing.context import SpawnContext as Context
    from multiprocessing.context import SpawnProcess as StartedProcess
else:
    from multiprocessing import forkserver, resource_tracker
    from multiprocessing.context import ForkServerContext as Context
    from multiprocessing.context import ForkServerProcess as StartedProcess

Key = TypeVar("Key")
Result = TypeVar("Result")
_AHEAD = 4  # the number of tasks queued for each worker, so that a long task does not keep the others idle
_MOST_SECONDS_TO_CLOSE = 5


@contextmanager
def open_executor(workers: int | None = None, cluster: str | None = None) -> Iterator[tuple[Executor, int]]:
    """Yield an executor and the number of tasks that it runs in parallel. At the end, cancel tasks not yet started.

    Args:
        workers: the number of processes on this machine; None for one per processor.
        cluster: the address of a Dask scheduler (``tcp://host:port``) whose workers are used instead.

    Raises: SettingsError if the cluster can't be reached, or if a worker runs another build; OutflankError if processes
        can't be started.
    """
    if cluster is None:
        count = workers or processors()
        _start_helpers()
        try:
            executor: Executor = ProcessPoolExecutor(
                count, _Context(), _begin_as_worker, (in_use().absolute(),)
            )
        except OSError as error:  # the error has no errno if a semaphore can't be created
            reason = error.strerror if error.errno else "the system can't create their locks"
            raise OutflankError(f"can't start workers ({reason})") from None
        try:
            yield executor, count
        except BaseException:
            # Kill the workers: their tasks may take minutes, and nobody receives the results.
            for worker in multiprocessing.active_children():
                worker.kill()
            # The shutdown has a time limit, since it waits forever if a signal interrupted code that held a lock.
            closing = threading.Thread(target=executor.shutdown, kwargs={"cancel_futures": True}, daemon=True)
            closing.start()
            closing.join(_MOST_SECONDS_TO_CLOSE)
            raise
        executor.shutdown(cancel_futures=True)
        return
    with connect(cluster) as client:
        remote = client.get_executor(pure=False)
        # Each task first checks the worker's build.
        remote.submit = functools.partial(remote.submit, if_same_build, this_build())
        yield remote, places(client)


class _Context(Context):
    """Starts workers from a fork server, which has no threads; on Windows, starts each as a new process."""

    class Process(StartedProcess):
        """A process that defers signals while it starts, since a partly started worker would print a traceback."""

        def start(self) -> None:
            with held_back():
                super().start()


def run_all(
    executor: Executor, task: Callable[[Key], Result], keys: Iterable[Key], at_once: int
) -> Iterator[tuple[Key, Result]]:
    """Yield each key with the result of `task` for it, in the order of completion.

    `keys` is read lazily as tasks finish, so it may be infinite. The caller may stop iterating at any time.
    """
    waiting = iter(keys)
    running: dict[Future[Result], Key] = {}
    while True:
        for key in islice(waiting, at_once - len(running)):
            running[executor.submit(task, key)] = key
        if not running:
            return
        for future in wait(running, LONGEST_WAIT_SECONDS, FIRST_COMPLETED).done:
            yield running.pop(future), future.result()


def run_in_order(
    executor: Executor, task: Callable[[Key], Result], keys: Iterable[Key], at_once: int
) -> Iterator[Result]:
    """Yield the results of `task` for each key, in the order of the keys, which are read lazily."""
    waiting: deque[Future[Result]] = deque()
    for key in keys:
        waiting.append(executor.submit(task, key))
        if len(waiting) > _AHEAD * at_once:
            yield _result(waiting.popleft())
    while waiting:
        yield _result(waiting.popleft())


def _result(future: Future[Result]) -> Result:
    while not wait([future], LONGEST_WAIT_SECONDS).done:
        continue
    return future.result()


def map_in_order(
    task: Callable[[Key], Result], keys: Iterable[Key], workers: int | None = None
) -> Iterator[Result]:
    """Yield the results of `task` in the order of the keys. For one key or one worker, no processes are started.

    Args:
        task: the task, which must be picklable.
        keys: the keys, which are read lazily, so that memory does not grow.
        workers: the number of processes; None for one per processor.
    """
    waiting = iter(keys)
    first = list(islice(waiting, 2))
    if len(first) < 2 or workers == 1:
        yield from map(task, chain(first, waiting))
        return
    with open_executor(workers) as (executor, at_once):
        yield from run_in_order(executor, task, chain(first, waiting), at_once)


def within(seconds: float | None, keys: Iterable[Key]) -> Iterator[Key]:
    """Yield keys until `seconds` have passed, but at least one key; None means no time limit."""
    deadline = time.monotonic() + seconds if seconds is not None else float("inf")
    for key in keys:
        yield key
        if time.monotonic() >= deadline:
            return


def _start_helpers() -> None:
    """Start multiprocessing's fork server and resource tracker with SIGHUP and SIGINT blocked.

    A closing terminal sends SIGHUP to all processes. This process handles it, but a killed tracker would be restarted
    without its state and print a traceback for each resource that is released. Ctrl-C during the helpers' imports would
    stop both with a traceback. Workers inherit the blocked signals, but exit when this process exits.
    """
    if sys.platform != "win32":
        unheard = {signal.SIGHUP, signal.SIGINT}
        before = signal.pthread_sigmask(signal.SIG_BLOCK, unheard)
        try:
            resource_tracker.ensure_running()
            signal.pthread_sigmask(signal.SIG_BLOCK, unheard)  # the previous call unblocks SIGINT
            # Without the preload, each worker would import these modules.
            forkserver.set_forkserver_preload(["__main__", __name__])
            forkserver.ensure_running()
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _begin_as_worker(weights: Path) -> None:
    """Prepare a worker: use the parent's weights, ignore Ctrl-C, and exit when the parent exits.

    Ctrl-C reaches all processes of the terminal, and the parent handles it.
    """
    use(weights)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()
    assert parent is not None, "a worker has a parent"
    threading.Thread(target=_end_with, args=(parent,), name="outflank parent", daemon=True).start()


def _end_with(parent: BaseProcess) -> None:
    """Exit when the parent exits, which a worker that waits for a task would not notice.

    PR_SET_PDEATHSIG, which the standard library lacks, would report when the fork server that started the worker exits,
    not the parent. ``join`` waits until the parent's end of a pipe is closed.
    """
    parent.join()
    os._exit(1)


_HASH_MB = 16  # short searches don't fill a larger table, and a table of this size is cleared quickly


def shared_searcher(weights: Path | None = None, hash_mb: int = _HASH_MB, threads: int = 1) -> Searcher:
    """Return a cached searcher with these settings; its transposition table keeps entries of earlier tasks.

    `weights` defaults to the weights in use. The searcher must not be used in several threads.
    """
    weights = weights or in_use()
    return _searcher(weights, checksum(weights), hash_mb, threads)


def cleared_searcher(weights: Path | None = None) -> Searcher:
    """Return the shared searcher with an empty table, so that a task's result doesn't depend on earlier tasks."""
    searcher = shared_searcher(weights)
    searcher.clear()
    return searcher


@functools.lru_cache(maxsize=2)  # a match between two evaluations uses two searchers in turn
def _searcher(weights: Path, evaluation: str, hash_mb: int, threads: int) -> Searcher:
    return Searcher(hash_mb, threads, weights=weights)
