"""Reads an opening book: look-ups, counts and iteration over all positions.

docs/book.md describes the file format for other programs.
"""

import re
import sqlite3
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from types import MappingProxyType, UnionType
from typing import Any, NamedTuple, Self

from outflank.book.keys import after_passes, children_of, key_of, same_games
from outflank.book.records import (
    COLUMNS,
    HAND_LEVEL,
    BookEntry,
    Record,
    Row,
    before_pass,
    check_row,
    entry_of,
    to_record,
)
from outflank.engine import HIGHEST_LEVEL, FileFormatError, Game, Position, Rules, SettingsError
from outflank.engine.rules import checked_rules
from outflank.storage.database import DatabaseKind, typed

BOOK = DatabaseKind(
    "an opening book",
    application=0x4F464C42,  # "OFLB"
    tables="""
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
""",
)
_SELECT = f"SELECT {', '.join(COLUMNS)} FROM position"
_ROWS_AT_ONCE = 1000
# Commands that search positions name their weights in the history. Versions before 1.0.0 wrote "with weights".
_WEIGHTS = re.compile(r"(?:level [0-9]+,|with) weights ([0-9a-f]{8})\b")
# Deepening with --again searches all positions again, unless --max-error or --budget leave some positions out.
_ALL_AGAIN = re.compile(r": deepen .*--again, ")


class Change(NamedTuple):
    """A line of a book's history.

    Attributes:
        time: the time in ISO format with time zone.
        what: the change, and the program that made it.
    """

    time: str
    what: str


