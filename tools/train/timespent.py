"""Time spent on each step of a long run, across interruptions.

The file is written whenever a step ends or is interrupted; the time of a killed step is not counted.
"""

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from outflank.engine import FileFormatError
from outflank.tools.runtime.files import write_whole


class TimeSpent:
    """Seconds by the name of the step, in a file of their own.

    Args:
        path: the path of the file; without a file no time was spent.

    Raises: FileFormatError if it is another file or damaged.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._seconds = _read(path) if path.exists() else {}

    def on(self, *steps: str) -> float:
        """Return the seconds of these steps together."""
        return sum(self._seconds.get(step, 0.0) for step in steps)

    @contextmanager
    def spending(self, step: str) -> Iterator[None]:
        """Add the time of the ``with`` block, however it ends, to a step."""
        began = time.monotonic()
        try:
            yield
        finally:
            self._seconds[step] = self._seconds.get(step, 0.0) + time.monotonic() - began
            write_whole(self._path, (json.dumps(self._seconds, indent=1) + "\n").encode())


def _read(path: Path) -> dict[str, float]:
    try:
        return {str(step): float(seconds) for step, seconds in json.loads(path.read_bytes()).items()}
    except (ValueError, AttributeError, TypeError):
        raise FileFormatError(f"{path} does not hold the seconds of each step") from None
