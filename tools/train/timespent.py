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


def spent_on(path: Path, *steps: str) -> float:
    """Return the seconds of these steps together; 0 without a file.

    Raises: FileFormatError if it is another file or damaged.
    """
    seconds = _read(path)
    return sum(seconds.get(step, 0.0) for step in steps)


@contextmanager
def spending(path: Path, step: str) -> Iterator[None]:
    """Add the time of the ``with`` block, however it ends, to a step.

    Raises: FileFormatError if it is another file or damaged.
    """
    seconds, began = _read(path), time.monotonic()
    try:
        yield
    finally:
        seconds[step] = seconds.get(step, 0.0) + time.monotonic() - began
        write_whole(path, (json.dumps(seconds, indent=1) + "\n").encode())


def _read(path: Path) -> dict[str, float]:
    try:
        return {str(step): float(seconds) for step, seconds in json.loads(path.read_bytes()).items()}
    except FileNotFoundError:
        return {}
    except (ValueError, AttributeError, TypeError):
        raise FileFormatError(f"{path} does not hold the seconds of each step") from None
