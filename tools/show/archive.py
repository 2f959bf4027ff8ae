"""The folder of a match: what is written while it is played, and what when it ends.

``games.jsonl`` gets a line per game the moment the game ends, synced to the disk: it survives whatever
happens to the runner. Everything else is derived from the games when the match ends or is interrupted;
``match.json`` is there from the start, for the settings.
"""

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from outflank.engine import FileFormatError
from outflank.tools.games.results import GameRecord
from outflank.tools.runs.summary import game_summary
from outflank.tools.show.ggf import ggf
from outflank.tools.show.records import transcript_line
from outflank.tools.show.sgf import sgf

GAMES_FILE = "games.jsonl"


class Archive:
    """The files of a match, in a folder of their own.

    Attributes:
        folder: where they are.
        trouble: a sentence about what could not be written; empty if all is well.

    Args:
        folder: made if it is missing.

    Raises: FileFormatError if it can't be made or written to, or if something is in it already.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.trouble = ""
        self._unsaved = b""
        self._saved_bytes = 0
        _claim(folder)

    def add(self, game: GameRecord) -> None:
        """Write the line of `game`; if that fails it is kept and tried again with the next one."""
        line = json.dumps(game_summary(game), ensure_ascii=False)
        self._unsaved += line.encode() + b"\n"
        self._save()

    def finish(self, games: Sequence[GameRecord], summary: dict[str, Any], report: str) -> None:
        """Write what is derived from the games; what fails is named in ``trouble``, the rest is written."""
        self._save()
        self.write_summary(summary)
        texts = {
            "transcripts.txt": "".join(map(transcript_line, games)),
            "games.ggf": "".join(map(ggf, games)),
            "games.sgf": "".join(map(sgf, games)),
            "report.html": report,
        }
        for game in games:
            if game.dialogue:
                texts[f"fault-game-{game.pairing.number}.txt"] = "\n".join([*game.dialogue, ""])
        for name, text in texts.items():
            self._write(name, text)

    def write_summary(self, summary: dict[str, Any]) -> None:
        """Write match.json."""
        self._write("match.json", json.dumps(summary, indent=2, ensure_ascii=False) + "\n")

    def _write(self, name: str, text: str) -> None:
        try:
            (self.folder / name).write_text(text, encoding="utf-8")
        except OSError as error:
            self.trouble = _trouble(self.folder / name, error)

    def _save(self) -> None:
        """Append what is unsaved, after cutting off what an earlier failure may have left half written."""
        if not self._unsaved:
            return
        path = self.folder / GAMES_FILE
        try:
            with path.open("ab") as file:
                file.truncate(self._saved_bytes)
                file.write(self._unsaved)
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            self.trouble = _trouble(path, error)
        else:
            self._saved_bytes += len(self._unsaved)
            self._unsaved, self.trouble = b"", ""


def _claim(folder: Path) -> None:
    """Make the folder and its games file: a folder that can't be used is found before the first game."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if any(folder.iterdir()):
            raise FileFormatError(f"expected a new or empty folder for the records, got {str(folder)!r}")
        (folder / GAMES_FILE).touch(exist_ok=False)
    except OSError as error:
        raise FileFormatError(_trouble(folder, error)) from None


def _trouble(path: Path, error: OSError) -> str:
    return f"expected to write records to {str(path)!r}, got an error ({error.strerror})"
