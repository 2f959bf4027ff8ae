"""Only one runner writes to a run."""

from pathlib import Path

from outflank.book.lock import LOCK_SUFFIX, WriterLock
from outflank.tools.state.schema import RUN_FILE

LOCK_FILE = RUN_FILE + LOCK_SUFFIX


class RunLock(WriterLock):
    """Holds the folder of a run until it is released.

    Raises: FileFormatError if another runner holds it, naming that process, or if something else bears the name of its
        lock; OSError if it can't be made.
    """

    def __init__(self, folder: Path) -> None:
        super().__init__(folder / RUN_FILE, f"the run {str(folder)!r} is being played by another process")
