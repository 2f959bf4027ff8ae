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
