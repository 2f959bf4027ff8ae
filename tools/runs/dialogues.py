"""Writes the dialogues of all games of a run to files, for ``--log DIR``."""

from collections.abc import Callable
from pathlib import Path

from outflank.engine import OutflankError
from outflank.storage.files import write_whole
from outflank.tools.match.game.results import GameRecord
from outflank.tools.match.state.events import Event, GameEnded, GameVoided, RunObserver
from outflank.tools.match.state.schema import LONGEST_DIALOGUE, cut

_MOST_BYTES = 1 << 30  # the maximum total size of all files of a session


class DialogueFiles(RunObserver):
    """Writes the dialogue of each game to a file in a folder, up to a gigabyte in total.

    Args:
        folder: the folder. It is created if it does not exist.
        say: the function that is called with a sentence when the writing of dialogues stops.

    Raises: OutflankError if the folder can't be created.
    """

    wants_dialogues = True

    def __init__(self, folder: Path, say: Callable[[str], object]) -> None:
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise OutflankError(f"can't write to {str(folder)!r} ({error.strerror})") from None
        self._folder = folder
        self._say = say
        self._bytes_left = _MOST_BYTES

    def observe(self, event: Event) -> None:
        """Write the dialogue of a game that has ended. A write error ends the log but not the run."""
        match event:
            case GameEnded(game):
                self._write(game, f"game-{game.pairing.number}.txt")
            case GameVoided(game):
                self._write(game, f"game-{game.pairing.number}-void-{game.pairing.attempt}.txt")

    def _write(self, game: GameRecord, name: str) -> None:
        if not game.dialogue or self._bytes_left <= 0:
            return
        data = cut("\n".join([*game.dialogue, ""]), LONGEST_DIALOGUE).encode()
        try:
            write_whole(self._folder / name, data)
        except OutflankError as error:
            self._bytes_left = 0
            self._say(f"Note: the log ends here, since {error}")
            return
        self._bytes_left -= len(data)
        if self._bytes_left <= 0:
            self._say(
                f"Note: the log ends with {name}: this session has written a gigabyte to {str(self._folder)!r}"
            )
