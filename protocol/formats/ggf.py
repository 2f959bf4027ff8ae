"""GGF, the generic game format of the GGS server: ``(;GM[Othello]PB[a]PW[b]...BO[8 ...]B[F5/1.20/3.5]...;)``.

A move has an evaluation, in discs from the mover's point of view, and a time in seconds. A value ends at its first
closing bracket, since GGF has no escape. RU, a tag of ours, names rules other than Othello's. Under one-direction
rules, the direction of a move precedes evaluation and time: ``D3/NE//0.25``. Some readers, such as NBoard's, refuse
games with unknown tags. Therefore we write no other tags of our own. EV, the event, is read but not written. Source:
the format's page by the server's author.
"""

import re
from collections.abc import Iterator, Sequence
from typing import BinaryIO

from outflank.engine import Colour, FileFormatError, Position, Rules
from outflank.engine.squares import DIRECTIONS
from outflank.protocol.formats.annotated import (
    PROGRAM,
    WHOLE_BOARD,
    AnnotatedGame,
    AnnotatedMove,
    BadGame,
    Recorder,
    Result,
    ResultReason,
    for_black,
    parsed_games,
    with_board_believed,
)
from outflank.protocol.formats.clocks import for_ggf
from outflank.protocol.formats.reading import COLOURS, OTHELLO, move_name, read_number, split_games

_FIELD = re.compile(r"[\s;]*([A-Za-z]{1,64})\s*\[([^\]]*)\]")
_LETTERS = {ResultReason.RESIGNATION: "r", ResultReason.TIME: "t", ResultReason.AGREEMENT: "s"}
_ENDINGS = {letter: ending for ending, letter in _LETTERS.items()}
_RESULT = re.compile(r"([+-]?\d{1,4}(?:\.\d*)?)(?::([a-z]))?")
_OUR_NAME = PROGRAM.partition(" ")[0]
_TYPE = re.compile(r"s?(\d+)([a-z]*)")
_UNFINISHED = -127  # the result that Edax writes for an unfinished game
_READ = frozenset(["GM", "PC", "DT", "PB", "PW", "RB", "RW", "RE", "TI", "EV", "TY", "RU", "BO", "CO"])


def read(stream: BinaryIO, rules: Rules = OTHELLO) -> Iterator[AnnotatedGame | BadGame]:
    """Yield the games of a stream, and a numbered ``BadGame`` for each game that can't be read. Skip other text."""
    return parsed_games(split_games(stream, escapes=False), parse, rules)


def parse(text: str, rules: Rules = OTHELLO) -> AnnotatedGame:
    """Parse one game.

    Args:
        text: the game, from its opening to its closing bracket.
        rules: the rules of a game that does not name rules (RU).

    Raises: FileFormatError, NotationError or IllegalMoveError for an invalid game, with the number of an invalid move.
    """
    fields = _fields(text)
    # The first value of a repeated tag counts.
    tags = {name: value for name, value in reversed(fields) if name not in COLOURS}
    has_komi = _has_komi(tags)
    recorder = Recorder(_first(tags, rules))
    for name, value in fields:
        if name in COLOURS:
            _play(recorder, COLOURS[name], value)
    result, is_fraction = _result(tags.get("RE", "?"), recorder.first.rules)
    game = AnnotatedGame(
        recorder.first,
        recorder.moves,
        black=tags.get("PB", ""),
        white=tags.get("PW", ""),
        black_rating=read_number(tags.get("RB", "")),
        white_rating=read_number(tags.get("RW", "")),
        result=result,
        event=tags.get("EV", ""),
        place=tags.get("PC", ""),
        date=tags.get("DT", ""),
        clock=tags.get("TI", ""),
        comment=tags.get("CO", ""),
        unread=tuple(
            name
            for name, value in fields
            if name not in COLOURS and (name not in _READ or (name == "TY" and value != "8"))
        ),
        given=_given(recorder.moves) if tags.get("PC", "").startswith(_OUR_NAME) else 0,
    )
    return game if has_komi or is_fraction else with_board_believed(game)


def write(game: AnnotatedGame) -> str:
    """Return the game as one line."""
    tags = [
        ("GM", "Othello"),
        ("PC", game.place or PROGRAM),
        ("DT", game.date),
        ("PB", game.black),
        ("PW", game.white),
        ("RB", _rating(game.black_rating)),
        ("RW", _rating(game.white_rating)),
        ("RE", _result_text(game.outcome)),
        ("TI", for_ggf(game.clock)),
        ("TY", "8"),
        ("RU", "" if game.rules.is_othello else str(game.rules)),
        ("BO", f"8 {game.first.board_string().replace('X', '*')}"),
        ("CO", game.comment),
    ]
    fields = [(tag, _value(value)) for tag, value in tags if value or tag in ("PB", "PW")]
    fields += [(played.colour.letter, _move_text(played)) for played in game.moves]
    return "(;" + "".join(f"{tag}[{value}]" for tag, value in fields) + ";)\n"


