<<<<<<< HEAD
"""Tests of `outflank.book`."""
=======
"""Tests of the opening book: mirrors the folder book/."""
>>>>>>> 95a2366 (book: SQLite files of positions, probed by any image, one writer)
