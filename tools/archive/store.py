"""Reads an archive: the table of a position, and the games that reached the position."""

import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from threading import Lock
from types import UnionType
from typing import Any, Self

from outflank.book.keys import after_passes, move_number
from outflank.engine import (
    Colour,
    FileFormatError,
    Game,
    IllegalMoveError,
    Move,
    NotationError,
    Position,
    Rules,
    SettingsError,
    Symmetry,
)
from outflank.engine.game import as_position
from outflank.protocol.formats.annotated import AnnotatedGame, Recorder, Result, ResultReason
from outflank.protocol.lines import printable
from outflank.storage.database import typed
from outflank.tools.archive.schema import ARCHIVE, NO_MOVE, NOBODY, place_of, unpacked_moves
from outflank.tools.archive.tally import (
    LATEST_YEAR,
    MOST_DISCS,
    VISIT_TYPES,
    ArchiveQuery,
    Tally,
    Visit,
    tallies_of,
)

ANY = ArchiveQuery()
"""The query that allows all games."""
_BEYOND = 1 << 62
_MOST_GAMES = 1 << 40  # the limit of a count; a sum of such counts fits into an SQLite integer
_MOST_NAMES = 1000  # the maximum number of names in one statement
# The first moves from the standard start are symmetric images of each other. This move represents all of them.
_FIRST_MOVE = Move.parse("f5")
_Types = tuple[type | UnionType, ...]
_VISIT = "v.turn, g.year, g.rating, g.winner, g.margin, g.black, g.white, g.event, g.id"
_VISIT_TYPES: _Types = (*VISIT_TYPES, int, int)
_GAME = (
    "SELECT b.name, w.name, e.name, g.black_rating, g.white_rating, g.winner, g.margin, g.ending, "
    "g.first, g.given, g.moves, g.title, g.place, g.date FROM game g CROSS JOIN player b ON b.id = g.black "
    "CROSS JOIN player w ON w.id = g.white CROSS JOIN event e ON e.id = g.event WHERE g.id = ?"
)
_GAME_TYPES: _Types = (
    *(str, str, str, float | None, float | None, int | None, int | None, str | None),
    *(str | None, int, bytes, str, str, str),
)


@dataclass(frozen=True, slots=True)
class MoveRow:
    """The counts of games in which a move was made. In a symmetric position, they include images of the move.

    Attributes:
        move: the move, in the coordinates of the queried position.
        won: the number of games that the mover won. A game without a known result is not won, drawn or lost.
        strongest: the names of up to three players who made the move, the strongest first.
        engine: the engine's score, in discs for the mover; None without a search.
        book: the score in a book, in discs for the mover; None if no book has the move.
    """

    move: Move
    games: int
    won: int
    drawn: int
    lost: int
    mean: float | None
    years: tuple[int, int] | None
    strongest: tuple[str, ...]
    engine: float | None = None
    book: int | None = None


@dataclass(frozen=True, slots=True)
class PositionTable:
    """The games that reached a position.

    Attributes:
        position: the queried position; the position after the pass if its side to move had to pass.
        ended: the number of games that ended or were broken off in the position.
        moves: the rows of the moves, the most frequent first.
        certainty: a description of the certainty of the engine's scores; empty without engine scores.
    """

    position: Position
    games: int
    ended: int
    moves: tuple[MoveRow, ...]
    certainty: str = ""


