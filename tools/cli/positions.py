"""Reads positions and games from arguments: transcripts, boards, names of openings, and files of any format."""

import os
import re
import stat
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from difflib import get_close_matches
from io import BufferedReader, BytesIO, RawIOBase
from itertools import islice
from pathlib import Path
from typing import cast

import click

from outflank.engine import FileFormatError, IllegalMoveError, NotationError, OutflankError, Position, Rules
from outflank.engine.boardtext import is_framed
from outflank.protocol.formats import FormatName, detect, obf, read_games
from outflank.protocol.formats.annotated import UNREADABLE, AnnotatedGame, BadGame
from outflank.protocol.formats.reading import decoded
from outflank.protocol.formats.samples import named_file, samples
from outflank.protocol.formats.transcript import parse
from outflank.protocol.lines import printable
from outflank.tools.cli.command import LIKE_BOARD, SQUARE, completed_by
from outflank.tools.match.state.run_file import names_a_run
from outflank.tools.runtime.progress import Complaints, counted, warn

STDIN = "-"
_ARGUMENT = "POSITION"  # the metavar of the argument in most commands
_MOST_CHARACTERS = 1 << 20
_MOST_BYTES_COUNTED = 16_000_000  # games are counted in advance if all files together are at most this large
_LONGEST_NAME = 60  # only this number of characters is compared with the names of samples
_ALIKE = 0.7  # the minimum ratio of difflib for a suggestion
_BOARD = re.compile(rf"(?:{SQUARE}\s*){{64}}")
_BOARD_OVER_LINES = re.compile(
    rf"(?:8\s)?[\s|]*(?:(?:{SQUARE}[ \t|]*){{1,63}}\r?\n[\s|]*)+(?:{SQUARE}[\s|]*)+"
)
_FIRST_MOVE = re.compile(r"(?:1\s*\.+\s*)?[a-h][1-8]", re.IGNORECASE)


complete_games = completed_by(*samples(), files=True)
"""A click callback for shell completion of the names of samples and files."""
files_argument = click.argument(
    "files", nargs=-1, required=True, metavar="FILE...", shell_complete=complete_games
)
position_argument = click.argument("text", metavar="[POSITION]", default="", required=False)
"""The argument ``[POSITION]``, whose value is passed to the command as ``text``; empty by default."""


def shown(name: str) -> str:
    """Return the name of a file for messages."""
    return "standard input" if name == STDIN else name


def is_transcript(text: str) -> bool:
    """Return whether a text starts like a transcript and is not a board. A board may start with ``b1`` too."""
    return _FIRST_MOVE.match(text.strip()) is not None and not _BOARD.match(text.strip())


@contextmanager
def as_usage(name: str = _ARGUMENT) -> Iterator[None]:
    """Convert errors in a description of a position to usage errors about the argument or option `name`."""
    try:
        yield
    except (NotationError, IllegalMoveError) as error:
        raise click.BadParameter(str(error), param_hint=name) from None


def read_game(text: str, rules: Rules, name: str = _ARGUMENT) -> AnnotatedGame:
    """Return the single game or board that `text` describes, or that is in the file `text`.

    Args:
        text: the user's text. A board is returned as a game without moves.
        rules: the rules for a game that does not name its own.
        name: the name of the argument or option, for messages.

    Raises: click.BadParameter if `text` is neither a file nor a description; NotationError if the file has a bad game
        or several games; OSError if the file can't be read.
    """
    with PositionArgument(text) as given, as_usage(name):
        found = list(islice(given.games(rules), 2))
    if len(found) > 1:
        raise NotationError(f"expected a single position, but {shown(text)} contains more")
    if isinstance(found[0], BadGame):
        raise NotationError(bad_game(text, found[0]))
    return found[0]