class Book:
    """An opening book that is opened for reading. The class is thread-safe.

    While the book is open, other processes may read the file, and one process may write it. Each look-up sees the last
    commit. A book should be used as a context manager: ``with Book.open(path) as book``.

    Attributes:
        facts: the facts about the book, by name. Examples are ``rules``, ``created`` (a time) and ``outflank`` (the
            version of the program that created the book).
    """

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self.path = path
        self._connection = connection
        self._lock = Lock()
        try:
            facts = BOOK.read_facts(connection)
            self.rules = Rules.parse(facts["rules"])
        except (sqlite3.Error, FileFormatError, LookupError, TypeError, ValueError, MemoryError) as error:
            connection.close()
            raise BOOK.unreadable(path, error) from None
        self.facts: Mapping[str, str] = MappingProxyType(facts)
        self._served = self.rules  # the last rules for which ``serves`` returned True

    @classmethod
    def open(cls, path: Path | str, rules: Rules | None = None) -> Self:
        """Open a book for reading.

        Raises: FileFormatError if the file is not a book, is visibly damaged or is of another version; SettingsError if
            the book is for other rules than `rules`, or if `rules` is not a ``Rules``.
        """
        path = Path(path)
        book = cls(path, BOOK.open_to_read(path))
        if rules is not None:
            try:
                book.expect(rules)
            except SettingsError:
                book.close()
                raise
        return book

    def close(self) -> None:
        """Close the file. A second call does nothing."""
        with self._lock:
            self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def serves(self, rules: Rules) -> bool:
        """Return whether the book is valid for these rules; see ``same_games``.

        Raises: SettingsError if `rules` is not a ``Rules``.
        """
        if rules is self._served:
            return True
        checked_rules(rules)
        served = same_games(self.rules, rules)
        if served:
            self._served = rules
        return served

    def expect(self, rules: Rules) -> None:
        """Raise SettingsError if the book is not valid for `rules`. The message names `rules` and the book's rules."""
        if not self.serves(rules):
            raise SettingsError(
                f"{str(self.path)!r} is a book for {self.rules} from {self.rules.start}, "
                f"not for {rules} from {rules.start}"
            )

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {str(self.path)!r} for {self.rules}>"

    def __len__(self) -> int:
        """Return the number of positions in the book."""
        # With count(*), SQLite would read the pages without checking its limit on steps.
        return int(self._rows("SELECT total(1) FROM position")[0][0])

    def __contains__(self, position: Position | Game) -> bool:
        return self.probe(position) is not None

    def probe(self, position: Position | Game) -> BookEntry | None:
        """Return the entry of a position or of an image of it; None if there is no entry, as for a finished game.

        If `position` is a game, its current position is looked up. If the side to move has to pass, the entry is
        derived from the entry of the position after the pass.

        Raises: FileFormatError if the needed part of the file is damaged; SettingsError if `position` is neither a
            position nor a game, if the book is not valid for the position's rules, or if the book is closed.
        """
        if isinstance(position, Game):
            position = position.position
        if not isinstance(position, Position):
            raise SettingsError(f"expected a position to look up in a book, got {position!r}")
        if position.rules is not self._served:
            self.expect(position.rules)
        asked, passed = after_passes(position)
        children = children_of(asked)
        if not children:
            return None
        key, symmetry = key_of(asked)
        rows = self._rows_of({key, *(child.key for child in children if child.key)})
        if key not in rows:
            return None
        try:
            entry = entry_of(asked, rows[key], symmetry, children, rows)
        except FileFormatError as error:
            raise BOOK.unreadable(self.path, f"damaged: {error}") from None
        return before_pass(entry, position) if passed else entry

    def records(self) -> Iterator[Record]:
        """Yield the records of all positions in the order of their keys. Rows written meanwhile may be missing.

        Raises: FileFormatError if a row is damaged.
        """
        last = b""
        while rows := self._rows(f"{_SELECT} WHERE board > ? ORDER BY board LIMIT {_ROWS_AT_ONCE}", (last,)):
            for row in rows:
                try:
                    record = to_record(row, self.rules)
                except FileFormatError as error:
                    raise BOOK.unreadable(self.path, f"damaged: {error}") from None
                if row[0] <= last:
                    raise BOOK.unreadable(self.path, "damaged: its rows are not in order")
                last = row[0]
                yield record

    def entries(self) -> Iterator[BookEntry]:
        """Yield the entries of all positions in the order of their keys.

        Raises: FileFormatError if a row is damaged.
        """
        for record in self.records():
            entry = self.probe(record.position)
            if entry is not None:  # the position may have been removed meanwhile
                yield entry

    @contextmanager
    def steady(self) -> Iterator[None]:
        """Let all reads in the block see the same commit, even if another process writes.

        Only one thread at a time may enter such a block. This object must have no uncommitted changes when the block
        begins, and must not change the book in the block.

        Raises: FileFormatError if the file is damaged.
        """
        self._rows("BEGIN")
        try:
            yield
        finally:
            self._rows("COMMIT")

    def levels(self) -> dict[int | None, int]:
        """Return the number of positions for each search level. The key None is for searches without a level.

        Raises: FileFormatError if the file is damaged.
        """
        rows = self._rows(
            "SELECT level, count(*) FROM position GROUP BY level ORDER BY count(*) DESC",
            types=(int | None, int),
        )
        levels: dict[int | None, int] = dict(rows)
        for level in levels:
            if level is not None and level not in (HAND_LEVEL, *range(HIGHEST_LEVEL + 1)):
                raise BOOK.unreadable(self.path, f"damaged: it has positions of level {level!r:.40}")
        return levels

    def damage(self) -> list[str]:
        """Check the file with SQLite's integrity check, and each row's checksum. Return a sentence for each fault."""
        try:
            found = [fault for (fault,) in self._rows("PRAGMA integrity_check") if fault != "ok"]
            for row in self._rows(_SELECT):
                try:
                    check_row(row)
                except FileFormatError as error:
                    found.append(str(error))
        except FileFormatError as error:
            return [str(error)]
        return found

    def history(self) -> list[Change]:
        """Return the changes to the book, the oldest first. Raises: FileFormatError if the file can't be read."""
        changes: list[Change] = []
        last = 0
        while rows := self._rows(
            f"SELECT number, time, what FROM history WHERE number > ? ORDER BY number LIMIT {_ROWS_AT_ONCE}",
            (last,),
            types=(int, str, str),
        ):
            for number, *texts in rows:
                if number <= last:
                    raise BOOK.unreadable(self.path, "damaged: its history is not in order")
                last = number
                changes.append(Change(*texts))
        return changes

    def judged_by(self) -> list[str]:
        """Return the checksums of the weights that scored the book, according to its history, the oldest first.

        If all positions were searched again, the weights used before are left out. The list is empty if the history
        names no weights, as in an imported book.

        Raises: see ``history``.
        """
        found: dict[str, None] = {}
        for change in self.history():
            if named := _WEIGHTS.search(change.what):
                if _ALL_AGAIN.search(change.what):
                    found.clear()
                found[named[1]] = None
        return [*found]

    def _rows_of(self, keys: Collection[bytes]) -> dict[bytes, Row]:
        """Read the rows with these keys in a single query, so that all rows are from the same commit."""
        marks = ", ".join("?" * len(keys))
        rows: list[Row] = self._rows(f"{_SELECT} WHERE board IN ({marks})", tuple(keys))
        try:
            for row in rows:
                check_row(row)
        except FileFormatError as error:
            raise BOOK.unreadable(self.path, f"damaged: {error}") from None
        return {row[0]: row for row in rows}

    def _rows(
        self, sql: str, values: Sequence[object] = (), types: tuple[type | UnionType, ...] = ()
    ) -> list[Any]:
        """Return the rows of a query. If `types` are given, check that the columns have these types.

        Rows of positions need no `types`, since ``check_row`` checks them.
        """
        try:
            with self._lock:
                rows = self._connection.execute(sql, values).fetchall()
            return list(typed(rows, *types)) if types else rows
        except sqlite3.ProgrammingError as error:
            raise SettingsError(f"the book {str(self.path)!r} is not open ({error})") from None
        except (sqlite3.Error, MemoryError) as error:
            raise BOOK.unreadable(self.path, error) from None
