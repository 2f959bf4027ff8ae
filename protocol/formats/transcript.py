"""Transcripts: the moves of a game as text, one game on each line.

Examples are ``f5d6c3``, ``F5 d6 c3``, ``1. f5 d6 2. c3`` and ``1.f5 2.d6 3.c3``. Passes (``pa ps pass -- @@@@``) may be
left out. A result (``40-24``, ``1-0``) may follow, and a comment begins with ``#``. A line that begins with the number
of the next move continues the previous game. A line that is not a game of its own also continues the previous game if
its moves are legal in that game, which then gets a notice.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import BinaryIO, Literal, get_args

from outflank.engine import Colour, FileFormatError, Game, IllegalMoveError, NotationError, Position, Rules
from outflank.protocol.formats.annotated import (
    RESULT_WORD,
    AnnotatedGame,
    BadGame,
    Result,
    read_result,
    with_board_believed,
)
from outflank.protocol.formats.reading import LINE_CAP, OTHELLO, TextLine, read_lines

Style = Literal["glued", "spaced", "numbered"]
STYLES: tuple[Style, ...] = get_args(Style)
_NUMBER = re.compile(r"(?<![a-zA-Z0-9])(\d{1,3})\s*\.*\s*(?=[a-zA-Z@]|-(?!\d))")
_RESULT = re.compile(rf"(?<![^\s,])({RESULT_WORD})\s*$")
_MOVE = re.compile(r"[a-h][1-8]|pass|pa|ps|--|@@@@", re.IGNORECASE)


def parse(text: str, rules: Rules = OTHELLO) -> AnnotatedGame:
    """Parse one transcript, with an optional result and an optional comment.

    Raises: NotationError, IllegalMoveError.
    """
    moves, _, comment = text.partition("#")
    found = _RESULT.search(moves)
    game = Game.from_transcript(moves if found is None else moves[: found.start()], rules)
    result = None if found is None else read_result(found[1], game.is_over)
    return with_board_believed(replace(AnnotatedGame.of(game), result=result, comment=comment.strip()))


def read(stream: BinaryIO, rules: Rules = OTHELLO) -> Iterator[AnnotatedGame | BadGame]:
    """Yield the games of a stream, and a ``BadGame`` with the line number for each line that belongs to no game."""
    text, game = "", None  # the current game, which the next line may continue
    joined_lines: list[int] = []  # the numbers of the lines joined only because their moves are legal
    for line in _games(stream):
        entry = _entry(line, rules)
        if game is not None and (isinstance(entry, BadGame) or not entry.moves):
            joined = _entry(line._replace(text=f"{text} {line.text}"), rules)
            if "#" not in text and isinstance(joined, AnnotatedGame):
                text = f"{text} {line.text}"
                if isinstance(entry, BadGame):
                    joined_lines.append(line.number)
                game = replace(joined, doubt=joined.doubt or _doubt_about(joined_lines))
                continue
        if game is not None:
            yield game
        text, game = line.text, entry if isinstance(entry, AnnotatedGame) else None
        joined_lines.clear()
        if isinstance(entry, BadGame):
            yield entry
    if game is not None:
        yield game


def _doubt_about(joined_lines: Sequence[int]) -> str:
    """Return the notice about lines that were joined to a game because they are not games; empty for no lines."""
    if not joined_lines:
        return ""
    first, last = joined_lines[0], joined_lines[-1]
    if first == last:
        return f"line {first} is not a game of its own, so its moves continue the previous game"
    return f"lines {first} to {last} are not games of their own, so their moves continue the previous game"


def _entry(line: TextLine, rules: Rules) -> AnnotatedGame | BadGame:
    try:
        if not line.is_whole or len(line.text) >= LINE_CAP:
            raise NotationError(f"the transcript has {LINE_CAP} bytes or more, which is too long")
        return parse(line.text, rules)
    except (NotationError, IllegalMoveError) as error:
        return BadGame(f"line {line.number}", str(error))


def write(game: AnnotatedGame, style: Style = "glued", passes: bool = False) -> str:
    """Return the game as a line.

    The players and the result follow after ``#``. If no player is known, the comment on the game follows instead, or
    the recorded result if the game has no comment.

    Args:
        game: a game that begins at the start position of its rules, since a transcript can't record another position.
        style: the form of the moves: ``glued`` without blanks, ``spaced`` with blanks, ``numbered`` with blanks and the
            number of each pair of moves. Under one-direction rules, ``glued`` means ``spaced``.
        passes: True to write forced passes, as ``pa``.

    Raises: FileFormatError if the game has another start position.
    """
    if game.first != Position.start(game.rules):
        raise FileFormatError(
            "a transcript can store only games from the start position of their rules, "
            f"not from {game.first.board_string()}"
        )
    words = [
        "pa" if played.move.is_pass else str(played.move)
        for played in game.moves
        if passes or not played.move.is_pass
    ]
    if style == "numbered":
        words = [word if at % 2 else f"{at // 2 + 1}. {word}" for at, word in enumerate(words)]
    glue = "" if style == "glued" and not game.rules.one_direction else " "
    comment = " ".join((headline(game) or game.comment or _result_text(game, game.result)).split())
    return (glue.join(words) + (f"  # {comment}" if comment else "")).strip() + "\n"


def headline(game: AnnotatedGame) -> str:
    """Return ``game 3: A - B +12``; empty without players. The last part is Black's margin or ``A wins by time``."""
    if not (game.black or game.white):
        return ""
    title = f"{game.title}: " if game.title else ""
    return f"{title}{game.black} - {game.white} {_result_text(game, game.outcome)}"


def _result_text(game: AnnotatedGame, result: Result | None) -> str:
    if result is None:
        return ""
    if result.margin is not None or result.winner is None:
        return f"{result.decided_margin:+d}"
    players = {Colour.BLACK: game.black, Colour.WHITE: game.white}
    return f"{players[result.winner] or game.rules.colour_name(result.winner)} wins{result.manner}"


def _games(stream: BinaryIO) -> Iterator[TextLine]:
    """Yield each game as one line, with the number of the game's first line."""
    begun = None
    for number, line, is_whole in read_lines(stream):
        text = line.strip()
        if text.startswith("#") or (is_whole and not text):
            continue
        if begun is not None and _goes_on(begun, text):
            if begun.is_whole:
                joined = f"{begun.text} {text}"
                begun = TextLine(begun.number, joined[:LINE_CAP], is_whole and len(joined) < LINE_CAP)
            continue
        if begun is not None:
            yield begun
        begun = TextLine(number, text, is_whole)
    if begun is not None:
        yield begun


def _goes_on(begun: TextLine, line: str) -> bool:
    """Return whether the first number in a line is the number of the game's next move or next pair of moves.

    Moves before this number also belong to the game, since lines may be wrapped anywhere. The moves of a truncated game
    can't be counted, so any number except 1 continues such a game.
    """
    number = _NUMBER.search(line)
    if number is None or "#" in begun.text:
        return False
    if not begun.is_whole:
        return int(number[1]) != 1
    before = line[: number.start()]
    if before.strip() and not _NUMBER.match(begun.text):
        return False
    moves = len(_MOVE.findall(begun.text)) + len(_MOVE.findall(before))
    return moves > 0 and int(number[1]) in (moves + 1, *([] if moves % 2 else [moves // 2 + 1]))
