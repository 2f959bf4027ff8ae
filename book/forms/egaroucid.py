"""The format of Egaroucid's books (.egbk3), little endian. Outflank can read but not write it.

======  =====================================================================================================
bytes   header
======  =====================================================================================================
9, 1    "DICUORAGE", version 3
4       int32 number of positions
======  =====================================================================================================

======  =====================================================================================================
bytes   position, one of its images
======  =====================================================================================================
8, 8    discs of the side to move and of the other side, bit 0 = h8
1, 1    int8 score, level of its search: -1 unknown, 70 a score set by hand
4       uint32 number of lines, which is ignored
3       int8 score, move (bit number) and level of the leaf, the best move that leads out of the book; 125 no move
======  =====================================================================================================

Each position is read as its image under a half turn of the board, in which bit 0 is a1. Scores are in discs for the
side to move. If a position has no links, its own score and level are used for its leaf, since Egaroucid searches leaves
at a lower level. Scores, bounds and counts are computed from the leaves. This description was derived from Egaroucid's
reader and from the book that Egaroucid ships.
"""

import struct
from collections.abc import Iterator
from typing import BinaryIO

from outflank.book.forms.positions import Contents, checked, read_header, read_position, searched_at
from outflank.book.keys import children_of, key_of
from outflank.book.records import HAND_LEVEL, MOST_DISCS, Leaf, Record
from outflank.engine import FileFormatError, Move, Percent, Position, Rules, SettingsError
from outflank.engine.search.limits import BOLDEST

MAGIC = b"DICUORAGE"
_VERSION = 3
_HEADER = struct.Struct("<9sBi")
_POSITION = struct.Struct("<QQbbIbbb")
_BY_HAND, _UNKNOWN = 70, -1  # levels


def read(file: BinaryIO, rules: Rules) -> Contents:
    """Return the contents of a seekable file, which is read twice.

    Raises: FileFormatError if the file is not a book of Egaroucid or has an invalid position; SettingsError if
        Egaroucid does not support `rules`.
    """
    if not rules.is_othello:
        raise SettingsError(f"Egaroucid plays Othello only, not {rules}")
    _, version, count = read_header(file, _HEADER, MAGIC, "Egaroucid")
    if version != _VERSION:
        raise FileFormatError(f"expected an Egaroucid book of version {_VERSION}, got version {version}")
    begin = file.tell()
    size = file.seek(0, 2) - begin
    if size != count * _POSITION.size:
        raise FileFormatError(
            f"the header announces {count} positions, but there are {size / _POSITION.size:g}"
        )
    file.seek(begin)
    known = {key_of(position)[0] for _, position, _ in _positions(file, count, rules)}
    file.seek(begin)
    return checked(_records(file, count, rules, known)), {}


def _records(file: BinaryIO, count: int, rules: Rules, known: set[bytes]) -> Iterator[tuple[str, Record]]:
    for where, position, (score, level, _, leaf_score, move, leaf_level) in _positions(file, count, rules):
        if not any(child.key in known for child in children_of(position)):
            leaf_score, leaf_level = score, level
        leaf = None
        if abs(leaf_score) <= MOST_DISCS and move in range(MOST_DISCS) and position.legal_mask() >> move & 1:
            leaf = Leaf(Move(move), leaf_score)
        depth, selectivity, leaf_level_here = _searched(leaf_level, position.empties, where)
        kept = HAND_LEVEL if level == _BY_HAND else leaf_level_here
        yield where, Record(position, score, score, score, depth, selectivity, kept, leaf)


def _positions(
    file: BinaryIO, count: int, rules: Rules
) -> Iterator[tuple[str, Position, tuple[int, int, int, int, int, int]]]:
    for number in range(1, count + 1):
        where = f"position {number} of {count}"
        own, opp, *numbers = _POSITION.unpack(file.read(_POSITION.size))
        position = read_position(own, opp, rules, where)
        score, level, lines, leaf_score, move, leaf_level = numbers
        if abs(score) <= MOST_DISCS and position.legal_mask():  # Egaroucid skips other positions, too
            yield where, position, (score, level, lines, leaf_score, move, leaf_level)


def _searched(level: int, empties: int, where: str) -> tuple[int, Percent, int | None]:
    if level in (_UNKNOWN, _BY_HAND):
        return 0, BOLDEST.percent, None
    return *searched_at(level, empties, where), level
