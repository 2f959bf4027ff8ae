"""The file of a book: its tables, and how it is opened. docs/book.md describes it for other programs."""

import contextlib
import json
import os
import sqlite3
import struct
import zlib
from collections.abc import Mapping
from pathlib import Path

from outflank.book.database import header_of, open_database
from outflank.book.records import COLUMNS
from outflank.engine import FileFormatError
from outflank.engine.links import file_of

VERSION = 1
_APPLICATION_ID = 0x4F464C42  # "OFLB", which `file` and SQLite's own tools show
_WAL = 2  # in the header's bytes 18 and 19
_BUSY_SECONDS = 10
_LONGEST_VALUE = 1 << 16  # bytes
_MOST_FACTS = 1000
_PRIMARY = 0xFF  # of an error code of SQLite; the higher bits say more
_OF_THE_DISK = (sqlite3.SQLITE_IOERR, sqlite3.SQLITE_FULL, sqlite3.SQLITE_READONLY)
_TABLES = """
CREATE TABLE book (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE history (number INTEGER PRIMARY KEY, time TEXT NOT NULL, what TEXT NOT NULL);
CREATE TABLE position (
    board BLOB PRIMARY KEY,
    score INTEGER NOT NULL, lower INTEGER NOT NULL, upper INTEGER NOT NULL,
    depth INTEGER NOT NULL, selectivity INTEGER NOT NULL, level INTEGER,
    leaf INTEGER, leaf_score INTEGER,
    lines INTEGER NOT NULL, wins INTEGER NOT NULL, draws INTEGER NOT NULL, losses INTEGER NOT NULL,
    checksum INTEGER NOT NULL
) WITHOUT ROWID;
"""
CHECKSUM_FACT = "checksum"
SELECT = f"SELECT {', '.join(COLUMNS)} FROM position"
INSERT_POSITION = f"INSERT OR REPLACE INTO position VALUES ({', '.join('?' * len(COLUMNS))})"
INSERT_FACT = "INSERT OR REPLACE INTO book VALUES (?, ?)"
INSERT_HISTORY = "INSERT INTO history (time, what) VALUES (?, ?)"


def facts_checksum(facts: Mapping[str, str]) -> str:
    """CRC-32 of what a book says of itself, its own checksum left out, in eight hexadecimal digits."""
    listed = sorted((name, value) for name, value in facts.items() if name != CHECKSUM_FACT)
    return f"{zlib.crc32(json.dumps(listed, ensure_ascii=False).encode()):08x}"


