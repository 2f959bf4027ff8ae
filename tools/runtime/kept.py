"""Saved task results of long commands, so that a repeated command continues where an interrupted one stopped.

Every ten seconds, a command writes new results to a file in the user's state folder. The file's name contains a hash
of the command and its settings. A command that completes removes its file; an interrupted or killed command leaves
the file behind, and the same command later reads the results from it.
"""

import json
import os
import sqlite3
import sys
import threading
import time
import zlib
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from contextlib import contextmanager, suppress
from dataclasses import fields, is_dataclass
from hashlib import blake2b
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, Self, TypeVar, Union, get_args, get_origin, get_type_hints

from outflank import __version__
from outflank.engine import Limit, Move, OutflankError, Position, Rules, Searcher, SearchResult
from outflank.engine.evaluation import weights
from outflank.protocol.formats.annotated import AnnotatedGame
from outflank.storage.database import DatabaseKind, remove_database, transaction
from outflank.storage.files import open_regular, write_whole
from outflank.storage.folders import user_folder
from outflank.storage.lock import WriterLock
from outflank.tools.runtime.progress import counted, warn

_KEPT = DatabaseKind(
    "a file of kept results",
    application=0x4F464C52,  # "OFLR"
    tables="""
CREATE TABLE kept (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE result (task TEXT PRIMARY KEY, value TEXT NOT NULL, checksum INTEGER NOT NULL) WITHOUT ROWID;
""",
    whole=True,
    longest=1 << 24,
)
_SUFFIX = ".results"
_SECONDS_BETWEEN_WRITES = 10.0
_MOST_DAYS = 30
_SECONDS_OF_A_DAY = 86_400
_LEAST_EMPTIES = 24  # the minimum number of empty squares; with fewer, a search usually takes only seconds
_MOST_BYTES = 1 << 24  # the maximum size of the table entries that are read

Key = TypeVar("Key")
Result = TypeVar("Result")


