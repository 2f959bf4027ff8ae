"""Games as people hand them over: files of any format, standard input, transcripts."""

import os
import stat
import sys
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from io import BytesIO
from pathlib import Path

from outflank.engine import Position, Rules
from outflank.protocol.formats.annotated import AnnotatedGame, BadGame
from outflank.protocol.formats.files import FormatName, read_games
from outflank.tools.cli.positions import STDIN, is_transcript, shown
from outflank.tools.cli.warning import Complaints, warn

_STDIN_NUMBER = 0


def bad_game(name: str, entry: BadGame) -> str:
    """A sentence about what stands in a file where a game should."""
    called = shown(name) or repr(name)
    return f"{called}, {entry}" if entry.where else f"{called}: {entry}"


class ReadGames:
    """Says what is wrong with the games that a command reads, and counts.

    Attributes:
        bad: the games that can't be read or used.
    """

    def __init__(self) -> None:
        self.bad = Complaints("bad game")
        self._doubts = Complaints(
            "game whose record contradicts its board", "games whose records contradict their boards"
        )
        self._files: set[str] = set()

    @property
    def unnamed(self) -> bool:
        """Whether players of some of the games are numbers."""
        return bool(self._files)

    def add(self, name: str, number: int, entry: AnnotatedGame | BadGame) -> bool:
        """Look at an entry of a file, 1 for the first; whether it is a game."""
        if isinstance(entry, BadGame):
            self.bad.add(bad_game(name, entry))
            return False
        if entry.unnamed and name not in self._files:
            self._files.add(name)
            warn(f"{shown(name)}: players are shown as numbers, since {entry.unnamed}")
        if entry.doubt:
            self._doubts.add(f"{shown(name)}, game {number}: {entry.doubt}")
        return True

    def end(self) -> None:
        """Say how many complaints were not said."""
        self.bad.end()
        self._doubts.end()


def games_of(name: str, source: FormatName | None, rules: Rules) -> Iterator[AnnotatedGame | BadGame]:
    """The games of a file (``-`` is standard input); that it can't be read takes no other file with it.

    Args:
        name: of the file.
        source: its format; as found out if None.
        rules: for games that name none.
    """
    with ExitStack() as stack:
        try:
            path = None if name == STDIN else Path(name)
            stream = sys.stdin.buffer if path is None else stack.enter_context(open(name, "rb"))
            yield from read_games(stream, path, rules, source)
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            yield BadGame("", f"can't be read ({reason})")


def games_given(text: str, source: FormatName | None, rules: Rules) -> Iterator[AnnotatedGame | BadGame]:
    """The game of a transcript, without moves if it is blank, or those of the file of that name as ``games_of``."""
    if os.path.exists(text):
        return games_of(text, source, rules)
    if not text.strip():
        return iter([AnnotatedGame(Position.start(rules))])
    if is_transcript(text):
        return read_games(BytesIO(text.encode()), rules=rules, name="transcript")
    return games_of(text, source, rules)


def read_and_written(names: Iterable[str], outputs: Iterable[Path]) -> Path | None:
    """The file to write that is one of those to read (``-`` is standard input), by whatever path; None if none is."""
    read = [path for path in map(_status, names) if path is not None]
    for output in outputs:
        status = _status(output)
        if status is not None and any(os.path.samestat(status, each) for each in read):
            return output
    return None


def _status(file: str | Path) -> os.stat_result | None:
    """What identifies a file; None if there is none, or no contents that could be lost."""
    try:
        found = os.stat(_STDIN_NUMBER if file == STDIN else file)
    except OSError:
        return None
    return found if stat.S_ISREG(found.st_mode) else None
