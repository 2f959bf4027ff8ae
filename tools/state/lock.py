"""Only one runner writes to a run."""

from pathlib import Path

from outflank.book.lock import WriterLock

LOCK_FILE = "run.lock"


class RunLock(WriterLock):
    """Holds the folder of a run until it is released.

    Raises: FileFormatError if another runner holds it, naming that process; OSError if it can't be made.
    """

    def __init__(self, folder: Path) -> None:
        super().__init__(
            folder / LOCK_FILE, f"expected a run that no process is playing, got {str(folder)!r}"
        )