class PositionArgument:
    """The value of a POSITION argument: a description, or the name of a run, a sample or a file (``-`` is stdin).

    As a context manager, it closes the file.

    Args:
        text: the user's text.

    Raises: OSError if the file can't be opened.
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self._path = named_file(text)
        self._stream: BufferedReader | None = None
        self._is_run = names_a_run(text)
        if text == STDIN:
            self._stream = _standard_input()
        elif not self._is_run and os.path.exists(self._path) and not os.path.isdir(self._path):
            self._stream = open(self._path, "rb")  # noqa: SIM115  # closed at the end of the context

    def __enter__(self) -> "PositionArgument":
        return self

    def __exit__(self, *error: object) -> None:
        # Pipes are not closed, since closing a pipe blocks while a thread reads from it.
        if self._stream is not None and os.path.isfile(self._path):
            self._stream.close()

    def requests(self) -> BufferedReader | None:
        """Wait for the stream's first bytes. Return the stream if it contains JSON requests; otherwise None."""
        if self._stream is None:
            return None
        while (begun := self._stream.peek()) and not begun.strip():
            self._stream.read(len(begun))
        return self._stream if begun.removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"{") else None

    def suite(self, rules: Rules) -> obf.Suite | None:
        """Return the positions of an OBF file, with the scores of their moves; None if the file is not OBF.

        Raises: FileFormatError if an OBF file is too long for a suite, or has a thousand invalid lines.
        """
        if self._stream is None:
            return None
        try:
            is_suite = detect(self._stream.peek()) == "obf" or self._path.lower().endswith(".obf")
        except FileFormatError:  # ``games`` reports the error
            return None
        return obf.read_suite(self._stream, shown(self._text), rules) if is_suite else None

    def games(self, rules: Rules) -> Iterator[AnnotatedGame | BadGame]:
        """Yield all games in order; there is at least one. A board is yielded as a game without moves.

        Args:
            rules: the rules for games that do not name their own.

        Raises: NotationError or IllegalMoveError if the text is neither a file nor a valid description; OSError if the
            file can't be read.
        """
        if self._is_run:
            yield from _games_of_run(self._text)
        elif self._stream is None:
            yield _described(self._text, rules)
        elif _is_board_over_lines(decoded(self._stream.peek())):
            text = decoded(self._stream.read(_MOST_CHARACTERS))
            try:
                yield AnnotatedGame(Position.parse(text, rules))
            except NotationError as error:
                yield BadGame("", str(error))
        else:
            path = None if self._text == STDIN else Path(self._path)
            yield from read_games(self._stream, path, rules)


def _is_board_over_lines(text: str) -> bool:
    return _BOARD_OVER_LINES.match(text) is not None or is_framed(text)


def _described(text: str, rules: Rules) -> AnnotatedGame:
    if not text.strip():
        return AnnotatedGame(Position.start(rules))
    if is_transcript(text):
        return parse(text, rules)
    try:
        return AnnotatedGame(Position.parse(text.partition("%")[0].strip(), rules))
    except NotationError:
        if LIKE_BOARD.match(text):
            raise
    # Imported late: most calls need no names of openings, and the modules of books load SQLite.
    from outflank.book.names import opening_line, openings

    try:
        openings(printable(text))
    except NotationError as error:
        close = get_close_matches(text[:_LONGEST_NAME], samples(), 1, _ALIKE)
        meant = f"; did you mean the sample {close[0]}?" if close else ""
        raise NotationError(f"expected a file, a transcript, a board or an opening; {error}{meant}") from None
    return AnnotatedGame.of(opening_line(text, rules))


def _standard_input() -> BufferedReader:
    """Reopen stdin, since the interpreter's exit fails if a thread is blocked in ``sys.stdin``."""
    try:
        return open(sys.stdin.fileno(), "rb", closefd=False)
    except (OSError, ValueError):  # stdin was replaced by an object without a descriptor
        return BufferedReader(cast(RawIOBase, sys.stdin.buffer))


_STDIN_NUMBER = 0


def bad_game(name: str, entry: BadGame) -> str:
    """Return a message about an entry of a file that is not a valid game."""
    return entry.of(shown(name) or repr(name))


class ReadGames:
    """Warns about faults in the games that a command reads, and counts the faults.

    Attributes:
        bad: the warnings about games that can't be read or used.
        bad_files: the arguments with games that can't be read.
    """

    def __init__(self) -> None:
        self.bad = Complaints("bad game")
        self.bad_files: set[str] = set()
        self._doubts = Complaints("game with a doubtful record", "games with doubtful records")
        self._garbled = Complaints("game with unreadable characters", "games with unreadable characters")
        self._files: set[str] = set()

    @property
    def unnamed(self) -> bool:
        """Whether some games have numbers in place of players' names."""
        return bool(self._files)

    def add(self, name: str, number: int, entry: AnnotatedGame | BadGame) -> bool:
        """Warn about an entry's faults, and return whether it is a game. `number`: the entry's number, from 1."""
        if isinstance(entry, BadGame):
            self.bad.add(bad_game(name, entry))
            self.bad_files.add(name)
            return False
        if entry.unnamed and name not in self._files:
            self._files.add(name)
            warn(f"{shown(name)}: players are shown as numbers, since {entry.unnamed}")
        if entry.doubt:
            self._doubts.add(f"{shown(name)}, game {number}: {entry.doubt}")
        if UNREADABLE in entry.unread:
            self._garbled.add(
                f"{shown(name)}, game {number}: its text contains characters that are neither in the file's charset "
                "nor in Latin-1"
            )
        return True

    def of(
        self, names: Iterable[str], source: FormatName | None, rules: Rules, files_only: bool = False
    ) -> Iterator[tuple[str, int, AnnotatedGame]]:
        """Yield the valid games of all arguments, as tuples of the argument, the game's number, and the game.

        A game's number counts all entries of its argument from 1, including bad games. The arguments are read by
        ``games_given``, or by ``games_of`` if `files_only` is true.
        """
        given = games_of if files_only else games_given
        for name in names:
            for number, entry in enumerate(given(name, source, rules), 1):
                if self.add(name, number, entry):
                    assert isinstance(entry, AnnotatedGame)
                    yield name, number, entry

    def end(self) -> None:
        """Report the numbers of suppressed warnings."""
        self.bad.end()
        self._doubts.end()
        self._garbled.end()

    def expect_good(self, done: str = "read") -> None:
        """Raise OutflankError if there were bad games. `done` is the participle for the message, such as "read"."""
        if self.bad.count:
            raise OutflankError(f"{counted(self.bad.count, 'game')} can't be {done} ({self.bad.where})")


