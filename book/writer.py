"""Changes an opening book. Only one process at a time can change a book."""

import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path
from typing import Self

from outflank import __version__
from outflank.book.keys import key_of
from outflank.book.records import COLUMNS, Record, to_row
from outflank.book.store import BOOK, Book
from outflank.engine import OutflankError, Position, Rules, SettingsError
from outflank.engine.rules import checked_rules
from outflank.storage.files import file_of
from outflank.storage.lock import WriterLock

_INSERT_POSITION = f"INSERT OR REPLACE INTO position VALUES ({', '.join('?' * len(COLUMNS))})"
_INSERT_HISTORY = "INSERT INTO history (time, what) VALUES (?, ?)"


class BookWriter(Book):
    """An opening book that is opened for changes. Other processes may read the book meanwhile; they see each commit.

    Changes become part of the book at the next commit, atomically, even if the process or the machine fails. As a
    context manager, a writer commits at the end of the block, or rolls back if the block raises an error. The class is
    not thread-safe.
    """

    def __init__(self, path: Path, connection: sqlite3.Connection, lock: WriterLock) -> None:
        super().__init__(path, connection)
        self._writer_lock: WriterLock | None = lock

    @classmethod
    def create(cls, path: Path | str, rules: Rules, facts: Mapping[str, str] | None = None) -> Self:
        """Create a new book without positions, and open it.

        Raises: OutflankError if the file exists or can't be created; SettingsError if `rules` is not a ``Rules``, or if
            a fact is not a text.
        """
        checked_rules(rules)
        _expect_texts(facts or {})
        path = Path(path)
        with _locked(path) as lock:
            if path.exists():
                raise OutflankError(f"{str(path)!r} already exists: use another name for the new book")
            own = {"rules": str(rules), "created": _now(), "outflank": __version__}
            BOOK.create(path, {**(facts or {}), **own})
            try:
                return cls(path, BOOK.open_to_write(path), lock)
            except BaseException:
                file_of(path).unlink(missing_ok=True)
                raise

    @classmethod
    def open(cls, path: Path | str, rules: Rules | None = None) -> Self:
        """Open a book for changes.

        Raises: see ``Book.open``; FileFormatError if another process is changing the book; OutflankError if the book
            can't be written.
        """
        path = Path(path)
        BOOK.open_to_read(path).close()  # checks the file, so that only a book gets a lock file
        with _locked(path) as lock:
            book = cls(path, BOOK.open_to_write(path), lock)
        try:
            if rules is not None:
                book.expect(rules)
        except SettingsError:
            book.close()
            raise
        return book

    def put(self, record: Record) -> None:
        """Add or replace a position.

        Raises: SettingsError if the record is invalid; OutflankError if the change can't be written.
        """
        self.put_all([record])

    def put_all(self, records: Iterable[Record]) -> None:
        """Add or replace many positions. Raises: see ``put``."""
        rows = []
        for record in records:
            self.expect(record.position.rules)
            rows.append(to_row(record))
        self._write(_INSERT_POSITION, rows)

    def remove(self, positions: Iterable[Position]) -> None:
        """Remove positions or images of them. Positions that are not in the book are ignored.

        Raises: OutflankError if the change can't be written.
        """
        self._write(
            "DELETE FROM position WHERE board = ?", [(key_of(position)[0],) for position in positions]
        )

    def note(self, what: str) -> None:
        """Add a line to the book's history. Surrogates, as in file names that are not UTF-8, are escaped.

        Raises: OutflankError if the line can't be written.
        """
        text = what.encode(errors="backslashreplace").decode()
        self._write(_INSERT_HISTORY, [(_now(), f"outflank {__version__}: {text}")])

    def commit(self) -> None:
        """Commit all changes since the last commit, so that they survive a power cut.

        Raises: OutflankError if the commit fails, after a rollback; SettingsError if the book was closed.
        """
        self._expect_open()
        if self._connection.in_transaction:
            try:
                self._connection.execute("COMMIT")
            except sqlite3.Error as error:
                self.rollback()
                raise _not_written(self.path, error) from None

    def rollback(self) -> None:
        """Discard all changes since the last commit. Raises: SettingsError if the book was closed."""
        self._expect_open()
        if self._connection.in_transaction:
            self._connection.execute("ROLLBACK")

    def compact(self) -> None:
        """Rewrite the file without gaps, in the order of the keys.

        Raises: OutflankError if the file can't be written; SettingsError if the book was closed.
        """
        self.commit()
        try:
            self._connection.execute("VACUUM")
        except sqlite3.Error as error:
            raise _not_written(self.path, error) from None

    def close(self) -> None:
        """Discard uncommitted changes, close the file and release the lock. A second call does nothing."""
        lock = self._writer_lock
        if lock is None:
            return
        try:
            # If another process is reading, the last changes stay in the write-ahead log, where readers find them.
            with suppress(sqlite3.Error):
                self.rollback()
                self._connection.execute("PRAGMA busy_timeout = 0")
                self._connection.execute("PRAGMA journal_mode = DELETE")  # merges the log into the file
            super().close()
        finally:
            self._writer_lock = None
            lock.release()

    def __exit__(self, *raised: object) -> None:
        try:
            if self._writer_lock is not None and (not raised or raised[0] is None):
                self.commit()
        finally:
            self.close()

    def _write(self, sql: str, rows: Sequence[tuple[object, ...]]) -> None:
        self._expect_open()
        try:
            if not self._connection.in_transaction:
                self._connection.execute("BEGIN IMMEDIATE")
            self._connection.executemany(sql, rows)
        except sqlite3.Error as error:
            with suppress(sqlite3.Error):
                self.rollback()
            raise _not_written(self.path, error) from None

    def _expect_open(self) -> None:
        if self._writer_lock is None:
            raise SettingsError(f"the book {str(self.path)!r} was closed")


def lock_book(path: Path) -> WriterLock:
    """Lock a book, which need not exist yet. All symbolic links to a book share its lock.

    Raises: FileFormatError if another process holds the lock, or if another file has the name of the lock file;
        OutflankError if the lock file can't be created.
    """
    refusal = f"another process is changing the book {str(path)!r}"
    try:
        return WriterLock(file_of(path), refusal)
    except (OSError, ValueError) as error:  # ValueError for an invalid path, such as one with a zero byte
        raise _not_written(path, error) from None


@contextmanager
def _locked(path: Path) -> Iterator[WriterLock]:
    lock = lock_book(path)
    try:
        yield lock
    except BaseException as error:
        lock.release()
        if isinstance(error, OSError | sqlite3.Error):
            raise _not_written(path, error) from None
        raise


def _not_written(path: Path, error: Exception) -> OutflankError:
    reason = error.strerror if isinstance(error, OSError) else error
    return OutflankError(f"can't write to {str(path)!r} ({reason}); committed changes are safe")


def _expect_texts(facts: Mapping[str, str]) -> None:
    for text in chain.from_iterable(facts.items()):
        if not isinstance(text, str):
            raise SettingsError(f"expected text for a fact of a book, got {text!r}")
        try:
            text.encode()
        except UnicodeEncodeError:
            raise SettingsError(f"the fact {text!r} can't be written as UTF-8") from None


def _now() -> str:
    return datetime.now(UTC).astimezone().isoformat(timespec="seconds")
