"""Games as rows of the run file's tables, and back."""

import sqlite3
from collections.abc import Iterable, Sequence
from typing import Any

from outflank.engine import Colour, FileFormatError, Game, Move, NotationError, OutflankError, Rules, Turn
from outflank.tools.games.results import Ending, GameRecord, Pairing
from outflank.tools.state.checks import LONGEST_DIALOGUE, LONGEST_SENTENCE, check_game, cut
from outflank.tools.state.events import GameStarted
from outflank.tools.state.run import Void

GAME_COLUMNS = [
    "number",
    "attempt",
    "pair",
    "round",
    "black",
    "white",
    "rules",
    "opening",
    "started",
    "winner",
    "ending",
    "detail",
    "margin",
    "dialogue",
    "void",
    "blamed",
]
TURN_COLUMNS = ["game", "attempt", "ply", "move", "seconds", "value", "exact", "book"]
_LONGEST = {"detail": LONGEST_SENTENCE, "dialogue": LONGEST_DIALOGUE, "void": LONGEST_SENTENCE}
Row = tuple[Any, ...]


def opening_text(opening: Iterable[Move]) -> str:
    """The moves, separated by blanks."""
    return " ".join(map(str, opening))


def read_opening(text: str, rules: Rules) -> tuple[Move, ...]:
    """The moves that ``opening_text`` wrote.

    Raises: NotationError, IllegalMoveError.
    """
    if not isinstance(text, str):
        raise NotationError(f"expected the moves of an opening, got {text!r}")
    return tuple(turn.move for turn in _replayed(text.split(), rules) if not turn.move.is_pass)


def started_row(event: GameStarted, rules: Rules) -> Row:
    """The row of a game that is being played: it has no ending yet."""
    return (*_pairing_row(event.pairing, event.attempt, rules, event.started), *[None] * 7)


def ended_row(game: GameRecord, void: Void | None = None) -> Row:
    """The row of a game that has ended."""
    return (
        *_pairing_row(game.pairing, game.attempt, game.rules, game.started),
        str(game.winner) if game.winner else None,
        str(game.ending),
        cut(game.detail, LONGEST_SENTENCE),
        game.margin,
        cut("\n".join(game.dialogue), LONGEST_DIALOGUE) or None,
        cut(void.reason, LONGEST_SENTENCE) if void else None,
        void.engine if void else None,
    )


def turn_rows(game: GameRecord) -> list[Row]:
    """A row for each turn of a game."""
    columns = zip(game.turns, game.seconds, game.values, game.exact, game.from_book, strict=True)
    return [
        (game.pairing.number, game.attempt, ply, str(turn.move), seconds, value, exact, book)
        for ply, (turn, seconds, value, exact, book) in enumerate(columns)
    ]


def read_games(connection: sqlite3.Connection) -> tuple[list[GameRecord], list[Void], int]:
    """The games that have ended, in the order of the schedule: those that count, and those that do not.

    The third is how many of their texts are longer than any that we write, and were cut.

    Raises: FileFormatError if a game can't have been played as it is written.
    """
    columns = {name for _, name, *_ in connection.execute("PRAGMA table_info(turn)")}
    book = "book" if "book" in columns else "NULL"  # runs of version 1 had none
    select_turns = (
        f"SELECT move, seconds, value, exact, {book} FROM turn WHERE game = ? AND attempt = ? ORDER BY ply"
    )
    games, voids, too_long = [], [], 0
    for row in connection.execute(
        f"SELECT {', '.join(GAME_COLUMNS)} FROM game WHERE ending IS NOT NULL ORDER BY number, attempt"
    ):
        values = dict(zip(GAME_COLUMNS, row, strict=True))
        too_long += _cut_texts(values)
        turns = connection.execute(select_turns, (values["number"], values["attempt"])).fetchall()
        game = _read_game(values, turns)
        if values["void"] is None:
            games.append(game)
        else:
            voids.append(Void(game, values["void"], values["blamed"]))
    return games, voids, too_long


def _cut_texts(row: dict[str, Any]) -> int:
    """Cut the texts in the row of a game that are too long, and return how many there were."""
    long = [name for name, longest in _LONGEST.items() if _is_longer(row[name], longest)]
    for name in long:
        row[name] = cut(row[name], _LONGEST[name])
    return len(long)


def read_remarks(connection: sqlite3.Connection) -> tuple[list[str], int]:
    """The remarks, and how many of them were too long and were cut."""
    found = [sentence for (sentence,) in connection.execute("SELECT sentence FROM remark ORDER BY number")]
    long = [_is_longer(sentence, LONGEST_SENTENCE) for sentence in found]
    short = [
        cut(sentence, LONGEST_SENTENCE) if far else sentence
        for sentence, far in zip(found, long, strict=True)
    ]
    return short, sum(long)


def _is_longer(value: object, longest: int) -> bool:
    return isinstance(value, str) and len(value) > longest


def _pairing_row(pairing: Pairing, attempt: int, rules: Rules, started: str) -> Row:
    return (
        pairing.number,
        attempt,
        pairing.pair,
        pairing.round,
        pairing.names[Colour.BLACK],
        pairing.names[Colour.WHITE],
        str(rules),
        opening_text(pairing.opening),
        started,
    )


def _read_game(row: dict[str, Any], turns: Sequence[Row]) -> GameRecord:
    try:
        check_game(row, turns)
        rules = Rules.parse(row["rules"])
        moves, seconds, values, exact, book = zip(*turns, strict=True) if turns else ((),) * 5
        names = {Colour.BLACK: row["black"], Colour.WHITE: row["white"]}
        opening = read_opening(row["opening"], rules)
        return GameRecord(
            pairing=Pairing(row["number"], row["pair"], names, opening, row["round"]),
            rules=rules,
            turns=_replayed(moves, rules),
            seconds=seconds,
            winner=Colour(row["winner"]) if row["winner"] else None,
            ending=Ending(row["ending"]),
            detail=row["detail"],
            margin=row["margin"],
            started=row["started"],
            dialogue=tuple((row["dialogue"] or "").splitlines()),
            values=values,
            from_book=tuple(None if known is None else bool(known) for known in book),
            exact=exact,
            attempt=row["attempt"],
        )
    except (OutflankError, ValueError) as error:
        raise FileFormatError(f"row {row['number']} of table game is no game: {error}") from None


def _replayed(moves: Iterable[str], rules: Rules) -> tuple[Turn, ...]:
    """The turns of a game, forced passes that were left out included."""
    game = Game(rules)
    for move in moves:
        game.play(move)
    return game.turns
