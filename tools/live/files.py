"""The files in which a game at the terminal is saved."""

from pathlib import Path

from outflank.engine import SettingsError
from outflank.protocol.formats.annotated import AnnotatedGame
from outflank.protocol.formats.clocks import day_of
from outflank.tools.report.gamefiles import expect_held, format_of, game_writer, written_files


class GameFiles:
    """Saves a session's game in files, without overwriting files that contain anything else.

    Args:
        saved: the autosave file, to which the game is written as it is played; None for no file.
        resumed: the file from which the game was resumed; None for a new game, or if overwriting the file would lose
            data.

    Attributes:
        saved: the autosave file of the current game. Each later game gets its own file, such as ``game-2.sgf`` next to
            ``game.sgf``.

    Raises: NotationError or SettingsError if `saved` can't be written, see ``save``.
    """

    def __init__(self, saved: Path | None, resumed: Path | None) -> None:
        self.saved = self._first = saved
        self._own = set() if resumed is None else {resumed.resolve()}
        if saved is not None:
            self._expect_free(saved)

    def save(self, record: AnnotatedGame, path: Path) -> str:
        """Write the game atomically.

        Returns: a sentence about the facts left out; empty if nothing was left out.

        Raises: NotationError if no format has the name's extension; SettingsError if the file has contents that this
            object did not write or resume; FileFormatError if the format can't store the game; OSError if the file
            can't be written.
        """
        self._expect_free(path)
        day = day_of(record.date)
        date = (day.year, day.month, day.day) if day else (0, 0, 0)
        with game_writer(format_of(path), path, date=date) as writer:
            writer.write(record)
        self._own.add(path.resolve())
        return writer.loss_note

    def expect_held(self, record: AnnotatedGame) -> None:
        """Raise FileFormatError if the autosave format can't store a game.

        The format WTHOR is not checked, since a WTHOR file is only written at the end of the game.
        """
        if self.saved is not None and (name := format_of(self.saved)) != "wthor":
            expect_held(name, record)

    def begin_another_game(self) -> None:
        """Stop writing to the previous game's files, and choose the first free name for the next autosave file."""
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
        files = written_files(format_of(path), path)
        return next((file for file in files if file.is_file() and file.stat().st_size), None)