class KeptResults:
    """The results of a command's tasks, including results saved by an interrupted earlier call.

    At the end of the context, the file is removed if the block has succeeded. Otherwise the last results are written to
    the file. No results are saved if the folder can't be written, or while another process runs the same command.

    Args:
        command: the command's name.
        kind: the type of a result, which may consist of dataclasses, containers, moves, positions and plain values.
        say: the function that tells the user that a command continues or can be continued.
        question: the settings on which all results depend, as plain values; the version and the evaluation are added.
    """

    def __init__(
        self, command: str, kind: Any, say: Callable[[str], object] = warn, /, **question: object
    ) -> None:
        self._kind, self._say = kind, say
        self._facts = {
            "command": command,
            "outflank": __version__,
            "evaluation": weights.checksum(),
            "question": json.dumps(question, sort_keys=True, default=str),
        }
        self.path = _file_of(command, self._facts)
        self._known: dict[str, str] = {}
        self._new: dict[str, str] = {}
        self._written_at = time.monotonic()
        self._connection: sqlite3.Connection | None = None
        self._lock: WriterLock | None = None

    def __enter__(self) -> Self:
        _remove_old(self.path.parent)
        if os.path.exists(self.path):  # Path.exists raises OSError if the folder may not be searched
            self._open()
            if self._known:
                results = counted(len(self._known), "result")
                self._say(f"continuing an interrupted command: {results} known")
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is not None and self._connection is not None:
            self._write()
        self._close()
        # Without the lock, the file may belong to another process.
        if kind is None and self._lock is not None:
            remove_database(self.path)
        elif kind is not None and self._known and os.path.exists(self.path):
            self._say(f"{counted(len(self._known), 'result')} kept: run the same command to continue")
        if self._lock is not None:
            self._lock.release()

    def get(self, task: str, compute: Callable[[], Result]) -> Result:
        """Return the result of a task. If the result is unknown, compute and store it. `task`: the name of the task."""
        name = _task(task)
        known: Result = self._get(name)
        if known is _NONE:
            known = compute()
            self._put(name, known)
        return known

    def in_order(
        self,
        keys: Iterable[Key],
        name: Callable[[Key], str],
        run: Callable[[Iterable[Key]], Iterator[Result]],
    ) -> Iterator[Result]:
        """Yield the results in the order of the keys. A known result is yielded before later results are computed.

        Args:
            keys: the tasks' keys, read lazily.
            name: the function that returns the name of a key's task.
            run: the function that computes the results of keys, in their order.
        """
        unread = iter(keys)
        # The tasks whose results were not yielded yet, each with its known result or _NONE.
        waiting: deque[tuple[str, Any]] = deque()
        ahead: deque[Key] = deque()  # the keys of tasks without a known result that `run` has not read yet

        def read_key() -> bool:
            for key in unread:
                task = _task(name(key))
                known = self._get(task)
                waiting.append((task, known))
                if known is _NONE:
                    ahead.append(key)
                return True
            return False

        def unknown() -> Iterator[Key]:
            while ahead or read_key():
                if ahead:
                    yield ahead.popleft()

        results = run(unknown())
        while waiting or read_key():
            task, known = waiting[0]
            if known is _NONE:
                known = next(results)
                self._put(task, known)
            waiting.popleft()
            yield known
        next(results, None)  # run the generator to its end, so that it stops its workers

    def as_ready(
        self,
        keys: Iterable[Key],
        name: Callable[[Key], str],
        run: Callable[[Iterable[Key]], Iterator[tuple[Key, Result]]],
    ) -> Iterator[tuple[Key, Result]]:
        """Yield keys with their results: known results first, then new ones in the order of `run`; see ``in_order``."""
        left = []
        for key in keys:
            known = self._get(_task(name(key)))
            if known is _NONE:
                left.append(key)
            else:
                yield key, known
        for key, result in run(left):
            self._put(_task(name(key)), result)
            yield key, result

    def _get(self, task: str) -> Any:
        if (text := self._known.get(task)) is None:
            return _NONE
        try:
            return _made(self._kind, json.loads(text))
        except (ValueError, TypeError, RecursionError, OverflowError):  # NotationError is a ValueError
            del self._known[task]
            return _NONE

    def _put(self, task: str, result: object) -> None:
        self._new[task] = json.dumps(_plain(result))
        if time.monotonic() - self._written_at >= _SECONDS_BETWEEN_WRITES:
            if self._connection is None:
                self._open()
            self._write()

    def _open(self) -> None:
        """Open or create the file. If this fails, the connection is None, and no results are written."""
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            if self._lock is None:
                self._lock = WriterLock(self.path, "one process keeps the results of a command")
            if not os.path.exists(self.path):
                _KEPT.create(self.path, self._facts)
            self._connection = _KEPT.open_to_write(self.path)
            if _KEPT.read_facts(self._connection) != self._facts:
                self._close()
                return
            for task, value, checksum in self._connection.execute("SELECT * FROM result"):
                if type(task) is str and type(value) is str and checksum == _checksum(task, value):
                    self._known[task] = value
        except (OSError, OutflankError, sqlite3.Error, UnicodeDecodeError, MemoryError):
            self._close()

    def _write(self) -> None:
        self._written_at = time.monotonic()
        if self._connection is None:
            return
        rows = [(task, value, _checksum(task, value)) for task, value in self._new.items()]
        try:
            with transaction(self._connection):
                self._connection.executemany("INSERT OR REPLACE INTO result VALUES (?, ?, ?)", rows)
        except sqlite3.Error:  # such as a full disk
            self._close()
            return
        self._known |= self._new
        self._new.clear()

    def _close(self) -> None:
        if self._connection is not None:
            with suppress(sqlite3.Error):
                self._connection.close()
            self._connection = None


_NONE = object()


