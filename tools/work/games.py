"""Positions and games from arguments: transcripts, boards, and files of any format."""

import os
import re
import stat
import sys
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from io import BufferedReader, BytesIO, RawIOBase
from itertools import islice
from pathlib import Path
from typing import cast

import click

from outflank.engine import FileFormatError, IllegalMoveError, NotationError, Position, Rules
from outflank.engine.boardtext import is_framed
from outflank.protocol.formats import obf
from outflank.protocol.formats.annotated import UNREADABLE, AnnotatedGame, BadGame
from outflank.protocol.formats.files import FormatName, detect, read_games
from outflank.protocol.formats.reading import decoded
from outflank.protocol.formats.transcript import parse
from outflank.protocol.lines import printable
from outflank.tools.work.progress import Complaints, warn

STDIN = "-"
_ARGUMENT = "POSITION"  # its name in most commands
_MOST_CHARACTERS = 1 << 20
_SQUARE = r"[-._XxOo*BbWw012\u25cf\u25cb\u25ef\u26ab\u26aa\u30fb\u00b7\u25a1]"
_BOARD = re.compile(rf"(?:{_SQUARE}\s*){{64}}")
_LIKE_BOARD = re.compile(rf"(?:{_SQUARE}\s*){{9}}")
_BOARD_OVER_LINES = re.compile(
    rf"(?:8\s)?[\s|]*(?:(?:{_SQUARE}[ \t|]*){{1,63}}\r?\n[\s|]*)+(?:{_SQUARE}[\s|]*)+"
)
_FIRST_MOVE = re.compile(r"(?:1\s*\.+\s*)?[a-h][1-8]", re.IGNORECASE)


def shown(name: str) -> str:
    """The name of a file in a sentence."""
    return "standard input" if name == STDIN else name


def is_transcript(text: str) -> bool:
    """Whether it begins like a transcript; ``b1`` may begin a board too."""
    return _FIRST_MOVE.match(text.strip()) is not None and not _BOARD.match(text.strip())


@contextmanager
def as_usage(name: str = _ARGUMENT) -> Iterator[None]:
    """Turn errors in a description on the command line into wrong usage of the argument or option `name`."""
    try:
        yield
    except (NotationError, IllegalMoveError) as error:
        raise click.BadParameter(str(error), param_hint=name) from None


def read_game(text: str, rules: Rules, name: str = _ARGUMENT) -> AnnotatedGame:
    """The one game, or the board as a game without moves, that `text` describes or that is in the file of that name.

    Args:
        text: the user's words.
        rules: for a game that names none.
        name: of the argument or option that `text` was given for.

    Raises: click.BadParameter if it is no file and describes nothing; NotationError naming the fault of the file;
        OSError if it can't be read.
    """
    with Given(text) as given, as_usage(name):
        found = list(islice(given.games(rules), 2))
    if len(found) > 1:
        raise NotationError(f"{shown(text)} has more than one position, and only one can be shown")
    if isinstance(found[0], BadGame):
        raise NotationError(bad_game(text, found[0]))
    return found[0]


