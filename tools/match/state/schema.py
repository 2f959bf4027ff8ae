"""The file of a run: its tables and its name. docs/match.md describes it for other programs."""

from pathlib import Path

from outflank.book.database import DatabaseKind
from outflank.engine import FileFormatError
from outflank.tools.match.state.rows import GAME_COLUMNS, TURN_COLUMNS

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
_FIRST_TABLES = _TABLES.replace(" book INTEGER,", "")  # of version 1
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
)


def _insert(table: str, columns: list[str]) -> str:
    return f"INSERT OR REPLACE INTO {table} ({', '.join(columns)}) VALUES ({', '.join('?' * len(columns))})"


INSERT_GAME = _insert("game", GAME_COLUMNS)
INSERT_TURN = _insert("turn", TURN_COLUMNS)
INSERT_FACT = _insert("run", ["name", "value"])
INSERT_OPENING = _insert("opening", ["number", "moves"])
INSERT_REMARK = "INSERT OR IGNORE INTO remark (sentence) VALUES (?)"


def run_path(path: Path) -> Path:
    """Return the file of a run that is given by the file or by its folder.

    Raises: FileFormatError about a folder without this file, or an arena's TOML file; it names the run in there.
    """
    folder = path.with_suffix("") if path.suffix == ".toml" else path
    if not folder.is_dir():
        return path
    file = folder / RUN_FILE
    if file.is_file():
        return file
    inside = sorted(folder.glob(f"*/{RUN_FILE}"))
    found = f"; the run {str(inside[-1].parent)!r} is in it" if inside else ""
    raise FileFormatError(f"{str(path)!r} is not the folder of a run: it has no {RUN_FILE}{found}")
