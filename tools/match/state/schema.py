"""Writes and reads the rows of a run's file. docs/match.md describes its tables.

Rows are checked when they are read, since anybody may have edited the file.
"""

import math
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import Any

from outflank.engine import Colour, FileFormatError, Game, Move, OutflankError, Position, Rules
from outflank.protocol.drivers.driver import LONGEST_IDENTITY
from outflank.protocol.formats.annotated import AnnotatedMove, Recorder
from outflank.storage.outside_json import read_json_object
from outflank.tools.match.game.results import Ending, GameRecord, OffClockTime, Pairing, opening_text
from outflank.tools.match.state.run import Run, RunSettings, read_settings

LONGEST_SENTENCE = 2_000  # characters; most sentences quote an engine
MOST_IDENTITIES = 10  # the maximum number of reported names that are stored for an engine
LONGEST_DIALOGUE = 1 << 20  # characters; the dialogues of ``DialogueLog`` are shorter
_GAP = " ... left out ... "
_MOST = 1_000_000_000
_LONGEST_TEXT = 1 << 20
_DISCS = 64
_MOST_PLACES = 1000
_MOST_EMPTIES = 60
_SEEDS = 2**63
_Check = Callable[[Any], bool]


def _whole(least: int, most: int) -> _Check:
    return lambda value: type(value) is int and least <= value <= most


def _number(least: float, most: float) -> _Check:
    return lambda value: type(value) in (int, float) and math.isfinite(value) and least <= value <= most


def _text(value: object) -> bool:
    return isinstance(value, str) and len(value) <= _LONGEST_TEXT


def _or_none(check: _Check) -> _Check:
    return lambda value: value is None or check(value)


_COUNT = _whole(1, _MOST)
_MARGIN = _or_none(_whole(-_DISCS, _DISCS))
_GAME: dict[str, _Check] = {
    **dict.fromkeys(("number", "attempt", "pair", "round"), _COUNT),
    **dict.fromkeys(("black", "white", "rules", "opening", "started"), _text),
    "winner": _or_none(_text),
    **dict.fromkeys(("ending", "detail"), _text),
    "margin": _MARGIN,
    **dict.fromkeys(("dialogue", "void", "blamed"), _or_none(_text)),
}
"""The columns of the table ``game`` in their order, each with the function that checks its values."""
_TURN: dict[str, _Check] = {
    "move": _text,
    "seconds": _or_none(_number(0, _MOST)),
    "value": _or_none(_number(-_MOST, _MOST)),
    "exact": _MARGIN,
    "book": _or_none(_whole(0, 1)),
}
"""The columns of the table ``turn`` after its key columns, each with the function that checks its values."""
_SETTINGS: dict[str, _Check] = {
    "games": _COUNT,
    "rounds": _COUNT,
    "seed": _whole(0, _SEEDS),
    "stall": _number(0, _MOST),
    "adjudicate": _whole(0, _MOST_EMPTIES),
    "solve": _whole(0, _MOST_EMPTIES),
    "concurrency": _whole(1, _MOST_PLACES),
    "replay_crashes": lambda value: isinstance(value, bool),
}
_OUTSIDE = {"moves": _whole(0, _MOST), **dict.fromkeys(("seconds", "longest", "setup"), _number(0, _MOST))}