class Given:
    """A command's argument for a position: a description of it, or the name of a file (``-`` is standard input).

    As a context manager it closes the file.

    Args:
        text: the user's words.

    Raises: OSError if the file can't be opened.
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self._stream: BufferedReader | None = None
        if text == STDIN:
            self._stream = _standard_input()
        elif os.path.exists(text) and not os.path.isdir(text):
            self._stream = open(text, "rb")  # noqa: SIM115  # closed at the end of the context

    def __enter__(self) -> "Given":
        return self

    def __exit__(self, *error: object) -> None:
        # Closing a pipe would wait for a thread that waits there.
        if self._stream is not None and os.path.isfile(self._text):
            self._stream.close()

    def requests(self) -> BufferedReader | None:
        """The stream, if JSON objects stand there instead of games; waits for the first byte."""
        if self._stream is None:
            return None
        while (begun := self._stream.peek()) and not begun.strip():
            self._stream.read(len(begun))
        return self._stream if begun.removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"{") else None

    def suite(self, rules: Rules) -> obf.Suite | None:
        """Read the positions of an OBF file with the scores of their moves; None if it is not one.

        Raises: FileFormatError if an OBF file is longer than any suite, or if a thousand lines can't be read.
        """
        if self._stream is None:
            return None
        try:
            is_suite = detect(self._stream.peek()) == "obf" or Path(self._text).suffix.lower() == ".obf"
        except FileFormatError:  # which ``games`` reports
            return None
        return obf.read_suite(self._stream, shown(self._text), rules) if is_suite else None

    def games(self, rules: Rules) -> Iterator[AnnotatedGame | BadGame]:
        """All games of the file in order, a board as a game without moves; at least one.

        Args:
            rules: for games that name none.

        Raises: NotationError or IllegalMoveError if it is no file and describes nothing; OSError.
        """
        if self._stream is None:
            yield _described(self._text, rules)
        elif _is_board_over_lines(decoded(self._stream.peek())):
            text = decoded(self._stream.read(_MOST_CHARACTERS))
            try:
                yield AnnotatedGame(Position.parse(text, rules))
            except NotationError as error:
                yield BadGame("", str(error))
        else:
            path = None if self._text == STDIN else Path(self._text)
            yield from read_games(self._stream, path, rules)


def _is_board_over_lines(text: str) -> bool:
    """Whether a file that begins so is one board, a row to a line."""
    return _BOARD_OVER_LINES.match(text) is not None or is_framed(text)


def _described(text: str, rules: Rules) -> AnnotatedGame:
    """The game of a transcript, or a board; an empty text is the transcript of a game that has not begun.

    Raises: NotationError or IllegalMoveError.
    """
    if not text.strip():
        return AnnotatedGame(Position.start(rules))
    try:
        if is_transcript(text):
            return parse(text, rules)
        return AnnotatedGame(Position.parse(text.partition("%")[0].strip(), rules))
    except NotationError:
        if not is_transcript(text) and not _LIKE_BOARD.match(text):
            raise NotationError(
                f"expected a file, a transcript or a board, got {printable(text)!r}"
            ) from None
        raise


def _standard_input() -> BufferedReader:
    """Standard input read anew: a thread that waits in ``sys.stdin`` makes the interpreter's end fail."""
    try:
        return open(sys.stdin.fileno(), "rb", closefd=False)
    except (OSError, ValueError):  # something stands in for it that has no descriptor
        return BufferedReader(cast(RawIOBase, sys.stdin.buffer))


_STDIN_NUMBER = 0


def bad_game(name: str, entry: BadGame) -> str:
    """A sentence about an entry of a file that is no game."""
    return f"{shown(name) or repr(name)}{', ' if entry.where else ': '}{entry}"


class ReadGames:
    """Reports faults of the games that a command reads, and counts them.

    Attributes:
        bad: the games that can't be read or used.
    """

    def __init__(self) -> None:
        self.bad = Complaints("bad game")
        self._doubts = Complaints(
            "game whose record contradicts its board", "games whose records contradict their boards"
        )
        self._garbled = Complaints("game with unreadable characters", "games with unreadable characters")
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
        if UNREADABLE in entry.unread:
            self._garbled.add(
                f"{shown(name)}, game {number}: its texts have characters that are neither in the file's charset nor "
                "in Latin-1"
            )
        return True

    def end(self) -> None:
        """Report the numbers of complaints left out."""
        self.bad.end()
        self._doubts.end()
        self._garbled.end()


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
    """The status that identifies a file; None if there is none, or if it is a device or a pipe."""
    try:
        found = os.stat(_STDIN_NUMBER if file == STDIN else file)
    except OSError:
        return None
    return found if stat.S_ISREG(found.st_mode) else None
