"""What the machine has is asked in one place; a build for another CPU says so before a module of it is loaded."""

import os
import platform
import re
from pathlib import Path

import pytest

from outflank.engine.cpufeatures import cpu_features
from outflank.engine.machine import choose, cpu_name, memory_mb, processors
from outflank.tests.support.installation import ROOT, Environment, clone, python_script

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
        for folder in ("package", "engine", "book", "protocol", "tools")
        for path in (ROOT / folder).rglob("*.py*")
        if path.suffix in (".py", ".pyx") and any(words in path.read_text() for words in ASKED)
    }

    assert asking == {"engine/machine.py"}


# --- The CPU that a build was made for


# Stands in for a build that was tuned for a CPU which nobody has.
FOREIGN_BUILD = """
import sys, types
build = types.ModuleType("outflank.engine.buildinfo")
build.BUILDS = {"future": ("warpdrive",)}
sys.modules["outflank.engine.buildinfo"] = build
"""
SENTENCE = "this build of outflank was tuned for a CPU with warpdrive, which this one lacks"
BUILDS = {"v3": ("avx2", "popcnt"), "v2": ("popcnt", "sse4_2"), "plain": ()}
ALL_FEATURES = set(re.findall(r'\{"(\w+)",', (ROOT / "engine" / "cpufeatures.h").read_text()))
FEATURES = frozenset({"fpu", "sse4_2", "popcnt"})


def test_the_first_build_that_the_cpu_can_run_is_chosen() -> None:
    assert choose(BUILDS, FEATURES) == "v2"
    assert choose(BUILDS, frozenset({"fpu"})) == "plain"
    assert choose({"native": ("popcnt", "sse4_2")}, FEATURES) == "native"


def test_a_build_can_be_forced(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OUTFLANK_BUILD", "plain")
    assert choose(BUILDS, FEATURES) == "plain"

    monkeypatch.setenv("OUTFLANK_BUILD", "v3")
    with pytest.raises(ImportError, match="tuned for a CPU with avx2, which this one lacks") as caught:
        choose(BUILDS, FEATURES)
    assert str(caught.value).endswith(": unset OUTFLANK_BUILD to use the best build for this CPU")

    monkeypatch.setenv("OUTFLANK_BUILD", "v9")
    with pytest.raises(ImportError, match="expected OUTFLANK_BUILD to be one of v3, v2, plain, got 'v9'"):
        choose(BUILDS, FEATURES)


def test_a_cpu_that_lacks_features_is_refused_with_what_is_missing_and_what_to_do() -> None:
    with pytest.raises(ImportError) as caught:
        choose({"x86-64-v3": ("popcnt", "bmi2", "avx2")}, FEATURES)

    sentence = str(caught.value)
    assert "avx2, bmi2, which this one lacks (built with -march=x86-64-v3)" in sentence
    assert sentence.endswith(": build it here, or with OUTFLANK_MARCH=x86-64 for any x86-64 CPU")
    assert "popcnt" not in sentence


@pytest.mark.skipif(platform.machine() != "x86_64", reason="other families have no features to ask for")
def test_cpuid_reports_what_linux_does() -> None:
    """Linux has names of its own for some features."""
    flags = re.search(r"^flags\s*: (.*)$", Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    names = {"bmi1": "bmi", "abm": "lzcnt"}
    assert flags is not None
    of_linux = {names.get(flag) or re.sub("^(avx.*)_", r"\1", flag) for flag in flags[1].split()}

    assert cpu_features() == of_linux & ALL_FEATURES
    assert "popcnt" in cpu_features()


def test_a_foreign_build_fails_to_import_before_any_tuned_module_is_loaded() -> None:
    told = python_script("-c", FOREIGN_BUILD + """
try:
    import outflank.engine
except ImportError as error:
    print(error)
loaded = {line.rpartition("/engine/")[2].split(".")[0] for line in open("/proc/self/maps") if "/engine/" in line}
print(loaded, [name for name in sys.modules if name.startswith("outflank.engine.")])
""")  # fmt: skip
    sentence, loaded = told.stdout.splitlines()

    assert sentence.startswith(SENTENCE)
    assert loaded == (
        "{'cpufeatures'} ['outflank.engine.buildinfo', 'outflank.engine.cpufeatures', 'outflank.engine.machine']"
    )


def test_the_program_of_a_foreign_build_ends_with_that_sentence() -> None:
    told = python_script(
        "-c", FOREIGN_BUILD + "from outflank.tools.cli.program import main; main()", "perft", "1"
    )

    assert told.returncode == 1
    assert told.stdout == ""
    assert told.stderr.startswith(f"outflank: {SENTENCE}")
    assert told.stderr.count("\n") == 1


@pytest.mark.parametrize(("command", "status"), [("egg_info", 0), ("build_ext", 1)])
def test_several_marches_are_for_a_wheel_whose_needs_may_be_asked_first(
    command: str, status: int, tmp_path: Path
) -> None:
    options = ["--egg-base", str(tmp_path)] if command == "egg_info" else []

    told = python_script(str(ROOT / "setup.py"), command, *options, OUTFLANK_MARCH="x86-64 x86-64")

    assert told.returncode == status
    assert told.stderr.startswith("the checkout is built for one CPU: ") == (status == 1)


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.skipif(platform.machine() != "x86_64", reason="x86-64-v2 is a name of another family")
def test_a_portable_build_uses_no_more_than_it_was_allowed_and_counts_the_same(tmp_path: Path) -> None:
    environment = Environment(tmp_path, march="x86-64-v2")
    environment.install(str(clone(tmp_path)))

    told = environment.run("python", "-c", """
from outflank.engine import Position, perft
from outflank.tests.support.kernels import KERNELS
from outflank.engine.buildinfo import BUILDS
((march, features),) = BUILDS.items()
print(march, *features, KERNELS, perft(Position.start(), 8))
""")  # fmt: skip

    assert told == "x86-64-v2 popcnt sse4_2 portable 390216\n"
