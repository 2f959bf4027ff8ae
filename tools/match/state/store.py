"""Stores the state of a run in its file. Each event is stored when it happens; all other data follow from the events.

The file is in SQLite's WAL mode. Events of an unfinished game are committed with synchronous=NORMAL, so that they
survive the death of the runner. A finished game is committed with synchronous=FULL, so that it also survives a power
cut. Events that could not be written, for example to a full disk, are kept in memory and written with the next events.
Only turns are dropped, since the record of the game contains all of its turns.
"""

import hmac
import json
import os
import platform
import sqlite3
import stat
import sys
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import astuple, replace
from datetime import UTC, datetime
from itertools import groupby, islice
from operator import itemgetter
from pathlib import Path
from typing import Any, Self

from outflank import __version__
from outflank.engine import FileFormatError, Move, Rules
from outflank.engine.evaluation.weights import checksum
from outflank.engine.machine import cpu_name, processors
from outflank.storage.database import transaction
from outflank.storage.lock import LOCK_SUFFIX, WriterLock, expect_no_other_file
from outflank.tools.match.game.results import GameRecord, OffClockTime, opening_text
from outflank.tools.match.state import schema
from outflank.tools.match.state.events import (
    EngineJoined,
    Event,
    GameEnded,
    GameStarted,
    GameVoided,
    Remark,
    TurnPlayed,
)
from outflank.tools.match.state.run import Run, RunSettings, plain_settings
from outflank.tools.match.state.run_file import RUN, RUN_FILE, run_path
from outflank.tools.runtime.progress import counted

LOCK_FILE = RUN_FILE + LOCK_SUFFIX


def lock_run(folder: Path) -> WriterLock:
    """Lock the folder of a run. Raises: the errors of ``WriterLock``."""
    return WriterLock(folder / RUN_FILE, f"the run {str(folder)!r} is being played by another process")


_MACHINE_ID = Path("/etc/machine-id")


def machine_line() -> str:
    """Describe this machine in a form such as ``Intel(R) Xeon(R), 2 processors, Linux x86_64, Python 3.11.7``."""
    system = f"{platform.system()} {platform.machine()}"
    python = f"Python {platform.python_version()}"
    return ", ".join([cpu_name(), counted(processors(), "processor"), system, python])


def seal(file: Path, text: str) -> str:
    """Return the authentication code (HMAC) of `text` for this user on this machine.

    On a machine without an id, the code depends on the file's inode number instead, so a copy of the file has a
    different code.
    """
    try:
        machine = _MACHINE_ID.read_bytes().strip()
    except OSError:
        machine = b""
    number = b"" if machine else b"%d" % file.stat().st_ino
    return hmac.digest(machine, b"outflank %d %b %b" % (_user(), number, text.encode()), "sha256").hex()


def _user() -> int:
    if sys.platform == "win32":
        return 0
    return os.geteuid()


def is_sealed(file: Path, text: str, code: str) -> bool:
    """Return whether `code` is the seal of `text`, this user owns the file, and the file is not world-writable."""
    status = file.stat()
    # Windows has access control lists instead of owners and modes.
    ours = status.st_uid == _user() and (sys.platform == "win32" or not status.st_mode & stat.S_IWOTH)
    return ours and hmac.compare_digest(seal(file, text).encode(), code.encode())


Statement = tuple[str, Sequence[Any]]
_SEAL = "seal"  # the name of the fact that stores the seal


