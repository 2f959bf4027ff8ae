"""Formats entries of a book, statistics of a book and results of book checks, as text and as JSON data."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from outflank.book import Book, BookEntry, BookMove
from outflank.book.names import opening_at, opening_of_game
from outflank.book.records import HAND_LEVEL
from outflank.engine import Game, OutflankError, Position, Rules
from outflank.engine.evaluation.weights import checksum
from outflank.protocol.lines import printable
from outflank.protocol.server.movesource import best_line
from outflank.storage.files import file_of
from outflank.tools.cli.positions import read_game
from outflank.tools.runtime.progress import counted

if TYPE_CHECKING:  # only `check_text` needs it
    from outflank.book.checking import BookCheck


def asked_game(book: Book | Rules, text: str) -> Game:
    """Read the game that `text` describes, under the rules of the book. For the forms of `text` see ``read_game``."""
    if isinstance(book, Rules):
        return read_game(text, book).game()
    game = read_game(text, book.rules).game()
    book.expect(game.rules)
    return game


def known_entry(book: Book, game: Game) -> BookEntry:
    """Return the book's entry for the last position of a game.

    Raises: OutflankError if the book has no such entry. The message names the move that left the book, if any.
    """
    entry = book.probe(game.position)
    if entry is not None and entry.moves:
        return entry
    if game.position.is_over:
        raise OutflankError("the game is over, and books contain no finished games")
    left = book_exit(book, game)
    if left is None:
        raise OutflankError(f"the position is not in the book {str(book.path)!r}")
    turn = game.turns[left]
    raise OutflankError(f"move {left + 1}, {turn.move}, is not in the book {str(book.path)!r}")


def book_exit(book: Book, game: Game) -> int | None:
    """Return the index of a game's first turn that leaves the book; None if no turn leaves it."""
    positions = game.positions
    known = [position in book for position in positions]
    return next((index for index in range(len(game.turns)) if known[index] and not known[index + 1]), None)


_LINE_SHOWN = 8  # the maximum number of moves that are shown of the best line after a move


def entry_text(book: Book, game: Game, entry: BookEntry) -> Iterator[str]:
    """Yield an entry as lines of text. `game` ends at the entry's position."""
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
    """Return an entry as JSON data."""
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
    """Describe the search of an entry, as in ``16 plies at 73 % (level 16)``."""
    reach = "to the end" if entry.depth >= entry.position.empties else counted(entry.depth, "ply", "plies")
    sure = "" if entry.selectivity == 100 else f" at {entry.selectivity} %"
    return f"{reach}{sure}" + ("" if entry.level is None else f" (level {entry.level})")


def _line_counts(move: BookMove) -> str:
    if not move.linked:
        return f"{'leaves':>11}{'':>30}"
    total, *counts = move.lines
    return f"{total:>11,}" + "".join(f"{count:>10,}" for count in counts)


_MOST_COUNTED = 20_000  # if a ply has more positions, counting successors would take too long
_BAR_WIDTH = 40  # the maximum width of a bar in characters
_OTHER = "other limits"  # shown for positions without a level


def count_book(book: Book) -> dict[str, Any]:
    """Return the statistics of a book as JSON data. docs/book.md describes the fields.

    This takes about 0.1 ms for each position of the book.

    Raises: FileFormatError if the book is damaged.
    """
    first = Position.start(book.rules).empties
    plies: dict[int, Counter[str]] = {}
    scores: Counter[int] = Counter()
    searched: Counter[tuple[int, int, bool]] = Counter()
    for entry in book.entries():
        linked = sum(move.linked for move in entry.moves)
        leaves = linked < len(entry.moves)
        figures = {"positions": 1, "links": linked, "leaves": int(leaves), "proven": int(entry.is_exact)}
        plies.setdefault(first - entry.position.empties, Counter()).update(figures)
        scores[entry.score] += 1
        if leaves:
            searched[entry.depth, entry.selectivity, entry.depth >= entry.position.empties] += 1
    possible = dict(enumerate(islice(reachable(book.rules), max(plies, default=-1) + 1)))
    file = file_of(book.path)
    being_written = file.with_name(f"{file.name}-wal").exists()
    return {
        "book": str(book.path),
        "rules": str(book.rules),
        "positions": scores.total(),
        "bytes": None if being_written else file.stat().st_size,
        "levels": {_OTHER if level is None else str(level): each for level, each in book.levels().items()},
        "plies": [
            {
                "ply": ply,
                "positions": figures["positions"],
                "possible": possible.get(ply),
                **{name: figures[name] for name in ("links", "leaves", "proven")},
            }
            for ply, figures in sorted(plies.items())
        ],
        "scores": {str(score): each for score, each in sorted(scores.items())},
        "searched": [
            {"depth": depth, "selectivity": selectivity, "to_the_end": ended, "positions": each}
            for (depth, selectivity, ended), each in sorted(searched.items())
        ],
        "evaluations": book.judged_by(),
        "history": [f"{change.time} {change.what}" for change in book.history()],
    }


