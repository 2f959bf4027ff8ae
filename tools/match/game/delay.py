"""Measures for how long the machine delayed an engine. A long delay voids a loss on time.

The machine delays an engine while a thread of the engine is ready to run but has no processor, while a hypervisor has
taken the processor of a running thread, and while the runner has no processor to read the engine's answer. Time in
which the engine's own threads occupy the processors does not count. The processor time that the runner uses for reading
the engine's output does not count either.
"""

import math
import threading
import time
from collections import deque
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Self

from outflank.engine.machine import ticks_a_second
from outflank.protocol.drivers.driver import Driver
from outflank.protocol.drivers.usage import ProcessorUsage, ThreadUsage

_NANOSECONDS = 1e9  # per second
# The maximum ratio between the processor time that an engine used and the time that its declared threads can use. The
# extra 10 % allows for measurement errors.
_BUSY_SHARE = 1.1
_UNSEEN_SECONDS = 0.01  # added to the observed wait of a ready thread, since the wait may have begun earlier
_NO_USAGE = ThreadUsage()
_TICKS = ticks_a_second()  # ticks are the unit of /proc/stat
_NAP_SECONDS = 0.01
_LATE_SECONDS = 0.005  # a longer delay in waking up counts as a stall
_REMEMBERED = 10_000

HeldUp = Callable[[float, float], float]
"""Returns the seconds for which the machine was suspended between two values of ``time.perf_counter()``."""


@dataclass(frozen=True, slots=True)
class ProcessorTime:
    """The times of a processor since the machine started, in seconds.

    Attributes:
        busy: the time for which the processor ran programs or the kernel.
        stolen: the time for which a thread was ready to run on the processor, but the hypervisor ran other machines.
    """

    busy: float = 0.0
    stolen: float = 0.0


# The time of the last call of ``processor_times``, and its result. A call before each move of fast engines would cost
# more than the rest of the measurement.
_recent: tuple[float, Mapping[int, ProcessorTime]] = -1.0, {}


def recent_processor_times(now: float) -> Mapping[int, ProcessorTime]:
    """Return ``processor_times()`` from a cache that lasts one tick; `now` is the present ``time.perf_counter()``."""
    global _recent
    if not 0 <= now - _recent[0] < 1 / _TICKS:
        _recent = now, processor_times()
    return _recent[1]


def processor_times() -> dict[int, ProcessorTime]:
    """Return the times of each processor, by number; empty if unknown, or if no hypervisor has stolen time so far."""
    found = {}
    with suppress(OSError, ValueError), open("/proc/stat", "rb") as file:
        for line in file:
            name, *values = line.split()
            if not name.startswith(b"cpu"):
                break
            user, nice, system, _idle, _iowait, irq, softirq, stolen = map(int, values[:8])
            if name == b"cpu":
                if not stolen:
                    break
            else:
                busy = user + nice + system + irq + softirq
                found[int(name[3:])] = ProcessorTime(busy / _TICKS, stolen / _TICKS)
    return found


@dataclass(frozen=True, slots=True)
class _Snapshot:
    """The cumulative processor usage of an engine and of the calling thread.

    Attributes:
        at: the ``time.perf_counter()`` of the snapshot.
        engine: the processor usage of the engine.
        processors: the times of each processor, by number.
        own_wait: the seconds for which the calling thread was ready and had no processor.
        own_cpu: the processor time of the calling thread.
    """

    at: float
    engine: ProcessorUsage
    processors: Mapping[int, ProcessorTime]
    own_wait: float
    own_cpu: float

    @classmethod
    def of(cls, driver: Driver) -> "_Snapshot":
        """Take a snapshot of the engine of `driver` and of the calling thread."""
        at, own_wait, own_cpu = time.perf_counter(), own_waited_seconds(), time.thread_time()
        return cls(at, driver.usage, recent_processor_times(at), own_wait, own_cpu)


class StallWatch:
    """Records when the machine was suspended. As a context manager, it starts and stops the recording thread.

    The thread also wakes up late if other programs occupy the processors. On Linux, this part of the delay does not
    count, since the waits of the engines and of the threads that read their answers are measured separately.
    """

    def __init__(self) -> None:
        self._stalls: deque[tuple[float, float]] = deque(maxlen=_REMEMBERED)
        self._due = math.inf
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="stall-watch", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def held_up(self, began: float, ended: float) -> float:
        """Return the seconds for which the machine was suspended between two values of ``time.perf_counter()``.

        ``time.monotonic()`` is too coarse: before Python 3.13 it has steps of 16 ms on Windows, so every short
        sleep of the recording thread would seem to end late.
        """
        stalls = [*self._stalls, (self._due, time.perf_counter())]  # the last stall may still continue
        overlapping = (late - due for due, late in stalls if due < ended and late > began)
        return sum(stall for stall in overlapping if stall > _LATE_SECONDS)

    def _watch(self) -> None:
        while not self._over.is_set():
            waited = own_waited_seconds()
            due = self._due = time.perf_counter() + _NAP_SECONDS
            time.sleep(_NAP_SECONDS)
            late = time.perf_counter() - due
            if late > _LATE_SECONDS and (stalled := late - (own_waited_seconds() - waited)) > _LATE_SECONDS:
                self._stalls.append((due, due + stalled))


