"""Transcripts: the moves of a game as text, a game a line.

``f5d6c3``, ``F5 d6 c3``, ``1. f5 d6 2. c3`` and ``1.f5 2.d6 3.c3``, with passes (``pa ps pass -- @@@@``) or without;
what follows ``#`` is a comment. A line that begins with the number of the next move goes on with the game before.
"""

import re
from collections.abc import Iterator
from typing import BinaryIO, Literal, get_args

from outflank.engine import FileFormatError, Game, IllegalMoveError, NotationError, Position, Rules
from outflank.protocol.formats.annotated import AnnotatedGame, BadGame, Recorder
from outflank.protocol.formats.reading import LINE_CAP, OTHELLO, TextLine, read_lines

Style = Literal["glued", "spaced", "numbered"]
STYLES: tuple[Style, ...] = get_args(Style)
_NUMBER = re.compile(r"(?<![a-zA-Z0-9])(\d{1,3})\s*\.*\s*(?=[a-zA-Z@-])")
_MOVE = re.compile(r"[a-h][1-8]|pass|pa|ps|--|@@@@", re.IGNORECASE)


def parse(text: str, rules: Rules = OTHELLO) -> AnnotatedGame:
    """Read one transcript, with its comment if it has one.

    Raises: NotationError, IllegalMoveError.
    """
    moves, _, comment = text.partition("#")
    game = Game.from_transcript(moves, rules)
    recorder = Recorder(game.first)
    for turn in game.turns:
        recorder.play(turn.move)
    return AnnotatedGame(game.first, recorder.moves, comment=comment.strip())


def read(stream: BinaryIO, rules: Rules = OTHELLO) -> Iterator[AnnotatedGame | BadGame]:
    """The games of a stream; a line that is none is named by its number."""
    for game in _games(stream):
        try:
            if not game.is_whole:
                raise NotationError(f"the transcript has {LINE_CAP} bytes or more, which is too long")
            yield parse(game.text, rules)
        except (NotationError, IllegalMoveError) as error:
            yield BadGame(f"line {game.number}", str(error))


def write(game: AnnotatedGame, style: Style = "glued", passes: bool = False) -> str:
    """The game as a line; its comment, or else its players and result, stand after ``#``.

    Args:
        game: one that begins at the start of its rules, since a transcript says nothing of that.
        style: moves glued together, with blanks between them, or with the number of each pair too.
        passes: whether forced passes are written, as ``pa``.

    Raises: FileFormatError if the game begins elsewhere.
    """
    if game.first != Position.start(game.rules):
        raise FileFormatError(
            f"a transcript can't hold a game that begins elsewhere than its rules say: {game.first.board_string()}"
        )
    words = [
        "pa" if played.move.is_pass else str(played.move)
        for played in game.moves
        if passes or not played.move.is_pass
    ]
    if style == "numbered":
        words = [word if at % 2 else f"{at // 2 + 1}. {word}" for at, word in enumerate(words)]
    glue = "" if style == "glued" and not game.rules.one_direction else " "
    comment = " ".join((game.comment or headline(game)).split())
    return (glue.join(words) + (f"  # {comment}" if comment else "")).strip() + "\n"


def headline(game: AnnotatedGame) -> str:
    """``game 3: A - B +12``, or how it ended if not by discs; the margin is Black's. Empty without players."""
    if not (game.black or game.white):
        return ""
    title = f"{game.title}: " if game.title else ""
    result, words = game.outcome, ""
    if result is not None and result.margin is not None:
        words = f" {result.margin:+d}"
    elif result is not None and result.winner is not None:
        winner = game.black if result.winner == "black" else game.white
        words = f" {winner} wins by {result.ending}"
    return f"{title}{game.black} - {game.white}{words}"


def _games(stream: BinaryIO) -> Iterator[TextLine]:
    """Each game on one line, which has the number of the line that it begins in."""
    begun = None
    for number, line, is_whole in read_lines(stream):
        text = line.strip()
        if text.startswith("#") or (is_whole and not text):
            continue
        if begun is not None and _goes_on(begun, text):
            joined = f"{begun.text} {text}"
            is_whole = is_whole and begun.is_whole and len(joined) < LINE_CAP
            begun = TextLine(begun.number, joined[:LINE_CAP], is_whole)
            continue
        if begun is not None:
            yield begun
        begun = TextLine(number, text, is_whole)
    if begun is not None:
        yield begun


def _goes_on(begun: TextLine, line: str) -> bool:
    """Whether the first number in the line is that of the move that comes next, moves or pairs being counted.

    Moves before this number belong to the line above, as in games that are wrapped anywhere. Which number comes next
    nobody knows if the game is not whole, and any number but 1 goes on with it.
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
