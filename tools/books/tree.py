"""The main lines of a book as a tree: an SVG image in which a run of moves without a branch is one box."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from outflank.book import Book
from outflank.book.names import opening_at
from outflank.engine import Colour, Move, Position
from outflank.tools.books.mainlines import BookLine
from outflank.tools.show.page import templates

_LETTER, _SMALL_LETTER = 7.3, 6.3  # widths in pixels, of the second one at most
_PADDING, _CHIP = 8.0, 34.0  # width of a box's edge, of a score
_GAP, _ROW, _BOX = 34.0, 44.0, 22.0  # between boxes, from row to row, height of a box
_MARGIN, _HEAD, _LEAST_WIDTH = 16.0, 56.0, 800.0  # the last leaves room for the heading


@dataclass(slots=True)
class Branch:
    """A run of moves that nothing branches off from.

    Attributes:
        moves: of the run.
        score: after it, in discs for Black.
        lost: discs that its first move gives away.
        name: of the last opening in it, empty if it has none.
        branches: what goes on from its end, the best move first.
        x: left edge, so is `y` the middle, in pixels.
    """

    moves: list[Move]
    score: int
    lost: int
    name: str = ""
    branches: list["Branch"] = field(default_factory=list)
    x: float = 0.0
    y: float = 0.0

    @property
    def text(self) -> str:
        """The moves as the box has them."""
        return " ".join(map(str, self.moves))

    @property
    def remark(self) -> str:
        """What stands below the box: ``Tiger, gives away 1``."""
        return ", ".join(filter(None, (self.name, f"gives away {self.lost}" if self.lost else "")))

    @property
    def width(self) -> float:
        """Of the box, its score included, and wide enough for what stands below it."""
        box = 2 * _PADDING + _LETTER * len(self.text) + _CHIP
        return max(box, _SMALL_LETTER * len(self.remark) + _PADDING)


@dataclass(slots=True)
class _Node:
    """A position of the tree, before runs are put together."""

    position: Position
    move: Move | None = None
    score: int = 0
    lost: int = 0
    after: dict[Move, "_Node"] = field(default_factory=dict)


def tree_svg(book: Book, start: Position, title: str, lines: Iterable[BookLine]) -> str:
    """The lines of a book from a position on as an image.

    Raises: FileFormatError if the book is damaged.
    """
    root = _Node(start)
    for line in lines:
        _add(book, root, line)
    branches = [_branch(node) for node in root.after.values()]
    height, right = _HEAD, _LEAST_WIDTH
    for branch in branches:
        height = _place(branch, _MARGIN, height)
        right = max(right, _right(branch))
    drawn = list(_all(branches))
    return (
        templates()
        .get_template("booktree.svg")
        .render(
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
    )


def _add(book: Book, root: _Node, line: BookLine) -> None:
    """Put a line into the tree, each move with what the book says of it."""
    node = root
    for move in line.moves:
        if move not in node.after:
            entry = book.probe(node.position)
            assert entry is not None, "the line is one of the book"
            (known,) = (each for each in entry.moves if each.move == move)
            score = known.score if node.position.side is Colour.BLACK else -known.score
            node.after[move] = _Node(node.position.play(move), move, score, entry.score - known.score)
        node = node.after[move]


def _branch(node: _Node) -> Branch:
    """The run that begins with a node."""
    assert node.move is not None
    branch = Branch([node.move], node.score, node.lost, _name(node.position))
    while len(node.after) == 1:
        (node,) = node.after.values()
        assert node.move is not None
        branch.moves.append(node.move)
        branch.score, branch.name = node.score, _name(node.position) or branch.name
    following = sorted(node.after.values(), key=lambda each: each.lost)
    branch.branches = [_branch(each) for each in following]
    return branch


def _name(position: Position) -> str:
    opening = opening_at(position)
    return "" if opening is None else opening.name


def _place(branch: Branch, x: float, y: float) -> float:
    """Give a run and what follows their places from a height on; returns the height below them."""
    branch.x = x
    below = y
    for after in branch.branches:
        below = _place(after, x + branch.width + _GAP, below)
    branch.y = branch.branches[0].y if branch.branches else y + _ROW / 2
    return max(below, y + _ROW)


def _right(branch: Branch) -> float:
    return max([branch.x + branch.width, *map(_right, branch.branches)])


def _all(branches: Sequence[Branch]) -> Iterable[Branch]:
    for branch in branches:
        yield branch
        yield from _all(branch.branches)
