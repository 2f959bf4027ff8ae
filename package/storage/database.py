"""Creates and opens Outflank's SQLite files, which are books, runs, archives and jobs.

Files are not trusted. SQL in a file, such as a view in place of a table, runs when the file is read, and may run for
ever. Therefore a file must have exactly our tables and nothing else. The pages of a file may also be malicious: they
may form cycles, or expand a small file to a gigabyte of text. Therefore the steps of a statement and the bytes of a
value are limited.
"""

import contextlib
import json
import os
import sqlite3
import struct
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Self, get_args

from outflank.errors import FileFormatError
from outflank.storage.files import SQLITE_MAGIC, file_of, open_beside, open_regular

_HEADER_BYTES = 100
_WAL = 2  # the value of the header's bytes 18 and 19 in WAL mode
_LARGEST_PAGE = 65536  # the largest size of a page in bytes, which the header stores as 1
_PRIMARY = 0xFF  # the mask of the primary code in an extended error code
_OF_THE_DISK = (sqlite3.SQLITE_IOERR, sqlite3.SQLITE_FULL, sqlite3.SQLITE_READONLY)
_MOST_FACTS = 1000
CHECKSUM_FACT = "checksum"
_BUSY_SECONDS = 10  # the time to wait for a lock of SQLite
_MOST_SQL_BYTES = 1 << 16
_MOST_OBJECTS = 100  # the maximum number of objects read from a schema; our schemas have fewer than ten
_STEPS_AT_ONCE = 100_000  # the steps of SQLite's virtual machine between two checks: a millisecond or two
_FREE_STEPS = 10_000_000
_STEPS_PER_BYTE = 16  # additional steps per byte of the file; reading a row takes less than one step per byte
_LONGEST_SHOWN = 40

Schema = tuple[tuple[str, ...], ...]  # the kind, name, table and SQL of each object


