"""The table of a position for people and for programs: games, results, players, and scores of engine and book."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from outflank.book import Book
from outflank.book.names import opening_at
from outflank.engine import Move, Position, Searcher, SearchResult, limit_for_level
from outflank.protocol.formats.annotated import AnnotatedGame
from outflank.protocol.lines import printable
from outflank.tools.archive.store import MoveRow, PositionTable
from outflank.tools.report.search import certainty, score_number, score_text
from outflank.tools.work.progress import counted


@dataclass(frozen=True, slots=True)
class Scores:
    """The scores beside the games, in discs from the side to move.

    Attributes:
        engine: of each move by the engine.
        certainty: of these scores, in words.
        book: of the moves that a book knows.
    """

    engine: Mapping[Move, float] = field(default_factory=dict)
    certainty: str = ""
    book: Mapping[Move, int] = field(default_factory=dict)


def scores_of(
    position: Position, books: Sequence[Book] = (), searcher: Searcher | None = None, level: int = 0
) -> Scores:
    """The scores of all moves of a position.

    Args:
        position: any.
        books: the first that knows the position counts; those for other rules are passed over.
        searcher: the engine; None for no scores of it.
        level: of its search.

    Raises: FileFormatError if a book is damaged.
    """
    moves = () if position.must_pass else position.legal_moves()
    if not moves:
        return Scores()
    known = (book.probe(position) for book in books if book.serves(position.rules))
    entry = next(filter(None, known), None)
    book = {} if entry is None else {each.move: each.score for each in entry.moves}
    if searcher is None:
        return Scores(book=book)
    limit = limit_for_level(level, position.empties)
    found: SearchResult = searcher.search(position, limit, multipv=len(moves))
    return Scores({line.move: line.score for line in found.lines}, certainty(found, position.empties), book)


def table_text(table: PositionTable, scores: Scores = Scores()) -> Iterator[str]:  # immutable
    """The lines that show a table: a heading, and a row for each move."""
    position = table.position
    mover = position.rules.colour_name(position.side)
    if not table.games:
        yield "no games"
        return
    ended = f", {table.ended:,} of them to no further" if table.ended else ""
    yield f"{counted(table.games, 'game')}{ended}; results and scores for {mover}"
    if scores.certainty:
        yield f"engine: {scores.certainty}"
    headings = ("move", "games", "share", "won", "drawn", "lost", "mean", "years", "engine", "book")
    cells = [headings, *(_cells(row, table.games, scores) for row in table.moves)]
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


def _cells(row: MoveRow, games: int, scores: Scores) -> tuple[str, ...]:
    engine, book = scores.engine.get(row.move), scores.book.get(row.move)
    return (
        str(row.move),
        f"{row.games:,}",
        f"{100 * row.games / games:.1f} %",
        *_percentages(row),
        "" if row.mean is None else f"{row.mean:+.1f}",
        _years(row),
        "" if engine is None else score_text(engine),
        "" if book is None else f"{book:+d}",
    )


def _percentages(row: MoveRow) -> tuple[str, ...]:
    results = (row.won, row.drawn, row.lost)
    known = sum(results)
    return tuple(f"{100 * each / known:.0f} %" if known else "" for each in results)


def _years(row: MoveRow) -> str:
    if row.years is None:
        return ""
    first, last = row.years
    return str(first) if first == last else f"{first}-{last}"


def table_facts(table: PositionTable, scores: Scores = Scores()) -> dict[str, Any]:  # immutable
    """The table as JSON has it; results and scores are from the side to move."""
    moves = []
    for row in table.moves:
        engine, named = scores.engine.get(row.move), opening_at(table.position.play(row.move))
        moves.append(
            {
                **asdict(row),
                "move": str(row.move),
                "mean": None if row.mean is None else round(row.mean, 2),
                "share": round(row.games / table.games, 4),
                "engine": None if engine is None else score_number(engine),
                "book": scores.book.get(row.move),
                "opening": None if named is None else str(named),
            }
        )
    return {
        "position": table.position.board_string(),
        "games": table.games,
        "ended": table.ended,
        "engine": scores.certainty or None,
        "moves": moves,
    }


def game_row(game: AnnotatedGame) -> str:
    """A game in a line: when, who, the margin for Black, where."""
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
    """A game as JSON has it; the margin is Black's."""
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
        "moves": game.game().transcript(),
    }
