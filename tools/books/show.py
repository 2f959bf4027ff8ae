"""A book's entry of one position, and figures of a whole book."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from typing import Any

from outflank.book import Book, BookEntry, BookMove
from outflank.book.names import opening_at, opening_of_game
from outflank.book.records import HAND_LEVEL
from outflank.engine import Game, OutflankError, Position, Rules
from outflank.engine.evaluation.weights import checksum
from outflank.engine.links import file_of
from outflank.protocol.movesource import best_line
from outflank.tools.work.games import read_game
from outflank.tools.work.progress import counted


def asked_game(book: Book | Rules, text: str) -> Game:
    """The game up to the position that `text` describes, as ``read_game`` reads it, by the rules of the book.

    Args:
        book: or the rules of one that is yet to be made.
        text: the user's words.
    """
    if isinstance(book, Rules):
        return read_game(text, book).game()
    game = read_game(text, book.rules).game()
    book.expect(game.rules)
    return game


def known_entry(book: Book, game: Game) -> BookEntry:
    """The book's entry of the last position of a game.

    Raises: OutflankError if there is none, naming the move by which the game left the book.
    """
    entry = book.probe(game.position)
    if entry is not None and entry.moves:
        return entry
    if game.position.is_over:
        raise OutflankError("the game is over, and books end before that")
    left = book_exit(book, game)
    if left is None:
        raise OutflankError(f"the position is not in the book {str(book.path)!r}")
    turn = game.turns[left]
    raise OutflankError(f"move {left + 1}, {turn.move}, is not in the book {str(book.path)!r}")


def book_exit(book: Book, game: Game) -> int | None:
    """The index of the first turn of a game that leads out of a book; None if none does, or it was never in it."""
    positions = game.positions
    known = [position in book for position in positions]
    return next((index for index in range(len(game.turns)) if known[index] and not known[index + 1]), None)


_LINE_SHOWN = 8  # moves of the best line after each move


def entry_text(book: Book, game: Game, entry: BookEntry) -> Iterator[str]:
    """The lines that show an entry of the last position of a game."""
    position, lines = entry.position, entry.lines
    opening = opening_of_game(game)
    mover, proven = position.rules.colour_name(position.side), ", proven" if entry.is_exact else ""
    yield str(position)
    if opening is not None:
        yield f"Opening: {opening.in_both_languages}"
    yield ""
    yield f"{entry.score:+d} for {mover}, from {entry.lower:+d} to {entry.upper:+d}{proven}"
    if entry.level == HAND_LEVEL:
        yield "set by hand: neither searches nor the moves' scores change it"
    else:
        yield f"moves that leave the book: searched {_searched(entry)}"
    counts = f"{lines.wins:,} won, {lines.draws:,} drawn, {lines.losses:,} lost"
    yield f"lines from here: {lines.total:,}; {counts}"
    yield ""
    yield f"{'move':<6}{'score':>6}{'from':>6}{'to':>5}{'lines':>11}{'won':>10}{'drawn':>10}{'lost':>10}  best line"
    for move in entry.moves:
        after = position.play(move.move)
        line = " ".join(map(str, best_line(book.probe, after)[:_LINE_SHOWN]))
        named = opening_at(after)
        name = "" if named is None else f"({named})"
        row = f"{move.move!s:<6}{move.score:>+6d}{move.lower:>+6d}{move.upper:>+5d}{_line_counts(move)}"
        yield "  ".join(filter(None, (row, line, name))).rstrip()


def entry_facts(book: Book, game: Game, entry: BookEntry) -> dict[str, Any]:
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
        "level": None if entry.level == HAND_LEVEL else entry.level,
        "set_by_hand": entry.level == HAND_LEVEL,
        **entry.lines._asdict(),
        "moves": moves,
    }


def _searched(entry: BookEntry) -> str:
    """``16 plies at 73 % (level 16)``."""
    reach = "to the end" if entry.depth >= entry.position.empties else counted(entry.depth, "ply", "plies")
    sure = "" if entry.selectivity == 100 else f" at {entry.selectivity} %"
    return f"{reach}{sure}" + ("" if entry.level is None else f" (level {entry.level})")


def _line_counts(move: BookMove) -> str:
    if not move.linked:
        return f"{'leaves':>11}{'':>30}"
    total, *counts = move.lines
    return f"{total:>11,}" + "".join(f"{count:>10,}" for count in counts)


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
    """Figures of a book.

    Attributes:
        plies: by the discs played.
        scores: how many positions have this score for the side to move.
        searched: how many positions have leaves from a search of so many plies, so selective (percent), and whether it
            reached the end of the game.
        levels: how many positions were judged on which level.
        bytes: of the file; None while it is being written.
        history: the changes of the book, a line each.
        judged_by: checksums of the evaluations that judged it, as ``Book.judged_by``.
    """

    plies: dict[int, Ply]
    scores: Counter[int]
    searched: Counter[tuple[int, int, bool]]
    levels: dict[int | None, int]
    bytes: int | None
    history: list[str] = field(default_factory=list)
    judged_by: list[str] = field(default_factory=list)

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
    return Counts(
        dict(sorted(plies.items())), scores, searched, book.levels(), size, history, book.judged_by()
    )


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
    if counts.judged_by:
        yield f"judged by the evaluation {' and '.join(counts.judged_by)}; that of this Outflank is {checksum()}"
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
        "plies": [{"ply": number, **asdict(ply)} for number, ply in counts.plies.items()],
        "scores": {str(score): each for score, each in sorted(counts.scores.items())},
        "searched": [
            {"depth": depth, "selectivity": selectivity, "to_the_end": ended, "positions": each}
            for (depth, selectivity, ended), each in sorted(counts.searched.items())
        ],
        "evaluations": counts.judged_by,
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
