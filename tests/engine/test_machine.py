"""What the machine has is asked of the system in one place."""

import os
import platform
import re
from pathlib import Path

from outflank.engine.machine import cpu_name, memory_mb, processors
from outflank.tests.support.installation import ROOT

ASKED = ("/proc/cpuinfo", "len(os.sched_getaffinity", "os.cpu_count", "os.sysconf")


def test_the_cpu_has_the_name_that_linux_reports_or_that_of_its_architecture() -> None:
    named = re.search(r"^model name\s*: (.*)$", Path("/proc/cpuinfo").read_text(), re.MULTILINE)

    assert cpu_name() == (" ".join(named[1].split()) if named else platform.machine())


def test_processors_are_those_that_the_thread_may_use() -> None:
    ours = os.sched_getaffinity(0)
    assert processors() == len(ours)

    os.sched_setaffinity(0, {min(ours)})
    try:
        assert processors() == 1
    finally:
        os.sched_setaffinity(0, ours)


def test_the_memory_is_that_of_the_system() -> None:
    kilobytes = re.search(r"^MemTotal: +(\d+) kB$", Path("/proc/meminfo").read_text(), re.MULTILINE)

    assert kilobytes is not None
    assert memory_mb() == int(kilobytes[1]) >> 10


def test_no_other_file_of_the_package_asks_the_system_for_them() -> None:
    asking = {
        str(path.relative_to(ROOT))
        for folder in ("engine", "book", "protocol", "tools")
        for path in (ROOT / folder).rglob("*.py*")
        if path.suffix in (".py", ".pyx") and any(words in path.read_text() for words in ASKED)
    }

    assert asking == {"engine/machine.py"}
