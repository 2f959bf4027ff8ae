"""The file of a job: its positions, and the bounds of every board that was solved. docs/proofs.md describes it.

Only one process writes to it. A result is committed with synchronous=FULL before anything is built on it, so that
whatever ends the process costs what is being solved then.
"""

import sqlite3
import struct
import zlib
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from outflank import __version__
from outflank.book.database import DatabaseKind, sealed
from outflank.book.keys import BOARD_BYTES
from outflank.book.lock import WriterLock, expect_no_other_file
from outflank.engine import FileFormatError, NotationError, OutflankError, Rules
from outflank.tools.analysis.jobs.tree import Bounds

JOB_FILE = "job.db"
JOB = DatabaseKind(
    "the file of a job",
    application=0x4F464C4A,  # "OFLJ"
    tables="""
CREATE TABLE job (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE solved (
    board BLOB PRIMARY KEY, lower INTEGER NOT NULL, upper INTEGER NOT NULL,
    searches INTEGER NOT NULL, nodes INTEGER NOT NULL, seconds REAL NOT NULL, checksum INTEGER NOT NULL
) WITHOUT ROWID;
""",
    whole=True,
    longest=1 << 20,
)
_INSERT = "INSERT OR REPLACE INTO solved VALUES (?, ?, ?, ?, ?, ?, ?)"
_NUMBERS = struct.Struct(">4qd")


@dataclass(frozen=True, slots=True)
class Solved:
    """What is known of a board.

    Attributes:
        lower: bound of its score, in discs from the side to move.
        upper: the other bound.
        searches: how many searches that took.
        nodes: of these searches.
        seconds: wall time of these searches.
    """

    lower: int
    upper: int
    searches: int
    nodes: int
    seconds: float

    @property
    def bounds(self) -> Bounds:
        """Both bounds."""
        return self.lower, self.upper

    def joined(self, other: "Solved") -> "Solved":
        """What both say together.

        Raises: OutflankError if they contradict each other.
        """
        lower, upper = max(self.lower, other.lower), min(self.upper, other.upper)
        if lower > upper:
            raise OutflankError(
                f"two searches of one board contradict each other: {self.lower:+d} to {self.upper:+d}, and "
                f"{other.lower:+d} to {other.upper:+d}"
            )
        return Solved(
            lower,
            upper,
            self.searches + other.searches,
            self.nodes + other.nodes,
            self.seconds + other.seconds,
        )


@dataclass(frozen=True, slots=True)
class JobFacts:
    """What a job is about.

    Attributes:
        rules: by which all positions are played.
        positions: lines in OBF, with scores if they had some.
        frontier: empty squares of the positions that workers solve; None for a number that suits each position.
        workers: with which it was begun; that number depends on them, and stays when others go on.
    """

    rules: Rules
    positions: tuple[str, ...]
    frontier: int | None
    workers: int = 1


