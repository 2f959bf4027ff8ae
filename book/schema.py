"""The file of a book: its tables, and how it is opened. docs/book.md describes it for other programs."""

import contextlib
import json
import os
import sqlite3
import struct
import zlib
from collections.abc import Mapping
from pathlib import Path

from outflank.book.records import COLUMNS
from outflank.engine import FileFormatError
from outflank.engine.links import file_of

VERSION = 1
_APPLICATION_ID = 0x4F464C42  # "OFLB", which `file` and SQLite's own tools show
_MAGIC = b"SQLite format 3\0"
_HEADER_BYTES = 100
_WAL = 2  # in the header's bytes 18 and 19
_BUSY_SECONDS = 10
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
    """Make the file of a book without positions, whole or not at all; what was there is replaced.

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

    Raises: FileFormatError if it is none, is damaged at first sight or is of another version.
    """
    in_wal_mode = _check_header(path)
    try:
        return _usable(path, "mode=ro")
    except sqlite3.OperationalError as error:
        # A file that was left in WAL mode needs another beside it. If it can't have one, nobody writes either. A change
        # that was broken off has to be taken back first, which needs the right to write.
        file = file_of(path)
        left_alone = in_wal_mode and not file.with_name(file.name + "-wal").exists()
        try:
            return _usable(path, "immutable=1" if left_alone else "mode=rw")
        except (sqlite3.Error, UnicodeDecodeError, MemoryError):
            raise _refused(path, error) from None
    # The second where SQLite quotes what is damaged, the third where the damage is an impossible size.
    except (sqlite3.Error, UnicodeDecodeError, MemoryError) as error:
        raise unreadable(path, str(error)) from None


def open_to_write(path: Path) -> sqlite3.Connection:
    """Open the file of a book to change it: what was committed before a crash is there again.

    Raises: FileFormatError if it is none; sqlite3.Error.
    """
    _check_header(path)
    connection = _connect(path, "mode=rw")
    try:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("SELECT 1 FROM book").fetchall()  # now it needs the files beside it
    except BaseException:
        connection.close()
        raise
    return connection


def unreadable(path: Path, reason: str) -> FileFormatError:
    """What a file is refused with; a MemoryError gives no reason of its own."""
    return FileFormatError(
        f"expected an opening book, got {str(path)!r} ({reason or 'a size beyond all memory'})"
    )


def _refused(path: Path, error: sqlite3.Error) -> FileFormatError:
    """What a file is refused with: by itself it may be sound, and the disk not."""
    if getattr(error, "sqlite_errorcode", 0) & _PRIMARY in _OF_THE_DISK:
        return FileFormatError(f"can't use the book {str(path)!r} ({error})")
    return unreadable(path, str(error))


def read_facts(connection: sqlite3.Connection) -> dict[str, str]:
    """What the book says of itself.

    Raises: FileFormatError if it was changed by chance; sqlite3.Error.
    """
    facts = dict(connection.execute("SELECT name, value FROM book"))
    if facts.pop(CHECKSUM_FACT, None) != facts_checksum(facts):
        raise FileFormatError("what it says of itself does not have the right checksum")
    return facts


def _connect(path: Path, how: str) -> sqlite3.Connection:
    return sqlite3.connect(
        f"{path.absolute().as_uri()}?{how}",
        uri=True,
        isolation_level=None,
        check_same_thread=False,  # who uses it holds a lock
        timeout=_BUSY_SECONDS,
    )


def _usable(path: Path, how: str) -> sqlite3.Connection:
    """A connection that reads and nothing else.

    Raises: sqlite3.Error if it can't.
    """
    connection = _connect(path, how)
    try:
        connection.execute("PRAGMA query_only = ON")
        connection.execute("SELECT 1 FROM book").fetchall()
    except BaseException:
        connection.close()
        raise
    return connection


def _check_header(path: Path) -> bool:
    """Look at the first bytes before SQLite does, and return whether the file is in WAL mode.

    Raises: FileFormatError if these are not the first bytes of a whole book of our version.
    """
    try:
        with path.open("rb") as file:
            header, size = file.read(_HEADER_BYTES), os.fstat(file.fileno()).st_size
    except (OSError, ValueError) as error:  # the second where the name is none, as with a zero byte in it
        raise unreadable(path, getattr(error, "strerror", None) or str(error)) from None
    if not header.startswith(_MAGIC) or len(header) < _HEADER_BYTES:
        raise unreadable(path, "it is empty" if not header else "it is no SQLite file")
    page_bytes, _, in_wal_mode = struct.unpack_from(">HBB", header, 16)
    (pages,) = struct.unpack_from(">I", header, 28)
    version, application = (struct.unpack_from(">I", header, at)[0] for at in (60, 68))
    if application != _APPLICATION_ID:
        raise unreadable(path, "an SQLite file of another program")
    if version != VERSION:
        written = ", written by a newer Outflank" if version > VERSION else ""
        raise unreadable(path, f"version {version}{written}; this one reads version {VERSION}")
    expected = pages * (page_bytes if page_bytes != 1 else 65536)
    if in_wal_mode != _WAL and size < expected:
        raise unreadable(path, f"cut short: {size} of {expected} bytes")
    return bool(in_wal_mode == _WAL)
