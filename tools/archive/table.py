"""Formats the table of a position as text and as JSON data: games, results, players, engine and book scores."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, Self

from outflank.book import Book
from outflank.book.names import opening_at
from outflank.engine import Move, Position, Searcher, limit_for_level
from outflank.protocol.formats.annotated import AnnotatedGame, AnnotatedMove
from outflank.protocol.lines import printable
from outflank.tools.archive.store import ANY, Archive, MoveRow, PositionTable
from outflank.tools.archive.tally import ArchiveQuery
from outflank.tools.report.search import certainty, score_number, score_text
from outflank.tools.runtime.progress import counted


class Explorer:
    """Combines the table of an archive with the books' and the engine's scores.

    Args:
        archive: the archive of the games.
        books: the books whose scores are shown. A position gets the scores of the first book that contains
            the position and is for its rules.
        level: the level of the engine's searches; None to show no engine scores.
    """

    def __init__(self, archive: Archive, books: Sequence[Book] = (), level: int | None = None) -> None:
        self.archive = archive
        self._books, self._level = books, level
        self._searcher: Searcher | None = None

    @classmethod
    @contextmanager
    def open(cls, path: Path, books: Sequence[Path] = (), level: int | None = None) -> Iterator[Self]:
        """Open the archive and the books, and finally close them. Raises: FileFormatError if one can't be read."""
        with ExitStack() as stack:
            archive = stack.enter_context(Archive.open(path))
            yield cls(archive, [stack.enter_context(Book.open(book)) for book in books], level)

    def at(self, position: Position, wanted: ArchiveQuery = ANY) -> PositionTable:
        """Return the table of a position with engine and book scores. Raises: FileFormatError, SettingsError."""
        table = self.archive.table(position, wanted)
        position, moves = table.position, table.position.legal_moves()
        if not moves:
            return table
        known = (book.probe(position) for book in self._books if book.serves(position.rules))
        entry = next(filter(None, known), None)
        book = {} if entry is None else {each.move: each.score for each in entry.moves}
        engine: dict[Move, float] = {}
        if self._level is not None:
            self._searcher = self._searcher or Searcher()
            limit = limit_for_level(self._level, position.empties)
            found = self._searcher.search(position, limit, multipv=len(moves))
            engine = {line.move: line.score for line in found.lines}
            table = replace(table, certainty=certainty(found, position.empties))
        rows = (replace(row, engine=engine.get(row.move), book=book.get(row.move)) for row in table.moves)
        return replace(table, moves=tuple(rows))

    def text(self, position: Position) -> Iterator[str]:
        """Yield the table of a position as lines of text."""
        return table_text(self.at(position))

    def facts(self, position: Position, wanted: ArchiveQuery = ANY) -> dict[str, Any]:
        """Return the table of a position as JSON data."""
        return _table_facts(self.at(position, wanted))

    def exit_of(self, game: AnnotatedGame) -> tuple[int, AnnotatedMove] | None:
        """Find the game's first move to a position that no other game reached. Return its ply, from 1, and the move.

        Games that ended in the final position of this game are ignored, since they may be the same game.

        Returns None if no other game reached the first position of this game, or if other games reached every position
        of this game.
        """
        same = self.archive.table(game.final).ended
        if self.archive.table(game.first).games <= same:
            return None
        for ply, played in enumerate(game.moves, 1):
            if self.archive.table(played.after).games <= same:
                return ply, played
        return None


def table_text(table: PositionTable) -> Iterator[str]:
    """Yield the table as lines of text: a heading, and a row for each move."""
    position = table.position
    mover = position.rules.colour_name(position.side)
    if not table.games:
        yield "no games"
        return
    ended = f", {table.ended:,} of which ended here" if table.ended else ""
    yield f"{counted(table.games, 'game')}{ended}; results and scores for {mover}"
    if table.certainty:
        yield f"engine: {table.certainty}"
    headings = ("move", "games", "share", "won", "drawn", "lost", "mean", "years", "engine", "book")
    cells = [headings, *(_cells(row, table.games) for row in table.moves)]
    used = [at for at, name in enumerate(headings) if at < 8 or any(row[at] for row in cells[1:])]
    widths = [max(len(row[at]) for row in cells) for at in range(len(headings))]
    for number, row in enumerate(cells):
        text = "  ".join(row[at].rjust(widths[at]) if at else row[at].ljust(widths[at]) for at in used)
        if number:
            shown = table.moves[number - 1]
            named = opening_at(position.play(shown.move))
            name = "" if named is None else f"({named})"
            text = "  ".join(filter(None, (text, ", ".join(shown.strongest), name)))
        else:
            text += "  strongest players"
        yield text.rstrip()


def _cells(row: MoveRow, games: int) -> tuple[str, ...]:
    results = (row.won, row.drawn, row.lost)
    known = sum(results)
    first, last = row.years or (0, 0)
    return (
        str(row.move),
        f"{row.games:,}",
        f"{100 * row.games / games:.1f} %",
        *(f"{100 * each / known:.0f} %" if known else "" for each in results),
        "" if row.mean is None else f"{row.mean:+.1f}",
        "" if row.years is None else str(first) if first == last else f"{first}-{last}",
        "" if row.engine is None else score_text(row.engine),
        "" if row.book is None else f"{row.book:+d}",
    )


def _table_facts(table: PositionTable) -> dict[str, Any]:
    """Return the table as JSON data. Results and scores are for the side to move."""
    moves = []
    for row in table.moves:
        named, facts = opening_at(table.position.play(row.move)), asdict(row)
        engine, book = facts.pop("engine"), facts.pop("book")
        moves.append(
            {
                **facts,
                "move": str(row.move),
                "mean": None if row.mean is None else round(row.mean, 2),
                "share": round(row.games / table.games, 4),
                "engine": None if engine is None else score_number(engine),
                "book": book,
                "opening": None if named is None else str(named),
            }
        )
    return {
        "position": table.position.board_string(),
        "games": table.games,
        "ended": table.ended,
        "engine": table.certainty or None,
        "moves": moves,
    }


def game_row(game: AnnotatedGame) -> str:
    """Return a game as one line of text: date, players, margin for Black, event."""
    outcome = game.outcome
    if outcome is None:
        result = "-"
    elif outcome.margin is not None:
        result = f"{outcome.margin:+d}"
    else:
        result = "draw" if outcome.winner is None else f"{game.rules.colour_name(outcome.winner)} won"
    names = f"{game.black or '?'} - {game.white or '?'}"
    return printable(f"{game.date[:10]:<10}  {names:<42}{result:>5}  {game.event}".rstrip(), None)


def game_facts(game: AnnotatedGame) -> dict[str, Any]:
    """Return a game as JSON data. The margin is in discs for Black."""
    outcome = game.outcome
    winner = None if outcome is None else outcome.winner
    return {
        "black": game.black,
        "white": game.white,
        "black_rating": game.black_rating,
        "white_rating": game.white_rating,
        "event": game.event,
        "date": game.date,
        "winner": None if outcome is None else "draw" if winner is None else str(winner),
        "margin": None if outcome is None else outcome.margin,
        "start": game.first.board_string(),
        "moves": game.game().transcript(),
    }
