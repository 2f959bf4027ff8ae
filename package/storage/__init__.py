"""Files that last: written whole, locked by one writer, in the one kind of SQLite file; and JSON from outside."""
