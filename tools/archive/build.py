"""Creates an archive from game files, and adds games to an archive.

Memory use does not grow with the number of games. The positions of all games are first written to a temporary table.
SQLite sorts this table at the end, so that the table of positions is filled in order, page after page. Sums are stored
only for the few thousand positions that many games reached. For other positions each query counts the games. While the
games are read, the archive and the temporary table are committed every ten seconds, so that an interrupted build can
be continued.
"""

import contextlib
import os
import shutil
import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from hashlib import blake2b
from itertools import groupby, islice
from operator import itemgetter
from pathlib import Path

from outflank import __version__
from outflank.book.keys import after_passes, move_number
from outflank.engine import Colour, FileFormatError, OutflankError, Position, Rules, SettingsError
from outflank.protocol.formats.annotated import AnnotatedGame, BadGame
from outflank.protocol.formats.clocks import year_of
from outflank.storage.database import expect_types, sealed
from outflank.storage.files import UnwritableError, expect_writable, file_of, writing
from outflank.storage.lock import WriterLock
from outflank.tools.archive.schema import (
    ARCHIVE,
    INDICES,
    NO_MOVE,
    NOBODY,
    TABLES,
    images_of_moves,
    packed_moves,
    place_of,
)
from outflank.tools.archive.tally import MOST_DISCS, NO_STRENGTH, Visit, tallies_of
from outflank.tools.archive.unfinished import VISITS_FACT, UnfinishedFiles, unfinished_files
from outflank.tools.runtime.progress import counted, warn

MANY_GAMES = 200
"""The number of games above which a position has stored sums; counting fewer games takes a few milliseconds."""
_GAMES_AT_ONCE = 500
_SECONDS_BETWEEN_COMMITS = 10.0
_CACHE_KB = 1 << 16
_STEPS_AT_ONCE = 1_000_000  # the steps of SQLite's virtual machine between checks for signals
_LONGEST_NAME = 200
_LEAST_SENSELESS = 1e5  # a rating of at least this value counts as unknown
_FIRST_STRENGTH, _SWING, _SPREAD = 1500.0, 24.0, 400.0
_SCRATCH = "CREATE TABLE scratch.visit (position INTEGER, game INTEGER, turn INTEGER)"
_NAMED = ("archive", "player", "event")  # the tables that are filled after all games are read
_WINNERS = {Colour.BLACK: 1, None: 0, Colour.WHITE: -1}
_WINNERS_OR_NONE = (1, 0, -1, None)


@dataclass(frozen=True, slots=True)
class ArchiveContents:
    """The contents of a new archive.

    Attributes:
        duplicates: the number of games left out because the archive has a game with the same players, year and moves.
        others: the number of games left out because they were played under other rules.
        bad: the number of entries in the files that could not be read as games.
        positions: the number of distinct positions. Symmetric images count as one position.
    """

    games: int
    duplicates: int
    others: int
    bad: int
    positions: int
    bytes: int


def build_archive(
    path: Path | str,
    games: Iterable[AnnotatedGame | BadGame],
    rules: Rules | None = None,
    *,
    task: str | None = None,
    advance: Callable[[int], None] = lambda games: None,
    begin: Callable[[str], None] = lambda step: None,
) -> ArchiveContents:
    """Create an archive. The complete file replaces an existing file in one step.

    Args:
        path: the file to create.
        games: the games, for example from ``read_games``. Bad games and games under other rules are counted and left
            out.
        rules: the rules of the archive; Othello if None.
        task: a text that names the source of the games, such as the paths and times of the files. If a build with this
            text was interrupted, it is continued, and `games` has to yield the same games again. None for a build that
            can't be continued.
        advance: a function that receives the number of games read since its last call.
        begin: a function that receives a description of each step at its start.

    Raises: UnwritableError if the file can't be written; SettingsError if `path` is not a regular file; OutflankError
        if there is no game; any error that `games` raises.
    """
    path = Path(path)
    expect_writable(path)
    with writing(path):
        target = file_of(path)
    if target.exists() and not target.is_file():
        raise SettingsError(
            f"can't write an archive to {str(path)!r}, which is not a regular file: use another file"
        )
    return _written(path, target, None, rules or Rules(), games, task, advance, begin)


