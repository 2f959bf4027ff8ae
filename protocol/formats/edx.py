"""Reads Edax's game files (.edx), sequences of little-endian records of 160 bytes. Outflank does not write them.

    bytes   field
    8, 8    discs of the side that begins and of the other side, bit 0 = a1
    2, 5    year; month, day, hour, minute, second as a byte each, zeros if unknown; one byte of padding
    32, 32  names of Black and White, terminated by NUL, "?" if unknown; the bytes after NUL are arbitrary
    60      moves: squares 0 (a1) to 63 (h8), then 65; passes are left out
    1       the side that begins: 0 Black, 1 White; three bytes of padding
    8       Edax's checksum of the moves, which is ignored

The file has no header, and the records have no results. Source: files written by Edax 4.6.
"""

import struct
from collections.abc import Iterator
from typing import BinaryIO

from outflank.engine import Colour, FileFormatError, Move, Position, Rules
from outflank.protocol.formats.annotated import AnnotatedGame, BadGame, Recorder, parsed_games
from outflank.protocol.formats.reading import OTHELLO, decoded

GAME = struct.Struct("<QQh5Bx32s32s60sB3xQ")
SQUARES = 64
_NO_MOVE = 65
_SIDES = (Colour.BLACK, Colour.WHITE)


def is_game(data: bytes) -> bool:
    """Return whether `data` may begin an ``.edx`` file: each field of the first record has a possible value."""
    if len(data) < GAME.size:
        return False
    own, opp, _, month, day, *_, moves, side, _ = GAME.unpack_from(data)
    played = moves.rstrip(bytes([_NO_MOVE]))
    possible = month <= 12 and day <= 31 and side < len(_SIDES) and not own & opp and own | opp
    return bool(possible and all(move < SQUARES for move in played))


def read(stream: BinaryIO, rules: Rules = OTHELLO) -> Iterator[AnnotatedGame | BadGame]:
    """Yield the games of a stream up to a record of zeros, and a numbered ``BadGame`` for each invalid record."""
    return parsed_games(_records(stream), _game, rules)


def _records(stream: BinaryIO) -> Iterator[bytes]:
    while data := stream.read(GAME.size):
        yield data
        if not any(data):
            return


def _game(data: bytes, rules: Rules) -> AnnotatedGame:
    if len(data) < GAME.size:
        raise FileFormatError(f"expected a game of {GAME.size} bytes, got {len(data)}")
    own, opp, year, month, day, _, _, _, black, white, moves, side, _ = GAME.unpack(data)
    if side >= len(_SIDES):
        raise FileFormatError(f"expected a side of 0 or 1, got {side}")
    if not own | opp:
        raise FileFormatError("its first board has no discs")
    try:
        first = Position(own, opp, _SIDES[side], rules)
    except ValueError as error:
        raise FileFormatError(str(error)) from None
    recorder = Recorder(first)
    for number in moves.partition(bytes([_NO_MOVE]))[0]:
        if number >= SQUARES:
            raise FileFormatError(f"expected moves from 0 to 63, got {number}")
        recorder.play(Move(number))
    dates = [f"{year:04d}", *(f"{part:02d}" for part in (month, day) if part)]
    return AnnotatedGame(
        recorder.first,
        recorder.moves,
        black=_name(black),
        white=_name(white),
        date="-".join(dates) if year > 0 else "",
    )


def _name(data: bytes) -> str:
    text = decoded(data.partition(b"\0")[0]).strip()
    return "" if text == "?" else text
