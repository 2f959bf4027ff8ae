"""Archives: games of any number of files by the positions that they went through.

``Archive`` answers questions about positions, ``build_archive`` makes the file, ``add_to_archive`` adds games, and
``ArchiveQuery`` chooses among them.
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
