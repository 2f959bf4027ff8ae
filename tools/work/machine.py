"""What machine this is, in words."""

import os
import platform
import re
from pathlib import Path

from outflank.tools.work.words import counted


def machine_line() -> str:
    """``Intel(R) Xeon(R) Processor, 2 processors, Linux x86_64, Python 3.11.7``; without the machine's name."""
    count = len(os.sched_getaffinity(0))
    processors = counted(count, "processor")
    system = f"{platform.system()} {platform.machine()}"
    return ", ".join([_model(), processors, system, f"Python {platform.python_version()}"])


def _model() -> str:
    """What the processor calls itself; its architecture where it has no name, as on many ARM machines."""
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace")
    except OSError:
        text = ""
    found = re.search(r"^model name\s*: (.+)$", text, re.MULTILINE)
    return " ".join(found[1].split()) if found else platform.machine()
