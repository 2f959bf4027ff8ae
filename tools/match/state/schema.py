"""The file of a run: its tables, and how it is opened. docs/match.md describes it for other programs."""

import contextlib
import sqlite3
from collections.abc import Iterator
from pathlib import Path

from outflank.book.database import header_of, open_database
from outflank.book.lock import LOCK_SUFFIX
from outflank.engine import FileFormatError
from outflank.tools.match.state.rows import GAME_COLUMNS, TURN_COLUMNS

RUN_FILE = "run.db"
UNFINISHED = ("run.db.new", "run.db.new-journal")  # the file and SQLite's journal while it is being made
_APPLICATION_ID = 0x4F464C4B  # "OFLK", which `file` and SQLite's own tools show
_HEADER_BYTES, _ID_AT = 72, 68  # of an SQLite file, up to and from the application id
_VERSION = 2
_FIRST_WITH_BOOK = 2  # the column `book`; runs before it are read, and get it when they are resumed
_TABLES = """
CREATE TABLE run (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE opening (number INTEGER PRIMARY KEY, moves TEXT NOT NULL);
CREATE TABLE game (
    number INTEGER NOT NULL, attempt INTEGER NOT NULL, pair INTEGER NOT NULL, round INTEGER NOT NULL,
    black TEXT NOT NULL, white TEXT NOT NULL, rules TEXT NOT NULL, opening TEXT NOT NULL,
    started TEXT NOT NULL, winner TEXT, ending TEXT, detail TEXT, margin INTEGER, dialogue TEXT,
    void TEXT, blamed TEXT,
    PRIMARY KEY (number, attempt)
) WITHOUT ROWID;
CREATE TABLE turn (
    game INTEGER NOT NULL, attempt INTEGER NOT NULL, ply INTEGER NOT NULL,
    move TEXT NOT NULL, seconds REAL, value REAL, exact INTEGER, book INTEGER,
    PRIMARY KEY (game, attempt, ply)
) WITHOUT ROWID;
CREATE TABLE remark (number INTEGER PRIMARY KEY, sentence TEXT NOT NULL UNIQUE);
"""
_FIRST_TABLES = _TABLES.replace(" book INTEGER,", "")  # of version 1
_ADD_BOOK = "ALTER TABLE turn ADD COLUMN book INTEGER;"
_LONGEST_VALUE = 1 << 26  # bytes, of a row
_BUSY_SECONDS = 5


def _insert(table: str, columns: list[str]) -> str:
    return f"INSERT OR REPLACE INTO {table} ({', '.join(columns)}) VALUES ({', '.join('?' * len(columns))})"


INSERT_GAME = _insert("game", GAME_COLUMNS)
INSERT_TURN = _insert("turn", TURN_COLUMNS)
INSERT_FACT = _insert("run", ["name", "value"])
INSERT_OPENING = _insert("opening", ["number", "moves"])
INSERT_REMARK = "INSERT OR IGNORE INTO remark (sentence) VALUES (?)"


def run_path(path: Path) -> Path:
    """The file of a run that is given by it or by its folder."""
    return path / RUN_FILE if path.is_dir() else path


def expect_empty(folder: Path) -> None:
    """Raise FileFormatError if a folder holds anything but a lock, or what a runner left that was killed here."""
    names = {path.name for path in folder.iterdir()} - {RUN_FILE + LOCK_SUFFIX}
    if not names or (names <= set(UNFINISHED) and _was_begun_here(folder)):
        return
    raise FileFormatError(f"the records need a new or empty folder, and {str(folder)!r} has files in it")


def _was_begun_here(folder: Path) -> bool:
    """Whether the unfinished file is one that ``begin`` made: empty, or with our id in its header."""
    files = [path for name in UNFINISHED if (path := folder / name).is_symlink() or path.exists()]
    if not all(path.is_file() and not path.is_symlink() for path in files):
        return False
    with files[0].open("rb") as file:
        header = file.read(_HEADER_BYTES)
    is_ours = not header or header[_ID_AT:] == _APPLICATION_ID.to_bytes(4)
    return is_ours and files[0].name == UNFINISHED[0]