@dataclass(frozen=True, slots=True)
class DatabaseKind:
    """A kind of SQLite file.

    Attributes:
        noun: the name of the kind in messages, with its article.
        application: the application id in the header, which the tool `file` and SQLite's tools show.
        tables: the SQL that creates the tables. The first table has facts about the file, in columns
            ``name`` and ``value``.
        version: the version of the tables.
        earlier: the SQL that created the tables in each earlier version that this program still reads.
        upgrade: the SQL that converts the tables of the last earlier version when the file is opened for writing.
        whole: True to check all pages when the file is opened, so that damaged pages can't make a read return more
            data than the file contains. The check takes a third of a second for 50 MB.
        longest: the maximum size of a value or a row in bytes.
        typed: True to check the types of all values when the file is opened; see ``expect_types``.
    """

    noun: str
    application: int
    tables: str
    version: int = 1
    earlier: tuple[str, ...] = ()
    upgrade: str = ""
    whole: bool = False
    longest: int = 1 << 16
    typed: bool = False

    @contextmanager
    def creating(self, path: Path) -> Iterator[tuple[sqlite3.Connection, Path]]:
        """Create a file atomically. The ``with`` block fills the tables; then the file replaces any existing file.

        A symbolic link is followed. The block gets a connection in a transaction, and the temporary path of the file.

        Raises: OSError or sqlite3.Error if the file can't be written.
        """
        path = file_of(path)
        with open_beside(path) as (descriptor, new):
            os.close(descriptor)
            try:
                with contextlib.closing(sqlite3.connect(new, isolation_level=None)) as connection:
                    connection.execute(f"PRAGMA application_id = {self.application}")
                    connection.execute(f"PRAGMA user_version = {self.version}")
                    connection.executescript(f"BEGIN; {self.tables} COMMIT; BEGIN;")
                    yield connection, new
                    connection.execute("COMMIT")
                os.replace(new, path)
            finally:
                with contextlib.suppress(OSError):
                    os.unlink(f"{new}-journal")

    def create(self, path: Path, facts: Mapping[str, str]) -> None:
        """Create a file that contains only these facts, as the rows of its first table; see ``creating``."""
        with self.creating(path) as (connection, _):
            sql = f"INSERT INTO {self._facts_table} VALUES (?, ?)"
            connection.executemany(sql, sealed(facts).items())

    def is_application_of(self, path: Path) -> bool:
        """Return whether a file has the header of this kind. The rest of the file is not checked."""
        try:
            with open_regular(path) as file:
                header = file.read(_HEADER_BYTES)
        except (OSError, ValueError):
            return False
        return header.startswith(SQLITE_MAGIC) and header[68:72] == struct.pack(">I", self.application)

    def open_to_read(self, path: Path) -> sqlite3.Connection:
        """Open a file for reading, even if another process writes to it or its folder is read-only.

        Raises: FileFormatError if the file is of another kind or version, or if damage is found.
        """
        in_wal_mode = self._check_header(path)
        try:
            try:
                return self._connect(path, "mode=ro")
            except sqlite3.OperationalError as error:
                # Reading in WAL mode needs a file with the suffix "-wal". If it does not exist and can't be created,
                # no process is writing, so the database can be read as immutable. In all other cases, an interrupted
                # change may have to be rolled back first, which needs write permission.
                file = file_of(path)
                left_alone = in_wal_mode and not file.with_name(file.name + "-wal").exists()
                try:
                    return self._connect(path, "immutable=1" if left_alone else "mode=rw")
                except (sqlite3.Error, UnicodeDecodeError, MemoryError):
                    if getattr(error, "sqlite_errorcode", 0) & _PRIMARY in _OF_THE_DISK:
                        noun = self.noun.partition(" ")[2]
                        raise FileFormatError(f"can't use the {noun} {str(path)!r} ({error})") from None
                    raise error from None
        # UnicodeDecodeError occurs if SQLite quotes damaged text, MemoryError if a damaged size is impossible.
        except (sqlite3.Error, UnicodeDecodeError, MemoryError) as error:
            raise self.unreadable(path, error) from None

    def open_to_write(self, path: Path) -> sqlite3.Connection:
        """Open a file for changes. All commits before a crash are recovered.

        The connection uses WAL mode. Its commits survive a power cut.

        Raises: FileFormatError if the file is not of this kind; sqlite3.Error, UnicodeDecodeError, MemoryError.
        """
        self._check_header(path)
        connection = self._connect(path, "mode=rw", writes=True)
        try:
            ((version,),) = connection.execute("PRAGMA user_version").fetchall()
            if version != self.version:
                connection.executescript(
                    f"BEGIN; {self.upgrade} PRAGMA user_version = {self.version}; COMMIT;"
                )
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = FULL")
            # The first query creates the files of WAL mode.
            connection.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchall()
        except BaseException:
            connection.close()
            raise
        return connection

    def read_facts(self, connection: sqlite3.Connection) -> dict[str, str]:
        """Return the facts about a file, without the checksum that ``sealed`` added.

        Raises: FileFormatError without the name of the file if the facts are damaged; sqlite3.Error if reading fails.
        """
        rows = connection.execute(f"SELECT name, value FROM {self._facts_table} LIMIT {_MOST_FACTS}")
        facts: dict[str, str] = dict(typed(rows, str, str))
        if facts.pop(CHECKSUM_FACT, None) != _checksum(facts):
            raise FileFormatError("its facts do not match their checksum")
        return facts

    def unreadable(self, path: Path, reason: object) -> FileFormatError:
        """Return the error for a refused file. If `reason` has no text, the error says that memory is short."""
        return FileFormatError(
            f"can't read {str(path)!r} as {self.noun} ({str(reason) or 'a size that exceeds the memory'})"
        )

    @property
    def _facts_table(self) -> str:
        return self.tables.split()[2]  # the word after CREATE TABLE

    def _check_header(self, path: Path) -> bool:
        """Check the header before SQLite reads it; return whether the file is in WAL mode."""
        try:
            with open_regular(path) as file:
                header, size = file.read(_HEADER_BYTES), file.seek(0, os.SEEK_END)
        except (OSError, ValueError) as error:  # ValueError for an invalid path, such as one with a zero byte
            raise self.unreadable(path, getattr(error, "strerror", None) or error) from None
        if not header.startswith(SQLITE_MAGIC) or len(header) < _HEADER_BYTES:
            raise self.unreadable(path, "it is not an SQLite file" if header else "it is empty")
        page_bytes, _, journal = struct.unpack_from(">HBB", header, 16)
        ((pages,), (version, _, application)) = (
            struct.unpack_from(form, header, at) for form, at in ((">I", 28), (">III", 60))
        )
        if application != self.application:
            raise self.unreadable(path, "an SQLite file of another kind")
        oldest = self.version - bool(self.earlier)
        if not oldest <= version <= self.version:
            newer = ", written by a newer Outflank" if version > self.version else ""
            read = f"{oldest} to {self.version}" if self.earlier else self.version
            raise self.unreadable(path, f"version {version}{newer}; this Outflank reads version {read}")
        expected = pages * (page_bytes if page_bytes != 1 else _LARGEST_PAGE)
        if journal != _WAL and size < expected:
            raise self.unreadable(path, f"cut short: {size} of {expected} bytes")
        return bool(journal == _WAL)

    def _connect(self, path: Path, how: str, *, writes: bool = False) -> sqlite3.Connection:
        """Connect to a file, and check its schema and its contents. `how`: options in SQLite's URI.

        With ``mode=rw``, even a connection for reading rolls back an interrupted change.
        """
        connection = sqlite3.connect(
            f"{path.absolute().as_uri()}?{how}",
            uri=True,
            isolation_level=None,
            check_same_thread=False,  # callers with several threads hold a lock
            timeout=_BUSY_SECONDS,
            factory=_WatchedConnection,
        )
        try:
            connection.limit(path, self.longest)
            _expect_schema(connection, (*self.earlier, self.tables))
            if self.whole:
                ((found,),) = connection.execute("PRAGMA quick_check(1)").fetchall()
                if found != "ok":
                    raise FileFormatError(f"damaged: {found}")
            if self.typed:
                expect_types(connection)
            if not writes:
                connection.execute("PRAGMA query_only = ON")
        except FileFormatError as error:
            connection.close()
            raise self.unreadable(path, error) from None
        except BaseException:
            connection.close()
            raise
        return connection


