"""PGN, the notation of chess games, as Edax and servers write games of Othello in it. It is read, not written.

Tags such as ``[Black "Ann"]`` come first, then the moves: ``1. F5 d6 2. c3 d3``, with ``{comments}``, and with passes
as any of ``pass pa ps -- @@@@`` or without. The result is at the end: ``1-0`` is Black's win, ``0-1`` White's, and
``40-24`` are the discs of both; move 1 after it begins another game. FEN is Edax's: row 8 first, ``p`` Black, ``P``
White.
"""

import re
from collections.abc import Iterator
from contextlib import suppress
from typing import BinaryIO

from outflank.engine import FileFormatError, NotationError, Position, Rules
from outflank.protocol.formats.annotated import (
    RESULT_WORD,
    AnnotatedGame,
    BadGame,
    Recorder,
    parsed_games,
    read_result,
    with_board_believed,
)
from outflank.protocol.formats.clocks import from_sgf
from outflank.protocol.formats.reading import GAME_CAP, OTHELLO, read_lines, read_number

_TAG = re.compile(r'\s*\[\s*(\w{1,64})\s*"((?:[^"\\]|\\.)*)"\s*\]\s*')
_FIRST_TAG = re.compile(r'\s*\[\s*Event\s*"')
_TOKEN = re.compile(
    rf"""\s+
    | \{{(?P<comment>[^}}]*)\}} | ;(?P<rest>[^\n]*) | (?P<aside>[()])
    | (?P<result>{RESULT_WORD}) | \d{{1,3}}(?:\s*\.)*
    | (?P<move>[a-h][1-8]|pass|pa|ps|--|@@@@)(?![a-z0-9]) | (?P<mark>[!?]{{1,2}}|\$\d{{1,3}})""",
    re.VERBOSE | re.IGNORECASE,
)
_EDAX_COMMENT = re.compile(r"(?:.* wins -?\d+-\d+|Draw 32-32)")  # says what the result says
_NOTHING = re.compile(r"[?\-.0: ]*")
_DATE = re.compile(r"(\d{4}(?:\.\d{1,2}){0,2})[.?]*")
_TIME = re.compile(r"(\d{1,8})(?:\+(\d{1,8}))?")
_FIRST_MOVE = re.compile(r"\s*1\s*\.")
_END = re.compile(rf"(?:^|[\s}}])(?:{RESULT_WORD})\s*$")
# The time of day is not kept, as in other formats.
_READ = frozenset(
    [
        "event",
        "site",
        "date",
        "time",
        "black",
        "white",
        "result",
        "blackelo",
        "whiteelo",
        "timecontrol",
        "fen",
    ]
)


def read(stream: BinaryIO, rules: Rules = OTHELLO) -> Iterator[AnnotatedGame | BadGame]:
    """Read the games of a stream; a bad one is named by its number."""
    return parsed_games(_games(stream), parse, rules)


def parse(text: str, rules: Rules = OTHELLO) -> AnnotatedGame:
    """Read one game, all of it or nothing.

    Raises: NotationError, IllegalMoveError; the latter names the move.
    """
    tags, at = _tags(text)
    moves = _Moves()
    moves.read(text, at)
    recorder = Recorder(_first(tags.get("fen", ""), rules))
    for move, comment in moves.played:
        recorder.play(move, comment=comment)
    is_over = recorder.is_over
    result = read_result(tags.get("result", ""), is_over) or read_result(moves.result, is_over)
    date = _DATE.fullmatch(tags.get("date", ""))
    time = _TIME.fullmatch(tags.get("timecontrol", ""))
    left = [name for name, value in tags.items() if name not in _READ and not _NOTHING.fullmatch(value)]
    game = AnnotatedGame(
        recorder.first,
        recorder.moves,
        black=_known(tags.get("black", "")),
        white=_known(tags.get("white", "")),
        black_rating=read_number(tags.get("blackelo", "")),
        white_rating=read_number(tags.get("whiteelo", "")),
        result=result,
        event=_known(tags.get("event", "")),
        place=_known(tags.get("site", "")),
        date=date[1] if date and date[1] != "0000" else "",
        clock=from_sgf(time[1], f"{time[2]} fischer" if time[2] else "") if time else "",
        comment=moves.comment,
        unread=(*left, *moves.unread),
    )
    return with_board_believed(game)


def _games(stream: BinaryIO) -> Iterator[str | FileFormatError]:
    """The text of each game, which ends where a tag follows moves, or move 1 a result."""
    game = _Text()
    for line in read_lines(stream):
        if game.is_ended_by(line.text):
            yield game.taken()
            game = _Text()
        game.add(line.text, line.is_whole)
    if not game.is_empty:
        yield game.taken()


