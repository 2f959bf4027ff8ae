"""The wheel for every CPU: what is in it, and that it plays the same with each of its builds, on a bare machine.

``OUTFLANK_WHEEL=dist/NAME.whl`` tries a wheel that was made before; without it one is built, which takes some minutes.
"""

import json
import os
import platform
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from outflank.engine.cpufeatures import cpu_features
from outflank.tests.support.installation import ROOT, Environment, clone, nodes, nodes_here

pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(3600),
    pytest.mark.xdist_group("release wheel"),
    pytest.mark.skipif(platform.machine() != "x86_64", reason="its builds are for another family of CPUs"),
]
BUILDS = ("x86-64-v4", "x86-64-v3", "x86-64-v2", "x86-64")
MOST_MEGABYTES = 25
PERFT_8 = 390216
Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if given := os.environ.get("OUTFLANK_WHEEL"):
        return Path(given).resolve()
    folder = tmp_path_factory.mktemp("wheel")
    environment = Environment(folder, march=" ".join(BUILDS))
    environment.run("python", "-m", "pip", "wheel", "--no-deps", "--no-build-isolation", str(clone(folder)))
    (made,) = folder.glob("*.whl")
    return made


@pytest.fixture(scope="module")
def run(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Return a function that runs a program of the wheel alone, with a build of the engine forced."""
    folder = tmp_path_factory.mktemp("installed")
    Environment(folder).install(str(wheel))
    programs = folder / "venv" / "bin"

    def run(*command: str, build: str = "", lines: str = "") -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            [str(programs / command[0]), *command[1:]],
            env={"PATH": "/nonexistent", "PYTHONPATH": str(folder / "lent"), "OUTFLANK_BUILD": build},
            cwd=programs,
            input=lines,
            capture_output=True,
            text=True,
            timeout=1200,
        )

    return run


def runnable(run: Run) -> list[str]:
    """Return the builds that this CPU can run."""
    script = "from outflank.engine.buildinfo import BUILDS; import json; print(json.dumps(BUILDS))"
    builds: dict[str, list[str]] = json.loads(run("python", "-c", script).stdout)
    assert tuple(builds) == BUILDS
    have = cpu_features()
    return [name for name, features in builds.items() if have.issuperset(features)]


def test_it_holds_every_module_for_every_cpu_and_no_tests(wheel: Path) -> None:
    names = [name for name in zipfile.ZipFile(wheel).namelist() if not name.endswith("/")]
    sources = [path.relative_to(ROOT) for path in (ROOT / "engine").rglob("*.pyx")]

    assert wheel.stat().st_size < MOST_MEGABYTES * 1e6
    assert "-cp311-abi3-" in wheel.name
    assert {name for name in names if name.endswith(".so")} == {
        f"outflank/{source.parent}/builds/{build}/{source.stem}.abi3.so"
        for source in sources
        for build in BUILDS
        if source.stem != "cpufeatures"
    } | {"outflank/engine/cpufeatures.abi3.so"}
    assert not [name for name in names if name.startswith(("outflank/tests/", "outflank/measure/"))]


def test_it_chooses_the_best_build_by_itself_and_says_which(run: Run) -> None:
    best = runnable(run)[0]

    assert run("outflank", "--version").stdout.splitlines()[1] == f"engine built for {best}"


def test_it_plays_on_a_bare_machine_with_every_build(run: Run) -> None:
    for build in runnable(run):
        told = run("outflank", "gtp", "--level", "4", build=build, lines="1 genmove b\n2 showboard\n3 quit\n")

        assert told.stderr == ""
        assert told.stdout.startswith("=1 ")
        assert told.stdout.endswith("=3\n\n")
        assert f"engine built for {build}" in run("outflank", "--version", build=build).stdout


def test_every_build_has_the_same_signature(run: Run) -> None:
    """And that of the modules that these tests run with."""
    expected = nodes_here()
    builds = runnable(run)

    assert len(expected) > 10
    for build in builds:
        assert nodes(run("outflank", "bench", "--json", build=build).stdout) == expected, build
        counted = run("outflank", "perft", "8", build=build).stdout
        assert str(PERFT_8) in counted.replace(",", "")


def test_a_build_that_is_not_there_is_refused_in_a_sentence(run: Run) -> None:
    told = run("outflank", "perft", "1", build="x86-64-v9")

    assert told.returncode == 1
    assert told.stderr.startswith("outflank: expected OUTFLANK_BUILD to be one of x86-64-v4, x86-64-v3, ")


@pytest.mark.skipif(
    shutil.which("auditwheel", path=str(Path(sys.executable).parent)) is None,
    reason="auditwheel is not installed",
)
def test_it_runs_on_any_linux_as_new_as_its_tag_says(wheel: Path) -> None:
    auditwheel = Path(sys.executable).with_name("auditwheel")
    told = subprocess.run([str(auditwheel), "show", str(wheel)], capture_output=True, text=True, timeout=600)

    assert "manylinux_2_" in told.stdout
