"""Reads PGN, the notation of chess games, which Edax and servers also use for Othello. Outflank does not write PGN.

Tags such as ``[Black "Ann"]`` are followed by the moves: ``1. F5 d6 2. c3 d3``, with ``{comments}``. Passes are written
as ``pass``, ``pa``, ``ps``, ``--`` or ``@@@@``, or left out. The result is at the end: ``1-0`` for Black's win, ``0-1``
for White's win, or the discs of both sides, ``40-24``. A move with number 1 after the result begins another game. FEN
has Edax's form: row 8 first, ``p`` for Black, ``P`` for White.
"""

import re
from collections.abc import Iterator, Sequence
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
# The comment that Edax writes after the last move. It is dropped, since it repeats the result.
_EDAX_COMMENT = re.compile(r"(?:.* wins -?\d+-\d+|Draw 32-32)")
_NOTHING = re.compile(r"[?\-.0: ]*")
_DATE = re.compile(r"(\d{4}(?:\.\d{1,2}){0,2})[.?]*")
_TIME = re.compile(r"(\d{1,8})(?:\+(\d{1,8}))?")
_FIRST_MOVE = re.compile(r"\s*1\s*\.")
_END = re.compile(rf"(?:^|[\s}}])(?:{RESULT_WORD})\s*$")
# The tags that are read. The time of day is dropped, as in other formats.
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
    """Yield the games of a stream, and a numbered ``BadGame`` for each game that can't be read."""
    return parsed_games(_games(stream), parse, rules)


def parse(text: str, rules: Rules = OTHELLO) -> AnnotatedGame:
    """Parse one game.

    Raises: NotationError if the text can't be read; IllegalMoveError, with the number of the move, for an illegal move.
    """
    tags, at = _tags(text)
    moves, comment, result_text, unread = _moves(text, at)
    recorder = Recorder(_first(tags.get("fen", ""), rules))
    for move, said in moves:
        recorder.play(move, comment=said)
    is_over = recorder.is_over
    result = read_result(tags.get("result", ""), is_over) or read_result(result_text, is_over)
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
        comment=comment,
        unread=(*left, *unread),
    )
    return with_board_believed(game)


def _games(stream: BinaryIO) -> Iterator[str | FileFormatError]:
    """Yield the text of each game. A game begins at a tag after moves, or at a move with number 1 after a result."""
    lines: list[str] = []
    size, is_whole = 0, True
    has_moves = in_comment = has_result = False
    for _, line, is_whole_line in read_lines(stream):
        # Within a comment, only an Event tag begins another game, since it is the first tag of every game.
        follows_moves = has_moves and (_FIRST_TAG if in_comment else _TAG).match(line)
        if follows_moves or (has_result and _FIRST_MOVE.match(line)):
            yield _joined(lines, size, is_whole)
            lines, size, is_whole = [], 0, True
            has_moves = in_comment = has_result = False
        size += len(line.strip())
        is_whole = is_whole and is_whole_line
        if size <= GAME_CAP:
            lines.append(line)
        if not has_moves and _TAG.match(line):
            continue
        has_moves = has_moves or bool(line.strip())
        for each in re.findall(r"[{}]|;.*", line, re.DOTALL):
            if each in "{}":
                in_comment = each == "{"
            elif not in_comment:
                break
        if line.strip():
            has_result = not in_comment and _END.search(line) is not None
    if size:
        yield _joined(lines, size, is_whole)


def _joined(lines: Sequence[str], size: int, is_whole: bool) -> str | FileFormatError:
    if size > GAME_CAP or not is_whole:
        return FileFormatError(f"the game has more than {GAME_CAP} bytes, or a line that is too long")
    return "".join(lines)


def _moves(text: str, at: int) -> tuple[list[tuple[str, str]], str, str, list[str]]:
    """Parse the moves, which begin at index `at` of the text, after the tags.

    Returns: the moves with their comments, the comment on the game, the result as written, and a word for each part
        that is dropped. Comments before the first move or after the last move belong to the game.

    Raises: NotationError.
    """
    played: list[tuple[str, list[str]]] = [("", [])]  # the first entry is for comments before all moves
    after_result: list[str] = []
    unread: list[str] = []
    result, depth = "", 0  # the depth of nested variations
    while at < len(text):
        token = _TOKEN.match(text, at)
        if token is None or (result and token["move"]):
            raise NotationError(f"expected a move of a game in PGN, got {text[at : at + 20].strip()!r}")
        at = token.end()
        if token["aside"]:
            depth += 1 if token["aside"] == "(" else -1
            unread += ["variation"] * (token["aside"] == "(" and depth == 1)
            if depth < 0:
                raise NotationError("expected moves of a game in PGN, got an unmatched closing bracket")
        elif depth:
            continue
        elif token["move"]:
            played.append((token["move"], []))
        elif token["result"]:
            result = token["result"]
        elif token["mark"]:
            unread.append(token["mark"])
        elif said := " ".join((token["comment"] or token["rest"] or "").split()):
            (after_result if result else played[-1][1]).append(said)
    if depth:
        raise NotationError("expected the closing bracket of a variation in PGN, got none")
    before, after = played.pop(0)[1], ""
    if played:
        move, comments = played[-1]
        played[-1], after = (move, []), " ".join(comments)
    on_game = [*before, *after_result, "" if _EDAX_COMMENT.fullmatch(after) else after]
    moves = [(move, " ".join(comments)) for move, comments in played]
    return moves, " ".join(filter(None, on_game)), result, unread


def _tags(text: str) -> tuple[dict[str, str], int]:
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
    if not fen:
        return Position.start(rules)
    rows, side = (*fen.split(None, 2), "", "")[:2]
    if side in ("b", "w") and set(rows) <= set("pP/12345678"):
        with suppress(NotationError):
            return Position.parse(fen, rules)
    raise NotationError(f"expected a FEN such as 8/8/8/3pP3/3Pp3/8/8/8 b, got {fen[:80]!r}")