def begin(folder: Path) -> sqlite3.Connection:
    """Make the file with its tables, all empty, under another name: a runner that is killed now leaves no half a run.

    Raises: FileFormatError if the folder is not empty; OSError; sqlite3.Error.
    """
    expect_empty(folder)
    forget(folder)
    connection = sqlite3.connect(folder / UNFINISHED[0], isolation_level=None)
    try:
        with _closed_on_failure(connection):
            connection.execute(f"PRAGMA application_id = {_APPLICATION_ID}")
            connection.execute(f"PRAGMA user_version = {_VERSION}")
            connection.executescript(f"BEGIN; {_TABLES} COMMIT;")
    except BaseException:
        forget(folder)
        raise
    return connection


def forget(folder: Path) -> None:
    """Remove a file that was begun and has not got its name. Raises: OSError."""
    for name in reversed(UNFINISHED):  # a journal alone would be nobody's
        (folder / name).unlink(missing_ok=True)


def put_in_place(connection: sqlite3.Connection, folder: Path) -> sqlite3.Connection:
    """Give the file that was begun its name, and open it again. Raises: OSError; sqlite3.Error."""
    connection.close()
    (folder / UNFINISHED[0]).rename(folder / RUN_FILE)
    return open_to_write(folder / RUN_FILE)


def open_to_write(path: Path) -> sqlite3.Connection:
    """Open a file of a run to go on with it: all that was committed before a crash is there again.

    Raises: FileFormatError if it is not one; sqlite3.Error.
    """
    connection = _connect(path, "mode=rw", writes=True)
    with _closed_on_failure(connection):
        if _version(connection, path) < _FIRST_WITH_BOOK:
            connection.executescript(f"BEGIN; {_ADD_BOOK} PRAGMA user_version = {_VERSION}; COMMIT;")
        connection.execute("PRAGMA journal_mode = WAL")
    return connection


def open_to_read(path: Path) -> sqlite3.Connection:
    """Open a file of a run, also one that is being played or whose runner was killed.

    Raises: FileFormatError if it is not one.
    """
    try:
        try:
            return _readable(path, "mode=ro")
        except sqlite3.OperationalError:
            return _readable(path, "mode=rw")  # a change that was broken off has to be taken back first
    # UnicodeDecodeError if SQLite quotes damaged text, MemoryError if the damage is an impossible size.
    except (sqlite3.Error, UnicodeDecodeError, MemoryError) as error:
        raise _refused(path, str(error) or "a size beyond all memory") from None


def _readable(path: Path, how: str) -> sqlite3.Connection:
    connection = _connect(path, how)
    with _closed_on_failure(connection):
        _version(connection, path)
    return connection


def _connect(path: Path, how: str, *, writes: bool = False) -> sqlite3.Connection:
    """A connection to a file whose tables are those of a run, and whose pages are whole.

    Raises: FileFormatError if they are not; sqlite3.Error, UnicodeDecodeError, MemoryError.
    """
    try:
        header_of(path, _APPLICATION_ID)
        return open_database(
            path,
            how,
            [f"{_FIRST_TABLES} {_ADD_BOOK}", _FIRST_TABLES, _TABLES],
            writes=writes,
            whole=True,
            longest=_LONGEST_VALUE,
            busy_seconds=_BUSY_SECONDS,
        )
    except FileFormatError as error:
        raise _refused(path, str(error)) from None


def _version(connection: sqlite3.Connection, path: Path) -> int:
    """The version of the file. Raises: FileFormatError unless we can read it; sqlite3.Error."""
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if not 1 <= version <= _VERSION:
        raise FileFormatError(
            f"expected a run file of version 1 to {_VERSION}, got {version} in {str(path)!r}"
        )
    return int(version)


def _refused(path: Path, reason: str) -> FileFormatError:
    return FileFormatError(f"can't read {str(path)!r} as the file of a run ({reason})")


@contextlib.contextmanager
def _closed_on_failure(connection: sqlite3.Connection) -> Iterator[None]:
    """Close the connection if the block fails."""
    try:
        yield
    except BaseException:
        with contextlib.suppress(sqlite3.Error):
            connection.close()
        raise
