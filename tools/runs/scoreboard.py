"""A match on the terminal while it is played: progress on stderr."""

import io
import os
import sys
from collections.abc import Sequence
from types import TracebackType
from typing import IO, Self, TextIO, cast

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeElapsedColumn
from rich.text import Text

from outflank.engine import Colour, Game
from outflank.tools.games.results import Ending, GameRecord, Standing


class Scoreboard:
    """Shows a match while it is played; also a context manager.

    Args:
        games: how many will be played.
    """

    def __init__(self, games: int) -> None:
        stream = _Patient(sys.stderr or io.StringIO())  # None if the program was started without one
        # rich asks for a text file and needs no more of it than this.
        self._console = Console(file=cast(IO[str], stream), highlight=False)
        self._progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            console=self._console,
            transient=True,
            disable=not self._console.is_terminal,
        )
        self._task: TaskID = self._progress.add_task("starting the engines", total=games)

    def __enter__(self) -> Self:
        self._progress.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._progress.stop()

    def say(self, sentence: str) -> None:
        """Write a line above the progress bar."""
        self._console.print(Text(sentence), soft_wrap=True)

    def show_turn(self, game: Game) -> None:
        """Show how far the game is."""
        position = game.position
        discs = f"{position.discs(Colour.BLACK)}-{position.discs(Colour.WHITE)}"
        self._progress.update(self._task, description=f"{60 - position.empties:2d} discs played, {discs}")

    def show_game(self, game: GameRecord, standings: Sequence[Standing]) -> None:
        """Write the line of a finished game and the score so far."""
        first, second = standings
        self.say(f"{game_line(game)}   [{first.name} {first.points:g} : {second.points:g} {second.name}]")
        self._progress.advance(self._task)


def game_line(game: GameRecord) -> str:
    """``game 3  A (black) - B (white)  +12 for A  discs``."""
    names = game.pairing.names
    black, white = names[Colour.BLACK], names[Colour.WHITE]
    line = f"game {game.pairing.number:<3d} {black} (black) - {white} (white): "
    if game.ending is not Ending.DISCS:
        return line + f"{game.winner_name} wins by {game.ending}. {game.detail}"
    margin = abs(game.margin or 0)
    return line + (f"{game.winner_name} by {margin}" if game.winner_name else "draw")


class _Patient:
    """A stream that may go away while we write to it: progress is not worth a lost match."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self.encoding = stream.encoding

    def write(self, text: str) -> int:
        """Write `text`, if anybody is there to read it."""
        try:
            return self._stream.write(text)
        except OSError:
            return self._give_up(text)

    def flush(self) -> None:
        """Flush what was written."""
        try:
            self._stream.flush()
        except OSError:
            self._give_up("")

    def isatty(self) -> bool:
        """Whether it is a terminal."""
        return self._stream.isatty()

    def fileno(self) -> int:
        """The file descriptor, from which rich learns how wide a terminal is."""
        return self._stream.fileno()

    def _give_up(self, text: str) -> int:
        """Let the descriptor lead nowhere, so that what is still buffered can't fail again."""
        os.dup2(os.open(os.devnull, os.O_WRONLY), self._stream.fileno())
        return len(text)