def cut(text: str, longest: int) -> str:
    """Cut `text` in the middle to at most `longest` characters. The end stays, since a dialogue ends with the fault."""
    if len(text) <= longest:
        return text
    kept = longest - len(_GAP)
    return text[: kept - kept // 2] + _GAP + text[-(kept // 2) :]


def _check_settings(settings: RunSettings) -> None:
    _check({name: getattr(settings, name) for name in _SETTINGS}, _SETTINGS)
    if len(set(settings.names)) != len(settings.names) or len(settings.names) < 2:
        raise ValueError(
            f"expected at least two engines with different names, got {', '.join(settings.names) or 'none'}"
        )
    if settings.tuning and (len(settings.names) != 2 or settings.games % 2):
        raise ValueError("a tuning is a match of two engines with an even number of games")


def _check_run(run: Run) -> None:
    datetime.fromisoformat(run.started)
    if not all(map(_text, (*run.remarks, run.machine, run.outflank, run.evaluation))):
        raise ValueError("a remark, the machine, the version or the evaluation is not text")
    if run.seconds is not None and not _number(0, _MOST)(run.seconds):
        raise ValueError(f"expected seconds of at least 0, got {run.seconds}")
    numbers = [game.pairing.number for game in run.games]
    if len(set(numbers)) != len(numbers):
        raise ValueError("a game counts twice")
    for game in (*run.games, *run.voids):
        names = game.pairing.engines
        if len(names) != 2 or not names <= set(run.settings.names):
            raise ValueError(
                f"a game is not between two engines of the run, but between {' and '.join(sorted(names))}"
            )
        if game.blamed is not None and game.blamed not in run.settings.names:
            raise ValueError(f"a void game blames {game.blamed!r}, which is not an engine of the run")


def _check(values: dict[str, Any], checks: dict[str, _Check]) -> None:
    for name, check in checks.items():
        if not check(values[name]):
            raise ValueError(f"its {name} can't be {str(values[name])[:40]!r}")


def _insert(table: str, *columns: str) -> str:
    return f"INSERT OR REPLACE INTO {table} ({', '.join(columns)}) VALUES ({', '.join('?' * len(columns))})"


INSERT_GAME = _insert("game", *_GAME)
INSERT_TURN = _insert("turn", "game", "attempt", "ply", *_TURN)
INSERT_FACT = _insert("run", "name", "value")
INSERT_OPENING = _insert("opening", "number", "moves")
INSERT_REMARK = "INSERT OR IGNORE INTO remark (sentence) VALUES (?)"


_LONGEST = {"detail": LONGEST_SENTENCE, "dialogue": LONGEST_DIALOGUE, "void": LONGEST_SENTENCE}
Row = tuple[Any, ...]


def read_opening(text: str, rules: Rules) -> tuple[Move, ...]:
    """Return the moves of an opening that ``opening_text`` wrote. Raises: NotationError, IllegalMoveError."""
    game = Game(rules)
    for move in text.split():
        game.play(move)
    return tuple(turn.move for turn in game if not turn.move.is_pass)


def started_row(pairing: Pairing, rules: Rules) -> Row:
    """Return the row of a game that is being played and has no ending yet."""
    return (*_pairing_row(pairing, rules), *[None] * 7)


def ended_row(game: GameRecord) -> Row:
    """Return the row of a game that has ended."""
    return (
        *_pairing_row(game.pairing, game.rules),
        str(game.winner) if game.winner else None,
        str(game.ending),
        cut(game.detail, LONGEST_SENTENCE),
        game.margin,
        cut("\n".join(game.as_kept().dialogue), LONGEST_DIALOGUE) or None,
        cut(game.void, LONGEST_SENTENCE) or None,
        game.blamed,
    )


def lost_facts(game: GameRecord) -> list[tuple[str, str]]:
    """Return the name and value of the fact that stores a game's ``lost_seconds``; empty if that is None."""
    if game.lost_seconds is None:
        return []
    return [(_lost_name(game.pairing.number, game.pairing.attempt), f"{game.lost_seconds:.6f}")]


def _lost_name(number: int, attempt: int) -> str:
    return f"{_LOST} {number} {attempt}"


def turn_row(game: int, attempt: int, ply: int, turn: AnnotatedMove) -> Row:
    """Return the row of a turn."""
    return (game, attempt, ply, str(turn.move), turn.seconds, turn.score, turn.exact, turn.from_book)


def read_games(
    connection: sqlite3.Connection, facts: Mapping[str, str]
) -> tuple[list[GameRecord], list[GameRecord], int]:
    """Return the ended games that count, the void games, and the number of texts of these games that were cut.

    Games are in schedule order. A text is cut if it is longer than any text that Outflank writes.

    Raises: FileFormatError if a game can't have been played as the file records it.
    """
    columns = {name for _, name, *_ in connection.execute("PRAGMA table_info(turn)")}
    book = "book" if "book" in columns else "NULL"  # run files of version 1 lack this column
    select_turns = (
        f"SELECT move, seconds, value, exact, {book} FROM turn WHERE game = ? AND attempt = ? ORDER BY ply"
    )
    games, voids, too_long = list[GameRecord](), list[GameRecord](), 0
    for row in connection.execute(
        f"SELECT {', '.join(_GAME)} FROM game WHERE ending IS NOT NULL ORDER BY number, attempt"
    ):
        values = dict(zip(_GAME, row, strict=True))
        too_long += _cut_texts(values)
        turns = connection.execute(select_turns, (values["number"], values["attempt"])).fetchall()
        lost = facts.get(_lost_name(values["number"], values["attempt"]))
        game = _read_game(values, turns, None if lost is None else float(lost))
        (voids if game.void else games).append(game)
    return games, voids, too_long


def _cut_texts(row: dict[str, Any]) -> int:
    long = [name for name, longest in _LONGEST.items() if _is_longer(row[name], longest)]
    for name in long:
        row[name] = cut(row[name], _LONGEST[name])
    return len(long)


def read_openings(connection: sqlite3.Connection, rules: Rules) -> list[tuple[Move, ...]]:
    """Return the openings that were chosen when the run began."""
    return [
        read_opening(moves, rules)
        for (moves,) in connection.execute("SELECT moves FROM opening ORDER BY number")
    ]


def read_remarks(connection: sqlite3.Connection) -> tuple[list[str], int]:
    """Return the remarks, and the number of remarks that were cut because they were too long."""
    found = [sentence for (sentence,) in connection.execute("SELECT sentence FROM remark ORDER BY number")]
    long = sum(len(sentence) > LONGEST_SENTENCE for sentence in found)
    return [cut(sentence, LONGEST_SENTENCE) for sentence in found], long


def _is_longer(value: object, longest: int) -> bool:
    return isinstance(value, str) and len(value) > longest


def _pairing_row(pairing: Pairing, rules: Rules) -> Row:
    return (
        pairing.number,
        pairing.attempt,
        pairing.pair,
        pairing.round,
        pairing.black,
        pairing.white,
        str(rules),
        opening_text(pairing.opening),
        pairing.started,
    )


def _read_game(row: dict[str, Any], turns: Sequence[Row], lost_seconds: float | None) -> GameRecord:
    try:
        _check(row, _GAME)
        _check({"lost seconds": lost_seconds}, {"lost seconds": _or_none(_number(0, _MOST))})
        datetime.fromisoformat(row["started"])
        rules = Rules.parse(row["rules"])
        recorder = Recorder(Position.start(rules))
        for turn in turns:
            _check(dict(zip(_TURN, turn, strict=True)), _TURN)
            move, seconds, value, exact, book = turn
            from_book = None if book is None else bool(book)
            recorder.play(move, seconds=seconds, score=value, exact=exact, from_book=from_book)
        names = {Colour.BLACK: row["black"], Colour.WHITE: row["white"]}
        opening = read_opening(row["opening"], rules)
        return GameRecord(
            pairing=Pairing(
                *(row["number"], row["pair"], names, opening, row["round"], row["attempt"]),
                started=row["started"],
            ),
            rules=rules,
            turns=recorder.moves,
            winner=Colour(row["winner"]) if row["winner"] else None,
            ending=Ending(row["ending"]),
            detail=row["detail"],
            margin=row["margin"],
            dialogue=tuple((row["dialogue"] or "").splitlines()),
            void=row["void"] or "",
            blamed=row["blamed"],
            lost_seconds=lost_seconds,
        )
    except (OutflankError, ValueError) as error:
        raise FileFormatError(f"row {row['number']} of table game is not a valid game: {error}") from None


# The values of the fact ``state``.
PLAYING, INTERRUPTED, FINISHED = "playing", "interrupted", "finished"
# The names of two facts. A fact is a row of the table ``run``.
OUTSIDE, IDENTITIES = "outside", "identities"
_LOST = "lost"  # the first word of a fact's name, before the number and the attempt of a game
# Errors that are caused by values of the wrong type or out of range.
_MISREAD = (LookupError, TypeError, ValueError, AttributeError, OverflowError, RecursionError)


@contextmanager
def refusals(file: Path) -> Iterator[None]:
    """Convert every error that an edited file may cause to a FileFormatError that names the file."""
    try:
        yield
    except (sqlite3.Error, OutflankError, *_MISREAD) as error:
        raise FileFormatError(f"can't read {str(file)!r} as the file of a run ({error})") from None


def read(connection: sqlite3.Connection) -> Run:
    """Return the run that the connected file stores. Raises: the errors that ``refusals`` converts."""
    connection.execute("BEGIN")  # a transaction, so that all queries read the same state
    try:
        facts = facts_of(connection)
        games, voids, long_texts = read_games(connection, facts)
        remarks, long_remarks = read_remarks(connection)
    finally:
        connection.execute("COMMIT")
    if not facts["id"]:
        raise ValueError("it has no id")
    run = Run(
        settings=read_settings(read_json_object(facts["settings"])),
        games=tuple(games),
        voids=tuple(voids),
        remarks=tuple(remarks),
        outflank=facts.get("outflank", ""),
        evaluation=facts.get("evaluation", ""),
        started=facts["started"],
        seconds=float(facts["seconds"]) if "seconds" in facts else None,
        machine=facts.get("machine", ""),
        interrupted=facts["state"] == INTERRUPTED,
        finished=facts["state"] == FINISHED,
        outside=_read_outside(facts.get(OUTSIDE, "{}")),
        identities=_read_identities(facts.get(IDENTITIES, "{}")),
        cut_texts=long_texts + long_remarks,
    )
    _check_settings(run.settings)
    _check_run(run)
    return run


def _read_outside(text: str) -> dict[str, OffClockTime]:
    taken = {name: OffClockTime(*numbers) for name, numbers in read_json_object(text).items()}
    for numbers in taken.values():
        _check(asdict(numbers), _OUTSIDE)
    return taken


def _read_identities(text: str) -> dict[str, tuple[str, ...]]:
    identities = {name: tuple(said) for name, said in read_json_object(text).items()}
    for name, said in identities.items():
        if len(said) > MOST_IDENTITIES or not all(map(_is_identity, said)):
            raise ValueError(f"names and versions of {name} can't be {str(said)[:40]!r}")
    return identities


def _is_identity(said: object) -> bool:
    return isinstance(said, str) and said.isprintable() and len(said) <= LONGEST_IDENTITY


def facts_of(connection: sqlite3.Connection) -> dict[str, str]:
    """Return the facts, by name: all rows of the table ``run``."""
    return dict(connection.execute("SELECT name, value FROM run"))