def _fields(text: str) -> list[tuple[str, str]]:
    fields: list[tuple[str, str]] = []
    at, end = text.find("(") + 1, text.rfind(")")
    while match := _FIELD.match(text, at, end):
        fields.append((match[1], match[2].strip()))
        at = match.end()
    if rest := text[at:end].strip("; \r\n\t"):
        raise FileFormatError(f"expected tags such as PB[name], got {rest[:40]!r}")
    return fields


def _has_komi(tags: dict[str, str]) -> bool:
    """Return whether the result includes komi, the discs that a player offered for the choice of a colour.

    Raises: FileFormatError if the game is not Othello on 8 by 8 squares.
    """
    if (game := tags.get("GM", "Othello")).lower() not in ("othello", "reversi"):
        raise FileFormatError(f"expected a game of Othello (GM[Othello]), got GM[{game}]")
    kind = _TYPE.match(tags.get("TY", "8"))
    if kind is None or kind[1] != "8" or "a" in kind[2]:
        raise FileFormatError(
            f"expected a game on 8 by 8 squares in which the most discs win, got TY[{tags['TY']}]"
        )
    return "KM" in tags or "k" in kind[2]


def _first(tags: dict[str, str], rules: Rules) -> Position:
    if "RU" in tags:
        rules = Rules.parse(tags["RU"])
    if "BO" not in tags:
        return Position.start(rules)
    size, board = (*tags["BO"].split(None, 1), "", "")[:2]
    if size != "8":
        raise FileFormatError(f"expected a start board BO[8 ...], got BO[{tags['BO'][:40]}]")
    return Position.parse(board, rules)


def _play(recorder: Recorder, colour: Colour, value: str) -> None:
    """Add a move in the form ``F5``, ``F5/1.20/3.5``, ``F5//3.5`` or ``D3/NE/1.20/3.5``."""
    square, *rest = (part.strip() for part in value.split("/"))
    if rest and rest[0].lower() in DIRECTIONS:
        square += f"/{rest.pop(0)}"
    score, seconds = (read_number(text) for text in (*rest, "", "")[:2])
    recorder.play(square or "pass", colour, score=for_black(score, colour), seconds=seconds)


def _given(moves: Sequence[AnnotatedMove]) -> int:
    """Return the number of turns before the first move with a time, if all later moves have a time; otherwise 0.

    GGF has no tag for the length of a given opening. In games that we wrote, every move chosen by a player has a time.
    """
    timed = [number for number, played in enumerate(moves) if played.seconds is not None]
    if not timed or any(played.seconds is None and not played.move.is_pass for played in moves[timed[0] :]):
        return 0
    given = timed[0]
    while given and moves[given - 1].move.is_pass:
        given -= 1
    return given


def _result(text: str, rules: Rules) -> tuple[Result | None, bool]:
    """Parse a result from Black's point of view: ``+12.00`` or ``-64.00:r``.

    Returns: the result, which is None if unknown; and True if the number of discs is not whole.
    """
    match = _RESULT.fullmatch(text)
    if match is None or float(match[1]) == _UNFINISHED:
        return None, False
    value, ending = float(match[1]), _ENDINGS.get(match[2] or "", ResultReason.DISCS)
    given_up = ending in (ResultReason.RESIGNATION, ResultReason.TIME) and abs(value) == WHOLE_BOARD
    counted = value.is_integer() and abs(value) <= WHOLE_BOARD and not given_up  # komi causes fractions
    winner = rules.winner_by((value > 0) - (value < 0))
    return Result(winner, int(value) if counted else None, ending), not value.is_integer()


def _result_text(result: Result | None) -> str:
    if result is None:
        return "?"
    # GGF has no letter for a forfeit. We write a resignation, since 64 discs without a letter mean a result by discs.
    letter = _LETTERS.get(result.ending, "r" if result.margin is None else "")
    return f"{result.decided_margin:+.2f}" + (f":{letter}" if letter else "")


def _rating(rating: float | None) -> str:
    return "" if rating is None else f"{rating:.2f}"


def _value(text: str) -> str:
    """Return `text` as a value on one line. Closing brackets are replaced, since GGF has no escape for them."""
    return " ".join(text.replace("]", ")").split())


def _move_text(played: AnnotatedMove) -> str:
    """Return a move in the form ``F5/-1.50/0.250``. Unknown values at the end are left out."""
    own = for_black(played.score, played.colour)
    score = "" if own is None else f"{round(own, 2) + 0.0:.2f}"  # + 0.0 avoids a negative zero
    seconds = "" if played.seconds is None else f"{played.seconds:.3f}"
    return f"{move_name(played.move)}/{score}/{seconds}".rstrip("/")
