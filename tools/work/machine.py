"""What machine this is: in words, and in a code that only its users can make."""

import hmac
import os
import platform
import re
import stat
from pathlib import Path

from outflank.tools.work.words import counted

_MACHINE_ID = Path("/etc/machine-id")


def machine_line() -> str:
    """``Intel(R) Xeon(R) Processor, 2 processors, Linux x86_64, Python 3.11.7``; without the machine's name."""
    count = len(os.sched_getaffinity(0))
    processors = counted(count, "processor")
    system = f"{platform.system()} {platform.machine()}"
    return ", ".join([_model(), processors, system, f"Python {platform.python_version()}"])


def seal(file: Path, text: str) -> str:
    """A code for `text` in a file of this user on this machine, which whoever sends us a file can't know.

    Where the machine has no id of its own, the number of the file stands for it, which a copy does not have.
    """
    try:
        machine = _MACHINE_ID.read_bytes().strip()
    except OSError:
        machine = b""
    number = b"" if machine else b"%d" % file.stat().st_ino
    return hmac.digest(machine, b"outflank %d %b %b" % (os.geteuid(), number, text.encode()), "sha256").hex()


def is_sealed(file: Path, text: str, code: str) -> bool:
    """Whether `code` is the seal of a text in a file that is ours, and that not everybody may write to."""
    status = file.stat()
    ours = status.st_uid == os.geteuid() and not status.st_mode & stat.S_IWOTH
    return ours and hmac.compare_digest(seal(file, text).encode(), code.encode())


def _model() -> str:
    """What the processor calls itself; its architecture where it has no name, as on many ARM machines."""
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace")
    except OSError:
        text = ""
    found = re.search(r"^model name\s*: (.+)$", text, re.MULTILINE)
    return " ".join(found[1].split()) if found else platform.machine()
