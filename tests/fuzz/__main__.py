"""Runs a target under atheris: ``python -m outflank.tests.fuzz TARGET --seconds S``, or ``make fuzz``.

Without a target, the targets run on all processors, and each gets its share of the seconds. New inputs that reach more
code are stored in build/fuzz/TARGET. An input that causes a fault is written there as ``crash-...``; add it to the
corpus when the fault is fixed (see corpus.py).
"""

import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import click

from outflank.tests.fuzz.corpus import samples

FOUND = Path("build/fuzz")
_LONGEST_INPUT = 1 << 14  # bytes
_SLOWEST = 30  # seconds for one input


@click.command()
@click.argument("name", required=False)
@click.option("--seconds", type=int, default=120, show_default=True, help="In all.")
def fuzz(name: str | None, seconds: int) -> None:
    """Look for inputs that lead to anything but an answer or a sentence."""
    if name is not None:
        _run(name, seconds)
        return
    from outflank.tests.fuzz.targets import TARGETS

    workers = os.cpu_count() or 1
    share = max(1, seconds * workers // len(TARGETS))
    with ThreadPoolExecutor(workers) as pool:
        survived = dict(zip(TARGETS, pool.map(partial(_survives, share), TARGETS), strict=True))
    if not all(survived.values()):
        faulty = [str(FOUND / target) for target in TARGETS if not survived[target]]
        raise click.ClickException(f"faults were found: see {', '.join(faulty)}")


def _survives(seconds: int, target: str) -> bool:
    """Run a target in a process, print its output, and return whether it found no fault."""
    words = ["-m", "outflank.tests.fuzz", target, f"--seconds={seconds}"]
    ran = subprocess.run(
        [sys.executable, *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    )
    click.echo(f"{target}:\n{ran.stdout}", err=True)
    return ran.returncode == 0


def _run(name: str, seconds: int) -> None:
    import atheris

    with atheris.instrument_imports(include=["outflank"]):
        from outflank.tests.fuzz.targets import TARGETS, survive

    place = FOUND / name
    place.mkdir(parents=True, exist_ok=True)
    given = FOUND / "corpus" / name  # atheris reads files
    shutil.rmtree(given, ignore_errors=True)
    given.mkdir(parents=True)
    for title, data in samples(name).items():
        (given / title).write_bytes(data)
    target = TARGETS[name]
    options = [
        f"-max_total_time={seconds}",
        f"-max_len={_LONGEST_INPUT}",
        f"-timeout={_SLOWEST}",
        "-verbosity=0",
    ]
    options += ["-print_final_stats=1", f"-artifact_prefix={place}/", str(place), str(given)]
    atheris.Setup([sys.argv[0], *options], lambda data: survive(target, data))
    atheris.Fuzz()


if __name__ == "__main__":
    fuzz()
