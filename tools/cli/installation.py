"""The lines of ``outflank --version --verbose``, which contain the facts that a bug report needs."""

import platform
import re
import sys
import time
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path

from outflank.engine import Game, Limit, Position, Searcher
from outflank.engine.machine import cpu_level, cpu_name, memory_mb, processors
from outflank.storage.folders import user_folder
from outflank.tools.cli.defaults import config_file
from outflank.tools.runtime.progress import counted

# Two searches test the engine in less than a second: a midgame search, and an endgame search that solves FFO #40.
_MIDGAME = Game.from_transcript("f5d6c3d3c4").position
_MIDGAME_LIMIT = Limit(depth=13)
_ENDGAME = Position.parse("O--OOOOX-OOOOOOXOOXXOOOXOOXOOOXXOOOOOOXX---OOOOX----O--X-------- X")
_REQUIREMENT = re.compile(r"""([\w.-]+).*extra\s*==\s*['"](\w+)['"]""")
_FOR_DEVELOPERS = "dev"


def installation_lines() -> Iterator[str]:
    """Yield lines about the machine, Python, folders, extras and the signature, each as soon as it is known."""
    memory = memory_mb()
    machine = [cpu_name(), cpu_level(), counted(processors(), "processor")]
    yield f"CPU {', '.join(machine)}" + ("" if memory is None else f", {memory:,} MB of memory")
    yield f"system {platform.platform()}"
    yield f"Python {platform.python_version()}, {sys.executable}"
    yield f"package {Path(__file__).resolve().parents[2]}"
    for what, path in (
        ("defaults", config_file()),
        ("data", user_folder("data")),
        ("state", user_folder("state")),
    ):
        yield f"{what} {path}" + ("" if path.exists() else " (does not exist)")
    for extra, packages in _extras().items():
        found = {name: _version(name) for name in packages}
        missing = [name for name, number in found.items() if number is None]
        present = [f"{name} {number}" for name, number in found.items() if number is not None]
        yield f"extra {extra}: " + "; ".join(
            [", ".join(present)] * bool(present) + [f"missing {', '.join(missing)}"] * bool(missing)
        )
    nodes, seconds = _signature()
    yield f"signature {nodes:,} nodes in {seconds:.2f} s"


def _extras() -> dict[str, list[str]]:
    """Return the packages of each extra except ``dev``. The dict is empty if Outflank is not installed."""
    try:
        requirements = requires("outflank") or []
    except PackageNotFoundError:
        return {}
    found: dict[str, list[str]] = {}
    for requirement in requirements:
        if (match := _REQUIREMENT.match(requirement)) and match[2] != _FOR_DEVELOPERS:
            found.setdefault(match[2], []).append(match[1])
    return found


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _signature() -> tuple[int, float]:
    """Search two positions. Return the total nodes, which are the same on every machine, and the seconds taken."""
    searcher = Searcher()
    searcher.prepare()
    began = time.perf_counter()
    nodes = searcher.search(_MIDGAME, _MIDGAME_LIMIT).nodes
    searcher.clear()
    nodes += searcher.search(_ENDGAME, Limit.solve()).nodes
    return nodes, time.perf_counter() - began
