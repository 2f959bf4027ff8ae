"""Runs a target under atheris: ``python -m outflank.tests.fuzz TARGET SECONDS``, or ``make fuzz ARGS="--seconds 600"``.

Without a target each gets its share of the seconds. New inputs that reach more code are kept in build/fuzz/TARGET; what
a fault was found with is written there as ``crash-...``, to be added to the corpus when it is fixed: see corpus.py.
"""

import shutil
import subprocess
import sys
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

    faulty = []
    for target in TARGETS:
        click.echo(f"{target}:", err=True)
        words = ["-m", "outflank.tests.fuzz", target, f"--seconds={max(1, seconds // len(TARGETS))}"]
        if subprocess.run([sys.executable, *words], check=False).returncode:
            faulty.append(str(FOUND / target))
    if faulty:
        raise click.ClickException(f"faults were found: see {', '.join(faulty)}")


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