@contextmanager
def progress_file(command: str, **question: object) -> Iterator[Path | None]:
    """Yield a path at which a command may store its progress in its own format.

    Yield None if the folder can't be written, or while another process runs the same command. The command must remove
    the file when it completes.

    Args:
        command: the command's name.
        question: the settings that the progress depends on.
    """
    path = _file_of(command, question)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        lock = WriterLock(path, "one process keeps the progress of a command")
    except (OSError, OutflankError):
        yield None
        return
    _remove_old(path.parent)
    with lock:
        yield path


def search_keeping(searcher: Searcher, position: Position, limit: Limit, **options: Any) -> SearchResult:
    """Search a position. If the same search was interrupted before, start with the saved entries of its table.

    Every ten seconds, the deepest entries of the table are written to a file in the user's state folder. A completed
    search removes the file. Entries are saved only for searches for exact scores, which do not depend on the entries,
    and only if the search is likely to take more than a few seconds.

    Args:
        searcher: the searcher, whose table may have entries of other searches.
        position: the position.
        limit: the limit.
        options: the other keyword arguments of ``Searcher.search``.

    Raises: see ``Searcher.search``.
    """
    if not (_LEAST_EMPTIES <= position.empties <= (limit.exact_from or 0)) or not _is_exact(limit):
        return searcher.search(position, limit, **options)
    question = {
        "outflank": __version__,
        "evaluation": weights.checksum(),
        "position": [position.board_string(), str(position.rules)],
        "limit": repr(limit),
        "byteorder": sys.byteorder,
    }
    with progress_file("search", **question) as path:
        if path is None:
            return searcher.search(position, limit, **options)
        _recall(searcher, position.rules, path)
        with _regularly(lambda: _keep_entries(searcher, path)):
            result = searcher.search(position, limit, **options)
        with suppress(OSError):
            path.unlink(missing_ok=True)
        return result


def _is_exact(limit: Limit) -> bool:
    """Return whether the score of a search to the end of the game is exact."""
    return limit.selectivity in (None, 100) and limit.nodes is None and not limit.is_timed


class KeepingSearcher:
    """A searcher whose results are stored.

    Args:
        searcher: the searcher.
        results: the results of this searcher, of type SearchResult.
    """

    def __init__(self, searcher: Searcher, results: KeptResults) -> None:
        self._searcher, self._results = searcher, results

    def clear(self) -> None:
        """Forget all earlier searches, except for the stored results."""
        self._searcher.clear()

    def search(self, position: Position, limit: Limit, **options: Any) -> SearchResult:
        """Return the stored result of this search; without one, search. `options`: see ``search_keeping``."""
        return self._results.get(
            f"{position.board_string()} {limit} {options}",
            lambda: search_keeping(self._searcher, position, limit, **options),
        )


@contextmanager
def _regularly(write: Callable[[], object]) -> Iterator[None]:
    """Call a function every ten seconds in a separate thread, and once more if the block raises an error."""
    ended = threading.Event()

    def run() -> None:
        while not ended.wait(_SECONDS_BETWEEN_WRITES):
            write()

    thread = threading.Thread(target=run, name="outflank kept search", daemon=True)
    thread.start()
    try:
        yield
    except BaseException:
        write()
        raise
    finally:
        ended.set()
        thread.join()


def _keep_entries(searcher: Searcher, path: Path) -> None:
    entries = searcher.table_entries()
    with suppress(OSError):  # such as a full disk
        write_whole(path, zlib.crc32(entries).to_bytes(4, "big") + entries)


def _recall(searcher: Searcher, rules: Rules, path: Path) -> None:
    """Add the entries of an interrupted search to a searcher's table, if there are any and their checksum is right."""
    with suppress(OSError):
        with open_regular(path) as file:
            checksum, entries = file.read(4), file.read(_MOST_BYTES)
        if zlib.crc32(entries).to_bytes(4, "big") == checksum:
            searcher.add_table_entries(entries, rules)


