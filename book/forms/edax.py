"""The two formats of Edax 4.6.

The binary format has a header, then positions with their links, little endian. This description is derived from files
that Edax wrote:

======  =====================================================================================================
bytes   header
======  =====================================================================================================
8       "XADEKOOB"
1, 1    version 4, release 6
8       date: int16 year; month, day, hour, minute, second as a byte each; one unused byte
6 x 4   int32 level, least empty squares, margin in the midgame and near the end, verbosity, number of positions
======  =====================================================================================================

======  =====================================================================================================
bytes   position, the image with the smallest (player, opponent)
======  =====================================================================================================
8, 8    discs of the side to move and of the other side, bit 0 = a1
4 x 4   uint32 numbers of lines: won, drawn, lost, all
3 x 2   int16 score, lower and upper bound
1, 1    number of links, level
2 each  links: int8 score, square 0 (a1) to 63 (h8), 64 for a pass; then the leaf, -127 and 65 if there is none
======  =====================================================================================================

If the side to move has to pass, the pass is the only link of the position. Our books do not store these positions: they
are created when a book is written, and skipped when it is read. Links are computed from the positions.

The text format has a line ``BOARD SIDE,LEVEL,MOVE,SCORE`` for each position. MOVE and SCORE are the leaf, or ``--`` and
-127 if there is none. A reader has to compute scores, bounds, links and counts. A position in which the side to move
has to pass has a line without a leaf.
"""

import re
import struct
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from datetime import datetime
from typing import BinaryIO

from outflank.book.forms.positions import Contents, checked, read_header, read_position, searched_at
from outflank.book.keys import children_of
from outflank.book.records import (
    ENDGAME_MARGIN,
    HAND_LEVEL,
    MIDGAME_MARGIN,
    MOST_DISCS,
    BookEntry,
    Leaf,
    LineCounts,
    Record,
)
from outflank.book.store import Book
from outflank.engine import HIGHEST_LEVEL, Colour, FileFormatError, Move, Position, Rules, SettingsError

MAGIC = b"XADEKOOB"
FACT = "edax"
_VERSION = (4, 6)
_HEADER = struct.Struct("<8sBBhbbbbbxiiiiii")
_POSITION = struct.Struct("<QQIIIIhhhBB")
_MOVE = struct.Struct("<bB")
_TOLD = re.compile(r"-?\d{1,4}(?: -?\d{1,4}){10}")  # the header of an imported book, as stored in a fact
_PASS, _NO_MOVE, _NO_SCORE = 64, 65, -127
_LINE = re.compile(r"([-XO]{64}) ([XO]),(\d{1,2}),(--|[A-H][1-8]|PA|PS),(-?\d{1,3})")
_LONGEST_LINE = 1 << 10
_NO_LEAF = ("--", -127)


def write(book: Book, file: BinaryIO) -> None:
    """Write a book to a seekable file. The header is written last.

    Raises: SettingsError if Edax does not support the book's rules; OSError if the file can't be written;
        FileFormatError if the book is damaged.
    """
    _expect_othello(book.rules)
    at = file.tell()
    file.write(bytes(_HEADER.size))
    count, least, levels = 0, MOST_DISCS, Counter[int]()
    passes: set[Position] = set()
    for record in book.records():
        entry = book.probe(record.position)
        if entry is not None:
            packed = [*_passes(record, entry, passes), _packed(record, entry)]
            file.write(b"".join(packed))
            count += len(packed)
            least = min(least, record.position.empties)
            levels[_level_of(record)] += 1
    ((usual, _),) = levels.most_common(1) or [(0, 0)]
    file.seek(at)
    file.write(_header(book.facts.get(FACT, ""), usual, least + 1, count))
    file.seek(0, 2)


def read(file: BinaryIO, rules: Rules) -> Contents:
    """Return the contents of a file.

    Raises: FileFormatError if the file is not a book of Edax or has an invalid position; SettingsError if Edax does not
        support `rules`.
    """
    _expect_othello(rules)
    _, version, release, *date_and_rest = read_header(file, _HEADER, MAGIC, "Edax")
    if version != _VERSION[0]:
        raise FileFormatError(f"expected an Edax book of version 4, got version {version}.{release}")
    *told, count = date_and_rest
    return checked(_records(file, count, rules)), {FACT: " ".join(map(str, told))}


def _passes(record: Record, entry: BookEntry, written: set[Position]) -> Iterator[bytes]:
    """Yield each packed position in which the opponent has to pass after one of the entry's moves.

    Positions in `written` are left out; the others are added to `written`.
    """
    for move in entry.moves:
        after = entry.position.play(move.move)
        image, _ = after.canonical()
        if move.linked and after.must_pass and image not in written:
            written.add(image)
            scores = (-move.score, -move.upper, -move.lower)
            yield _pack(image, move.lines.reversed, scores, _level_of(record), [(-move.score, _PASS)], None)


def _packed(record: Record, entry: BookEntry) -> bytes:
    links = [(move.score, move.move.square or 0) for move in entry.moves if move.linked]
    scores = (record.score, record.lower, record.upper)
    return _pack(record.position, record.lines, scores, _level_of(record), links, record.leaf)


