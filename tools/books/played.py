"""The lines that games and runs of games played, for a book to learn from."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from outflank.book import Book
from outflank.engine import OutflankError, Position
from outflank.protocol.formats.annotated import AnnotatedGame, BadGame
from outflank.protocol.formats.files import FormatName
from outflank.tools.cli.games import bad_game, games_given
from outflank.tools.cli.positions import shown
from outflank.tools.cli.warning import Complaints
from outflank.tools.state.schema import RUN_FILE
from outflank.tools.state.store import read_run
from outflank.tools.work.words import counted


class PlayedLines:
    """The positions of games, game by game; a game that can't be used is named on stderr and left out.

    Args:
        sources: transcripts, files of games (``-`` is standard input), and runs: folders, or files named run.db.
        book: for whose rules the games have to be.
        form: of the files; as found out if None.

    Attributes:
        games: how many games were used.
        bad: those that were left out.
    """

    def __init__(self, sources: Sequence[str], book: Book, form: FormatName | None = None) -> None:
        self.games = 0
        self.bad = Complaints("bad game")
        self._sources = sources
        self._book = book
        self._form = form

    def __iter__(self) -> Iterator[Sequence[Position]]:
        for source in self._sources:
            if Path(source).is_dir() or Path(source).name == RUN_FILE:
                yield from self._of_run(Path(source))
                continue
            for number, entry in enumerate(games_given(source, self._form, self._book.rules), 1):
                if isinstance(entry, BadGame):
                    self.bad.add(bad_game(source, entry))
                elif not self._begins_as_the_book(entry):
                    rules = self._book.rules
                    self.bad.add(
                        f"{shown(source)}, game {number}: the book is for {rules} from {rules.start}, "
                        f"and the game is by {entry.rules} from {entry.first.board_string()}"
                    )
                else:
                    self.games += 1
                    yield entry.positions

    def expect_good(self) -> None:
        """Raise OutflankError if games were left out."""
        self.bad.end()
        if self.bad.count:
            raise OutflankError(f"{counted(self.bad.count, 'game')} can't be used ({self.bad.where})")

    def _of_run(self, path: Path) -> Iterator[Sequence[Position]]:
        run = read_run(path)
        self._book.expect(run.settings.rules)
        for game in run.games:
            if game.turns:
                self.games += 1
                last = game.turns[-1]
                yield [*(turn.before for turn in game.turns), last.before.play(last.move)]

    def _begins_as_the_book(self, game: AnnotatedGame) -> bool:
        return self._book.serves(game.rules) and game.first == Position.start(game.rules)