def file_versions(files: Iterable[Path]) -> list[tuple[str, int, int]]:
    """Return the absolute path, the size and the modification time of each file, to recognise unchanged files.

    Raises: OSError if a file does not exist.
    """
    found = ((file.resolve(), file.stat()) for file in files)
    return [(str(path), facts.st_size, facts.st_mtime_ns) for path, facts in found]


def game_name(game: AnnotatedGame) -> str:
    """Return a task name for a game. The name contains all facts about the game that commands show."""
    moves = " ".join(str(each.move) for each in game.moves)
    words = (game.black, game.white, game.event, game.date, str(game.given))
    return "\0".join((str(game.rules), game.first.board_string(), moves, *words))


def _file_of(command: str, facts: Mapping[str, object]) -> Path:
    """Return the path of a command's file."""
    digest = blake2b(json.dumps(facts, sort_keys=True).encode(), digest_size=8).hexdigest()
    return user_folder("state") / "unfinished" / f"{command.replace(' ', '-')}-{digest}{_SUFFIX}"


def _remove_old(folder: Path) -> None:
    """Remove files that have not changed for a month, including temporary files that a killed process left."""
    with suppress(OSError):
        for file in (*folder.glob(f"*{_SUFFIX}"), *folder.glob(f".*{_SUFFIX}.*")):
            if time.time() - file.stat().st_mtime > _MOST_DAYS * _SECONDS_OF_A_DAY:
                file.unlink()


def _task(name: str) -> str:
    return blake2b(name.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def _checksum(task: str, value: str) -> int:
    return zlib.crc32(f"{task}{value}".encode())


def _plain(value: object) -> Any:
    """Return a result as JSON data."""
    if isinstance(value, Move):
        return str(value)
    if isinstance(value, Position):
        return [value.board_string(), str(value.rules)]
    if isinstance(value, bytes):
        return value.hex()
    if is_dataclass(value):
        return [_plain(getattr(value, each.name)) for each in fields(value)]
    if isinstance(value, Mapping):
        return [[_plain(key), _plain(each)] for key, each in value.items()]
    if isinstance(value, Sequence | Set) and not isinstance(value, str):
        return [_plain(each) for each in value]
    return value


def _made(kind: Any, data: Any) -> Any:
    """Convert JSON data of ``_plain`` to a value of type `kind`. Raises: ValueError, TypeError."""
    origin, arguments = get_origin(kind), get_args(kind)
    if kind is Move:
        return Move.parse(_made(str, data))
    if kind is Position:
        board, rules = _made(list[str], data)
        return Position.parse(board, Rules.parse(rules))
    if kind is bytes:
        return bytes.fromhex(_made(str, data))
    if origin is Literal:
        if data not in arguments:
            raise ValueError(f"expected one of {arguments}")
        return data
    if origin in (Union, UnionType):
        for each in arguments:
            with suppress(ValueError, TypeError):
                return _made(each, data)
        raise ValueError(f"expected {kind}")
    if kind is float and type(data) is int:
        return float(data)
    if kind in (bool, int, float, str, NoneType):
        if type(data) is not kind:
            raise ValueError(f"expected {kind.__name__}")
        return data
    if type(data) is not list:
        raise ValueError("expected a list")
    if is_dataclass(kind):
        hints, names = get_type_hints(kind), [each.name for each in fields(kind)]
        return kind(*(_made(hints[name], each) for name, each in zip(names, data, strict=True)))  # type: ignore[operator]
    if origin is tuple and arguments[-1:] != (...,):
        return tuple(_made(each, value) for each, value in zip(arguments, data, strict=True))
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return {_made(arguments[0], key): _made(arguments[1], each) for key, each in data}
    container: Any = {tuple: tuple, list: list, set: set}.get(origin, list)
    return container(_made(arguments[0], each) for each in data)