class Archive:
    """An archive of games that is open for reading. Several threads may use it.

    Use it as a context manager: ``with Archive.open(path) as archive``. ``len(archive)`` is the number of games.

    Attributes:
        duplicates: the number of games that were left out because the archive already had the same game.
        positions: the number of distinct positions. Symmetric images count as one position.
    """

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self.path = path
        self._connection = connection
        self._lock = Lock()
        try:
            facts = ARCHIVE.read_facts(connection)
            self.rules = Rules.parse(facts["rules"])
            self._games, self.duplicates, self.positions = (
                int(facts[name]) for name in ("games", "duplicates", "positions")
            )
            if not 0 <= self._games < _MOST_GAMES:
                raise ValueError("damaged: the number of games is impossible")
        except (sqlite3.Error, FileFormatError, LookupError, ValueError, MemoryError) as error:
            connection.close()
            raise ARCHIVE.unreadable(path, error) from None

    @classmethod
    def open(cls, path: Path | str) -> Self:
        """Open an archive. Its folder may be read-only.

        Raises: FileFormatError if the file is not an archive, is damaged or has another version of the format.
        """
        return cls(Path(path), ARCHIVE.open_to_read(Path(path)))

    def close(self) -> None:
        """Close the file. Further calls have no effect."""
        with self._lock:
            self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __len__(self) -> int:
        return self._games

    def expect(self, rules: Rules) -> None:
        """Raise SettingsError if the archive has other rules."""
        if rules != self.rules:
            raise SettingsError(f"{str(self.path)!r} is an archive for {self.rules}, not for {rules}")

    def table(self, position: Position | Game, wanted: ArchiveQuery = ANY) -> PositionTable:
        """Return the table of a position, or of a game's current position. A forced pass is made first.

        Raises: FileFormatError if a needed part of the file is damaged; SettingsError if the archive has other rules.
        """
        position = as_position(position)
        self.expect(position.rules)
        position = after_passes(position)[0]
        place, symmetry = place_of(position)
        named = None if wanted.names_somebody else self._sums(place, wanted)
        sums = self._counted(place, wanted) if named is None else named
        players = {player for _, tally in sums for player in tally.best}
        strengths = self._strengths(players)
        images = _images(position, symmetry)
        by_move: dict[Move, Tally] = {}
        ended = 0
        for number, tally in sums:
            if number == NO_MOVE:
                ended += tally.games
                continue
            if (move := images.get(number)) is None:
                raise self._damaged("a move is illegal in its position")
            by_move.setdefault(move, Tally()).add(tally, strengths)
        names = self._names({player for tally in by_move.values() for player in tally.best})
        rows = sorted(
            (_row(move, tally, names) for move, tally in by_move.items()),
            key=lambda row: (-row.games, str(row.move)),
        )
        return PositionTable(position, ended + sum(row.games for row in rows), ended, tuple(rows))

    def games(
        self, position: Position | Game | None = None, wanted: ArchiveQuery = ANY, most: int | None = None
    ) -> Iterator[AnnotatedGame]:
        """Yield the games that reached a position or a symmetric image of it, the most recently added game first.

        Without `position`, yield the games that reached the starting position.

        Raises: FileFormatError and SettingsError, see ``table``.
        """
        position = Position.start(self.rules) if position is None else as_position(position)
        self.expect(position.rules)
        place, _ = place_of(after_passes(position)[0])
        for count, number in enumerate(self._numbers(place, wanted)):
            if count == most:
                return
            yield self._game(number)

    def _sums(self, place: int, wanted: ArchiveQuery) -> list[tuple[int, Tally]] | None:
        rows = self._rows(
            (int,) * 12,
            "SELECT move, year, rating, games, won, drawn, lost, measured, discs, best, second, third "
            "FROM tally WHERE position = ?",
            (place,),
        )
        if not rows:
            return None
        found = []
        for row in rows:
            move, year, rating, games, won, drawn, lost, measured, discs, *best = row
            sound = (
                0 <= move <= NO_MOVE
                and 0 <= year <= LATEST_YEAR
                and min(rating, won, drawn, lost, measured, *best) >= 0
                and won + drawn + lost <= games <= len(self)
                and measured <= games
                and abs(discs) <= MOST_DISCS * measured
            )
            if not sound:
                raise self._damaged("the sums of a position contradict each other")
            if wanted.allows(year, rating):
                known = [player for player in best if player != NOBODY]
                found.append((move, Tally(games, won, drawn, lost, measured, discs, (year, year), known)))
        return found

    def _counted(self, place: int, wanted: ArchiveQuery) -> list[tuple[int, Tally]]:
        """Compute the sums of a position from its games."""
        visits = [visit for _, visit in self._visits(place, wanted)]
        strengths = self._strengths({player for visit in visits for player in (visit.black, visit.white)})
        return [(move, tally) for (move, _, _), tally in tallies_of(visits, strengths).items()]

    def _numbers(self, place: int, wanted: ArchiveQuery) -> Iterator[int]:
        if wanted != ANY:
            yield from sorted((number for number, _ in self._visits(place, wanted)), reverse=True)
            return
        last = _BEYOND
        while numbers := self._rows(
            (int,),
            "SELECT game FROM visit WHERE position = ? AND game < ? ORDER BY game DESC LIMIT 1000",
            (place, last),
        ):
            for (last,) in numbers:
                yield last

    def _visits(self, place: int, wanted: ArchiveQuery) -> Iterator[tuple[int, Visit]]:
        sides = [self._named("player", part) for part in wanted.players]
        events = self._named("event", wanted.event) if wanted.event else None
        for *values, event, number in self._rows(_VISIT_TYPES, *self._query(place, sides, events)):
            visit = Visit(*values)
            if not visit.is_sound:
                raise self._damaged("the row of a game has invalid values")
            if (
                wanted.allows(visit.year, visit.rating)
                and (events is None or event in events)
                and (not sides or _are_between(visit, sides))
            ):
                yield number, visit

    def _query(
        self, place: int, sides: Sequence[dict[int, int]], events: dict[int, int] | None
    ) -> tuple[str, tuple[int, ...]]:
        """Return an SQL query for the visits of a position, and the values of its parameters.

        The query scans the games of the position, or the games of the selected players or events if these are fewer.
        """
        chosen, columns = events, ["event"]
        for side in sides:
            if chosen is None or sum(side.values()) < sum(chosen.values()):
                chosen, columns = side, ["black", "white"]
        if chosen is not None and len(chosen) <= _MOST_NAMES:
            most = sum(chosen.values())
            ((here,),) = self._rows(
                (float,),
                "SELECT total(1) FROM (SELECT 1 FROM visit WHERE position = ? LIMIT ?)",
                (place, most + 1),
            )
            if most < here:
                among = ", ".join(map(str, chosen))
                condition = " OR ".join(f"g.{column} IN ({among})" for column in columns)
                return (
                    f"SELECT {_VISIT} FROM game g CROSS JOIN visit v ON v.position = ? AND v.game = g.id "
                    f"WHERE {condition}",
                    (place,),
                )
        return (
            f"SELECT {_VISIT} FROM visit v CROSS JOIN game g ON g.id = v.game WHERE v.position = ?",
            (place,),
        )

    def _named(self, table: str, part: str) -> dict[int, int]:
        part = part.casefold()
        found = {
            number: games
            for number, name, games in self._rows((int, str, int), f"SELECT id, name, games FROM {table}")
            if part in name.casefold()
        }
        if not all(0 <= games <= len(self) for games in found.values()):
            raise self._damaged(f"the number of games of a {table} is impossible")
        return found

    def _strengths(self, players: set[int]) -> dict[int, float]:
        return dict(self._of_players("strength", float, players))

    def _names(self, players: set[int]) -> dict[int, str]:
        return {player: printable(name) for player, name in self._of_players("name", str, players)}

    def _of_players(self, column: str, kind: type, players: set[int]) -> Iterator[tuple[int, Any]]:
        numbers = iter(sorted(players))
        while some := list(islice(numbers, _MOST_NAMES)):
            among = ", ".join(map(str, some))
            found = self._rows((int, kind), f"SELECT id, {column} FROM player WHERE id IN ({among})")
            if len(found) < len(some):
                raise self._damaged("a player has no name")
            yield from found

    def _game(self, number: int) -> AnnotatedGame:
        rows = self._rows(_GAME_TYPES, _GAME, (number,))
        if len(rows) != 1:
            raise self._damaged(f"game {number} is missing")
        (row,) = rows
        black, white, event, *ratings, winner, margin, ending, first, given, moves, title, place, date = row
        try:
            recorder = Recorder(
                Position.start(self.rules) if first is None else Position.parse(first, self.rules)
            )
            for move in unpacked_moves(moves):
                recorder.play(move)
            result = None
            if winner is not None:
                result = Result(
                    {1: Colour.BLACK, 0: None, -1: Colour.WHITE}[winner], margin, ResultReason(ending)
                )
            return AnnotatedGame(
                recorder.first,
                recorder.moves,
                black=black,
                white=white,
                black_rating=ratings[0],
                white_rating=ratings[1],
                result=result,
                title=title,
                event=event,
                place=place,
                date=date,
                given=given,
            )
        except (NotationError, IllegalMoveError, KeyError, TypeError, ValueError) as error:
            raise self._damaged(f"game {number}: {error}") from None

    def _rows(self, types: _Types, sql: str, values: tuple[Any, ...] = ()) -> list[Any]:
        """Return the rows of an SQL query. Check that the columns have the given types."""
        try:
            with self._lock:
                rows = self._connection.execute(sql, values).fetchall()
            return list(typed(rows, *types))
        except sqlite3.ProgrammingError:
            raise SettingsError(f"the archive {str(self.path)!r} is closed") from None
        except (sqlite3.Error, UnicodeDecodeError, MemoryError) as error:
            raise ARCHIVE.unreadable(self.path, error) from None

    def _damaged(self, reason: str) -> FileFormatError:
        return ARCHIVE.unreadable(self.path, FileFormatError(f"damaged: {reason}"))