@contextmanager
def transaction(connection: sqlite3.Connection, *, immediate: bool = False) -> Iterator[None]:
    """Commit the changes of the ``with`` block; if the block or the commit fails, discard the changes.

    Args:
        connection: a connection without an open transaction.
        immediate: True to lock the file for writing before the block.

    Raises: sqlite3.Error.
    """
    connection.execute("BEGIN IMMEDIATE" if immediate else "BEGIN")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        with contextlib.suppress(sqlite3.Error):  # after some errors, SQLite has already rolled back
            connection.execute("ROLLBACK")
        raise


def remove_database(path: Path) -> None:
    """Remove a database and its files for WAL mode. Files that do not exist or can't be removed are skipped."""
    for suffix in ("", "-wal", "-shm"):
        with contextlib.suppress(OSError):
            path.with_name(path.name + suffix).unlink()


def sealed(facts: Mapping[str, str]) -> dict[str, str]:
    """Return the facts with an additional fact, the checksum that ``read_facts`` checks.

    The checksum is the CRC-32 of the other facts, in hexadecimal digits.
    """
    others = {name: value for name, value in facts.items() if name != CHECKSUM_FACT}
    return {**others, CHECKSUM_FACT: _checksum(others)}


def expect_types(connection: sqlite3.Connection) -> None:
    """Check that all values have the types of their columns, since SQLite allows any type in any column.

    Raises: FileFormatError, whose message names the table and the column, but not the file; sqlite3.Error.
    """
    tables = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
    for (table,) in tables:
        columns = connection.execute(f"PRAGMA table_info({table})").fetchall()
        cases = " ".join(
            # NULL is accepted here, since the check of the pages finds NULL in columns that do not allow it.
            f"WHEN typeof({name}) NOT IN ('{kind.lower()}', 'null') THEN '{name}'"
            for _, name, kind, *_ in columns
        )
        query = f"SELECT CASE {cases} END AS wrong FROM {table} WHERE wrong IS NOT NULL LIMIT 1"
        for (column,) in connection.execute(query).fetchall():
            raise FileFormatError(f"damaged: a value of {column} in the table {table} has the wrong type")


_WORDS = {int: "a whole number", float: "a number", str: "text", bytes: "bytes", NoneType: "nothing"}


def typed(rows: Iterable[Sequence[Any]], *types: type | UnionType) -> Iterator[Any]:
    """Check the types of the values in the rows of a query, and yield the rows. `types`: the types of the columns.

    Used for files that are too large for ``expect_types``.

    Raises: sqlite3.DatabaseError if a value has another type.
    """
    for row in rows:
        for value, kind in zip(row, types, strict=True):
            if not isinstance(value, kind):
                kinds: tuple[Any, ...] = get_args(kind) or (kind,)
                wanted = " or ".join(_WORDS[each] for each in kinds)
                raise sqlite3.DatabaseError(f"damaged: expected {wanted}, got {value!r:.{_LONGEST_SHOWN}}")
        yield row


def _checksum(facts: Mapping[str, str]) -> str:
    return f"{zlib.crc32(json.dumps(sorted(facts.items()), ensure_ascii=False).encode()):08x}"


