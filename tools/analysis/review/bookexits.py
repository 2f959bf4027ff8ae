"""The move by which a game left the opening book that it began in."""

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from outflank.book import Book
from outflank.engine import Move, Rules
from outflank.protocol.formats.annotated import AnnotatedGame


@dataclass(frozen=True, slots=True)
class BookExit:
    """The move that left a book.

    Attributes:
        ply: its number including passes, 1 for the first.
        judged: whether it is the best open move of the book: then the book ends there, and the game did not leave it.
    """

    ply: int
    move: Move
    judged: bool


class BookExits:
    """Finds the moves by which games left their books; a context manager that closes the books.

    Args:
        paths: the paths of the books, each for games by its rules.
        warn: called with a sentence once for each rules without a book; None if the user did not name the books.

    Raises: FileFormatError if a book can't be read.
    """

    def __init__(self, paths: Sequence[Path], warn: Callable[[str], object] | None = None) -> None:
        self._warn = warn
        self._unserved: set[Rules] = set()
        with ExitStack() as stack:
            self._books = [stack.enter_context(Book.open(path)) for path in paths]
            self._opened = stack.pop_all()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._opened.close()

    def of(self, game: AnnotatedGame) -> BookExit | None:
        """Return the move by which a game left the first book with its first position; None if there is no such move.

        Raises: FileFormatError if a book is damaged.
        """
        serving = [book for book in self._books if book.serves(game.rules)]
        if not serving:
            self._tell_unserved(game.rules)
        for book in serving:
            if game.first in book:
                return _exit(book, game)
        return None

    def _tell_unserved(self, rules: Rules) -> None:
        if self._warn is None or rules in self._unserved:
            return
        self._unserved.add(rules)
        for book in self._books:
            self._warn(
                f"{str(book.path)!r} is a book for {book.rules}, not for {rules}; reviewing without a book"
            )


def _exit(book: Book, game: AnnotatedGame) -> BookExit | None:
    for ply, (played, after) in enumerate(zip(game.moves, game.positions[1:], strict=True), 1):
        if after.is_over or after in book:
            continue
        entry = book.probe(played.before)
        assert entry is not None, "the book knew it a move ago"
        return BookExit(ply, played.move, any(move.move == played.move for move in entry.moves))
    return None
