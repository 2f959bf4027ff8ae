"""What is in a book, counted: coverage by ply, scores, and how deep was searched."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from outflank.book import Book
from outflank.engine import Position, Rules
from outflank.engine.links import file_of
from outflank.tools.work.words import counted

_MOST_COUNTED = 20_000  # positions of a ply; beyond, counting them all takes longer than anybody waits
_BAR_WIDTH = 40  # characters


@dataclass(slots=True)
class Ply:
    """The positions of a book with so many discs played.

    Attributes:
        positions: of the book.
        possible: positions that can be reached at all, once up to symmetry; None where there are too many to count.
        links: moves that lead to positions of the book, images counted each.
        leaves: positions with a move that leads out of the book.
        proven: positions whose score is.
    """

    positions: int = 0
    possible: int | None = None
    links: int = 0
    leaves: int = 0
    proven: int = 0


@dataclass(frozen=True, slots=True)
class Counts:
    """What is in a book.

    Attributes:
        plies: by the discs played.
        scores: how many positions have this score for the side to move.
        searched: how many positions have leaves from a search of so many plies, so selective (percent), and whether it
            reached the end of the game.
        levels: how many positions were judged on which level.
        bytes: of the file; None while it is being written.
        history: what was done to the book, a line each.
    """

    plies: dict[int, Ply]
    scores: Counter[int]
    searched: Counter[tuple[int, int, bool]]
    levels: dict[int | None, int]
    bytes: int | None
    history: list[str] = field(default_factory=list)

    @property
    def positions(self) -> int:
        """All of them."""
        return sum(self.scores.values())


def count_book(book: Book) -> Counts:
    """Count everything; some tenths of a millisecond for each position.

    Raises: FileFormatError if the book is damaged.
    """
    first = Position.start(book.rules).empties
    plies: dict[int, Ply] = {}
    scores: Counter[int] = Counter()
    searched: Counter[tuple[int, int, bool]] = Counter()
    for entry in book.entries():
        ply = plies.setdefault(first - entry.position.empties, Ply())
        linked = sum(move.linked for move in entry.moves)
        leaves = linked < len(entry.moves)
        ply.positions += 1
        ply.links += linked
        ply.leaves += leaves
        ply.proven += entry.is_exact
        scores[entry.score] += 1
        if leaves:
            searched[entry.depth, entry.selectivity, entry.depth >= entry.position.empties] += 1
    for number, possible in enumerate(reachable(book.rules)):
        if number in plies:
            plies[number].possible = possible
    history = [f"{change.time} {change.what}" for change in book.history()]
    file = file_of(book.path)
    being_written = file.with_name(f"{file.name}-wal").exists()
    size = None if being_written else file.stat().st_size
    return Counts(dict(sorted(plies.items())), scores, searched, book.levels(), size, history)


def reachable(rules: Rules) -> Iterator[int]:
    """How many positions can be reached with 0, 1, 2 ... discs played, images counted once, until they are too many."""
    positions = {Position.start(rules).canonical()[0]}
    while positions and len(positions) <= _MOST_COUNTED:
        yield len(positions)
        after = {position.play(move) for position in positions for move in position.legal_moves()}
        after = {each.pass_() if each.must_pass else each for each in after}
        positions = {each.canonical()[0] for each in after if not each.is_over}


def counts_text(book: Book, counts: Counts) -> Iterator[str]:
    """The lines that show the counts."""
    count = counts.positions
    yield f"{book.path}: {counted(count, 'position')} for {book.rules}"
    if counts.bytes is not None:
        yield f"{counts.bytes:,} bytes, {counts.bytes / max(count, 1):.0f} a position"
    yield f"levels: {_levels(counts)}"
    entry = book.probe(Position.start(book.rules))
    if entry is not None:
        side = book.rules.colour_name(book.rules.begins)
        bounds = f"from {entry.lower:+d} to {entry.upper:+d}"
        yield f"start: {entry.score:+d} for {side}, {bounds}; {counted(entry.lines.total, 'line')}"
    yield ""
    yield f"{'ply':>4}{'positions':>12}{'of all':>10}{'links':>10}{'leaves':>10}{'proven':>10}"
    for number, ply in counts.plies.items():
        share = "" if not ply.possible else f"{100 * ply.positions / ply.possible:.1f} %"
        yield f"{number:>4}{ply.positions:>12,}{share:>10}{ply.links:>10,}{ply.leaves:>10,}{ply.proven:>10,}"
    yield ""
    yield from _bars(
        "score for the side to move",
        {f"{score:+d}": number for score, number in sorted(counts.scores.items())},
    )
    yield ""
    yield from _bars(
        "leaves searched", {_depth(*key): number for key, number in sorted(counts.searched.items())}
    )


def counts_facts(book: Book, counts: Counts) -> dict[str, Any]:
    """The counts as JSON has them."""
    return {
        "book": str(book.path),
        "rules": str(book.rules),
        "positions": counts.positions,
        "bytes": counts.bytes,
        "levels": {
            "other limits" if level is None else str(level): each for level, each in counts.levels.items()
        },
        "plies": [
            {
                "ply": number,
                "positions": ply.positions,
                "possible": ply.possible,
                "links": ply.links,
                "leaves": ply.leaves,
                "proven": ply.proven,
            }
            for number, ply in counts.plies.items()
        ],
        "scores": {str(score): each for score, each in sorted(counts.scores.items())},
        "searched": [
            {"depth": depth, "selectivity": selectivity, "to_the_end": ended, "positions": each}
            for (depth, selectivity, ended), each in sorted(counts.searched.items())
        ],
        "history": counts.history,
    }


def _levels(counts: Counts) -> str:
    return ", ".join(
        f"{number:,} on {'other limits' if level is None else f'level {level}'}"
        for level, number in counts.levels.items()
    )


def _depth(depth: int, selectivity: int, ended: bool) -> str:
    sure = "" if selectivity == 100 else f" at {selectivity} %"
    return f"{'to the end, ' if ended else ''}{depth} plies{sure}"


def _bars(heading: str, numbers: dict[str, int]) -> Iterator[str]:
    """A bar for each number."""
    yield heading
    most = max(numbers.values(), default=1)
    width = max(map(len, numbers), default=0)
    for name, number in numbers.items():
        yield f"  {name:>{width}}  {number:>9,}  {'█' * round(_BAR_WIDTH * number / most)}".rstrip()
