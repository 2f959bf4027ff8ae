"""The text format of Edax 4.6: a line for each position with its leaf, ``BOARD SIDE,LEVEL,MOVE,SCORE``.

``--`` and -127 mean no leaf. The reader has to compute scores, bounds, links and counts. A position with a forced pass
has a line too, without a leaf.
"""

import re
from collections.abc import Iterator
from typing import BinaryIO

from outflank.book.forms.positions import Contents, checked, expect_othello, legal_leaf, level_of, searched_at
from outflank.book.keys import children_of
from outflank.book.records import MOST_DISCS, Leaf, Record
from outflank.book.store import Book
from outflank.engine import Colour, FileFormatError, Move, Position, Rules

_LINE = re.compile(r"([-XO]{64}) ([XO]),(\d{1,2}),(--|[A-H][1-8]|PA|PS),(-?\d{1,3})")
_LONGEST_LINE = 1 << 10
_NO_LEAF = ("--", -127)


def is_line(line: bytes) -> bool:
    """Whether a file that begins with this line has this format."""
    return _LINE.fullmatch(line.decode("ascii", "replace").strip()) is not None


def write(book: Book, file: BinaryIO) -> None:
    """Write a book; positions in the order of their keys.

    Raises: SettingsError if it is for rules that Edax does not support; OSError; FileFormatError if it is damaged.
    """
    expect_othello(book.rules)
    passes: set[Position] = set()
    for record in book.records():
        position, level = record.position, level_of(record)
        for child in children_of(position):
            after, _ = position.play(child.move).canonical()
            if after.must_pass and after not in passes and after in book:
                passes.add(after)
                file.write(_line(after, level, None))
        file.write(_line(position, level, record.leaf))


def read(file: BinaryIO, rules: Rules) -> Contents:
    """Return the contents of a file.

    Raises: FileFormatError with the line; SettingsError if Edax does not support `rules`.
    """
    expect_othello(rules)
    return checked(_records(file, rules)), {}


def _line(position: Position, level: int, leaf: Leaf | None) -> bytes:
    """Edax writes the side to move as X, whichever colour it is."""
    move, score = _NO_LEAF if leaf is None else (str(leaf.move).upper(), leaf.score)
    board = Position(position.own, position.opp, Colour.BLACK).board_string()[:64]
    return f"{board} X,{level},{move},{score}\n".encode()


def _records(file: BinaryIO, rules: Rules) -> Iterator[tuple[str, Record]]:
    for number, line in enumerate(iter(lambda: file.readline(_LONGEST_LINE), b""), 1):
        where, text = f"line {number}", line.decode("ascii", "replace").strip()
        record = _record(text, rules, where) if text else None
        if record is not None:
            yield where, record


def _record(line: str, rules: Rules, where: str) -> Record | None:
    match = _LINE.fullmatch(line)
    if match is None:
        raise FileFormatError(
            f"{where}: expected a board, a side, a level, a move and a score, got {line[:80]!r}"
        )
    position = Position.parse(f"{match[1]} {match[2]}", rules)
    if not position.legal_mask():
        return None
    level, score = int(match[3]), int(match[5])
    depth, selectivity = searched_at(level, position.empties, where)
    leaf = None
    if match[4] != _NO_LEAF[0]:
        leaf = Leaf(legal_leaf(position, Move.parse(match[4]), where), score)
    known = 0 if leaf is None else max(-MOST_DISCS, min(MOST_DISCS, leaf.score))
    return Record(position, known, known, known, depth, selectivity, level, leaf)
