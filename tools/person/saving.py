"""Saving games in the format that the name of a file says, over nothing that somebody may want."""

from pathlib import Path

from outflank.engine import NotationError, SettingsError
from outflank.protocol.formats.annotated import AnnotatedGame
from outflank.protocol.formats.dates import day_of
from outflank.protocol.formats.files import FormatName
from outflank.tools.show.gamefiles import expect_held, game_writer, written_files

FORMAT_OF: dict[str, FormatName] = {
    ".sgf": "sgf",
    ".ggf": "ggf",
    ".txt": "transcript",
    ".obf": "obf",
    ".wtb": "wthor",
}


def format_of(path: Path) -> FormatName:
    """The format of a file.

    Raises: NotationError if its name says none.
    """
    found = FORMAT_OF.get(path.suffix.lower())
    if found is None:
        raise NotationError(f"expected a file that ends in {' '.join(FORMAT_OF)}, got {path.name!r}")
    return found


class GameFiles:
    """The files in which a session saves its game: new ones, and those that hold nothing but that game.

    Args:
        saved: the file that is written after every move; None for none.
        resumed: the file that the game was resumed from; None if from none, or from one that would lose something.

    Attributes:
        saved: as it was given; of a game after the first in a file of its own, ``game-2.sgf`` beside ``game.sgf``.

    Raises: NotationError or SettingsError if `saved` can't be written, see ``save``.
    """

    def __init__(self, saved: Path | None, resumed: Path | None) -> None:
        self.saved = self._first = saved
        self._own = set() if resumed is None else {resumed.resolve()}
        if saved is not None:
            self._expect_free(saved)

    def save(self, record: AnnotatedGame, path: Path) -> str:
        """Write the game, whole or not at all.

        Returns: what of it the format has no place for, in a sentence; empty if there is nothing.

        Raises: NotationError if the name says no format; SettingsError if something else stands in the file; OSError;
            FileFormatError if the format can't hold the game.
        """
        self._expect_free(path)
        day = day_of(record.date)
        date = (day.year, day.month, day.day) if day else (0, 0, 0)
        with game_writer(format_of(path), path, date=date) as writer:
            writer.write(record)
        self._own.add(path.resolve())
        return str(writer.losses)

    def expect_held(self, record: AnnotatedGame) -> None:
        """Raise FileFormatError if a game that begins so can't be saved after every move; WTHOR only has its end."""
        if self.saved is not None and (name := format_of(self.saved)) != "wthor":
            expect_held(name, record)

    def begin_another_game(self) -> None:
        """Give up all files, which hold the game before; the next one gets the first that is free."""
        self._own.clear()
        number = 2
        while self.saved is not None and self._first is not None and self._taken(self.saved):
            self.saved = self._first.with_stem(f"{self._first.stem}-{number}")
            number += 1

    def _expect_free(self, path: Path) -> None:
        if path.resolve() not in self._own and (file := self._taken(path)):
            raise SettingsError(
                f"{str(file)!r} exists and isn't empty: save to a new file, or to the one that the game was "
                "resumed from if nothing in it would be lost"
            )

    def _taken(self, path: Path) -> Path | None:
        """The first of the files written for `path` in which something stands; None if there is none."""
        files = written_files(format_of(path), path)
        return next((file for file in files if file.is_file() and file.stat().st_size), None)
