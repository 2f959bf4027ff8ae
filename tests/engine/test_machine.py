"""What the machine has is asked of the system in one place."""

import os
import platform
import re
from pathlib import Path

import pytest

from outflank.engine.machine import cpu_features, cpu_name, memory_mb, processors
from outflank.tests.support.installation import ROOT

ASKED = ("/proc/cpuinfo", "len(os.sched_getaffinity", "os.cpu_count", "os.sysconf")


@pytest.fixture
def cpuinfo(tmp_path: Path) -> Path:
    """What Linux says about a CPU, cut down."""
    file = tmp_path / "cpuinfo"
    file.write_text(
        "processor\t: 0\nmodel name\t: Any  CPU: fast\nflags\t\t: fpu sse4_2 popcnt\n\n"
        "processor\t: 1\nmodel name\t: Other\nflags\t\t: fpu\n"
    )
    return file


def test_the_first_processor_says_its_features_and_its_name(cpuinfo: Path) -> None:
    assert cpu_features(cpuinfo) == frozenset({"fpu", "sse4_2", "popcnt"})
    assert cpu_name(cpuinfo) == "Any CPU: fast"


def test_an_arm_cpu_has_features_and_the_name_of_its_architecture(tmp_path: Path) -> None:
    file = tmp_path / "cpuinfo"
    file.write_text("processor\t: 0\nFeatures\t: fp asimd\nCPU architecture: 8\n")

    assert cpu_features(file) == frozenset({"fp", "asimd"})
    assert cpu_name(file) == platform.machine()


def test_a_system_that_does_not_say_is_no_error(tmp_path: Path) -> None:
    assert cpu_features(tmp_path / "missing") is None
    assert cpu_name(tmp_path / "missing") == platform.machine()


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
