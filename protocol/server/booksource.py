"""A session's opening book: choosing moves, looking entries up, and adding the positions of a game."""

import random
import weakref
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Self

from outflank.engine import Move, OutflankError, Position, Rules, Searcher, SettingsError
from outflank.protocol.server.movesource import MoveRequest, book_info

if TYPE_CHECKING:  # not imported at run time, so that the first answer does not wait for SQLite
    from outflank.book import Book, BookEntry, BookMove

NO_BOOK = "none"
"""The name that means that no book is used."""
_SHIPPED = Path(__file__).parents[2] / "book" / "data"


def shipped_books() -> list[Path]:
    """Return the paths of the shipped books; empty if there are none. Each book is for different rules."""
    return sorted(_SHIPPED.glob("*.book"))


def named_book(name: str) -> Path:
    """Return the path of the shipped book `name` if there is one and no file has this name; else the path `name`."""
    path = Path(name)
    if path.exists():
        return path
    return next((shipped for shipped in shipped_books() if shipped.stem == name), path)


class BookSource:
    """An opening book in a file: a source of moves for the positions in the book.

    A book that can't be used causes one warning and is then ignored, since an error would lose the game. Only ``learn``
    raises errors. As a context manager, the source closes the file at the end.

    Args:
        path: the book's file, which is opened by ``prepare`` or the first request.
        warn: the function that gets a message if the book can't be used.
        discs: the maximum total loss of one side's moves in a game, in discs, according to the book's scores.
        seed: the seed for random choices; None for no random choices, even among moves with equal scores.
        shipped: True if the book is used by default. A default book that is for other rules causes no warning.
    """

    def __init__(
        self,
        path: Path,
        warn: Callable[[str], object],
        *,
        discs: float = 0.0,
        seed: int | None = None,
        shipped: bool = False,
    ) -> None:
        self._path = path
        self._discs, self._seed = discs, seed
        self._chance = random.Random(seed)
        self._warn = warn
        self._shipped = shipped
        self._book: Book | None = None
        self._trouble = ""
        self._refused: Rules | None = None  # the last rules for which the book was not usable

    def prepare(self) -> None:
        """Open the book."""
        self._opened()

    def close(self) -> None:
        """Close the file. A later request opens it again."""
        if self._book is not None:
            self._book.close()
            self._book = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def choose(self, request: MoveRequest) -> Move | None:
        """Return the book's best move or a random move with a small enough loss; None if the book has no move.

        The moves that lead out of the book were scored by a single search of the position. If the chosen move is one of
        them, and the depth of this search is below the depth limit of the request, return None, so that the next source
        chooses.
        """
        entry = self.probe(request.position)
        if entry is None or not entry.moves:
            return None
        chosen = self._chosen(entry, request)
        wanted = request.limit.depth
        if not chosen.linked and wanted is not None and entry.depth < min(wanted, request.position.empties):
            return None
        if request.on_info is not None:
            request.on_info(book_info(entry, self.probe, chosen))
        return chosen.move

    def interrupt(self) -> None:
        """Do nothing, since choosing a book move takes no time."""

    def description(self, rules: Rules) -> list[str]:
        """Return lines about the book and its random choices; empty for a default book that is for other rules."""
        contents = self.contents(rules)
        if contents is None:
            return []
        return [
            f"book {contents}",
            f"book variety {self._discs:g} discs a game, seed {'none' if self._seed is None else self._seed}",
        ]

    def probe(self, position: Position) -> "BookEntry | None":
        """Return the entry of a position; None if the book lacks the position, is for other rules, or can't be used."""
        book = self._opened()
        if book is None or not self._serves(book, position.rules):
            return None
        try:
            return book.probe(position)
        except OutflankError as error:
            self._give_up(error)
            return None

    def contents(self, rules: Rules) -> str | None:
        """Return ``openings.book, 1,234 positions, for othello``, or the reason why the book can't be used.

        Return None for a default book that is for other rules.
        """
        book = self._opened()
        if book is None:
            return f"none: {self._trouble}"
        if self._shipped and not book.serves(rules):
            return None
        try:
            return f"{self._path}, {len(book):,} position{'' if len(book) == 1 else 's'}, for {book.rules}"
        except OutflankError as error:
            self._give_up(error)
            return f"none: {self._trouble}"

    def learn(self, positions: Sequence[Position], searcher: Searcher, is_stopped: Callable[[], bool]) -> int:
        """Add the first new positions of a game to the book, and return the number of added positions.

        Args:
            positions: the positions of the game, in order.
            searcher: the searcher that scores the new positions; its transposition table is cleared.
            is_stopped: the function that is called after each search, and returns whether to stop.

        Raises: OutflankError if the book can't be extended; the book is then unchanged. The package's books can never
            be extended.
        """
        if self._shipped or self._path in shipped_books():
            raise SettingsError(
                "the book that comes with the package is never changed: name another one with --book"
            )
        if self._opened() is None:
            raise SettingsError(self._trouble)
        from outflank.book.growing import USUAL_LEVEL, Judge, learn_game

        def cleared() -> Searcher:
            searcher.clear()
            return searcher

        return learn_game(self._path, positions, Judge(cleared, USUAL_LEVEL), is_stopped)

    def _opened(self) -> "Book | None":
        if self._book is None and not self._trouble:
            from outflank.book import Book

            try:
                self._book = Book.open(self._path)
                weakref.finalize(self, self._book.close)  # a session may end without closing its books
            except OutflankError as error:
                self._give_up(error)
        return self._book

    def _serves(self, book: "Book", rules: Rules) -> bool:
        if book.serves(rules):
            return True
        if rules != self._refused and not self._shipped:
            self._warn(
                f"{str(self._path)!r} is a book for {book.rules}, not for {rules}; playing without a book"
            )
        self._refused = rules
        return False

    def _give_up(self, error: OutflankError) -> None:
        book, self._book = self._book, None
        if book is not None:
            book.close()
        self._trouble = str(error)
        self._warn(f"{error}; playing without a book")

    def _chosen(self, entry: "BookEntry", request: MoveRequest) -> "BookMove":
        moves = entry.moves
        worths = [_worth(move, request.draw) for move in moves]
        varied = request.varied and self._seed is not None
        allowed = max(0.0, self._discs - self._spent(request)) if varied else 0.0
        good = [move for move, worth in zip(moves, worths, strict=True) if worth >= max(worths) - allowed]
        return self._chance.choice(good) if varied else good[0]

    def _spent(self, request: MoveRequest) -> float:
        """Return the discs that the side to move has lost by its moves so far, according to the book's scores."""
        if not self._discs:
            return 0.0
        lost = 0.0
        for turn in request.turns:
            entry = self.probe(turn.before) if turn.colour is request.position.side else None
            if entry is not None and entry.moves:
                worths = {move.move: _worth(move, request.draw) for move in entry.moves}
                lost += max(worths.values()) - worths.get(turn.move, max(worths.values()))
        return lost


def _worth(move: "BookMove", draw: float) -> float:
    return draw if move.score == 0 else float(move.score)