class _Cursor(sqlite3.Cursor):
    connection: "_WatchedConnection"

    def execute(self, sql: str, values: Any = (), /) -> Self:
        with self.connection.watched():
            super().execute(sql, values)
        return self

    def executemany(self, sql: str, values: Any, /) -> Self:
        with self.connection.watched():
            super().executemany(sql, values)
        return self

    def fetchone(self) -> Any:
        with self.connection.watched(goes_on=True):
            return super().fetchone()

    def fetchall(self) -> list[Any]:
        with self.connection.watched(goes_on=True):
            return super().fetchall()

    def __next__(self) -> Any:
        with self.connection.watched(goes_on=True):
            return super().__next__()


class _WatchedConnection(sqlite3.Connection):
    """A connection that limits the steps of each statement, for untrusted files."""

    _steps = 0
    _raised: BaseException | None = None
    _path: Path
    _watch: Iterator[bool]  # keeps the iterator alive, since SQLite refers only to the iterator's method

    def limit(self, path: Path, longest: int) -> None:
        self._path = path
        self.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, longest)
        self.setlimit(sqlite3.SQLITE_LIMIT_SQL_LENGTH, _MOST_SQL_BYTES)
        self._watch = self._watching()
        next(self._watch)
        self.set_progress_handler(self._watch.__next__, _STEPS_AT_ONCE)
        for pragma in ("trusted_schema = OFF", "cell_size_check = ON", "mmap_size = 0"):
            self.execute(f"PRAGMA {pragma}").fetchall()

    def execute(self, sql: str, values: Any = (), /) -> sqlite3.Cursor:
        return self.cursor(_Cursor).execute(sql, values)

    def executemany(self, sql: str, values: Any, /) -> sqlite3.Cursor:
        return self.cursor(_Cursor).executemany(sql, values)

    @contextmanager
    def watched(self, *, goes_on: bool = False) -> Iterator[None]:
        """Raise the cause of an interruption in place of SQLite's error if a statement in this block is interrupted.

        The cause is the exception of a signal handler or, if the statement took too many steps, a DatabaseError. If
        `goes_on` is True, the block continues a statement, and its steps are added to the statement's earlier steps.
        """
        if not goes_on:
            self._steps = 0
        try:
            yield
        except sqlite3.OperationalError as error:
            raised, self._raised = self._raised, None
            if raised is not None:
                raise raised from None
            if self._is_beyond_limit():
                raise sqlite3.DatabaseError("its pages form a loop") from None
            raise error

    def _is_beyond_limit(self) -> bool:
        """Return whether the statement has taken more steps than our statements need in a file of this size."""
        if self._steps <= _FREE_STEPS:
            return False
        return self._steps > _FREE_STEPS + _STEPS_PER_BYTE * self._path.stat().st_size

    def _watching(self) -> Iterator[bool]:
        """Yield True to interrupt the statement, else False. SQLite's progress callback reads these values.

        A signal handler may run in this generator and raise an exception. SQLite ignores exceptions of its callback, so
        the generator catches the exception and stores it for `watched`.
        """
        while True:
            try:
                while True:
                    yield self._is_beyond_limit()
                    self._steps += _STEPS_AT_ONCE
            except GeneratorExit:
                raise
            except BaseException as error:  # `watched` raises this again
                self._raised = error
                yield True


def _expect_schema(connection: sqlite3.Connection, schemas: tuple[str, ...]) -> None:
    found = _schema_of(connection)
    expected = [_schema_made_by(sql) for sql in schemas]
    if found in expected:
        return
    ours = {(kind, name): sql for kind, name, _, sql in expected[-1]}
    theirs = {(kind, name): sql for kind, name, _, sql in found}
    for kind, name in theirs:
        if (kind, name) not in ours:
            raise FileFormatError(
                f"it has the {kind[:_LONGEST_SHOWN]} {name[:_LONGEST_SHOWN]!r}, which Outflank does not create"
            )
    for kind, name in ours:
        if (kind, name) not in theirs:
            raise FileFormatError(f"the {kind} {name!r} is missing")
    raise FileFormatError("its tables have an unexpected structure")


def _schema_of(connection: sqlite3.Connection) -> Schema:
    """Return kind, name, table and SQL of all objects, without blanks, since versions of SQLite differ in blanks."""
    rows = connection.execute(
        f"SELECT type, name, tbl_name, sql FROM sqlite_master LIMIT {_MOST_OBJECTS}"
    ).fetchall()
    return tuple(sorted(tuple("".join(str(value).split()) for value in row) for row in rows))


@cache
def _schema_made_by(sql: str) -> Schema:
    connection = sqlite3.connect(":memory:")
    try:
        connection.executescript(sql)
        return _schema_of(connection)
    finally:
        connection.close()
