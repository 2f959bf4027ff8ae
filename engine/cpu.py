"""Whether this CPU has what the build was tuned for; in pure Python, since a tuned module could not ask."""

from collections.abc import Iterable
from pathlib import Path

_CPUINFO = Path("/proc/cpuinfo")


def available(cpuinfo: Path = _CPUINFO) -> frozenset[str] | None:
    """The feature names of the CPU, or None where the system does not tell."""
    try:
        lines = cpuinfo.read_text().splitlines()
    except OSError:
        return None
    for line in lines:
        key, _, value = line.partition(":")
        if key.strip() in ("flags", "Features"):
            return frozenset(value.split())
    return None


def require(features: Iterable[str], march: str, cpuinfo: Path = _CPUINFO) -> None:
    """Check that the CPU has `features`.

    Raises: ImportError with one sentence naming what is missing and what to do.
    """
    have = available(cpuinfo)
    missing = sorted(set(features) - have) if have is not None else []
    if missing:
        raise ImportError(
            f"this build of outflank was tuned for a CPU with {', '.join(missing)}, which this one lacks (built with "
            f"-march={march}): build it here, or set OUTFLANK_MARCH=x86-64-v2 for a build that runs anywhere"
        )
