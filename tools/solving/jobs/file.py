"""The file of a job, with its positions and the bounds of solved boards. docs/proofs.md describes the format.

Only one process writes to the file. A result is committed with synchronous=FULL before it is used. A crash therefore
loses only the running searches.
"""

import re
import sqlite3
import struct
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from shlex import quote
from typing import Any, Self

from outflank import __version__
from outflank.book.keys import BOARD_BYTES
from outflank.engine import FileFormatError, Limit, NotationError, OutflankError, Rules
from outflank.protocol.formats import obf
from outflank.storage.database import DatabaseKind, sealed, transaction
from outflank.storage.lock import WriterLock, expect_no_other_file
from outflank.tools.runtime.progress import counted
from outflank.tools.solving.jobs.tree import Bounds

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
FRONTIERS = range(4, 41)
"""The valid numbers of empty squares for a frontier."""
_MOST_WORKERS = 1 << 20
_AT_LEAST = re.compile(r"--at-least ([+-]?\d{1,2})")


@dataclass(frozen=True, slots=True)
class BoardResult:
    """The known bounds of a board's score, and the cost of the searches that found these bounds."""

    lower: int
    upper: int
    searches: int
    nodes: int
    seconds: float

    @property
    def bounds(self) -> Bounds:
        """The lower and the upper bound."""
        return self.lower, self.upper

    def joined(self, other: "BoardResult") -> "BoardResult":
        """Return the tighter bounds and the summed costs. Raises: OutflankError if the bounds contradict each other."""
        lower, upper = max(self.lower, other.lower), min(self.upper, other.upper)
        if lower > upper:
            raise OutflankError(
                f"two searches of the same board contradict each other: {self.lower:+d} to {self.upper:+d}, and "
                f"{other.lower:+d} to {other.upper:+d}"
            )
        return BoardResult(
            lower,
            upper,
            self.searches + other.searches,
            self.nodes + other.nodes,
            self.seconds + other.seconds,
        )


@dataclass(frozen=True, slots=True)
class JobFacts:
    """The settings of a job.

    Attributes:
        positions: the positions as lines in OBF, with scores if the input had scores.
        frontier: the number of empty squares at which workers take over from the tree; None to choose this number for
            each position.
        workers: the number of workers at the start of the job, which determines the default frontier.
        question: the search limit for each position, created by ``Limit.solve``; None in jobs of earlier versions,
            which did not store the limit.
        evaluation: the checksum of the evaluation that orders the tree; empty in jobs of earlier versions.
        sources: a sentence about each job or file of claims whose results were added.
    """

    rules: Rules
    positions: tuple[str, ...]
    frontier: int | None
    workers: int = 1
    question: Limit | None = None
    evaluation: str = ""
    sources: tuple[str, ...] = ()


class JobFile:
    """The open file of a job, a context manager. The file is locked if it was opened for writing.

    Attributes:
        solved: the known bounds, by the keys of the boards.
        damaged: the number of rows that were skipped because their checksums were wrong.
    """

    def __init__(self, path: Path, lock: WriterLock | None, connection: sqlite3.Connection) -> None:
        self.path = path
        self._lock, self._connection = lock, connection
        self.facts = _read_facts(connection)
        self.question = self.facts.question or Limit.solve()
        self.solved: dict[bytes, BoardResult] = {}
        self.damaged = 0
        for row in connection.execute("SELECT * FROM solved"):
            solved = _read_row(row)
            if solved is None:
                self.damaged += 1
            else:
                self.solved[row[0]] = solved

    @classmethod
    def read(cls, folder: Path) -> Self:
        """Open the job in a folder for reading. This works even while another process works on the job.

        Raises: FileFormatError if the folder has no job, or if the job can't be read.
        """
        path = folder / JOB_FILE
        if not path.exists():
            raise FileFormatError(
                f"{str(folder)!r} has no job: start one with 'outflank job start DIR POSITION'"
            )
        with _in_words(path):
            return cls(path, None, JOB.open_to_read(path))

    @classmethod
    def open(cls, folder: Path, facts: JobFacts | None = None) -> Self:
        """Open the job in a folder, or start a new job in the folder.

        Args:
            folder: the folder of the job. It is created if it does not exist.
            facts: the settings of a new job, or None to continue an existing job. If the folder has a job, its settings
                must equal `facts`.

        Raises: FileFormatError if there is no job to continue, if the job has other settings, if another process works
            on the job, if the file is not the file of a job, or if the file can't be written.
        """
        path = folder / JOB_FILE
        with _in_words(path), ExitStack() as undo:
            if facts is None and not path.exists():
                raise FileFormatError(
                    f"{str(folder)!r} has no job: start one with 'outflank job start DIR POSITION'"
                )
            folder.mkdir(parents=True, exist_ok=True)
            lock = WriterLock(path, f"only one process may work on the job in {str(folder)!r}")
            undo.callback(lock.release)
            if not path.exists():
                assert facts is not None, "a job that is not there was refused"
                expect_no_other_file(path, "a new job needs")
                JOB.create(path, _texts(facts))
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
        if self._lock is not None:
            self._lock.release()

    @property
    def bounds(self) -> dict[bytes, Bounds]:
        """The known bounds, by the keys of the boards."""
        return {key: solved.bounds for key, solved in self.solved.items()}

    def add(self, key: bytes, found: BoardResult) -> BoardResult:
        """Store the result of a search durably, and return the combined bounds of the board.

        Raises: OutflankError if the result contradicts the known bounds, or if the file can't be written.
        """
        known = self.solved.get(key)
        joined = found if known is None else known.joined(found)
        with _in_words(self.path):
            self._connection.execute(_INSERT, _row(key, joined))
        self.solved[key] = joined
        return joined

    def add_all(self, found: Mapping[bytes, BoardResult], facts: JobFacts) -> int:
        """Store results from other jobs and new settings in one transaction. Return the number of changed boards.

        Raises: OutflankError if results contradict each other, or if the file can't be written. After an error the
            file is unchanged.
        """
        joined: dict[bytes, BoardResult] = {}
        for key, solved in found.items():
            known = self.solved.get(key)
            new = solved if known is None else known.joined(solved)
            if known is None or new.bounds != known.bounds:
                joined[key] = new
        with _in_words(self.path), transaction(self._connection):
            self._connection.executemany(_INSERT, (_row(key, solved) for key, solved in joined.items()))
            self._connection.execute("DELETE FROM job")
            self._connection.executemany("INSERT INTO job VALUES (?, ?)", sealed(_texts(facts)).items())
        self.solved |= joined
        self.facts = facts
        return len(joined)

    def _expect(self, facts: JobFacts) -> None:
        job, own = f"the job in {str(self.path.parent)!r}", self.facts
        if facts.rules != own.rules:
            raise FileFormatError(
                f"{job} has the rules {own.rules}, not {facts.rules}: use its rules or another folder"
            )
        instead = f"continue it with 'outflank job start {quote(str(self.path.parent))} --resume'"
        if own.positions != facts.positions:
            raise FileFormatError(f"{job} has other positions: {_difference(own, facts)}; {instead}")
        if facts.frontier not in (None, own.frontier):
            raise FileFormatError(f"{job} was started with another --frontier: leave this option out")
        if facts.question is not None and own.question is None:
            self.question = facts.question
        elif facts.question not in (None, own.question):
            raise FileFormatError(
                f"{job} was started with {_option_of(self.question) or 'neither --wld nor --at-least'}; {instead}"
            )
        if own.evaluation and facts.evaluation not in ("", own.evaluation):
            raise FileFormatError(
                f"{job} was started with the evaluation {own.evaluation}, not {facts.evaluation}; {instead}"
            )


