"""SQLite files that anybody may have made: how books and runs are opened, and what their files may hold.

SQL in a file, such as a view in the place of a table, runs when the file is read, and may run for ever. So a file has
to have the tables that we make, to the letter, and nothing else. The pages may lie as well: they may lead in circles,
or make a text of a gigabyte out of a small file. So each statement has a limit of steps, and each value one of bytes.
"""

import os
import sqlite3
import struct
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any, Self

from outflank.engine import FileFormatError
from outflank.engine.links import open_regular

_MAGIC = b"SQLite format 3\0"
_HEADER_BYTES = 100
_APPLICATION_ID_AT = 68
_MOST_SQL_BYTES = 1 << 16
_MOST_OBJECTS = 100  # of a schema; ours have fewer than ten
_STEPS_AT_ONCE = 100_000  # of SQLite's virtual machine, a millisecond or two
_FREE_STEPS = 10_000_000
_STEPS_PER_BYTE = 16  # reading a row takes less than one for each of its bytes
_LONGEST_SHOWN = 40

Schema = tuple[tuple[str, ...], ...]  # kind, name, table and SQL


def header_of(path: Path, application: int) -> tuple[bytes, int]:
    """The first bytes of a database's file, before SQLite sees it, and how many the file has.

    Args:
        path: of the file.
        application: the number that its kind of file has.

    Raises: FileFormatError with the reason alone if it is none of this kind or can't be read.
    """
    try:
        with open_regular(path) as file:
            header, size = file.read(_HEADER_BYTES), file.seek(0, os.SEEK_END)
    except (OSError, ValueError) as error:  # ValueError for an impossible name, as with a zero byte in it
        raise FileFormatError(getattr(error, "strerror", None) or str(error)) from None
    if not header.startswith(_MAGIC) or len(header) < _HEADER_BYTES:
        raise FileFormatError("it is no SQLite file" if header else "it is empty")
    if struct.unpack_from(">I", header, _APPLICATION_ID_AT) != (application,):
        raise FileFormatError("an SQLite file of another program")
    return header, size


def open_database(
    path: Path,
    how: str,
    schemas: Iterable[str],
    *,
    writes: bool = False,
    whole: bool = False,
    longest: int,
    busy_seconds: float,
) -> sqlite3.Connection:
    """Open a file that need not be trusted.

    Args:
        path: of a regular file, see ``header_of``.
        how: the options in SQLite's URI: ``mode=ro``, ``mode=rw``, ``immutable=1``.
        schemas: SQL that makes the tables, for each form that the file may have.
        writes: whether the connection may change it; a change that another broke off is taken back in any case.
        whole: whether to check all pages first, so that reading gives no more than the file holds; 50 MB take a third
            of a second.
        longest: bytes of a value or a row.
        busy_seconds: how long to wait for a lock of SQLite.

    Raises: FileFormatError with the reason alone if its tables are others or, with `whole`, its pages are damaged;
        sqlite3.Error; UnicodeDecodeError where SQLite quotes damage; MemoryError where a damaged size is impossible.
    """
    connection = sqlite3.connect(
        f"{path.absolute().as_uri()}?{how}",
        uri=True,
        isolation_level=None,
        check_same_thread=False,  # who uses it in several threads holds a lock
        timeout=busy_seconds,
        factory=_Connection,
    )
    try:
        connection.limit(path, longest)
        _expect_schema(connection, schemas)
        if whole:
            ((found,),) = connection.execute("PRAGMA quick_check(1)").fetchall()
            if found != "ok":
                raise FileFormatError(f"damaged: {found}")
        if not writes:
            connection.execute("PRAGMA query_only = ON")
    except BaseException:
        connection.close()
        raise
    return connection