def _are_between(visit: Visit, sides: Sequence[dict[int, int]]) -> bool:
    """Return whether the game's players, in either order, match `sides`: dicts whose keys are allowed players."""
    both = (visit.black, visit.white)
    return any(
        all(player in side for player, side in zip(players, sides, strict=False))
        for players in (both, both[::-1])
    )


def _images(position: Position, symmetry: Symmetry) -> dict[int, Move]:
    """Return the legal moves of a position, by their numbers in the archive.

    In a symmetric position several moves are images of each other. One move then represents all these moves.
    """
    itself = [each for each in Symmetry if position.transformed(each) == position]
    found: dict[int, Move] = {}
    for move in position.legal_moves():
        number = move_number(symmetry.move(move))
        if number in found:
            continue
        same = {each.move(move) for each in itself}
        shown = _FIRST_MOVE if _FIRST_MOVE in same else move
        found |= {move_number(symmetry.move(each)): shown for each in same}
    return found


def _row(move: Move, tally: Tally, names: dict[int, str]) -> MoveRow:
    return MoveRow(
        move,
        tally.games,
        tally.won,
        tally.drawn,
        tally.lost,
        tally.discs / tally.measured if tally.measured else None,
        tally.years if tally.years[0] else None,
        tuple(names[player] for player in tally.best),
    )