def reachable(rules: Rules) -> Iterator[int]:
    """Yield the number of reachable positions, up to symmetry, after 0, 1, 2 ... moves. Stop above _MOST_COUNTED."""
    positions = {Position.start(rules).canonical()[0]}
    while positions and len(positions) <= _MOST_COUNTED:
        yield len(positions)
        after = {position.play(move) for position in positions for move in position.legal_moves()}
        after = {each.pass_() if each.must_pass else each for each in after}
        positions = {each.canonical()[0] for each in after if not each.is_over}


def counts_text(book: Book, counts: Mapping[str, Any]) -> Iterator[str]:
    """Yield the statistics of ``count_book`` as lines of text."""
    count = counts["positions"]
    yield f"{book.path}: {counted(count, 'position')} for {book.rules}"
    if counts["bytes"] is not None:
        yield f"{counts['bytes']:,} bytes, {counts['bytes'] / max(count, 1):.0f} a position"
    levels = counts["levels"].items()
    shown = (f"{each:,} at {level if level == _OTHER else f'level {level}'}" for level, each in levels)
    yield f"levels: {', '.join(shown)}"
    if judged_by := counts["evaluations"]:
        yield f"scored by the evaluation {' and '.join(judged_by)}; this Outflank has {checksum()}"
    entry = book.probe(Position.start(book.rules))
    if entry is not None:
        side = book.rules.colour_name(book.rules.begins)
        bounds = f"from {entry.lower:+d} to {entry.upper:+d}"
        yield f"start: {entry.score:+d} for {side}, {bounds}; {counted(entry.lines.total, 'line')}"
    yield ""
    yield f"{'ply':>4}{'positions':>12}{'of all':>10}{'links':>10}{'leaves':>10}{'proven':>10}"
    for figures in counts["plies"]:
        ply, positions, possible, *others = figures.values()
        share = f"{100 * positions / possible:.1f} %" if possible else ""
        yield f"{ply:>4}{positions:>12,}{share:>10}" + "".join(f"{number:>10,}" for number in others)
    yield ""
    scores = {f"{int(score):+d}": number for score, number in counts["scores"].items()}
    yield from _bars("score for the side to move", scores)
    yield ""
    yield from _bars(
        "leaves searched", {_depth(*key.values()): key["positions"] for key in counts["searched"]}
    )


def _depth(depth: int, selectivity: int, ended: bool, _: int) -> str:
    sure = "" if selectivity == 100 else f" at {selectivity} %"
    return f"{'to the end, ' if ended else ''}{depth} plies{sure}"


def _bars(heading: str, numbers: dict[str, int]) -> Iterator[str]:
    yield heading
    most = max(numbers.values(), default=1)
    width = max(map(len, numbers), default=0)
    for name, number in numbers.items():
        yield f"  {name:>{width}}  {number:>9,}  {'█' * round(_BAR_WIDTH * number / most)}".rstrip()


def check_facts(path: Path, checked: "BookCheck", judged_by: Sequence[str]) -> dict[str, Any]:
    """Return the report of a book check as JSON data. `judged_by`: see ``check_text``."""
    again = checked.sample
    return {
        **asdict(checked),
        "book": str(path),
        "evaluations": judged_by,
        "evaluation_here": checksum(),
        "sample": again and {**again, "mean_difference": round(again["mean_difference"], 3)},
    }


_FAULTS_SHOWN = 10


def check_text(path: Path, checked: "BookCheck", judged_by: Sequence[str]) -> Iterator[str]:
    """Yield the report of a book check as lines. `judged_by`: checksums of the evaluations that scored the book."""
    from outflank.protocol.drivers.command import join_command  # only this function needs the drivers

    faults, again, here = checked.faults, checked.sample, checksum()
    for fault in faults[:_FAULTS_SHOWN]:
        yield f"fault: {printable(fault, None)}"
    if len(faults) > _FAULTS_SHOWN:
        yield f"and {counted(len(faults) - _FAULTS_SHOWN, 'more fault')}"
    yield (
        f"{path}: {counted(checked.positions, 'position')}, {counted(len(faults), 'fault')}, "
        f"{checked.unreachable:,} not reachable from the start, {checked.unfinished:,} unfinished"
    )
    if again is not None:
        yield (
            f"searched again: {again['searched']:,}, {again['same']:,} with the same score, "
            f"mean difference {again['mean_difference']:.2f} discs, largest {again['largest_difference']}"
        )
    if others := [evaluation for evaluation in judged_by if evaluation != here]:
        yield (
            f"the evaluation {' and '.join(others)} scored this book, but this Outflank has {here}, which gives "
            f"other scores; to score it again: outflank book deepen {join_command([str(path)])} --again"
        )