def add_to_archive(
    path: Path | str,
    games: Iterable[AnnotatedGame | BadGame],
    *,
    task: str | None = None,
    advance: Callable[[int], None] = lambda games: None,
    begin: Callable[[str], None] = lambda step: None,
) -> ArchiveContents:
    """Add games to an archive.

    The new file has the same contents as an archive built from all games in one call. It replaces the old file when it
    is complete.

    Args:
        path: the archive.
        games: see ``build_archive``.
        task: see ``build_archive``.
        advance: see ``build_archive``.
        begin: see ``build_archive``.

    Returns: the contents of the new archive. The numbers `duplicates`, `others` and `bad` refer only to `games`.
    Raises: FileFormatError if the file is not an archive, if it is damaged, or if another process adds games to it;
        UnwritableError if the file can't be written; OutflankError if there is no game; any error that `games` raises.
        After an error the archive is unchanged.
    """
    path = Path(path)
    with contextlib.closing(ARCHIVE.open_to_read(path)) as connection:
        try:
            facts = ARCHIVE.read_facts(connection)
            rules = Rules.parse(facts["rules"])
            ((found,),) = connection.execute("PRAGMA quick_check(1)").fetchall()
            if found != "ok":
                raise FileFormatError(f"damaged: {found}")
            expect_types(connection)
        except (sqlite3.Error, FileFormatError, LookupError, ValueError, MemoryError) as error:
            raise ARCHIVE.unreadable(path, error) from None
    with writing(path):
        target = file_of(path)
        lock = WriterLock(target, f"only one process may add games to {str(path)!r}")
    with lock:
        return _written(path, target, facts, rules, games, task, advance, begin)


def _written(
    path: Path,
    target: Path,
    facts: Mapping[str, str] | None,
    rules: Rules,
    games: Iterable[AnnotatedGame | BadGame],
    task: str | None,
    advance: Callable[[int], None],
    begin: Callable[[str], None],
) -> ArchiveContents:
    """Write an archive to `target`: continue an unfinished one, or add to the old one if its `facts` are given."""
    builder: _Builder | None = None
    if task is not None:
        task = "\0".join((__version__, str(rules), *(facts or {}).values(), task))
    with contextlib.ExitStack() as opened:
        with writing(path):
            files = opened.enter_context(unfinished_files(target, task))
            saved = files.facts() if files.is_kept else None
            if saved is None:
                files.make_new()
                if facts is not None:
                    shutil.copyfile(target, files.archive)
                    shutil.copymode(target, files.archive)
        try:
            with contextlib.closing(sqlite3.connect(files.archive, isolation_level=None)) as connection:
                builder = _Builder(connection, rules)
                builder.open(files, facts, saved)
                built = builder.build(games, advance, begin)
        except sqlite3.OperationalError as error:  # the disk is full, for example
            if builder is not None and builder.raised is not None:
                raise builder.raised from None
            raise UnwritableError(0, str(error), str(path)) from None
        except (sqlite3.Error, UnicodeDecodeError) as error:  # the rows of the old archive are damaged
            raise ARCHIVE.unreadable(path, error) from None
        with writing(path):
            with files.archive.open("rb+") as file:  # sync the file before it is renamed
                os.fsync(file)
            os.replace(files.archive, target)
    return ArchiveContents(*built, bytes=target.stat().st_size)