class DelayMeter:
    """Measures for how long the machine has delayed an engine. Only one thread may use the meter.

    Args:
        driver: the engine.
        held_up: see ``HeldUp``; None without a stall watch.
    """

    def __init__(self, driver: Driver, held_up: HeldUp | None) -> None:
        self._driver = driver
        self._held_up = held_up
        self._before: _Snapshot | None = None
        # For each ready thread: its running time, and the time at which a change of its running time was last seen.
        self._ready: dict[int, tuple[float, float]] = {}

    def start(self) -> None:
        """Start the measurement."""
        self._before = _Snapshot.of(self._driver)
        self._ready.clear()

    def seconds(self) -> float:
        """Return the seconds by which the machine delayed an answer; 0 if the engine ran more threads than declared."""
        # The engine's delay and the reader's delay follow one another, so they are added.
        return sum(self._delays(_Snapshot.of(self._driver)))

    def seconds_so_far(self) -> float:
        """Return the seconds by which the machine has delayed an answer that is still missing.

        Time in which the engine and the reader are both delayed counts once. Linux adds a wait to the statistics of a
        thread only when the wait ends. Therefore the observed wait of each ready thread is added, plus
        ``_UNSEEN_SECONDS``.
        """
        now = _Snapshot.of(self._driver)
        threads = dict(now.engine.threads)
        for thread in self._driver.ready_threads & threads.keys():
            usage = threads[thread]
            ran, since = self._ready.get(thread, (usage.ran, now.at))
            self._ready[thread] = usage.ran, since if ran == usage.ran else now.at
            waiting = now.at - self._ready[thread][1] + _UNSEEN_SECONDS
            threads[thread] = replace(usage, waited=usage.waited + waiting)
        return max(self._delays(replace(now, engine=replace(now.engine, threads=threads))))

    def _delays(self, now: _Snapshot) -> tuple[float, float]:
        """Return the delays of the engine and of the thread that reads its answer, in seconds."""
        before = self._before
        if before is None:
            return 0.0, 0.0
        earlier, engine = before.engine, now.engine
        if is_own_doing(
            engine.cpu_seconds - earlier.cpu_seconds, self._driver.spec.threads, now.at - before.at
        ):
            return 0.0, 0.0
        waited = waited_for_others(earlier.threads, engine.threads)
        stolen = stolen_seconds(earlier.threads, engine.threads, before.processors, now.processors)
        stalled = min(self._held_up(before.at, now.at), now.at - before.at) if self._held_up else 0.0
        # The reader can delay the engine only before the command has been sent, and while output of the engine may be
        # waiting to be read.
        exchange = self._driver.exchange
        silent = max(before.at, exchange.silent_at)
        unread = now.at - silent + max(0.0, min(exchange.sent_at, silent) - before.at)
        reading = min(now.own_wait - before.own_wait, unread) - (now.own_cpu - before.own_cpu)
        return waited + max(stolen, stalled), max(exchange.overslept, reading)


def is_own_doing(cpu_seconds: float, threads: int, seconds: float) -> bool:
    """Return whether an engine that used `cpu_seconds` within `seconds` ran more threads than it had declared."""
    return cpu_seconds > threads * seconds * _BUSY_SHARE


def waited_for_others(before: Mapping[int, ThreadUsage], now: Mapping[int, ThreadUsage]) -> float:
    """Return the longest time, in seconds, for which other programs kept a single thread from running.

    A thread that is missing from `before` started later, so its earlier usage is zero.
    """
    ran = {each: usage.ran - before.get(each, _NO_USAGE).ran for each, usage in now.items()}
    longest = 0.0
    for thread, usage in now.items():
        waited = usage.waited - before.get(thread, _NO_USAGE).waited
        if waited > longest and not usage.yields:
            rivals = [
                ran[other]
                for other, its in now.items()
                if other != thread and its.processors & usage.processors
            ]
            longest = max(longest, waited - together_at_most(rivals, len(usage.processors)))
    return longest


def stolen_seconds(
    before: Mapping[int, ThreadUsage],
    now: Mapping[int, ThreadUsage],
    processors_before: Mapping[int, ProcessorTime],
    processors: Mapping[int, ProcessorTime],
) -> float:
    """Return the longest time, in seconds, for which a hypervisor kept a single thread from running.

    The stolen time of a processor is divided among the threads in proportion to their running times, so a thread that
    slept was not delayed. Waits for a processor are left out, since ``waited_for_others`` counts them.
    """
    longest = 0.0
    for thread, usage in now.items():
        ran = usage.ran - before.get(thread, _NO_USAGE).ran
        for number in usage.processors & processors.keys() & processors_before.keys():
            stolen = processors[number].stolen - processors_before[number].stolen
            busy = processors[number].busy - processors_before[number].busy
            longest = max(longest, stolen * min(1.0, ran / busy) if busy > 0 else 0.0)
    return longest


def together_at_most(ran: Collection[float], processors: int) -> float:
    """Return an upper bound on the seconds in which threads with the running times `ran` used all processors together.

    A thread runs on one processor at a time. So the n threads that ran longest use at most n processors, and the other
    threads must use the remaining processors. Each n gives a bound; the lowest bound is the result.
    """
    longest_first = sorted(ran, reverse=True)
    return min((sum(longest_first[one:]) / (processors - one) for one in range(processors)), default=0.0)


def own_waited_seconds() -> float:
    """Return the seconds for which the calling thread was ready but had no processor; 0 if unknown."""
    with suppress(OSError), open("/proc/thread-self/schedstat", "rb", buffering=0) as file:
        return int(file.read().split()[1]) / _NANOSECONDS
    return 0.0
