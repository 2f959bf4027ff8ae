"""Opening books: the layer between the engine and the protocols that use both."""

from outflank.book.records import BookMove, Entry, Leaf, Lines, Record
from outflank.book.store import Book, Change
from outflank.book.writer import BookWriter

__all__ = ["Book", "BookMove", "BookWriter", "Change", "Entry", "Leaf", "Lines", "Record"]
