"""The file of a run: its tables and its path.

This module imports no optional package, so that commands without optional packages can recognize run files.
"""

from pathlib import Path

from outflank.engine import FileFormatError
from outflank.storage.database import DatabaseKind

RUN_FILE = "run.db"
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
_FIRST_TABLES = _TABLES.replace(" book INTEGER,", "")  # the tables of version 1
_ADD_BOOK = "ALTER TABLE turn ADD COLUMN book INTEGER;"
RUN = DatabaseKind(
    "the file of a run",
    application=0x4F464C4B,  # "OFLK"
    tables=_TABLES,
    version=2,
    earlier=(f"{_FIRST_TABLES} {_ADD_BOOK}", _FIRST_TABLES),
    upgrade=_ADD_BOOK,
    whole=True,
    longest=1 << 26,
    typed=True,
)


def run_path(path: Path) -> Path:
    """Return the path of a run's file, given a path to the file, to its folder, or to an arena's TOML file.

    Raises: FileFormatError if the folder has no such file. The message names a run in a subfolder, if there is one.
    """
    folder = path.with_suffix("") if path.suffix == ".toml" else path
    if not folder.is_dir():
        return path
    file = folder / RUN_FILE
    if file.is_file():
        return file
    inside = sorted(folder.glob(f"*/{RUN_FILE}"))
    found = f"; it contains the run {str(inside[-1].parent)!r}" if inside else ""
    raise FileFormatError(f"{str(path)!r} is not the folder of a run: it has no {RUN_FILE}{found}")


def names_a_run(name: str) -> bool:
    """Return whether `name` is the folder or the file of a run."""
    path = Path(name)
    return (path / RUN_FILE).is_file() if path.is_dir() else RUN.is_application_of(path)
