"""A position of a book, as a user asks for it."""

from outflank.book import Book, Entry
from outflank.engine import Game, OutflankError
from outflank.tools.cli.positions import read_game


def asked_game(book: Book, text: str) -> Game:
    """The game up to the position that `text` describes, as ``read_game`` reads it, by the rules of the book."""
    game = read_game(text, book.rules).game()
    book.expect(game.rules)
    return game


def known_entry(book: Book, game: Game) -> Entry:
    """What the book has of the last position of a game.

    Raises: OutflankError if that is nothing, saying where the game has left the book.
    """
    entry = book.probe(game.position)
    if entry is not None and entry.moves:
        return entry
    expected = f"expected a position of {str(book.path)!r}"
    if game.position.is_over:
        raise OutflankError(f"{expected}, got one in which the game is over")
    left = book_exit(book, game)
    if left is None:
        raise OutflankError(f"{expected}, got one that it does not know")
    turn = game.turns[left]
    raise OutflankError(
        f"{expected}, got one that it does not know: move {left + 1}, {turn.move}, leaves the book"
    )


def book_exit(book: Book, game: Game) -> int | None:
    """The index of the first turn of a game that leads out of a book; None if none does, or it was never in it."""
    positions = game.positions
    known = [position in book for position in positions]
    return next((index for index in range(len(game.turns)) if known[index] and not known[index + 1]), None)
