"""What a process and its children use, looked at now and then: for proofs that it stays the same."""

import os
import time
from dataclasses import dataclass
from pathlib import Path

from outflank.tests.processes import children

_LATER = 3  # the first third of a run may fill caches


@dataclass(frozen=True, slots=True)
class Sample:
    """One look.

    Attributes:
        seconds: since the watch began.
        mib: of memory in use.
        files: open file descriptors.
        threads: of the process.
        children: living, or not yet buried.
    """

    seconds: float
    mib: float
    files: int
    threads: int
    children: int


class Watch:
    """Looks at a process whenever it is asked to.

    Args:
        pid: of the process.
    """

    def __init__(self, pid: int) -> None:
        self._pid, self._began = pid, time.monotonic()
        self.samples: list[Sample] = []

    def look(self) -> None:
        """Take a sample; nothing happens if the process has ended."""
        process = Path(f"/proc/{self._pid}")
        try:
            pages = int((process / "statm").read_text().split()[1])
            files = len(list((process / "fd").iterdir()))
            threads = len(list((process / "task").iterdir()))
        except OSError:
            return
        mib = pages * os.sysconf("SC_PAGE_SIZE") / 2**20
        seconds = time.monotonic() - self._began
        self.samples.append(Sample(seconds, mib, files, threads, len(children(self._pid))))

    def facts(self) -> dict[str, object]:
        """The least and the most of each figure after the first third, and the growth of memory in it."""
        later = self.samples[len(self.samples) // _LATER :]
        if not later:
            return {"samples": len(self.samples)}
        names = ("mib", "files", "threads", "children")
        ranges = {
            name: [min(getattr(s, name) for s in later), max(getattr(s, name) for s in later)]
            for name in names
        }
        ranges["mib"] = [round(value, 1) for value in ranges["mib"]]
        return {"samples": len(self.samples), **ranges, "grown_mib": round(later[-1].mib - later[0].mib, 1)}