def create(path: Path, facts: Mapping[str, str]) -> None:
    """Make the file of a book without positions, whole or not at all; an old one is replaced.

    A link stays one: the file is made where it leads to.

    Raises: OSError; sqlite3.Error.
    """
    path = file_of(path)
    name = str(path.with_name(f".{path.name}.{os.urandom(6).hex()}"))
    os.close(os.open(name, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o666))
    try:
        connection = sqlite3.connect(name, isolation_level=None)
        with contextlib.closing(connection):
            connection.execute(f"PRAGMA application_id = {_APPLICATION_ID}")
            connection.execute(f"PRAGMA user_version = {VERSION}")
            connection.executescript(f"BEGIN; {_TABLES} COMMIT;")
            sealed = {**facts, CHECKSUM_FACT: facts_checksum(facts)}
            connection.execute("BEGIN")
            connection.executemany(INSERT_FACT, sealed.items())
            connection.execute("COMMIT")
        os.replace(name, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(name)
        raise


def open_to_read(path: Path) -> sqlite3.Connection:
    """Open the file of a book, also one that is being written and one in a folder that is read-only.

    Raises: FileFormatError if it is not one, is damaged at first sight or is of another version.
    """
    in_wal_mode = _check_header(path)
    try:
        return _connect(path, "mode=ro")
    except FileFormatError as error:
        raise unreadable(path, str(error)) from None
    except sqlite3.OperationalError as error:
        # A file that was left in WAL mode needs another beside it. If it can't have one, nobody writes either. A change
        # that was broken off has to be taken back first, which needs the right to write.
        file = file_of(path)
        left_alone = in_wal_mode and not file.with_name(file.name + "-wal").exists()
        try:
            return _connect(path, "immutable=1" if left_alone else "mode=rw")
        except FileFormatError as refusal:
            raise unreadable(path, str(refusal)) from None
        except (sqlite3.Error, UnicodeDecodeError, MemoryError):
            raise _refused(path, error) from None
    # UnicodeDecodeError if SQLite quotes damaged text, MemoryError if the damage is an impossible size.
    except (sqlite3.Error, UnicodeDecodeError, MemoryError) as error:
        raise unreadable(path, str(error)) from None


def open_to_write(path: Path) -> sqlite3.Connection:
    """Open the file of a book to change it: all that was committed before a crash is there again.

    Raises: FileFormatError if it is not one; sqlite3.Error.
    """
    _check_header(path)
    try:
        connection = _connect(path, "mode=rw", writes=True)
    except FileFormatError as error:
        raise unreadable(path, str(error)) from None
    try:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("SELECT 1 FROM book LIMIT 1").fetchall()  # now it needs the files beside it
    except BaseException:
        connection.close()
        raise
    return connection


def unreadable(path: Path, reason: str) -> FileFormatError:
    """The error for a file that is refused; a MemoryError gives no reason of its own."""
    return FileFormatError(
        f"can't read {str(path)!r} as an opening book ({reason or 'a size beyond all memory'})"
    )


def _refused(path: Path, error: sqlite3.Error) -> FileFormatError:
    """The error for a failed read: the file may be sound and the disk not."""
    if getattr(error, "sqlite_errorcode", 0) & _PRIMARY in _OF_THE_DISK:
        return FileFormatError(f"can't use the book {str(path)!r} ({error})")
    return unreadable(path, str(error))


def read_facts(connection: sqlite3.Connection) -> dict[str, str]:
    """The book's facts about itself.

    Raises: FileFormatError if it was changed by chance; sqlite3.Error.
    """
    facts = dict(connection.execute(f"SELECT name, value FROM book LIMIT {_MOST_FACTS}").fetchall())
    if not all(isinstance(text, str) for fact in facts.items() for text in fact):
        raise FileFormatError("what it says of itself is not in words")
    if facts.pop(CHECKSUM_FACT, None) != facts_checksum(facts):
        raise FileFormatError("what it says of itself does not have the right checksum")
    return facts


def _connect(path: Path, how: str, *, writes: bool = False) -> sqlite3.Connection:
    """A connection to a file whose tables are those of a book.

    Raises: FileFormatError with the reason alone if they are not; sqlite3.Error.
    """
    return open_database(
        path, how, [_TABLES], writes=writes, longest=_LONGEST_VALUE, busy_seconds=_BUSY_SECONDS
    )


def _check_header(path: Path) -> bool:
    """Look at the first bytes before SQLite does, and return whether the file is in WAL mode.

    Raises: FileFormatError if these are not the first bytes of a whole book of our version.
    """
    try:
        header, size = header_of(path, _APPLICATION_ID)
    except FileFormatError as error:
        raise unreadable(path, str(error)) from None
    page_bytes, _, in_wal_mode = struct.unpack_from(">HBB", header, 16)
    (pages,) = struct.unpack_from(">I", header, 28)
    (version,) = struct.unpack_from(">I", header, 60)
    if version != VERSION:
        written = ", written by a newer Outflank" if version > VERSION else ""
        raise unreadable(path, f"version {version}{written}; this one reads version {VERSION}")
    expected = pages * (page_bytes if page_bytes != 1 else 65536)
    if in_wal_mode != _WAL and size < expected:
        raise unreadable(path, f"cut short: {size} of {expected} bytes")
    return bool(in_wal_mode == _WAL)
