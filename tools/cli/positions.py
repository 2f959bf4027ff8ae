"""A position as people hand it over: a transcript, a board, or a file that holds one of them or a game."""

import os
import re
import sys
from io import BytesIO

from outflank.engine import Game, IllegalMoveError, NotationError, Position, Rules
from outflank.protocol.formats.annotated import BadGame
from outflank.protocol.formats.files import read_games

_MOST_CHARACTERS = 1 << 20
_BOARD = re.compile(r"(?:[-._XxOo*BbWw12]\s*){64}")
_FIRST_MOVE = re.compile(r"(?:1\s*\.+\s*)?[a-h][1-8]", re.IGNORECASE)


def read_game(text: str, rules: Rules) -> Game:
    """The game up to the position that `text` describes, or that is in the file of that name (``-`` is standard input).

    A board is a game without moves; an empty text is the transcript of a game that has not begun.

    Raises: NotationError or IllegalMoveError naming what is wrong; OSError if the file can't be read.
    """
    if text == "-":
        return _parse(sys.stdin.read(_MOST_CHARACTERS), "standard input", rules)
    if os.path.isfile(text):
        with open(text, encoding="utf-8-sig", errors="replace") as file:
            return _parse(file.read(_MOST_CHARACTERS), text, rules)
    if not text.strip():
        return Game(rules)
    source = "POSITION" if is_transcript(text) else "expected a file, a transcript or a board"
    return _parse(text, source, rules)


def _parse(content: str, source: str, rules: Rules) -> Game:
    """Read a transcript, a board, a line of OBF, or the first game of SGF or GGF.

    Raises: NotationError or IllegalMoveError beginning with `source`.
    """
    if "(" in content:  # no board and no transcript has one
        return _first_game(content, source, rules)
    text = re.sub("%.*", "", content).strip()
    try:
        if is_transcript(text):
            return Game.from_transcript(text, rules)
        _expect_one_board(text)
        return Game(first=Position.parse(text, rules))
    except (NotationError, IllegalMoveError) as error:
        raise type(error)(f"{source}: {error}") from None


def _first_game(content: str, source: str, rules: Rules) -> Game:
    entry = next(read_games(BytesIO(content.encode("utf-8", "replace")), rules=rules))
    if isinstance(entry, BadGame):
        raise NotationError(f"{source}, {entry}" if entry.where else f"{source}: {entry}")
    return entry.game()


def is_transcript(text: str) -> bool:
    """Whether it begins like a transcript; ``b1`` may begin a board too."""
    return _FIRST_MOVE.match(text.strip()) is not None and not _BOARD.match(text.strip())


def _expect_one_board(text: str) -> None:
    """Raise NotationError if each of several lines holds a board."""
    boards = sum(_BOARD.match(line.strip()) is not None for line in text.splitlines())
    if boards > 1:
        raise NotationError(f"expected one board, got {boards}; outflank solve takes them all")
