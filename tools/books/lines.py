"""Finds the main lines of a book, in which both sides give away the fewest discs. Draws these lines as an SVG tree."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from heapq import heappop, heappush
from itertools import count
from typing import Any

from outflank.book import Book, BookEntry, BookMove
from outflank.book.names import Opening, opening_at, opening_of
from outflank.engine import Colour, Game, Move, Position
from outflank.tools.page.parts import rendered

USUAL_FIRST_MOVE = "f5"  # by convention the first move of recorded games


@dataclass(frozen=True, slots=True)
class BookLine:
    """A line of a book.

    Attributes:
        moves: the moves from the first position, including forced passes.
        positions: the position before each move, and the position after the last move.
        error: the total discs that both sides give away.
        score: the score of the last move, in discs for Black.
        transposes: True if the line ends at a position of an earlier line.
    """

    moves: tuple[Move, ...]
    positions: tuple[Position, ...]
    error: int
    score: int
    is_exact: bool
    transposes: bool = False

    @property
    def transcript(self) -> str:
        """The moves without passes, as in ``f5d6c3``. Blanks separate moves under one-direction rules."""
        separator = " " if self.positions[0].rules.one_direction else ""
        return separator.join(str(move) for move in self.moves if not move.is_pass)

    @property
    def opening(self) -> Opening | None:
        """The last named opening in the line; None if the line has none."""
        return opening_of(self.positions)


def main_lines(
    book: Book, start: Position, *, max_error: float | None = None, plies: int | None = None
) -> Iterator[BookLine]:
    """Yield lines in increasing order of the discs that they give away, the longest first among equals.

    Each position is followed only once, so a line ends when it reaches a position of an earlier line. Of several moves
    that are symmetric images of each other, only one move is followed.
    """
    order = count()
    waiting: list[tuple[int, int, int, tuple[Move, ...], tuple[Position, ...], BookMove | None]] = []
    heappush(waiting, (0, 0, next(order), (), (start,), None))
    seen: set[Position] = set()
    while waiting:
        error, _, _, moves, positions, last = heappop(waiting)
        position = positions[-1]
        image, _ = position.canonical()
        entry = None if plies is not None and len(moves) >= plies else book.probe(position)
        transposes = entry is not None and image in seen
        if entry is None or not entry.moves or transposes:
            if last is not None:
                yield _line(moves, positions, error, last, transposes)
            continue
        seen.add(image)
        for move in _different_moves(entry):
            lost = error + entry.score - move.score
            if max_error is None or lost <= max_error:
                after = (*positions, position.play(move.move))
                heappush(waiting, (lost, -len(moves) - 1, next(order), (*moves, move.move), after, move))


def _different_moves(entry: BookEntry) -> list[BookMove]:
    """Return the moves of an entry. Of moves that lead to images of the same position, keep one, preferably f5."""
    kept: dict[Position, BookMove] = {}
    for move in entry.moves:
        image, _ = entry.position.play(move.move).canonical()
        if image not in kept or str(move.move) == USUAL_FIRST_MOVE:
            kept[image] = move
    return sorted(kept.values(), key=lambda move: -move.score)


def _line(
    moves: tuple[Move, ...], positions: tuple[Position, ...], error: int, last: BookMove, transposes: bool
) -> BookLine:
    black = positions[-2].side is Colour.BLACK
    score = last.score if black else -last.score
    return BookLine(moves, positions, error, score, last.lower == last.upper, transposes)


def line_facts(game: Game, line: BookLine) -> dict[str, Any]:
    """Return JSON data about a line that continues a game; its moves include the moves of the game."""
    before = game.transcript()
    separator = " " if before and game.rules.one_direction else ""
    opening = opening_of([*(turn.before for turn in game.turns), *line.positions])
    return {
        "moves": f"{before}{separator}{line.transcript}",
        "score": line.score,
        "exact": line.is_exact,
        "error": line.error,
        "opening": None if opening is None else str(opening),
        "transposes": line.transposes,
    }


def line_text(game: Game, line: BookLine) -> str:
    """Return the moves of a game and of a line that continues it; then ``#``, the line's score and its opening."""
    facts = line_facts(game, line)
    words = [f"{line.score:+d}{' exact' if line.is_exact else ''}", f"{line.error} given away"]
    words += filter(None, (facts["opening"], "transposes" if line.transposes else ""))
    return f"{facts['moves']}  # {', '.join(words)}"


