"""The program as a process of its own: through pipes, or at a terminal."""

import os
import pty
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

OUTFLANK = str(Path(sys.executable).with_name("outflank"))


def outflank(*words: object, **options: Any) -> subprocess.CompletedProcess[str]:
    """Run the program with these words; `options` are those of ``subprocess.run``."""
    usual = {"capture_output": True, "text": True, "timeout": 110}
    return subprocess.run([OUTFLANK, *map(str, words)], **{**usual, **options})


def at_terminal(words: Sequence[str], typed: bytes = b"", variables: Mapping[str, str] | None = None) -> str:
    """Everything that the program shows at a pseudo-terminal on which this is typed; it has to succeed."""
    keyboard, terminal = pty.openpty()
    environment = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
    environment |= {"TERM": "xterm-256color", "PYTHONIOENCODING": "utf-8", **(variables or {})}
    with subprocess.Popen(
        [OUTFLANK, *words], stdin=terminal, stdout=terminal, stderr=terminal, env=environment
    ) as shown:
        os.close(terminal)
        os.write(keyboard, typed)
        said = b""
        try:
            while chunk := os.read(keyboard, 4096):
                said += chunk
        except OSError:  # the terminal has gone
            pass
        assert shown.wait(20) == 0
    os.close(keyboard)
    return said.decode()