def _difference(own: JobFacts, other: JobFacts) -> str:
    """Describe the first difference between the positions of a job and the given positions."""
    mine, given = own.positions, other.positions
    for number, (stored, line) in enumerate(zip(mine, given, strict=False), 1):
        if stored != line:
            return f"its position {number} is {stored}, not {line}"
    return f"it has {counted(len(mine), 'position')}, not {len(given):,}"


def _texts(facts: JobFacts) -> dict[str, str]:
    return {
        "outflank": __version__,
        "rules": str(facts.rules),
        "positions": "\n".join(facts.positions),
        "frontier": str(facts.frontier or ""),
        "workers": str(facts.workers),
        "question": _option_of(facts.question or Limit.solve()),
        "evaluation": facts.evaluation,
        "sources": "\n".join(facts.sources),
    }


@contextmanager
def _in_words(path: Path) -> Iterator[None]:
    try:
        yield
    except FileFormatError as error:
        if str(path.parent) in str(error):
            raise
        raise JOB.unreadable(path, error) from None
    except OSError as error:
        raise FileFormatError(f"can't use {str(path)!r} ({error.strerror})") from None
    # SQLite raises UnicodeDecodeError if its message quotes damaged text. A damaged size can lead to MemoryError.
    except (sqlite3.Error, UnicodeDecodeError, MemoryError) as error:
        said = str(error) or "a size beyond all memory"
        raise FileFormatError(f"can't use {str(path)!r} ({said}); its contents are kept") from None


def _read_facts(connection: sqlite3.Connection) -> JobFacts:
    facts = JOB.read_facts(connection)
    try:
        rules, frontier = Rules.parse(facts["rules"]), int(facts["frontier"] or 0) or None
        workers, positions = int(facts.get("workers", 1)), tuple(facts["positions"].splitlines())
        question = _question(facts["question"]) if "question" in facts else None
        for line in positions:
            obf.parse_problem(line, rules)
    except KeyError as error:
        raise FileFormatError(f"the fact {error} is missing") from None
    except (NotationError, ValueError) as error:
        raise FileFormatError(str(error)) from None
    if (
        not positions
        or rules.one_direction
        or frontier not in (None, *FRONTIERS)
        or not 1 <= workers <= _MOST_WORKERS
    ):
        raise FileFormatError("its settings are invalid")
    return JobFacts(
        rules,
        positions,
        frontier,
        workers,
        question,
        facts.get("evaluation", ""),
        tuple(facts.get("sources", "").splitlines()),
    )


def _option_of(question: Limit) -> str:
    return "--wld" if question.wld else "" if question.at_least is None else f"--at-least {question.at_least}"


def _question(option: str) -> Limit:
    bound = _AT_LEAST.fullmatch(option)
    if option not in ("", "--wld") and bound is None:
        raise ValueError(f"expected the question of a job, got {option!r}")
    return Limit.solve(wld=option == "--wld", at_least=None if bound is None else int(bound[1]))


def _row(key: bytes, solved: BoardResult) -> tuple[object, ...]:
    numbers = solved.lower, solved.upper, solved.searches, solved.nodes, solved.seconds
    return key, *numbers, zlib.crc32(key + _NUMBERS.pack(*numbers))


def _read_row(row: Sequence[Any]) -> BoardResult | None:
    key, *numbers, _ = row
    try:
        solved = BoardResult(*numbers)
        own, opp = (int.from_bytes(key[i : i + 8], "big") for i in (0, 8))
        if row != _row(key, solved) or not BOARD_BYTES <= len(key) <= BOARD_BYTES + 1 or own & opp:
            return None
    except (TypeError, struct.error, OverflowError):
        return None
    return solved if -64 <= solved.lower <= solved.upper <= 64 else None