class Store:
    """Writes the file of a run. ``create`` and ``resume`` open a store.

    Attributes:
        folder: the folder of the run's file.
        trouble: a sentence about events that could not be written yet; empty if all were written.
    """

    def __init__(self, folder: Path, lock: WriterLock, connection: sqlite3.Connection, past: Run) -> None:
        self.folder = folder
        self.trouble = ""
        self._lock = lock
        self._connection = connection
        self._unsaved: list[Event] = []
        self._ended = False
        self._resumed = time.monotonic()
        self._rules = past.settings.rules
        self._seconds_before = past.seconds or 0.0
        self._has_played = False
        self._was_finished = past.finished
        self._outside, self._identities = dict(past.outside), dict(past.identities)

    @classmethod
    def create(
        cls, folder: Path, settings: RunSettings, openings: Sequence[tuple[Move, ...]], run: str
    ) -> Self:
        """Create the file of a run in a new or empty folder; `run` is the unique id of the run.

        Raises: FileFormatError if the folder can't be created or written to, or if it is not empty.
        """
        with _refused_in_words(folder), ExitStack() as undo:
            folder.mkdir(parents=True, exist_ok=True)
            expect_no_other_file(folder / RUN_FILE, "the records need")
            lock = lock_run(folder)
            undo.callback(lock.release)
            # Another process may have created the file before this process got the lock.
            expect_no_other_file(folder / RUN_FILE, "the records need")
            facts = {
                "id": run,
                "outflank": __version__,
                "evaluation": checksum(),
                "started": datetime.now(UTC).astimezone().isoformat(timespec="seconds"),
                "machine": machine_line(),
                "settings": _json(plain_settings(settings)),
                "state": schema.PLAYING,
            }
            with RUN.creating(folder / RUN_FILE) as (connection, unfinished):
                facts[_SEAL] = seal(unfinished, _sealed_text(facts))
                connection.executemany(schema.INSERT_FACT, facts.items())
                connection.executemany(schema.INSERT_OPENING, enumerate(map(opening_text, openings)))
            undo.callback((folder / RUN_FILE).unlink, missing_ok=True)
            store = cls(folder, lock, RUN.open_to_write(folder / RUN_FILE), Run(settings))
            undo.pop_all()
        return store

    @classmethod
    def resume(cls, folder: Path) -> Self:
        """Open the file of a run to continue the run. Unfinished games are deleted.

        Raises: FileFormatError if there is no run, if another runner plays the run, or if the file can't be written.
        """
        path = run_path(folder)
        if not folder.is_dir():
            raise FileFormatError(f"{str(folder)!r} is not the folder of a run")
        with _refused_in_words(folder), ExitStack() as undo:
            lock = lock_run(folder)
            undo.callback(lock.release)
            connection = RUN.open_to_write(path)
            undo.callback(connection.close)
            with schema.refusals(path):
                store = cls(folder, lock, connection, schema.read(connection))
            store._commit(
                [
                    ("DELETE FROM game WHERE ending IS NULL", ()),
                    ("DELETE FROM turn WHERE (game, attempt) NOT IN (SELECT number, attempt FROM game)", ()),
                    (schema.INSERT_FACT, ("state", schema.PLAYING)),
                ],
                durable=True,
            )
            undo.pop_all()
        return store

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if not self._ended:
            self.end(finished=self._was_finished and not self._has_played)

    def read(self) -> Run:
        """Return the run from the file. Raises: FileFormatError if the file was edited and is no longer valid."""
        with schema.refusals(self.folder / RUN_FILE):
            return schema.read(self._connection)

    def openings(self) -> list[tuple[Move, ...]]:
        """Return the openings that were chosen when the run began. Raises: the errors of ``read``."""
        with schema.refusals(self.folder / RUN_FILE):
            return schema.read_openings(self._connection, self._rules)

    @property
    def id(self) -> str:
        """The unique id of the run."""
        return schema.facts_of(self._connection)["id"]

    @property
    def is_ours(self) -> bool:
        """Whether this user has sealed the run with its present settings on this machine."""
        facts = schema.facts_of(self._connection)
        return is_sealed(self.folder / RUN_FILE, _sealed_text(facts), facts.get(_SEAL, ""))

    def take_over(self) -> None:
        """Seal the run for this user on this machine. Raises: FileFormatError if the seal can't be written."""
        code = seal(self.folder / RUN_FILE, _sealed_text(schema.facts_of(self._connection)))
        with _refused_in_words(self.folder):
            self._commit([(schema.INSERT_FACT, (_SEAL, code))], durable=True)

    def extend(self, settings: RunSettings, openings: Iterable[tuple[Move, ...]]) -> None:
        """Store settings with more games, and the openings that are not stored yet.

        Raises: FileFormatError if the file can't be written.
        """
        stored = len(self.openings())
        added = islice(enumerate(map(opening_text, openings)), stored, None)
        with _refused_in_words(self.folder):
            self._commit(
                [*self._settings_statements(settings), *((schema.INSERT_OPENING, row) for row in added)],
                durable=True,
            )
        self._was_finished = False

    def write(self, events: Iterable[Event]) -> None:
        """Write events in one transaction. If that fails, all events except turns are kept and written later."""
        for event in events:
            self._unsaved.append(event)
            if isinstance(event, GameEnded | GameVoided):
                self._note_engines(event.game)
        # The record of an ended game has all turns of the game, so the events of these turns are not written.
        games = [event.game for event in self._unsaved if isinstance(event, GameEnded | GameVoided)]
        ended = {(game.pairing.number, game.pairing.attempt) for game in games}
        due = [
            event
            for event in self._unsaved
            if not (isinstance(event, TurnPlayed) and (event.game, event.attempt) in ended)
        ]
        durable = bool(games)
        self._has_played |= durable
        statements = [statement for event in due for statement in self._statements(event)]
        try:
            self._commit([*statements, *(self._sums() if durable else [])], durable=durable)
        except sqlite3.Error as error:
            self.trouble = _trouble(self.folder / RUN_FILE, error)
            self._unsaved = [event for event in self._unsaved if not isinstance(event, TurnPlayed)]
        else:
            self._unsaved, self.trouble = [], ""

    def end(self, *, finished: bool) -> Run:
        """Store the end of the session, close the file, and return the run, including events that were not written."""
        self._ended = True
        try:
            state = schema.FINISHED if finished else schema.INTERRUPTED
            # Without a new game the sums are not stored, so that showing a finished run does not add to its time.
            played = self._sums() if self._has_played else []
            self._commit([(schema.INSERT_FACT, ("state", state)), *played], durable=True)
            self._make_one_file()
        except sqlite3.Error as error:
            self.trouble = self.trouble or _trouble(self.folder / RUN_FILE, error)
        try:
            run = replace(
                _with(self.read(), self._unsaved), outside=self._outside, identities=self._identities
            )
        finally:
            self._connection.close()
            self._lock.release()
        return replace(run, finished=finished, interrupted=not finished)

    def _make_one_file(self) -> None:
        """End WAL mode, so that the run is one file. If another process is reading the run, WAL mode stays."""
        self._connection.execute("PRAGMA busy_timeout = 0")
        with suppress(sqlite3.OperationalError):
            self._connection.execute("PRAGMA journal_mode = DELETE")

    def _statements(self, event: Event) -> list[Statement]:
        """Return the statements that write an event. Executing these statements twice does no harm."""
        match event:
            case GameStarted(pairing):
                return [(schema.INSERT_GAME, schema.started_row(pairing, self._rules))]
            case TurnPlayed(game, attempt, ply, turn):
                return [(schema.INSERT_TURN, schema.turn_row(game, attempt, ply, turn))]
            case GameEnded(game) | GameVoided(game):
                number, attempt = game.pairing.number, game.pairing.attempt
                turns = (schema.turn_row(number, attempt, ply, turn) for ply, turn in enumerate(game.turns))
                return [
                    (schema.INSERT_GAME, schema.ended_row(game)),
                    *((schema.INSERT_TURN, row) for row in turns),
                    *((schema.INSERT_FACT, fact) for fact in schema.lost_facts(game)),
                ]
            case Remark(sentence):
                return [(schema.INSERT_REMARK, (schema.cut(sentence, schema.LONGEST_SENTENCE),))]
            case EngineJoined(settings):
                return self._settings_statements(settings)
            case _:
                return []

    def _settings_statements(self, settings: RunSettings) -> list[Statement]:
        facts = {"settings": _json(plain_settings(settings))}
        if self.is_ours:
            facts[_SEAL] = seal(self.folder / RUN_FILE, _sealed_text({"id": self.id, **facts}))
        return [(schema.INSERT_FACT, fact) for fact in facts.items()]

    def _sums(self) -> list[Statement]:
        seconds = self._seconds_before + time.monotonic() - self._resumed
        facts = {
            "seconds": f"{seconds:.1f}",
            schema.OUTSIDE: _json({name: astuple(taken) for name, taken in self._outside.items()}),
            schema.IDENTITIES: _json(self._identities),
        }
        return [(schema.INSERT_FACT, fact) for fact in facts.items()]

    def _note_engines(self, game: GameRecord) -> None:
        for name, taken in game.outside.items():
            self._outside[name] = self._outside.get(name, OffClockTime()) + taken
        for name, said in game.identities.items():
            known = self._identities.get(name, ())
            if said not in known and len(known) < schema.MOST_IDENTITIES:
                self._identities[name] = (*known, said)

    def _commit(self, statements: Iterable[Statement], durable: bool) -> None:
        connection = self._connection
        connection.execute(f"PRAGMA synchronous = {'FULL' if durable else 'NORMAL'}")
        with transaction(connection, immediate=True):
            for sql, group in groupby(statements, key=itemgetter(0)):
                connection.executemany(sql, (values for _, values in group))