class _Text:
    """A game as its lines come."""

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._size = 0
        self._has_moves = self._in_comment = self._has_result = False
        self._is_whole = True

    @property
    def is_empty(self) -> bool:
        """Whether nothing but blank lines has come."""
        return self._size == 0

    def is_ended_by(self, line: str) -> bool:
        """Whether another game begins with this line; in a comment only the tag that all games begin with says so."""
        if self._has_result and _FIRST_MOVE.match(line):
            return True
        begins = _FIRST_TAG if self._in_comment else _TAG
        return self._has_moves and begins.match(line) is not None

    def add(self, line: str, is_whole: bool) -> None:
        """Take down one more line."""
        self._size += len(line.strip())
        self._is_whole = self._is_whole and is_whole
        if self._size <= GAME_CAP:
            self._lines.append(line)
        if not self._has_moves and _TAG.match(line):
            return
        self._has_moves = self._has_moves or bool(line.strip())
        for each in re.findall(r"[{}]|;.*", line, re.DOTALL):
            if each in "{}":
                self._in_comment = each == "{"
            elif not self._in_comment:
                break
        if line.strip():
            self._has_result = not self._in_comment and _END.search(line) is not None

    def taken(self) -> str | FileFormatError:
        """The whole game, or why it is none."""
        if self._size > GAME_CAP or not self._is_whole:
            return FileFormatError(f"the game has more than {GAME_CAP} bytes, or a line with too many")
        return "".join(self._lines)


class _Moves:
    """The text after the tags.

    Attributes:
        result: as written; empty if there is none.
        unread: a word for each thing that is not kept.
    """

    def __init__(self) -> None:
        self.result = ""
        self.unread: list[str] = []
        self._moves: list[str] = []
        self._comments: list[list[str]] = [[]]  # before the first move and after each one
        self._after: list[str] = []  # the result
        self._depth = 0  # of variations

    @property
    def played(self) -> list[tuple[str, str]]:
        """The moves, each with its comment."""
        comments = map(" ".join, [*self._comments[1:-1], []])
        return list(zip(self._moves, comments, strict=True)) if self._moves else []

    @property
    def comment(self) -> str:
        """The comment on the game: all that is said before the first move or after the last one."""
        last = " ".join(self._comments[-1]) if self._moves else ""
        said = ["" if _EDAX_COMMENT.fullmatch(last) else last]
        return " ".join(filter(None, [*self._comments[0], *self._after, *said]))

    def read(self, text: str, at: int) -> None:
        """Read all of `text` from `at` on.

        Raises: NotationError.
        """
        while at < len(text):
            token = _TOKEN.match(text, at)
            if token is None or (self.result and token["move"]):
                raise NotationError(f"expected a move of a game in PGN, got {text[at : at + 20].strip()!r}")
            at = token.end()
            if token["aside"]:
                self._depth += 1 if token["aside"] == "(" else -1
                self.unread += ["variation"] * (token["aside"] == "(" and self._depth == 1)
            elif not self._depth:
                self._take(token)
            if self._depth < 0:
                raise NotationError("expected moves of a game in PGN, got a bracket that closes nothing")
        if self._depth:
            raise NotationError("expected the bracket that ends a variation in PGN, got none")

    def _take(self, token: re.Match[str]) -> None:
        if token["move"]:
            self._moves.append(token["move"])
            self._comments.append([])
        elif token["result"]:
            self.result = token["result"]
        elif token["mark"]:
            self.unread.append(token["mark"])
        elif said := " ".join((token["comment"] or token["rest"] or "").split()):
            (self._after if self.result else self._comments[-1]).append(said)


def _tags(text: str) -> tuple[dict[str, str], int]:
    """The tags by their names in small letters, each with its first value, and the place of their end."""
    tags: dict[str, str] = {}
    at = 0
    while match := _TAG.match(text, at):
        name = match[1].lower()
        if not tags.get(name):
            tags[name] = re.sub(r"\\(.)", r"\1", match[2]).strip()
        at = match.end()
    return tags, at


def _known(text: str) -> str:
    return "" if text in ("?", "-") else text


def _first(fen: str, rules: Rules) -> Position:
    """The position that a game begins with; the start of the rules if it names none.

    Raises: NotationError.
    """
    if not fen:
        return Position.start(rules)
    rows, side = (*fen.split(None, 2), "", "")[:2]
    if side in ("b", "w") and set(rows) <= set("pP/12345678"):
        with suppress(NotationError):
            return Position.parse(fen, rules)
    raise NotationError(f"expected a FEN such as 8/8/8/3pP3/3Pp3/8/8/8 b, got {fen[:80]!r}")
