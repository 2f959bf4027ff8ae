"""Records of an engine's processor usage, and of the times of communication with an engine."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class ThreadUsage:
    """The processor usage of a thread.

    Attributes:
        ran: the seconds for which the thread ran.
        waited: the seconds for which the thread was ready to run but had no processor.
        processors: the numbers of the processors that the thread may use.
        yields: True if the thread runs at a lower priority than this program, so that other threads may delay it.
    """

    ran: float = 0.0
    waited: float = 0.0
    processors: frozenset[int] = frozenset()
    yields: bool = False


@dataclass(frozen=True, slots=True)
class ProcessorUsage:
    """The processor usage of an engine.

    Attributes:
        cpu_seconds: the processor time that the engine's processes have used so far, including threads that have ended.
        threads: the usage of each living thread, by thread id; empty if unknown.
    """

    cpu_seconds: float = 0.0
    threads: Mapping[int, ThreadUsage] = field(default_factory=dict)


@dataclass(slots=True)
class Exchange:
    """The times of the last communication with an engine, in seconds of ``time.perf_counter()``.

    Attributes:
        sent_at: the time of the last write to the engine.
        silent_at: the last known time at which no output of the engine was waiting to be read.
        overslept: the seconds by which the last wait exceeded its limit, if output was found then; otherwise 0.
    """

    sent_at: float = 0.0
    silent_at: float = 0.0
    overslept: float = 0.0
