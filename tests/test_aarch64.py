"""Compiled for aarch64, where kernels of its own serve, the engine counts and searches as it does here.

``make aarch64`` fetches the system that it runs in and calls these tests.
"""

import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from importlib.metadata import distribution
from pathlib import Path

import pytest

from outflank.measure.sanitizers import BOARD
from outflank.tests.support.installation import ROOT, clone, nodes, nodes_here, python_script

SYSTEM = ROOT / "build" / "aarch64" / "root"  # where make unpacks it
COMPILER = "aarch64-linux-gnu-gcc"
EMULATORS = ("qemu-aarch64-static", "qemu-aarch64")


def missing() -> Iterator[str]:
    """Yield an instruction for each program or library that this machine lacks."""
    if shutil.which(COMPILER) is None:
        yield f"{COMPILER} (Debian: gcc-aarch64-linux-gnu)"
    if _emulator() is None:
        yield f"{' or '.join(EMULATORS)} (Debian: qemu-user-static)"
    if not (_python().is_file() and list(_headers())):
        yield f"an aarch64 Python with headers in {SYSTEM.relative_to(ROOT)} (make aarch64)"


class Aarch64:
    """The checkout, compiled for aarch64.

    Args:
        source: a copy of the checkout as ``installation.clone`` makes it; it is built in place.

    Raises: AssertionError with all that the build said if it fails.
    """

    def __init__(self, source: Path) -> None:
        self.source = source
        # Without this machine's name, which another Python does not look for.
        self._make("setup.py", "--quiet", "build_ext", "--inplace", SETUPTOOLS_EXT_SUFFIX=".so")

    def wheel(self, folder: Path) -> Path:
        options = ("--quiet", "--no-deps", "--no-build-isolation", "--wheel-dir", str(folder))
        self._make("-m", "pip", "wheel", *options, ".", _PYTHON_HOST_PLATFORM="linux-aarch64")
        (made,) = folder.glob("*.whl")
        return made

    def _make(self, *arguments: str, **also: str) -> None:
        """Run this machine's Python with the cross compiler; AssertionError with all that it said if it fails."""
        (headers,) = _headers()
        # The headers of Python come before those of this machine's, its pyconfig.h after those of the C library.
        variables = {
            "CC": f"ccache {COMPILER}" if shutil.which("ccache") else COMPILER,
            "LDSHARED": f"{COMPILER} -shared",
            "CFLAGS": f"-I{headers} -idirafter {SYSTEM / 'usr/include'}",
            "OUTFLANK_MARCH": "armv8-a",
        }
        made = subprocess.run(
            [sys.executable, *arguments],
            cwd=self.source,
            env={**os.environ, **variables, **also},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        assert made.returncode == 0, made.stdout

    def python(self, *arguments: str, site: Path | None = None) -> "subprocess.CompletedProcess[str]":
        """Run the aarch64 Python, which finds click and the modules (those in `site` if it is given), nothing else."""
        path = [site or self.source / "build" / "cimport", Path(str(distribution("click").locate_file("")))]
        variables = {"PYTHONPATH": os.pathsep.join(map(str, path))}
        return subprocess.run(
            [str(_emulator()), "-L", str(SYSTEM), str(_python()), *arguments],
            cwd=site or self.source,
            env=variables,
            capture_output=True,
            text=True,
            timeout=3000,
        )


def _emulator() -> str | None:
    return next(filter(None, map(shutil.which, EMULATORS)), None)


def _python() -> Path:
    return SYSTEM / "usr" / "bin" / "python3"


def _headers() -> Iterator[Path]:
    return (path.parent for path in (SYSTEM / "usr" / "include").glob("python3.*/Python.h"))


LACKING = list(missing())
pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(3600),
    pytest.mark.xdist_group("aarch64"),
    pytest.mark.skipif(bool(LACKING), reason=f"not found: {', '.join(LACKING)}"),
]
LEAVES = {1: 4, 2: 12, 3: 56, 4: 244, 5: 1396, 6: 8200, 7: 55092, 8: 390216}
_AARCH64 = 183  # EM_AARCH64 of the ELF header
SOLVE = f"""
from outflank.engine import Limit, Position, Searcher
board, searcher = Position.parse({BOARD!r}), Searcher()
while board.empties > 14:
    board = board.play(searcher.search(board, Limit(depth=4)).move)
print(board, *(Searcher(threads=threads).search(board, Limit.solve()).score for threads in (1, 2)))
"""
TWINS = """
import random
from outflank.tests.support import kernels
rng = random.Random(1)
for _ in range(2000):
    own, opp = rng.getrandbits(64), rng.getrandbits(64)
    own &= ~opp
    if rng.random() < 0.5:
        own, opp = own & rng.getrandbits(64), opp & rng.getrandbits(64)
    assert kernels.legal_moves(own, opp) == kernels.legal_moves_portable(own, opp)
    for square in range(64):
        assert kernels.turned_discs(own, opp, square) == kernels.turned_discs_portable(own, opp, square)
print(kernels.KERNELS)
"""


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Aarch64:
    return Aarch64(clone(tmp_path_factory.mktemp("aarch64")))


def test_every_module_is_compiled_for_it(built: Aarch64) -> None:
    modules = (built.source / "engine").rglob("*.so")
    machines = {path.stem: int.from_bytes(path.read_bytes()[18:20], "little") for path in modules}

    assert machines == {path.stem: _AARCH64 for path in (ROOT / "engine").rglob("*.pyx")}


def test_its_kernels_agree_with_the_portable_ones(built: Aarch64) -> None:
    told = built.python("-c", TWINS)

    assert (told.stdout, told.stderr) == ("neon\n", "")


def test_perft_counts_what_is_published(built: Aarch64) -> None:
    count = f"{{depth: perft(Position.start(), depth) for depth in {list(LEAVES)}}}"
    script = f"from outflank.engine import Position, perft; print({count})"

    told = built.python("-c", script)

    assert (told.stdout, told.stderr) == (f"{LEAVES}\n", "")


def test_the_bench_signature_is_that_of_this_machine(built: Aarch64) -> None:
    here = nodes_here()
    there = built.python("-m", "outflank.tools.commands.start", "bench", "--json")

    assert there.stderr == ""
    assert len(here) > 10
    assert nodes(there.stdout) == here


def test_its_wheel_runs_in_a_bare_environment(built: Aarch64, tmp_path: Path) -> None:
    wheel = built.wheel(tmp_path / "wheel")
    with zipfile.ZipFile(wheel) as packed:
        packed.extractall(tmp_path / "site")

    there = built.python("-m", "outflank", "bench", "--json", site=tmp_path / "site")

    assert wheel.name.endswith("-cp311-abi3-linux_aarch64.whl")
    assert there.stderr == ""
    assert nodes(there.stdout) == nodes_here()


def test_two_threads_prove_the_score_that_one_proves_here(built: Aarch64) -> None:
    here, there = python_script("-c", SOLVE), built.python("-c", SOLVE)

    assert here.stdout != ""
    assert (there.stdout, there.stderr) == (here.stdout, "")