def games_of(name: str, source: FormatName | None, rules: Rules) -> Iterator[AnnotatedGame | BadGame]:
    """Yield the games of a file (``-`` is stdin) or a run; if it can't be read, yield a ``BadGame``.

    Args:
        name: the name of the file, the sample or the run.
        source: the file's format; detected if None.
        rules: the rules for games that do not name their own.
    """
    with ExitStack() as stack:
        try:
            if name != STDIN and names_a_run(name):
                yield from _games_of_run(name)
                return
            path = None if name == STDIN else Path(named_file(name))
            stream = sys.stdin.buffer if path is None else stack.enter_context(open(named_file(name), "rb"))
            yield from read_games(stream, path, rules, source)
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            yield BadGame("", f"can't be read ({reason})")


def _games_of_run(name: str) -> Iterator[AnnotatedGame | BadGame]:
    from outflank.tools.match.state.store import read_run  # imported late: few commands read a run of matches
    from outflank.tools.report.records import run_record

    try:
        run = read_run(Path(name))
    except FileFormatError as error:
        yield BadGame("", str(error))
        return
    yield from (run_record(run, game) for game in run.games)


def games_given(text: str, source: FormatName | None, rules: Rules) -> Iterator[AnnotatedGame | BadGame]:
    """Return the game of a transcript or the games of a file (see ``games_of``). Blank text is a game without moves."""
    if os.path.exists(named_file(text)):
        return games_of(text, source, rules)
    if not text.strip():
        return iter([AnnotatedGame(Position.start(rules))])
    if is_transcript(text):
        return read_games(BytesIO(text.encode()), rules=rules, name="transcript")
    return games_of(text, source, rules)


def number_of_games(
    names: Sequence[str], source: FormatName | None, rules: Rules, allows: Callable[[AnnotatedGame], bool]
) -> int | None:
    """Count games in advance. Return None for streams, which can't be read twice, and for large files.

    Args:
        names: the arguments, as for ``games_given``.
        source: the format of the files; detected if None.
        rules: the rules for games that do not name their own.
        allows: the predicate that selects the games to count.
    """
    files = [path for name in names if os.path.exists(path := named_file(name))]
    if STDIN in names or not all(map(os.path.isfile, files)):
        return None
    if sum(map(os.path.getsize, files)) > _MOST_BYTES_COUNTED:
        return None
    entries = (entry for name in names for entry in games_given(name, source, rules))
    return sum(isinstance(entry, AnnotatedGame) and allows(entry) for entry in entries)


def read_and_written(names: Iterable[str], outputs: Iterable[Path]) -> Path | None:
    """Return an output that is also an input (``-`` is stdin), even if their paths differ; None if all files differ."""
    read = [path for path in map(_status, names) if path is not None]
    for output in outputs:
        status = _status(output)
        if status is not None and any(os.path.samestat(status, each) for each in read):
            return output
    return None


def expect_kept(
    names: Iterable[str], outputs: Iterable[Path | None], why: str = "from which games are read"
) -> None:
    """Raise click.UsageError if an output is also an input. `why` describes the input in the message."""
    if lost := read_and_written(names, filter(None, outputs)):
        raise click.UsageError(f"can't write to {str(lost)!r}, {why}: use another file")


def _status(file: str | Path) -> os.stat_result | None:
    try:
        found = os.stat(_STDIN_NUMBER if file == STDIN else file)
    except OSError:
        return None
    return found if stat.S_ISREG(found.st_mode) else None