def _pack(
    image: Position,
    lines: LineCounts,
    scores: tuple[int, int, int],
    level: int,
    links: Sequence[tuple[int, int]],
    leaf: Leaf | None,
) -> bytes:
    counts = (lines.wins, lines.draws, lines.losses, lines.total)
    head = _POSITION.pack(image.own, image.opp, *counts, *scores, len(links), level)
    last = (_NO_SCORE, _NO_MOVE) if leaf is None else (leaf.score, leaf.move.square or 0)
    return head + b"".join(_MOVE.pack(*move) for move in (*links, last))


def _header(told: str, level: int, least: int, count: int) -> bytes:
    """Return the header of the imported book (`told`) or, if there is none, a header that is computed from the book."""
    if _TOLD.fullmatch(told):
        with suppress(struct.error):  # a fact that was written by hand may have numbers out of range
            return _HEADER.pack(MAGIC, *_VERSION, *map(int, told.split()), count)
    now = datetime.now()
    date = (now.year, now.month, now.day, now.hour, now.minute, now.second)
    return _HEADER.pack(MAGIC, *_VERSION, *date, level, least, MIDGAME_MARGIN, ENDGAME_MARGIN, 0, count)


def _records(file: BinaryIO, count: int, rules: Rules) -> Iterator[tuple[str, Record]]:
    """Yield place and record of each position with a legal move. The place in the file is for error messages."""
    for number in range(1, count + 1):
        where = f"position {number} of {count}"
        record = _record(file, rules, where)
        if record is not None:
            yield where, record
    if file.read(1):
        raise FileFormatError(f"the header announces {count} positions, but there are more")


def _record(file: BinaryIO, rules: Rules, where: str) -> Record | None:
    head = _take(file, _POSITION.size, where)
    own, opp, wins, draws, losses, lines, value, lower, upper, links, level = _POSITION.unpack(head)
    moves = [_MOVE.unpack(_take(file, _MOVE.size, where)) for _ in range(links + 1)]
    position = read_position(own, opp, rules, where)
    if not position.legal_mask():
        return None
    depth, selectivity = searched_at(level, position.empties, where)
    score, square = moves[-1]
    leaf = None if square == _NO_MOVE else Leaf(_move(square, where), score)
    lower, upper = max(-MOST_DISCS, lower), min(MOST_DISCS, upper)  # Edax writes 127 for an unknown bound
    counts = LineCounts(lines, wins, draws, losses)
    return Record(position, value, lower, upper, depth, selectivity, level, leaf, counts)


def _move(square: int, where: str) -> Move:
    if square >= MOST_DISCS:
        raise FileFormatError(
            f"{where}: expected a square from 0 to 63 for the leaf, or 65 for none, got {square}"
        )
    return Move(square)


def _take(file: BinaryIO, size: int, where: str) -> bytes:
    data = file.read(size)
    if len(data) < size:
        raise FileFormatError(f"{where}: expected {size} bytes, got {len(data)}: the file is cut short")
    return data


def is_text_line(line: bytes) -> bool:
    """Return whether a file that begins with this line is in Edax's text format."""
    return _LINE.fullmatch(line.decode("ascii", "replace").strip()) is not None


def write_text(book: Book, file: BinaryIO) -> None:
    """Write a book in the text format. Its positions are in the order of their keys.

    Raises: SettingsError if Edax does not support the book's rules; OSError if the file can't be written;
        FileFormatError if the book is damaged.
    """
    _expect_othello(book.rules)
    passes: set[Position] = set()
    for record in book.records():
        position, level = record.position, _level_of(record)
        for child in children_of(position):
            after, _ = position.play(child.move).canonical()
            if after.must_pass and after not in passes and after in book:
                passes.add(after)
                file.write(_text_line(after, level, None))
        file.write(_text_line(position, level, record.leaf))


def read_text(file: BinaryIO, rules: Rules) -> Contents:
    """Return the contents of a text file.

    Raises: FileFormatError, which names the line, if a line is invalid; SettingsError if Edax does not support `rules`.
    """
    _expect_othello(rules)
    return checked(_text_records(file, rules)), {}


def _text_line(position: Position, level: int, leaf: Leaf | None) -> bytes:
    """Return the line of a position. The side to move is X even if it is White, as in Edax's files."""
    move, score = _NO_LEAF if leaf is None else (str(leaf.move).upper(), leaf.score)
    board = Position(position.own, position.opp, Colour.BLACK).board_string()[:64]
    return f"{board} X,{level},{move},{score}\n".encode()


def _text_records(file: BinaryIO, rules: Rules) -> Iterator[tuple[str, Record]]:
    for number, line in enumerate(iter(lambda: file.readline(_LONGEST_LINE), b""), 1):
        where, text = f"line {number}", line.decode("ascii", "replace").strip()
        record = _text_record(text, rules, where) if text else None
        if record is not None:
            yield where, record


def _text_record(line: str, rules: Rules, where: str) -> Record | None:
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
        leaf = Leaf(Move.parse(match[4]), score)
    known = 0 if leaf is None else max(-MOST_DISCS, min(MOST_DISCS, leaf.score))
    return Record(position, known, known, known, depth, selectivity, level, leaf)


def _expect_othello(rules: Rules) -> None:
    if not rules.is_othello:
        raise SettingsError(f"Edax plays Othello only, not {rules}")


def _level_of(record: Record) -> int:
    """Return the level of a record. If it has none, or if its score was set by hand, return the depth of its search."""
    return min(HIGHEST_LEVEL, record.depth) if record.level in (None, HAND_LEVEL) else record.level or 0
