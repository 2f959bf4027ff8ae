"""Archives: files that store games and find the games that reached a position.

``build_archive`` creates an archive, ``add_to_archive`` adds games, and ``Archive`` answers queries about positions.
``ArchiveQuery`` restricts a query to some of the games.
"""

from outflank.tools.archive.build import ArchiveContents, add_to_archive, build_archive
from outflank.tools.archive.store import Archive, MoveRow, PositionTable
from outflank.tools.archive.tally import ArchiveQuery

__all__ = [
    "Archive",
    "ArchiveContents",
    "ArchiveQuery",
    "MoveRow",
    "PositionTable",
    "add_to_archive",
    "build_archive",
]
