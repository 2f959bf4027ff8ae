"""Conversion of games in files and links to the page's data and back, for ``outflank web``."""

import io
import itertools
import re
import tempfile
import zipfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec

from outflank.book.names import opening_line
from outflank.engine import (
    Colour,
    FileFormatError,
    Game,
    IllegalMoveError,
    NotationError,
    OutflankError,
    Position,
    Rules,
)
from outflank.protocol.formats import FormatName, read_games
from outflank.protocol.formats.annotated import AnnotatedGame, BadGame, Result, ResultReason
from outflank.protocol.formats.reading import decoded
from outflank.tools.page.replay import Replay, colours_of
from outflank.tools.report.gamefiles import game_writer

MOST_GAMES = 500
"""The maximum number of a file's games that the page lists."""
_MOST_BAD = 20
_ZIPPED = b"PK\x03\x04"
_MOST_UNPACKED = 32 << 20  # bytes
_LONGEST_NAME = 100
_LONGEST_LINK = 2_000
_LONGEST_OPENING = 80
_LINKED_TEXTS = ("black", "white", "title", "event", "place", "date", "clock")
_MARGIN = re.compile(r"-?(?:[0-5]?[0-9]|6[0-4])")
_SUFFIXES: Mapping[str, str] = {"wthor": "wtb", "transcript": "txt"}


class GameRequest(msgspec.Struct):
    """A game as described by a link or a request of the page.

    Attributes:
        rules: the rules, as ``Rules.parse`` reads them; empty for the default rules.
        position: the first board and the side to move; empty for the starting position of the rules.
        moves: the moves, as a transcript.
        black: the name of Black's player. This field and all further fields may be empty.
        white: the name of White's player.
        title: the name or number of the game.
        event: the tournament.
        place: the place where the game was played.
        date: the date as recorded.
        clock: the time control as recorded.
        ending: the recorded reason for the result, see ``ResultReason``.
        winner: the side that won, ``X`` or ``O``.
        margin: Black's lead in discs.
    """

    rules: str = ""
    position: str = ""
    moves: str = ""
    black: str = ""
    white: str = ""
    title: str = ""
    event: str = ""
    place: str = ""
    date: str = ""
    clock: str = ""
    ending: str = ""
    winner: str = ""
    margin: str = ""

    def game(self, usual: Rules) -> AnnotatedGame:
        """Return the game, with forced passes added at its end. Raises: NotationError, IllegalMoveError."""
        rules = Rules.parse(self.rules) if self.rules else usual
        first = Position.parse(self.position, rules) if self.position else None
        game = Game.from_transcript(self.moves, rules, first)
        while game.position.must_pass and not game.position.is_over:
            game.pass_()
        return AnnotatedGame.of(game)

    def described(self, usual: Rules) -> AnnotatedGame:
        """Return the game with its names, other texts and result. Raises: NotationError, IllegalMoveError."""
        game, texts = self.game(usual), {name: getattr(self, name)[:_LONGEST_NAME] for name in _LINKED_TEXTS}
        result = None
        if self.ending in list(ResultReason) and self.winner in ("", "X", "O"):
            winner = {"X": Colour.BLACK, "O": Colour.WHITE}.get(self.winner)
            margin = int(self.margin) if _MARGIN.fullmatch(self.margin) else None
            result = Result(winner, margin, ResultReason(self.ending))
        return replace(game, **texts, result=result)

    def legal_part(self, usual: Rules) -> tuple[AnnotatedGame, str]:
        """Return the longest legal beginning of the game, and the error that follows, which is empty for a legal game.

        Raises: NotationError if the rules or the position can't be read.
        """
        try:
            return self.described(usual), ""
        except (NotationError, IllegalMoveError) as error:
            moves = self.moves[:_LONGEST_LINK]
            for length in range(len(moves) - 1, 0, -1):
                with suppress(NotationError, IllegalMoveError):
                    return msgspec.structs.replace(self, moves=moves[:length]).game(usual), str(error)
            if not self.moves:
                raise
            return msgspec.structs.replace(self, moves="").game(usual), str(error)


def shown(game: AnnotatedGame, number: int = 1, warning: str = "") -> dict[str, Any]:
    """Return a game as JSON data for the page."""
    record = Replay.of(game, number)
    said = "; ".join(filter(None, (warning, record.warning)))
    return replace(record, colours=colours_of(game.rules), warning=said).facts()


