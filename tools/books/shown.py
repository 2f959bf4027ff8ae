"""What a book knows about a position, as text and as JSON."""

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from outflank.book import Book, BookMove, Entry, Lines
from outflank.book.names import opening_at, opening_of_game
from outflank.engine import Game, Position
from outflank.protocol.movesource import best_line
from outflank.tools.work.words import counted

_LINE_SHOWN = 8  # moves of the best line behind each move


def entry_text(book: Book, game: Game, entry: Entry) -> Iterator[str]:
    """The lines that show an entry of the last position of a game."""
    position, lines = entry.position, entry.lines
    opening = opening_of_game(game)
    mover = _colour_name(position)
    yield str(position)
    if opening is not None:
        yield f"Opening: {opening}"
    yield ""
    yield f"{entry.score:+d} for {mover}, from {entry.lower:+d} to {entry.upper:+d}{_exact(entry)}"
    yield f"moves that leave the book: searched {_searched(entry)}"
    yield f"lines from here: {_counted(lines)}"
    yield ""
    yield f"{'move':<6}{'score':>6}{'from':>6}{'to':>5}{'lines':>11}{'won':>10}{'drawn':>10}{'lost':>10}  best line"
    for move in entry.moves:
        after = position.play(move.move)
        line = " ".join(map(str, best_line(book.probe, after)[:_LINE_SHOWN]))
        named = opening_at(after)
        name = "" if named is None else f"({named})"
        row = f"{move.move!s:<6}{move.score:>+6d}{move.lower:>+6d}{move.upper:>+5d}{_line_counts(move)}"
        yield "  ".join(filter(None, (row, line, name))).rstrip()


def entry_facts(book: Book, game: Game, entry: Entry) -> dict[str, Any]:
    """The entry as JSON has it."""
    opening = opening_of_game(game)
    moves = [
        {
            "move": str(move.move),
            "score": move.score,
            "lower": move.lower,
            "upper": move.upper,
            "linked": move.linked,
            **move.lines._asdict(),
            "best_line": [str(each) for each in best_line(book.probe, entry.position.play(move.move))],
        }
        for move in entry.moves
    ]
    return {
        "book": str(book.path),
        "rules": str(book.rules),
        "position": entry.position.board_string(),
        "opening": None if opening is None else asdict(opening),
        "score": entry.score,
        "lower": entry.lower,
        "upper": entry.upper,
        "exact": entry.is_exact,
        "depth": entry.depth,
        "selectivity": entry.selectivity,
        "level": entry.level,
        **entry.lines._asdict(),
        "moves": moves,
    }


def _colour_name(position: Position) -> str:
    return position.rules.colour_name(position.side)


def _exact(entry: Entry) -> str:
    return ", proven" if entry.is_exact else ""


def _searched(entry: Entry) -> str:
    """``16 plies at 73 % (level 16)``."""
    reach = "to the end" if entry.depth >= entry.position.empties else counted(entry.depth, "ply", "plies")
    sure = "" if entry.selectivity == 100 else f" at {entry.selectivity} %"
    return f"{reach}{sure}" + ("" if entry.level is None else f" (level {entry.level})")


def _line_counts(move: BookMove) -> str:
    if not move.linked:
        return f"{'leaves':>11}{'':>30}"
    total, *counts = move.lines
    return f"{total:>11,}" + "".join(f"{count:>10,}" for count in counts)


def _counted(lines: Lines) -> str:
    return f"{lines.total:,}; {lines.wins:,} won, {lines.draws:,} drawn, {lines.losses:,} lost"
