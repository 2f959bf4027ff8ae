"""The files of an archive that is being built. An interrupted build leaves them, so that the same build can continue.

Only a file on the same file system can replace an archive in one step, so the files lie next to the archive. Other
users may have write access to this folder, so a build continues only with files that belong to its own user.
"""

import os
import sqlite3
import stat
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path

from outflank.errors import OutflankError
from outflank.storage.lock import WriterLock
from outflank.tools.archive.schema import ARCHIVE

VISITS_FACT = "visits"
"""The name of the fact that gives the number of unsorted positions of an unfinished archive."""


@dataclass(frozen=True, slots=True)
class UnfinishedFiles:
    """The files of an unfinished archive.

    Attributes:
        archive: the file that becomes the archive.
        visits: the file of the unsorted positions.
        is_kept: True if the files remain after an interruption.
    """

    archive: Path
    visits: Path
    is_kept: bool

    def facts(self) -> dict[str, str] | None:
        """Return the facts of the last saved state; None if there is none, or if the files are damaged."""
        try:
            with closing(sqlite3.connect(self.archive)) as connection:
                connection.execute("ATTACH ? AS scratch", (str(self.visits),))
                facts = ARCHIVE.read_facts(connection)
                ((found,),) = connection.execute("PRAGMA quick_check(1)").fetchall()
                ((visits,),) = connection.execute("SELECT max(rowid) FROM scratch.visit").fetchall()
        except (sqlite3.Error, OutflankError, UnicodeDecodeError):
            return None
        return facts if found == "ok" and facts.get(VISITS_FACT) == str(visits) else None

    def make_new(self) -> None:
        """Replace the files with empty files. Raises: OSError if a file can't be created."""
        self.remove()
        for path in self.archive, self.visits:
            # O_EXCL fails if the path exists, so that a link created by another user is not followed.
            os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o666))

    def remove(self) -> None:
        """Remove the files and their journals."""
        for path in self.archive, self.visits:
            for file in path, _journal_of(path):
                with suppress(OSError):
                    file.unlink()


@contextmanager
def unfinished_files(target: Path, task: str | None) -> Iterator[UnfinishedFiles]:
    """Yield the files of an unfinished archive, which need not exist.

    At the end the files are removed, unless an interruption such as Ctrl-C leaves a state from which the same build can
    continue.

    Args:
        target: the path of the archive.
        task: a text that identifies the build. A build with the same text gets the files that an interruption has left.
            None for a build that can't be continued.
    """
    with ExitStack() as held:
        files = None if task is None else _kept_files(target, task, held)
        if files is None:
            files = _files(target, os.urandom(6).hex(), is_kept=False)
        try:
            yield files
        except Exception:
            files.remove()
            raise
        except BaseException:  # an interruption, such as KeyboardInterrupt
            if not files.is_kept or files.facts() is None:
                files.remove()
            raise
        files.remove()


def _kept_files(target: Path, task: str, held: ExitStack) -> UnfinishedFiles | None:
    """Return the files of a build that may be continued; None if another process uses them or one is not our own."""
    digest = blake2b(task.encode(errors="surrogatepass"), digest_size=6).hexdigest()
    files = _files(target, digest, is_kept=True)
    with suppress(OSError, OutflankError):
        held.enter_context(WriterLock(files.archive, "one process makes an archive"))
        if all(
            _is_ours(file) for path in (files.archive, files.visits) for file in (path, _journal_of(path))
        ):
            return files
    return None


def _files(target: Path, word: str, is_kept: bool) -> UnfinishedFiles:
    path = target.with_name(f".{target.name}.{word}")
    return UnfinishedFiles(path, path.with_name(f"{path.name}-visits"), is_kept)


def _journal_of(path: Path) -> Path:
    return path.with_name(f"{path.name}-journal")


def _is_ours(path: Path) -> bool:
    """Return whether a file is missing, or a regular file of this user without another hard link."""
    try:
        found = path.lstat()
    except FileNotFoundError:
        return True
    is_own = not hasattr(os, "geteuid") or found.st_uid == os.geteuid()
    return is_own and stat.S_ISREG(found.st_mode) and found.st_nlink == 1