class _Builder:
    """Fills the tables of an archive, in several transactions if the build can be continued, else in one.

    Attributes:
        raised: the exception of a signal handler that interrupted a statement; None without an interruption.
    """

    def __init__(self, connection: sqlite3.Connection, rules: Rules) -> None:
        self._connection, self._rules = connection, rules
        self._start = Position.start(rules)
        self._players: dict[str, int] = {"": NOBODY}
        self._events: dict[str, int] = {"": NOBODY}
        self._games = self._duplicates = self._others = self._bad = 0
        self._games_before = self._duplicates_before = 0
        self._entries = 0  # the number of games and bad games that were read before the present batch
        self._visits = 0
        self._commits = False
        self._committed_at = time.monotonic()
        self.raised: BaseException | None = None
        self._watch = self._watching()
        next(self._watch)
        connection.set_progress_handler(self._watch.__next__, _STEPS_AT_ONCE)

    def open(
        self, files: UnfinishedFiles, facts: Mapping[str, str] | None, saved: Mapping[str, str] | None
    ) -> None:
        """Begin the first transaction, and restore the state of an old or unfinished archive.

        Args:
            files: the files of the archive. The archive is empty, a copy of an old archive, or unfinished.
            facts: the facts of the old archive; None without an old archive.
            saved: the facts of an unfinished archive; None if no build is continued.
        """
        connection = self._connection
        self._commits = files.is_kept
        connection.execute(f"PRAGMA application_id = {ARCHIVE.application}")
        connection.execute(f"PRAGMA user_version = {ARCHIVE.version}")
        connection.execute("ATTACH ? AS scratch", (str(files.visits),))
        for schema in ("main", "scratch"):
            if not files.is_kept:  # no journal is needed, since an incomplete file is deleted
                connection.execute(f"PRAGMA {schema}.journal_mode = OFF")
                connection.execute(f"PRAGMA {schema}.synchronous = OFF")
            connection.execute(f"PRAGMA {schema}.cache_size = -{_CACHE_KB}")
        connection.execute("BEGIN")
        for statement in (
            *(TABLES.split(";") if not (facts or saved) else ()),
            *([] if saved else [_SCRATCH]),
        ):
            connection.execute(statement)
        if facts or saved:
            self._recall(saved or facts or {})
        if saved:
            self._continue(saved)

    def _recall(self, facts: Mapping[str, str]) -> None:
        """Read the players, events and counts of an old or unfinished archive. Clear the tables that are recomputed."""
        execute = self._connection.execute
        for table, names in (("player", self._players), ("event", self._events)):
            for number, name in execute(f"SELECT id, name FROM {table} ORDER BY id"):
                if names.setdefault(name, number) != number:
                    raise sqlite3.DatabaseError(
                        f"damaged: the names of the table {table} contradict each other"
                    )
            if sorted(names.values()) != list(range(len(names))):
                raise sqlite3.DatabaseError(f"damaged: a row of the table {table} is missing")
        ((games, last),) = execute("SELECT count(*), max(id) FROM game").fetchall()
        if facts.get("games") != str(games) or last != games or not facts.get("duplicates", "").isdecimal():
            raise sqlite3.DatabaseError("damaged: a game is missing")
        self._games = self._games_before = games
        self._duplicates_before = int(facts["duplicates"])
        for table in (*_NAMED, "tally"):
            execute(f"DELETE FROM {table}")

    def _continue(self, saved: Mapping[str, str]) -> None:
        """Restore the counts of an unfinished archive."""
        self._entries, self._visits = int(saved["entries"]), int(saved[VISITS_FACT])
        self._others, self._bad = int(saved["others"]), int(saved["bad"])
        self._duplicates, self._games_before = int(saved["duplicates added"]), int(saved["games before"])
        warn(f"continuing an interrupted archive: {counted(self._games, 'game')} stored")

    def _commit(self) -> None:
        """Commit the games read so far, with the facts that are needed to continue the build.

        Then begin another transaction, and clear the tables of ``_NAMED`` in it, since ``build`` fills them at the end.
        """
        nothing = dict.fromkeys(self._players.values(), 0)
        self._write_names(nothing, nothing, {})
        counts = {
            "games": self._games,
            "games before": self._games_before,
            "duplicates": self._duplicates_before,
            "duplicates added": self._duplicates,
            "others": self._others,
            "bad": self._bad,
            "entries": self._entries,
            VISITS_FACT: self._visits,
        }
        facts = sealed({name: str(count) for name, count in counts.items()})
        self._connection.executemany("INSERT INTO archive VALUES (?, ?)", facts.items())
        for statement in ("COMMIT", "BEGIN", *(f"DELETE FROM {table}" for table in _NAMED)):
            self._connection.execute(statement)
        self._committed_at = time.monotonic()

    def _watching(self) -> Iterator[bool]:
        """Yield whether to interrupt the statement.

        SQLite calls the generator's ``__next__`` as its progress callback. If a signal handler raises an exception
        there, the generator stores it, because SQLite drops the exceptions of callbacks.
        """
        while True:
            try:
                while True:
                    yield self.raised is not None
            except GeneratorExit:
                raise
            except BaseException as error:  # `_written` raises it again
                self.raised = error

    def build(
        self,
        games: Iterable[AnnotatedGame | BadGame],
        advance: Callable[[int], None],
        begin: Callable[[str], None],
    ) -> tuple[int, int, int, int, int]:
        """Fill the tables. Return the fields of ``ArchiveContents`` except `bytes`."""
        begin("reading the games")
        self._read(games, advance)
        if self._games - self._games_before + self._duplicates == 0:
            what = "the archive is unchanged" if self._games_before else "no archive was made"
            raise OutflankError(f"no game was found, so {what}")
        begin("sorting the positions")
        execute = self._connection.execute
        execute("INSERT INTO visit SELECT position, game, turn FROM scratch.visit ORDER BY position, game")
        execute("DROP TABLE scratch.visit")
        begin("counting the games of frequent positions")
        if not self._games_before:
            for index in filter(str.strip, INDICES.split(";")):
                execute(index)
        strengths = self._rate()
        positions = self._sum_up(strengths)
        facts = {
            "rules": str(self._rules),
            "outflank": __version__,
            "created": datetime.now().astimezone().isoformat(timespec="seconds"),
            "games": str(self._games),
            "duplicates": str(self._duplicates_before + self._duplicates),
            "positions": str(positions),
        }
        self._connection.executemany("INSERT INTO archive VALUES (?, ?)", sealed(facts).items())
        execute("COMMIT")
        return self._games, self._duplicates, self._others, self._bad, positions

    def _read(self, games: Iterable[AnnotatedGame | BadGame], advance: Callable[[int], None]) -> None:
        visits: list[tuple[int, int, int]] = []
        unread, count, is_saved = iter(games), 0, self._entries > 0
        while skipped := sum(1 for _ in islice(unread, min(_GAMES_AT_ONCE, self._entries - count))):
            count += skipped
            advance(skipped)
        count = 0
        for game in unread:
            count += 1
            if isinstance(game, BadGame):
                self._bad += 1
            else:
                self._add(game, visits)
            if count == _GAMES_AT_ONCE:
                self._write(visits)
                advance(count)
                self._entries, count = self._entries + count, 0
                is_due = time.monotonic() - self._committed_at >= _SECONDS_BETWEEN_COMMITS
                if self._commits and is_due and self._games:
                    self._commit()
                    is_saved = True
        self._write(visits)
        advance(count)
        self._entries += count
        if is_saved:
            self._commit()

    def _write(self, visits: list[tuple[int, int, int]]) -> None:
        self._connection.executemany("INSERT INTO scratch.visit VALUES (?, ?, ?)", visits)
        self._visits += len(visits)
        visits.clear()

    def _add(self, game: AnnotatedGame, visits: list[tuple[int, int, int]]) -> None:
        if game.rules != self._rules:
            self._others += 1
            return
        if (row := self._row(game)) is None:
            self._duplicates += 1
            return
        images = images_of_moves()
        for played in game.moves:
            if not played.move.is_pass:
                place, symmetry = place_of(played.before)
                move = images[symmetry][move_number(played.move)]
                visits.append((place, row, 2 * move + (played.before.side is Colour.WHITE)))
        visits.append((place_of(after_passes(game.final)[0])[0], row, 2 * NO_MOVE))

    def _row(self, game: AnnotatedGame) -> int | None:
        """Write the row of a game, and return its key; None if the archive has the game already."""
        moves = packed_moves([move_number(each.move) for each in game.moves if not each.move.is_pass])
        first = None if game.first == self._start else game.first.board_string()
        year, outcome = year_of(game.date) or 0, game.outcome
        black, white, event, *others = map(
            _text, (game.black, game.white, game.event, game.title, game.place, game.date)
        )
        same = "\0".join((first or "", black.casefold(), white.casefold(), str(year)))
        ratings = game.black_rating, game.white_rating
        margin = None if outcome is None else outcome.margin
        done = self._connection.execute(
            f"INSERT OR IGNORE INTO game VALUES ({', '.join('?' * 18)})",
            (
                self._games + 1,
                self._players.setdefault(black, len(self._players)),
                self._players.setdefault(white, len(self._players)),
                self._events.setdefault(event, len(self._events)),
                year,
                _lower(*ratings),
                *ratings,
                None if outcome is None else _WINNERS[outcome.winner],
                None if margin is None or abs(margin) > MOST_DISCS else margin,
                None if outcome is None else str(outcome.ending),
                first,
                game.given,
                moves,
                *others,
                blake2b(moves + b"\0\0\0" + same.encode(), digest_size=12).digest(),
            ),
        )
        if not done.rowcount:
            return None
        self._games += 1
        return self._games

    def _rate(self) -> dict[int, float]:
        """Compute the strengths of the players, write the tables of players and events, and return the strengths.

        Games are processed in the order of their years. After each game with a known result, the Elo formula updates
        the strengths of both players, if both have one. A known rating in the game's record then replaces a
        player's computed strength. A name without a letter or digit, such as WTHOR's ???, has no strength.
        """
        strengths = {
            number: _FIRST_STRENGTH if any(map(str.isalnum, name)) else NO_STRENGTH
            for name, number in self._players.items()
        }
        games = dict.fromkeys(self._players.values(), 0)
        rows = self._connection.execute(
            "SELECT black, white, black_rating, white_rating, winner FROM game ORDER BY year, id"
        )
        for black, white, black_rating, white_rating, winner in rows:
            if black not in games or white not in games or winner not in _WINNERS_OR_NONE:
                raise sqlite3.DatabaseError("damaged: the row of a game has invalid values")
            games[black] += 1
            games[white] += white != black
            if winner is not None and NO_STRENGTH not in (strengths[black], strengths[white]):
                expected = 1 / (1 + 10 ** ((strengths[white] - strengths[black]) / _SPREAD))
                gain = _SWING * ((winner + 1) / 2 - expected)
                strengths[black] += gain
                strengths[white] -= gain
            for player, rating in ((black, black_rating), (white, white_rating)):
                if (known := _known(rating)) and strengths[player] != NO_STRENGTH:
                    strengths[player] = known
        events = dict(self._connection.execute("SELECT event, count(*) FROM game GROUP BY event"))
        self._write_names(games, strengths, events)
        return strengths

    def _write_names(
        self, games: Mapping[int, int], strengths: Mapping[int, float], events: Mapping[int, int]
    ) -> None:
        """Write the tables of players and events, with the numbers of their games."""
        execute = self._connection.executemany
        execute(
            "INSERT INTO player VALUES (?, ?, ?, ?)",
            ((number, name, games[number], strengths[number]) for name, number in self._players.items()),
        )
        execute(
            "INSERT INTO event VALUES (?, ?, ?)",
            ((number, name, events.get(number, 0)) for name, number in self._events.items()),
        )

    def _sum_up(self, strengths: Mapping[int, float]) -> int:
        """Write the sums of positions with many games. Return the number of all positions."""
        execute = self._connection.execute
        execute("CREATE TABLE scratch.many (position INTEGER PRIMARY KEY)")
        execute(
            "INSERT INTO scratch.many SELECT position FROM visit GROUP BY position HAVING count(*) > ?",
            (MANY_GAMES,),
        )
        rows = execute(
            "SELECT many.position, v.turn, g.year, g.rating, g.winner, g.margin, g.black, g.white "
            "FROM scratch.many CROSS JOIN visit v ON v.position = many.position CROSS JOIN game g ON g.id = v.game"
        )
        self._connection.executemany(
            f"INSERT INTO tally VALUES ({', '.join('?' * 13)})", _tally_rows(rows, strengths)
        )
        execute("DROP TABLE scratch.many")
        ((positions,),) = execute("SELECT count(DISTINCT position) FROM visit").fetchall()
        return int(positions)


def _text(text: str) -> str:
    """Shorten the text to a maximum length, and replace characters that SQLite can't store."""
    return text[:_LONGEST_NAME].encode(errors="replace").decode()


def _known(rating: float | None) -> float:
    """Return a rating, or 0 if it is unknown."""
    return rating if rating is not None and 0 < rating < _LEAST_SENSELESS else 0.0


def _lower(first: float | None, second: float | None) -> int:
    return int(min(_known(first), _known(second)))


def _tally_rows(rows: Iterable[tuple[int, ...]], strengths: Mapping[int, float]) -> Iterator[tuple[int, ...]]:
    for position, visits in groupby(rows, itemgetter(0)):
        played = [Visit(*visit[1:]) for visit in visits]
        if not all(visit.is_sound and {visit.black, visit.white} <= strengths.keys() for visit in played):
            raise sqlite3.DatabaseError("damaged: the row of a position has invalid values")
        tallies = tallies_of(played, strengths)
        for (move, year, rating), sums in tallies.items():
            best = (*sums.best, NOBODY, NOBODY, NOBODY)[:3]
            results = (sums.games, sums.won, sums.drawn, sums.lost, sums.measured, sums.discs)
            yield (position, move, year, rating, *results, *best)
