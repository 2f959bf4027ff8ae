"""Chooses the build of the engine that this CPU can run, before a tuned module is loaded."""

import os
from collections.abc import Mapping, MutableSequence
from functools import cache

from outflank.engine.cpufeatures import cpu_features

_FORCED = "OUTFLANK_BUILD"


def choose(builds: Mapping[str, tuple[str, ...]], have: frozenset[str]) -> str:
    """Return the first build that the CPU can run, or the one that the environment variable OUTFLANK_BUILD names.

    Args:
        builds: for each build, by the name of the CPU it was tuned for, the features that it needs; best first.
        have: the features of the CPU.

    Raises: ImportError with one sentence naming what is missing and what to do.
    """
    names = list(builds)
    remedy = "build it here, or with OUTFLANK_MARCH=x86-64 for any x86-64 CPU"
    if forced := os.environ.get(_FORCED):
        if forced not in builds:
            raise ImportError(f"expected {_FORCED} to be one of {', '.join(names)}, got {forced!r}")
        names, remedy = [forced], f"unset {_FORCED}, and the best build that this CPU can run is taken"
    for name in names:
        if have.issuperset(builds[name]):
            return name
    missing = sorted(set(builds[names[-1]]) - have)
    raise ImportError(
        f"this build of outflank was tuned for a CPU with {', '.join(missing)}, which this one lacks (built with "
        f"-march={names[-1]}): {remedy}"
    )


def use_build(path: MutableSequence[str]) -> str:
    """Put the build for this CPU at the head of a package's ``__path__``, and return its name.

    A wheel has several builds, each package's modules in ``builds/NAME`` next to its other files; a checkout has one.

    Raises: ImportError as ``choose`` does.
    """
    from outflank.engine.buildinfo import BUILDS

    if len(BUILDS) > 1:
        path.insert(0, f"{path[0]}/builds/{_chosen()}")
    return _chosen()


@cache
def _chosen() -> str:
    from outflank.engine.buildinfo import BUILDS

    return choose(BUILDS, cpu_features())