# All sizes are in pixels.
_LETTER, _SMALL_LETTER = 7.3, 6.3  # the width of a letter in the moves, and its maximum width in the remarks
_PADDING, _CHIP = 8.0, 34.0  # the padding of a box, and the width of a score
_GAP, _ROW, _BOX = 34.0, 44.0, 22.0  # the gap between boxes, the row spacing, and the height of a box
_MARGIN, _HEAD, _LEAST_WIDTH = 16.0, 56.0, 800.0  # the margin, the heading's height, and the minimum width


@dataclass(slots=True)
class _Branch:
    """A sequence of moves without a branch.

    Attributes:
        position: the position after the first move of the sequence.
        score: the score of the last move, in discs for Black.
        lost: the discs that the first move gives away.
        branches: the following sequences, in the order of the discs that their first moves give away.
        x: the left edge of the box in pixels.
        y: the vertical middle of the box in pixels.
    """

    position: Position
    moves: list[Move] = field(default_factory=list)
    score: int = 0
    lost: int = 0
    name: str = ""
    branches: list["_Branch"] = field(default_factory=list)
    x: float = 0.0
    y: float = 0.0

    @property
    def text(self) -> str:
        return " ".join(map(str, self.moves))

    @property
    def remark(self) -> str:
        """The opening and the discs given away, as in ``Tiger, gives away 1``."""
        return ", ".join(filter(None, (self.name, f"gives away {self.lost}" if self.lost else "")))

    @property
    def width(self) -> float:
        box = 2 * _PADDING + _LETTER * len(self.text) + _CHIP
        return max(box, _SMALL_LETTER * len(self.remark) + _PADDING)


def tree_svg(book: Book, start: Position, title: str, lines: Iterable[BookLine]) -> str:
    """Draw the lines of a book from a position as an SVG image. Raises: FileFormatError if the book is damaged."""
    root = _Branch(start)
    for line in lines:
        _add(book, root, line)
    branches = root.branches
    for branch in branches:
        _join(branch)
    height, right = _HEAD, _LEAST_WIDTH
    for branch in branches:
        height = _place(branch, _MARGIN, height)
        right = max(right, _right(branch))
    drawn = list(_all(branches))
    return rendered(
        "booktree.svg",
        title=title,
        width=round(right + _MARGIN),
        height=round(height + _MARGIN),
        names=start.rules.colour_names,
        branches=drawn,
        edges=[(branch, after) for branch in drawn for after in branch.branches],
        box=_BOX,
        chip=_CHIP,
        padding=_PADDING,
    )


def _add(book: Book, branch: _Branch, line: BookLine) -> None:
    for move in line.moves:
        after = next((each for each in branch.branches if each.moves == [move]), None)
        if after is None:
            before = branch.position
            entry, position = book.probe(before), before.play(move)
            assert entry is not None, "the line is one of the book"
            (known,) = (each for each in entry.moves if each.move == move)
            score = known.score if before.side is Colour.BLACK else -known.score
            opening = opening_at(position)
            name = "" if opening is None else opening.name
            after = _Branch(position, [move], score, entry.score - known.score, name)
            branch.branches.append(after)
        branch = after


def _join(branch: _Branch) -> None:
    """Merge a branch with its successor while it has only one. Then sort its successors, and join each of those too."""
    while len(branch.branches) == 1:
        (after,) = branch.branches
        branch.moves += after.moves
        branch.score, branch.name, branch.branches = after.score, after.name or branch.name, after.branches
    branch.branches.sort(key=lambda after: after.lost)
    for after in branch.branches:
        _join(after)


def _place(branch: _Branch, x: float, y: float) -> float:
    """Place a branch and its successors below the vertical position `y`. Return the position of their lower edge."""
    branch.x = x
    below = y
    for after in branch.branches:
        below = _place(after, x + branch.width + _GAP, below)
    branch.y = branch.branches[0].y if branch.branches else y + _ROW / 2
    return max(below, y + _ROW)


def _right(branch: _Branch) -> float:
    return max([branch.x + branch.width, *map(_right, branch.branches)])


def _all(branches: Sequence[_Branch]) -> Iterable[_Branch]:
    for branch in branches:
        yield branch
        yield from _all(branch.branches)
