"""Our text format: a line for each position, with all data that a book stores about the position.

The first line is ``outflank book 1``, the second ``positions NUMBER`` (missing in texts of version 1.0.0), the third
``rules RULES``. Lines ``fact NAME VALUE`` may follow. Each further line is a position: its 64 squares, the side to
move, and the columns of its row except the key and the checksum. Blanks separate these values, and ``-`` means that
there is no value. A line that begins with ``#`` is a comment.
"""

import re
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import BinaryIO

from outflank.book.forms.positions import Contents, checked
from outflank.book.records import COLUMNS, Leaf, LineCounts, Record
from outflank.book.store import Book
from outflank.engine import FileFormatError, Move, NotationError, Percent, Position, Rules
from outflank.storage.database import CHECKSUM_FACT

FIRST_LINE = "outflank book 1"
_COLUMNS = COLUMNS[1:-1]  # without key and checksum
_COUNT = "positions"
_NOTHING = "-"
_WHOLE = re.compile(r"-?[0-9]{1,10}")
_LONGEST_LINE = 1 << 16


def write(book: Book, file: BinaryIO) -> None:
    """Write a book. Its positions are in the order of their keys, so that equal books give equal texts.

    Raises: OSError if the file can't be written; FileFormatError if the book is damaged.
    """
    lines = [FIRST_LINE, f"{_COUNT} {len(book)}", f"rules {book.rules}"]
    lines += [f"fact {name} {value}" for name, value in sorted(book.facts.items()) if name != "rules"]
    lines += [f"# {change.time} {change.what}" for change in book.history()]
    lines.append(f"# board side {' '.join(_COLUMNS)}")
    for line in lines:
        file.write(f"{' '.join(line.splitlines())}\n".encode())
    for record in book.records():
        file.write(f"{_line(record)}\n".encode())


def read(file: BinaryIO, rules: Rules) -> Contents:
    """Return the contents of a file. `rules` is ignored, since the file itself states the rules.

    Raises: FileFormatError, which names the line, if a line is invalid.
    """
    numbered = enumerate(iter(lambda: file.readline(_LONGEST_LINE), b""), 1)
    lines = ((number, _text(line, number)) for number, line in numbered)
    lines = ((number, line) for number, line in lines if line)
    count, rules = _take_head(lines)
    facts = {"rules": str(rules)}
    begun = _take_facts(lines, facts)
    return _counted(checked(_records(chain(begun, lines), rules)), count), facts


def _take_head(lines: Iterator[tuple[int, str]]) -> tuple[int | None, Rules]:
    """Return the number of positions (None in a text of version 1.0.0) and the rules."""
    number, first = next(lines, (1, ""))
    if first != FIRST_LINE:
        raise FileFormatError(f"line {number}: expected {FIRST_LINE!r}, got {first[:40]!r}")
    number, line = next(lines, (number + 1, ""))
    word, _, text = line.partition(" ")
    count = None
    try:
        if word == _COUNT:
            count = _whole(text)
            number, line = next(lines, (number + 1, ""))
            word, _, text = line.partition(" ")
        if word != "rules":
            raise FileFormatError(f"line {number}: expected the rules, got {line[:40]!r}")
        return count, Rules.parse(text)
    except NotationError as error:
        raise FileFormatError(f"line {number}: {error}") from None


def _take_facts(lines: Iterator[tuple[int, str]], facts: dict[str, str]) -> list[tuple[int, str]]:
    """Add the facts in the next lines to `facts`. Return the line after them in a list; empty at the file's end."""
    for number, line in lines:
        word, _, text = line.partition(" ")
        if word != "fact":
            return [(number, line)]
        name, _, value = text.partition(" ")
        if name in facts or name == CHECKSUM_FACT:
            raise FileFormatError(f"line {number}: the fact {name[:40]!r} is reserved or repeated")
        facts[name] = value
    return []


def _counted(records: Iterator[Record], count: int | None) -> Iterator[Record]:
    found = 0
    for record in records:
        found += 1
        yield record
    if count is not None and found != count:
        short = ": the file is cut short" if found < count else ""
        raise FileFormatError(f"expected {count} positions, got {found}{short}")


def _line(record: Record) -> str:
    leaf = record.leaf
    columns = (
        record.score,
        record.lower,
        record.upper,
        record.depth,
        record.selectivity,
        _NOTHING if record.level is None else record.level,
        _NOTHING if leaf is None else leaf.move,
        _NOTHING if leaf is None else leaf.score,
        *record.lines,
    )
    return " ".join([record.position.board_string(), *map(str, columns)])


def _text(line: bytes, number: int) -> str:
    if len(line) == _LONGEST_LINE:
        raise FileFormatError(f"line {number} has more than {_LONGEST_LINE} bytes")
    try:
        text = line.decode().strip()
    except UnicodeDecodeError:
        raise FileFormatError(f"line {number} is not UTF-8") from None
    return "" if text.startswith("#") else text


def _records(lines: Iterable[tuple[int, str]], rules: Rules) -> Iterator[tuple[str, Record]]:
    for number, line in lines:
        where = f"line {number}"
        yield where, _record(line, rules, where)


def _record(line: str, rules: Rules, where: str) -> Record:
    board, *words = line.split()
    if len(words) != 1 + len(_COLUMNS):
        expected = f"a board, a side and {len(_COLUMNS)} columns"
        raise FileFormatError(f"{where}: expected {expected}, got {1 + len(words)} words")
    try:
        position = Position.parse(f"{board} {words[0]}", rules)
        columns = dict(zip(_COLUMNS, words[1:], strict=True))
        leaf = None
        if (columns["leaf"], columns["leaf_score"]) != (_NOTHING, _NOTHING):
            leaf = Leaf(Move.parse(columns["leaf"]), _whole(columns["leaf_score"]))
        level = None if columns["level"] == _NOTHING else _whole(columns["level"])
        score, lower, upper, depth, selectivity, *counts = (
            _whole(columns[name]) for name in (*_COLUMNS[:5], *_COLUMNS[-4:])
        )
    except NotationError as error:
        raise FileFormatError(f"{where}: {error}") from None
    percent: Percent = selectivity  # type: ignore[assignment]  # ``checked`` validates the record
    return Record(position, score, lower, upper, depth, percent, level, leaf, LineCounts(*counts))


def _whole(text: str) -> int:
    if not _WHOLE.fullmatch(text):
        raise NotationError(f"expected a whole number, got {text[:40]!r}")
    return int(text)