class _Cursor(sqlite3.Cursor):
    """Its statements end when the connection's limit is reached or a signal comes."""

    connection: "_Connection"

    def execute(self, sql: str, values: Any = (), /) -> Self:
        """As always."""
        with self.connection.watched():
            super().execute(sql, values)
        return self

    def executemany(self, sql: str, values: Any, /) -> Self:
        """As always."""
        with self.connection.watched():
            super().executemany(sql, values)
        return self

    def fetchone(self) -> Any:
        """As always."""
        with self.connection.watched(goes_on=True):
            return super().fetchone()

    def fetchall(self) -> list[Any]:
        """As always."""
        with self.connection.watched(goes_on=True):
            return super().fetchall()

    def __next__(self) -> Any:
        with self.connection.watched(goes_on=True):
            return super().__next__()


class _Connection(sqlite3.Connection):
    """A connection to a file that is not trusted."""

    _steps = 0
    _raised: BaseException | None = None
    _path: Path
    _watch: Iterator[bool]  # held for its end: SQLite knows its method alone

    def limit(self, path: Path, longest: int) -> None:
        """Set the limits before the first statement."""
        self._path = path
        self.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, longest)
        self.setlimit(sqlite3.SQLITE_LIMIT_SQL_LENGTH, _MOST_SQL_BYTES)
        self._watch = self._watching()
        next(self._watch)
        self.set_progress_handler(self._watch.__next__, _STEPS_AT_ONCE)
        for pragma in ("trusted_schema = OFF", "cell_size_check = ON", "mmap_size = 0"):
            self.execute(f"PRAGMA {pragma}").fetchall()

    def execute(self, sql: str, values: Any = (), /) -> sqlite3.Cursor:
        """As always."""
        return self.cursor(_Cursor).execute(sql, values)

    def executemany(self, sql: str, values: Any, /) -> sqlite3.Cursor:
        """As always."""
        return self.cursor(_Cursor).executemany(sql, values)

    @contextmanager
    def watched(self, *, goes_on: bool = False) -> Iterator[None]:
        """Raise the reason why a statement of the block was interrupted: a signal handler's exception, or the limit."""
        if not goes_on:
            self._steps = 0
        try:
            yield
        except sqlite3.OperationalError as error:
            raised, self._raised = self._raised, None
            if raised is not None:
                raise raised from None
            if self._is_beyond_limit():
                raise sqlite3.DatabaseError("its pages lead in circles") from None
            raise error

    def _is_beyond_limit(self) -> bool:
        """Whether a statement takes longer than any of ours does in a file of this size."""
        if self._steps <= _FREE_STEPS:
            return False
        return self._steps > _FREE_STEPS + _STEPS_PER_BYTE * self._path.stat().st_size

    def _watching(self) -> Iterator[bool]:
        """Whether to interrupt the statement, asked every some thousands of steps.

        The handler of a signal that has come runs as soon as Python code does, and raises. SQLite drops what its
        callback raises; a generator gets it at its ``yield``, where it can be kept.
        """
        while True:
            try:
                while True:
                    yield self._is_beyond_limit()
                    self._steps += _STEPS_AT_ONCE
            except GeneratorExit:
                raise
            except BaseException as error:  # raised again by `watched`
                self._raised = error
                yield True


def _expect_schema(connection: sqlite3.Connection, schemas: Iterable[str]) -> None:
    """Raise FileFormatError unless the file has one of the schemas to the letter."""
    found = _schema_of(connection)
    expected = [_schema_made_by(sql) for sql in schemas]
    if found in expected:
        return
    ours = {(kind, name): sql for kind, name, _, sql in expected[-1]}
    theirs = {(kind, name): sql for kind, name, _, sql in found}
    for kind, name in theirs:
        if (kind, name) not in ours:
            raise FileFormatError(
                f"it has the {kind[:_LONGEST_SHOWN]} {name[:_LONGEST_SHOWN]!r}, which is not Outflank's"
            )
    for kind, name in ours:
        if (kind, name) not in theirs:
            raise FileFormatError(f"the {kind} {name!r} is missing")
    raise FileFormatError("its tables are not as Outflank makes them")


def _schema_of(connection: sqlite3.Connection) -> Schema:
    """Kind, name, table and SQL of all that a file holds; without blanks, which versions of SQLite set differently."""
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
