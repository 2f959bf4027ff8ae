"""Opening books. In the layers of Outflank, this package is between the engine and the protocols."""

from outflank.book.records import BookEntry, BookMove, Leaf, LineCounts, Record
from outflank.book.store import Book, Change
from outflank.book.writer import BookWriter

__all__ = ["Book", "BookEntry", "BookMove", "BookWriter", "Change", "Leaf", "LineCounts", "Record"]
