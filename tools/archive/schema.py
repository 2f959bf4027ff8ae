"""The file format of archives: the tables, and the keys of positions and moves.

    table     contents of a row
    archive   a fact about the archive itself
    player    the name of a player, and the strength by which players are ordered
    event     the name of an event
    game      a game: players, event, date, result, moves
    visit     a position of a game; the rows are sorted by position and take up four fifths of the file
    tally     the counts of the games that continued a frequent position with one move, for one year and rating

Symmetric images of a position share a key of 64 bits: a hash of the key that books use for the position.
"""

import struct
from functools import cache
from hashlib import blake2b

from outflank.book.keys import MOVE_NUMBERS, key_of, move_number, numbered_move
from outflank.engine import Move, Position, Symmetry
from outflank.storage.database import DatabaseKind

NO_MOVE = MOVE_NUMBERS
"""The number that stands for a move if the game ended or was broken off in the position."""
NOBODY = 0
"""The number of a player or event without a name."""
TABLES = """
CREATE TABLE archive (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE player (
    id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, games INTEGER NOT NULL, strength REAL NOT NULL
);
CREATE TABLE event (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, games INTEGER NOT NULL);
CREATE TABLE game (
    id INTEGER PRIMARY KEY,
    black INTEGER NOT NULL, white INTEGER NOT NULL, event INTEGER NOT NULL,
    year INTEGER NOT NULL, rating INTEGER NOT NULL,
    black_rating REAL, white_rating REAL,
    winner INTEGER, margin INTEGER, ending TEXT,
    first TEXT, given INTEGER NOT NULL, moves BLOB NOT NULL,
    title TEXT NOT NULL, place TEXT NOT NULL, date TEXT NOT NULL,
    digest BLOB NOT NULL UNIQUE
);
CREATE TABLE visit (
    position INTEGER NOT NULL, game INTEGER NOT NULL, turn INTEGER NOT NULL,
    PRIMARY KEY (position, game)
) WITHOUT ROWID;
CREATE TABLE tally (
    position INTEGER NOT NULL, move INTEGER NOT NULL, year INTEGER NOT NULL, rating INTEGER NOT NULL,
    games INTEGER NOT NULL, won INTEGER NOT NULL, drawn INTEGER NOT NULL, lost INTEGER NOT NULL,
    measured INTEGER NOT NULL, discs INTEGER NOT NULL,
    best INTEGER NOT NULL, second INTEGER NOT NULL, third INTEGER NOT NULL,
    PRIMARY KEY (position, move, year, rating)
) WITHOUT ROWID;
"""
INDICES = """
CREATE INDEX game_black ON game (black);
CREATE INDEX game_white ON game (white);
CREATE INDEX game_event ON game (event);
"""
ARCHIVE = DatabaseKind("an archive of games", application=0x4F464C41, tables=TABLES + INDICES)  # "OFLA"


def place_of(position: Position) -> tuple[int, Symmetry]:
    """Return the key that symmetric positions share, and the symmetry that maps this position to the stored image."""
    key, symmetry = key_of(position)
    return int.from_bytes(blake2b(key, digest_size=8).digest(), "big", signed=True), symmetry


@cache
def images_of_moves() -> tuple[tuple[int, ...], ...]:
    """Return a table for each symmetry. The table maps the number of a move to the number of its image."""
    moves = [numbered_move(number) for number in range(MOVE_NUMBERS)]
    return tuple(tuple(move_number(symmetry.move(move)) for move in moves) for symmetry in Symmetry)


def packed_moves(moves: list[int]) -> bytes:
    """Pack a game's moves, given as the numbers of ``move_number``, into bytes for its row, two bytes per move."""
    return struct.pack(f"<{len(moves)}H", *moves)


def unpacked_moves(data: bytes) -> list[Move]:
    """Unpack the moves of a game's row. Raises: ValueError if the bytes are not moves."""
    if len(data) % 2:
        raise ValueError("a move is incomplete")
    return [numbered_move(number) for number in struct.unpack(f"<{len(data) // 2}H", data)]