def listing(games: Sequence[AnnotatedGame], bad: Sequence[str] = (), total: int = 0) -> dict[str, Any]:
    """Return games as JSON data for the page's list.

    Args:
        games: the games.
        bad: the error messages for entries that can't be read.
        total: the number of games in the file; 0 if `games` contains all of them.
    """
    listed = [shown(game, number) for number, game in enumerate(games, 1)]
    return {"games": listed, "bad": bad[:_MOST_BAD], "total": max(total, len(games))}


def read_content(content: bytes, name: str, rules: Rules) -> dict[str, Any]:
    """Return the games of a file or of a pasted text. The text may also be a board or the name of an opening.

    Args:
        content: the bytes of the file, or of a zip archive of files.
        name: the name of the file; may be empty.
        rules: the default rules.
    """
    name = Path(name).name[:_LONGEST_NAME]
    if not content.strip():
        return listing([], ["found no game, moves or board"])
    with suppress(OutflankError):  # raised if the content is not a board
        if b";" not in content:  # a board with ``;`` is a line of OBF, which is read below
            return listing([AnnotatedGame(Position.parse(decoded(content), rules))])
    if content.startswith(_ZIPPED):
        with tempfile.TemporaryDirectory() as folder:
            files = _unpacked(content, Path(folder))
            return _listed(itertools.chain.from_iterable(read_games(file, rules=rules) for file in files))
    found = _listed(read_games(io.BytesIO(content), Path(name) if name else None, rules))
    if not found["games"] and not name and len(content) <= _LONGEST_OPENING:
        text = decoded(content).strip()
        if not any(letter.isdigit() for letter in text):
            return listing([AnnotatedGame.of(opening_line(text, rules))])
    return found


def _listed(entries: Iterator[AnnotatedGame | BadGame]) -> dict[str, Any]:
    first = list(itertools.islice(entries, MOST_GAMES))
    games = [entry for entry in first if isinstance(entry, AnnotatedGame)]
    bad = [str(entry) for entry in first if isinstance(entry, BadGame)]
    left = sum(isinstance(entry, AnnotatedGame) for entry in entries)
    return listing(games, bad, len(games) + left)


def _unpacked(content: bytes, folder: Path) -> list[Path]:
    """Unpack a zip archive and return its game files. ``written`` packs the three WTHOR files into such an archive."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            members = [
                member for member in archive.infolist() if Path(member.filename).name and not member.is_dir()
            ]
            if sum(member.file_size for member in members) > _MOST_UNPACKED:
                raise NotationError(f"expected an archive of at most {_MOST_UNPACKED >> 20} MB when unpacked")
            for member in members:
                (folder / Path(member.filename).name[-_LONGEST_NAME:]).write_bytes(archive.read(member))
    except (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, EOFError) as error:
        raise NotationError(f"this archive can't be opened: {error}") from None
    return sorted(file for file in folder.iterdir() if file.suffix.lower() not in (".jou", ".trn"))


def opening_moves(text: str, rules: Rules) -> str:
    """Return the moves, without passes, of an opening given by name or as a transcript.

    Raises: NotationError, IllegalMoveError.
    """
    if any(letter.isdigit() for letter in text):
        game = Game.from_transcript(text, rules)
    else:
        game = opening_line(text.strip(), rules)
    return " ".join(str(turn.move) for turn in game.turns if not turn.move.is_pass)


def written(form: FormatName, game: AnnotatedGame) -> tuple[bytes, str, str]:
    """Return a game encoded in a format, the file's name, and a sentence about facts that the format can't store.

    Raises: FileFormatError if the format can't store the game.
    """
    if form == "transcript" and not game.moves:
        raise FileFormatError("a game without a move can't be written as a transcript")
    name = f"game.{_SUFFIXES.get(form, form)}"
    with tempfile.TemporaryDirectory() as folder:
        with game_writer(form, Path(folder) / name) as writer:
            writer.write(game)
        files = sorted(Path(folder).iterdir())
        if len(files) == 1:
            return files[0].read_bytes(), name, writer.loss_note
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
            for file in files:
                archive.write(file, file.name)
        return packed.getvalue(), "game.zip", writer.loss_note
