"""Time spent on each step of a long run, over all its interruptions.

The file is written whenever a step ends or is interrupted; a step that is killed costs nothing.
"""

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from outflank.engine import FileFormatError
from outflank.tools.work.files import write_whole


class TimeSpent:
    """Seconds by the name of the step, in a file of their own.

    Args:
        path: of the file; no time was spent if there is none.

    Raises: FileFormatError if it is another file or damaged.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._seconds = _read(path) if path.exists() else {}

    def on(self, *steps: str) -> float:
        """Seconds of these steps together."""
        return sum(self._seconds.get(step, 0.0) for step in steps)

    @contextmanager
    def spending(self, step: str) -> Iterator[None]:
        """Add the time until the end of ``with``, however it ends, to a step's."""
        began = time.monotonic()
        try:
            yield
        finally:
            self._seconds[step] = self._seconds.get(step, 0.0) + time.monotonic() - began
            write_whole(self._path, (json.dumps(self._seconds, indent=1) + "\n").encode())


def _read(path: Path) -> dict[str, float]:
    """Raises: FileFormatError."""
    try:
        return {str(step): float(seconds) for step, seconds in json.loads(path.read_bytes()).items()}
    except (ValueError, AttributeError, TypeError):
        raise FileFormatError(f"{path} does not hold the seconds of each step") from None
