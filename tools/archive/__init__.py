"""Archives: games of any number of files by the positions that they went through.

``Archive`` answers questions about positions, ``build_archive`` makes the file, ``Wanted`` chooses among the games.
"""

from outflank.tools.archive.build import ArchiveContents, build_archive
from outflank.tools.archive.store import Archive, MoveRow, PositionTable
from outflank.tools.archive.tally import Wanted

__all__ = ["Archive", "ArchiveContents", "MoveRow", "PositionTable", "Wanted", "build_archive"]