def read_run(path: Path) -> Run:
    """Return the run stored in a folder or a file. The run may still be in progress.

    Raises: FileFormatError if there is no run, or if the run can't be read.
    """
    with _reading(path) as connection:
        return schema.read(connection)


def read_openings(path: Path, rules: Rules) -> list[tuple[Move, ...]]:
    """Return the openings that were chosen for the run in a folder or file.

    Raises: the errors of ``read_run``.
    """
    with _reading(path) as connection:
        return schema.read_openings(connection, rules)


@contextmanager
def _reading(path: Path) -> Iterator[sqlite3.Connection]:
    file = run_path(path)
    with closing(RUN.open_to_read(file)) as connection, schema.refusals(file):
        yield connection


@contextmanager
def _refused_in_words(folder: Path) -> Iterator[None]:
    try:
        yield
    except (OSError, sqlite3.Error) as error:
        raise FileFormatError(_trouble(folder, error)) from None


def _with(run: Run, events: Iterable[Event]) -> Run:
    games = {(game.pairing.number, game.pairing.attempt): game for game in run.games}
    voids, remarks = list(run.voids), dict.fromkeys(run.remarks)
    for event in events:
        match event:
            case GameEnded(game):
                games[game.pairing.number, game.pairing.attempt] = game
            case GameVoided(game):
                games.pop((game.pairing.number, game.pairing.attempt), None)
                voids.append(game)
            case Remark(sentence):
                remarks[sentence] = None
    counted = tuple(game for _, game in sorted(games.items()))
    return replace(run, games=counted, voids=tuple(voids), remarks=tuple(remarks))


def _json(plain: object) -> str:
    return json.dumps(plain, ensure_ascii=False)


def _sealed_text(facts: Mapping[str, str]) -> str:
    """Return the text to seal: the run's id and the run's settings, which contain the commands that start engines."""
    return f"{facts['id']} {facts['settings']}"


def _trouble(path: Path, error: Exception) -> str:
    reason = error.strerror if isinstance(error, OSError) else error
    return f"can't write records to {str(path)!r} ({reason})"
