"""Games of ``outflank play`` through pipes, as its tests make them."""

import subprocess
import sys

PROGRAM = [sys.executable, "-m", "outflank.tools.commands.program", "play", "--book", "none"]
WIPE_OUT = "f5d6c5f4e3f6g5e6e7"


def run(*arguments: str, typed: str = "") -> subprocess.CompletedProcess[str]:
    """A game through pipes."""
    return subprocess.run([*PROGRAM, *arguments], input=typed, capture_output=True, text=True, timeout=60)


def transcript(said: str) -> str:
    """The one that is printed at the end."""
    return said.rpartition("transcript: ")[2].strip()
