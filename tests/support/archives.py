"""Games for archives, and the rows of an archive."""

import random
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

from outflank.engine import PASS, Game
from outflank.protocol.formats.annotated import AnnotatedGame

NAMES = ("Ann", "Bob", "Zoe", "Joan", "")
EVENTS = ("Paris Open", "Tokyo Cup", "")


def common_game(dice: random.Random, plies: int = 60) -> AnnotatedGame:
    """Return a random game whose first moves often equal those of other games."""
    game = Game()
    for ply in range(128):
        if game.is_over or (ply >= plies and not game.position.must_pass and game.moves[-1] != PASS):
            break
        moves = game.legal_moves()
        game.play(dice.choice(moves[:2] if ply < 8 else moves))
    rated = dice.random() < 0.5
    return replace(
        AnnotatedGame.of(game),
        black=dice.choice(NAMES),
        white=dice.choice(NAMES),
        event=dice.choice(EVENTS),
        date=dice.choice(["1999", "2003-05-01", "2010", ""]),
        black_rating=dice.choice([1750.0, 1900.0, 2010.5]) if rated else None,
        white_rating=dice.choice([1700.0, 1805.0]) if rated else None,
    )


def common_games(count: int) -> list[AnnotatedGame]:
    dice = random.Random(7)
    return [common_game(dice, dice.choice([60, 60, 30])) for _ in range(count)]


def rows(path: Path) -> dict[str, list[Any]]:
    """Return every row of an archive, without the time at which it was made."""
    with closing(sqlite3.connect(path)) as connection:
        found = {
            table: connection.execute(f"SELECT * FROM {table} ORDER BY 1, 2").fetchall()
            for table in ("archive", "player", "event", "game", "visit", "tally")
        }
    found["archive"] = [fact for fact in found["archive"] if fact[0] not in ("created", "checksum")]
    return found