class JobFile:
    """The file of a job, open and locked; a context manager.

    Attributes:
        path: of the file.
        facts: what the job is about.
        solved: what is known, by the keys of the boards.
        damaged: how many rows were left out, since they had a wrong checksum.
    """

    def __init__(self, path: Path, lock: WriterLock, connection: sqlite3.Connection) -> None:
        self.path = path
        self._lock, self._connection = lock, connection
        self.facts = _read_facts(connection)
        self.solved: dict[bytes, Solved] = {}
        self.damaged = 0
        for row in connection.execute("SELECT * FROM solved"):
            solved = _read_row(row)
            if solved is None:
                self.damaged += 1
            else:
                self.solved[row[0]] = solved

    @classmethod
    def open(cls, folder: Path, facts: JobFacts | None = None) -> Self:
        """Open the job in a folder, or begin one there.

        Args:
            folder: where the file is; made if there is none.
            facts: of a new job, or those that an old one has to have; None to go on with whatever is there.

        Raises: FileFormatError if there is no job to go on with, if it is about something else, if another process
            works at it, or if the file is none of a job or can't be written.
        """
        path = folder / JOB_FILE
        with _in_words(path), ExitStack() as undo:
            if facts is None and not path.exists():
                raise FileFormatError(
                    f"{str(folder)!r} has no job to go on with: give a FILE or --board to begin one"
                )
            folder.mkdir(parents=True, exist_ok=True)
            lock = WriterLock(path, f"only one process may work at the job in {str(folder)!r}")
            undo.callback(lock.release)
            if not path.exists():
                assert facts is not None, "a job that is not there was refused"
                expect_no_other_file(path, "a new job needs")
                with JOB.creating(path) as (new, _):
                    new.executemany("INSERT INTO job VALUES (?, ?)", sealed(_texts(facts)).items())
            connection = JOB.open_to_write(path)
            undo.callback(connection.close)
            job = cls(path, lock, connection)
            if facts is not None:
                job._expect(facts)
            undo.pop_all()
        return job

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        with suppress(sqlite3.Error):
            self._connection.close()
        self._lock.release()

    def add(self, key: bytes, found: Solved) -> Solved:
        """Keep what a search found, on the disk when this returns; all that is known of the board now.

        Raises: OutflankError if it contradicts what is known, or if the file can't be written.
        """
        known = self.solved.get(key)
        joined = found if known is None else known.joined(found)
        with _in_words(self.path):
            self._connection.execute(_INSERT, _row(key, joined))
        self.solved[key] = joined
        return joined

    def _expect(self, facts: JobFacts) -> None:
        """Raise FileFormatError unless the job is about the same positions by the same rules."""
        if self.facts.rules != facts.rules:
            raise FileFormatError(
                f"the job in {str(self.path.parent)!r} is by the rules {self.facts.rules}: "
                f"give these or another folder, not {facts.rules}"
            )
        if self.facts.positions != facts.positions:
            raise FileFormatError(
                f"the job in {str(self.path.parent)!r} is about other positions: "
                "leave the positions out to go on with it, or name another folder"
            )
        if facts.frontier not in (None, self.facts.frontier):
            raise FileFormatError(
                f"the job in {str(self.path.parent)!r} was begun with another --frontier: leave it out"
            )


def _texts(facts: JobFacts) -> dict[str, str]:
    """The facts as the file has them."""
    return {
        "outflank": __version__,
        "rules": str(facts.rules),
        "positions": "\n".join(facts.positions),
        "frontier": str(facts.frontier or ""),
        "workers": str(facts.workers),
    }


@contextmanager
def _in_words(path: Path) -> Iterator[None]:
    """What the system or SQLite refuse is said in a sentence that names the file."""
    try:
        yield
    except FileFormatError as error:
        if str(path.parent) in str(error):
            raise
        raise JOB.unreadable(path, error) from None
    except OSError as error:
        raise FileFormatError(f"can't use {str(path)!r} ({error.strerror})") from None
    # The second where SQLite quotes what is damaged, the third where the damage is an impossible size.
    except (sqlite3.Error, UnicodeDecodeError, MemoryError) as error:
        said = str(error) or "a size beyond all memory"
        raise FileFormatError(f"can't use {str(path)!r} ({said}); what it holds is kept") from None


def _read_facts(connection: sqlite3.Connection) -> JobFacts:
    """What the job is about.

    Raises: FileFormatError with the reason alone if that can't be read.
    """
    facts = JOB.read_facts(connection)
    try:
        rules, frontier = Rules.parse(facts["rules"]), int(facts["frontier"] or 0) or None
        workers = int(facts.get("workers", 1))
    except KeyError as error:
        raise FileFormatError(f"the fact {error} is missing") from None
    except (NotationError, ValueError) as error:
        raise FileFormatError(str(error)) from None
    return JobFacts(rules, tuple(facts["positions"].splitlines()), frontier, workers)


def _row(key: bytes, solved: Solved) -> tuple[object, ...]:
    """The columns of a row, its checksum last."""
    numbers = solved.lower, solved.upper, solved.searches, solved.nodes, solved.seconds
    return key, *numbers, zlib.crc32(key + _NUMBERS.pack(*numbers))


def _read_row(row: Sequence[Any]) -> Solved | None:
    """What a row says; None if it was damaged."""
    key, *numbers, _ = row
    try:
        solved = Solved(*numbers)
        own, opp = (int.from_bytes(key[i : i + 8], "big") for i in (0, 8))
        if row != _row(key, solved) or not BOARD_BYTES <= len(key) <= BOARD_BYTES + 1 or own & opp:
            return None
    except (TypeError, struct.error, OverflowError):
        return None
    return solved if -64 <= solved.lower <= solved.upper <= 64 else None
