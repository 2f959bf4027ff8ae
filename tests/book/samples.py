"""Small books for tests, made without a search."""

from collections.abc import Iterable
from pathlib import Path

from outflank.book import BookWriter, Leaf, Lines, Record
from outflank.engine import Move, Position, Rules

OTHELLO = Rules()
START = Position.start()


def record(position: Position, score: int = 0, leaf: str | None = None, **changed: object) -> Record:
    """A record with this score; its leaf is the first move if none is named."""
    move = position.legal_moves()[0] if leaf is None else Move.parse(leaf)
    values: dict[str, object] = {
        "position": position,
        "score": score,
        "lower": score - 4,
        "upper": score + 4,
        "depth": 10,
        "selectivity": 73,
        "level": 10,
        "leaf": Leaf(move, score),
        "lines": Lines(1, score > 0, score == 0, score < 0),
    }
    return Record(**{**values, **changed})  # type: ignore[arg-type]


def after(transcript: str, start: Position = START) -> Position:
    """The position after these moves, passes written out."""
    position = start
    for at in range(0, len(transcript), 2):
        position = position.play(transcript[at : at + 2])
    return position


def make_book(path: Path, records: Iterable[Record], rules: Rules = OTHELLO) -> Path:
    """A book with these positions, closed."""
    with BookWriter.create(path, rules) as book:
        book.put_all(records)
    return path


def plies(count: int, start: Position = START) -> list[Position]:
    """Every position up to this many plies from the start, once up to symmetry, without those that are over."""
    found, last = [start], [start]
    for _ in range(count):
        seen: dict[Position, Position] = {}
        for position in last:
            for move in position.legal_moves():
                next_one = position.play(move)
                next_one = next_one.pass_() if next_one.must_pass else next_one
                if not next_one.is_over:
                    seen.setdefault(next_one.canonical()[0], next_one)
        last = list(seen.values())
        found += last
    return found
