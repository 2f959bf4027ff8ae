"""Builds the checkout for aarch64 on another machine, and runs it there under qemu's emulation of a processor.

It needs an aarch64 Python with its headers, as ``make aarch64`` unpacks one from Debian's packages.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from importlib.metadata import distribution
from pathlib import Path

from outflank.tests.installation import ROOT

SYSTEM = ROOT / "build" / "aarch64" / "root"  # where make unpacks it
COMPILER = "aarch64-linux-gnu-gcc"
EMULATORS = ("qemu-aarch64-static", "qemu-aarch64")


def missing() -> Iterator[str]:
    """What this machine lacks, each by the words that say how to get it."""
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
        self._source = source
        (headers,) = _headers()
        # The headers of Python come before those of this machine's, its pyconfig.h after those of the C library.
        include = f"-I{headers} -idirafter {SYSTEM / 'usr/include'}"
        variables = {
            "CC": f"{_cached()}{COMPILER}",
            "LDSHARED": f"{COMPILER} -shared",
            "CFLAGS": include,
            "OUTFLANK_MARCH": "armv8-a",
            "SETUPTOOLS_EXT_SUFFIX": ".so",  # without this machine's name, which another Python does not look for
        }
        made = subprocess.run(
            [sys.executable, "setup.py", "--quiet", "build_ext", "--inplace"],
            cwd=source,
            env={**os.environ, **variables},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        assert made.returncode == 0, made.stdout

    def modules(self) -> list[Path]:
        """The compiled modules of the engine."""
        return sorted((self._source / "engine").rglob("*.so"))

    def outflank(self, *arguments: str) -> "subprocess.CompletedProcess[str]":
        """Run the program."""
        return self.python("-m", "outflank.tools.commands.start", *arguments)

    def python(self, *arguments: str) -> "subprocess.CompletedProcess[str]":
        """Run the aarch64 Python, which finds the modules and click and nothing else."""
        path = [self._source / "build" / "cimport", Path(str(distribution("click").locate_file("")))]
        variables = {
            "PYTHONPATH": os.pathsep.join(map(str, path)),
            "XDG_CACHE_HOME": str(self._source / "cache"),
        }
        return subprocess.run(
            [str(_emulator()), "-L", str(SYSTEM), str(_python()), *arguments],
            cwd=self._source,
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


def _cached() -> str:
    """The compiler's own cache before it, where there is one."""
    return "ccache " if shutil.which("ccache") else ""
