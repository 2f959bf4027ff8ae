"""The nodes of ``outflank bench``: what builds for other machines are compared by."""

import json
import subprocess
import sys
from pathlib import Path


def nodes(printed: str) -> dict[str, int]:
    """The nodes of each item that ``outflank bench --json`` prints."""
    return {item["name"]: item["nodes"] for item in map(json.loads, printed.splitlines())}


def nodes_here() -> dict[str, int]:
    """Those of the modules that these tests run with."""
    here = subprocess.run(
        [str(Path(sys.executable).with_name("outflank")), "bench", "--json"],
        capture_output=True,
        text=True,
        timeout=1200,
        check=True,
    )
    return nodes(here.stdout)
