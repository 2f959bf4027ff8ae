r"""The evaluation's weights: reads, checks and writes packed files, and maps the unpacked file.

**A packed file** is written by ``outflank train``. The repository contains the shipped weights as ``weights.bin``.

    line 1    OUTFLANK WEIGHTS 6
    line 2    a JSON object: layout (hash of the patterns), phases, stages, heads, weights (per phase), sums,
              units, bytes, crc32, provenance
    the rest  compressed by zlib:
              - the tables' weights for the side to move, in units of 1/128 disc, reduced as unpacking.py describes: all
                low bytes, then all high bytes, since low and high bytes compress better separately
              - the network's layers, head by head: 16 bits per number, the low byte first
              - a bit for each row of the network, stage by stage, which is set if the row is stored
              - the stored rows: one byte per number

`bytes` is the uncompressed size of the rest. `crc32` is the checksum of the header's other fields and of the compressed
data. A file in another format is refused; the error message names the file and the reason.

**The unpacked file**, ``weights.unpacked``, is the file that the search uses. setup.py creates it from ``weights.bin``,
and every process maps it into its memory. In a wheel, the file is smaller: mirrored configurations share an entry, and
each process spreads the entries to all weights in its own memory.

    line 1    OUTFLANK UNPACKED WEIGHTS 2, and the byte order
    line 2    the packed file's JSON object with four more keys: rows (per stage), kept (weights per phase),
              row_bits, file (the checksum of the packed file); then spaces up to a multiple of 64 bytes
    the rest  - the rows, stage by stage, SUMS numbers per row
              - the entries of the kept weights, phase by phase
              - unless all weights are kept: for each weight of a phase, its index among the kept weights
              - the layers

The unpacked file is a part of the program, like the compiled modules. So only line 1, the shape in line 2 and the
length are checked when the file is mapped.
"""

from __future__ import annotations

import json
import mmap
import sys
import zlib
from array import array
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import accumulate, chain, pairwise
from pathlib import Path
from typing import Any, BinaryIO

from outflank import __version__
from outflank.engine.evaluation import unpacking
from outflank.engine.evaluation.evaluate import (
    HEADS,
    HIDDEN,
    MOST_IN_ROW,
    MOST_IN_TABLE,
    NUMBERS_OF_A_LAYER,
    ROW_BITS,
    SCORE_BITS,
    STAGES,
    SUMS,
    spread,
)
from outflank.engine.evaluation.patterns import PHASES, WEIGHTS_OF_A_PHASE, layout_hash
from outflank.engine.evaluation.unpacking import PACKED_MAGIC, UNPACKED_MAGIC
from outflank.engine.machine import in_huge_pages, reserve
from outflank.errors import FileFormatError
from outflank.storage.files import open_regular

SHIPPED = Path(__file__).with_name("weights.unpacked")
UNITS_A_DISC = 1 << SCORE_BITS  # weights and scores are integers in units of 1/UNITS_A_DISC disc
_SHAPE = {
    "layout": layout_hash(),
    "phases": PHASES,
    "stages": STAGES,
    "heads": HEADS,
    "weights": WEIGHTS_OF_A_PHASE,
    "sums": SUMS,
    "units": HIDDEN,
}
_in_use = SHIPPED
_LONGEST_HEADER, _LONGEST_BODY = 1 << 20, 1 << 27  # bytes
_ROW_NUMBERS = bytes(range(MOST_IN_ROW + 1)) + bytes(range(256 - MOST_IN_ROW, 256))  # valid bytes of a row
# The high bytes with which a 16-bit number is valid in a table, regardless of its low byte.
_TABLE_HIGH_BYTES = bytes(range(MOST_IN_TABLE + 1 >> 8)) + bytes(range(256 - (MOST_IN_TABLE >> 8), 256))


@dataclass(frozen=True, slots=True)
class Weights:
    """All weights of an evaluation, each stored once; evaluate.pxd describes their meaning.

    Each phase has only the weights that `unpacking.columns` keeps.

    Attributes:
        tables: the weights, phase by phase, as int16; the absolute values are at most MOST_IN_TABLE.
        rows: the network's row of each weight, stage by stage, as int8: SUMS numbers per row; the absolute values are
            at most MOST_IN_ROW.
        layers: the network's heads as int16, one for each number of empty squares from 60 down to 1: HEADS *
            NUMBERS_OF_A_LAYER numbers.

    Raises: ValueError if an array has another type or length, or if a number in `tables` or `rows` is too large.
    """

    tables: array[int]
    rows: array[int]
    layers: array[int]

    def __post_init__(self) -> None:
        kept = _kept()
        for name, typecode, count in (
            ("tables", "h", PHASES * kept),
            ("rows", "b", STAGES * kept * SUMS),
            ("layers", "h", HEADS * NUMBERS_OF_A_LAYER),
        ):
            got = getattr(self, name)
            if got.typecode != typecode or len(got) != count:
                raise ValueError(
                    f"expected {name} of {count} numbers {typecode!r}, got {len(got)} {got.typecode!r}"
                )
        high_bytes = self.tables.tobytes()[sys.byteorder == "little" :: 2]
        if high_bytes.translate(None, _TABLE_HIGH_BYTES):  # computing the maximum takes longer
            found = max(max(self.tables), -min(self.tables))
            if found > MOST_IN_TABLE:
                raise ValueError(f"expected tables of numbers up to {MOST_IN_TABLE}, got {found}")
        if beyond := array("b", self.rows.tobytes().translate(None, _ROW_NUMBERS)):
            found = max(map(abs, beyond))
            raise ValueError(f"expected rows of numbers up to {MOST_IN_ROW}, got {found}")

    @classmethod
    def of_tables(cls, tables: array[int]) -> Weights:
        """Return weights with these tables, and a network whose correction is always 0.

        Raises: ValueError: see the class.
        """
        rows = array("b", bytes(STAGES * _kept() * SUMS))
        return cls(tables, rows, array("h", bytes(2 * HEADS * NUMBERS_OF_A_LAYER)))

    @classmethod
    def nothing(cls) -> Weights:
        """Return weights that are all 0."""
        return cls.of_tables(array("h", bytes(2 * PHASES * _kept())))


Unpacked = tuple["memoryview[int]", "memoryview[int]", "memoryview[int]", "array[int]"]
"""All numbers of an evaluation in the form that the search reads: rows, entries, layers, starts.

    rows      int8, the distinct rows of each stage, stage by stage, SUMS numbers per row
    entries   int32, PHASES * WEIGHTS_OF_A_PHASE, phase by phase; evaluate.pxd describes an entry
    layers    int16, see ``Weights.layers``
    starts    int32, the index of each stage's first row
"""


def unpacked(weights: Weights) -> Unpacked:
    """Return weights in the form that the search reads, in memory of this process.

    Raises: ValueError if a stage has more distinct rows than the index in an entry can address.
    """
    numbers, rows = zip(*unpacking.numbered_rows(_SHAPE, weights.rows), strict=True)
    counts = [len(stage) // SUMS for stage in rows]
    memory = reserve(sum(_sizes(counts, _kept())))
    entries = unpacking.entries(_SHAPE, weights.tables, numbers)
    for part in chain(rows, entries, (unpacking.columns(WEIGHTS_OF_A_PHASE), weights.layers)):
        memory.write(part)
    return _views(memoryview(memory), counts, _kept())


def _mapped(file: BinaryIO) -> Unpacked:
    """Return the weights of an unpacked file, mapped into memory that processes share."""
    header, _ = _header(file, UNPACKED_MAGIC)
    if header.get("row_bits") != ROW_BITS:
        raise ValueError(f"row_bits other than this engine's {ROW_BITS}")
    begin = file.tell()
    memory = in_huge_pages(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
    if len(memory) != begin + sum(_sizes(header["rows"], header["kept"])):
        raise ValueError("truncated or overlong weights")
    return _views(memoryview(memory)[begin:], header["rows"], header["kept"])


def _views(view: memoryview[int], counts: list[int], kept: int) -> Unpacked:
    rows, entries, columns, layers = (
        view[begin:end] for begin, end in pairwise(accumulate(_sizes(counts, kept), initial=0))
    )
    of_all = entries.cast("i")
    if kept < WEIGHTS_OF_A_PHASE:
        of_all = spread(of_all, columns.cast("i"))
    return rows.cast("b"), of_all, layers.cast("h"), array("i", accumulate(counts[:-1], initial=0))


def _sizes(counts: list[int], kept: int) -> tuple[int, int, int, int]:
    """Return the sizes in bytes of the four parts of unpacked weights: rows, kept entries, columns and layers."""
    columns = 4 * WEIGHTS_OF_A_PHASE if kept < WEIGHTS_OF_A_PHASE else 0
    return SUMS * sum(counts), 4 * PHASES * kept, columns, 2 * HEADS * NUMBERS_OF_A_LAYER


def _kept() -> int:
    return unpacking.columns(WEIGHTS_OF_A_PHASE)[-1] + 1


def in_use() -> Path:
    """Return the file with this process's default weights: the shipped file, or the file passed to ``use``."""
    return _in_use


def use(path: Path) -> Path:
    """Make a file the default weights of this process, and return the previous default."""
    global _in_use
    before, _in_use = _in_use, path
    return before


def load(path: Path = SHIPPED) -> Unpacked:
    """Return the weights of a file in the form that the search reads.

    The shipped file is mapped. A packed file has to be unpacked, which takes a second.

    Raises: FileFormatError, whose message names the file and the reason.
    """
    if path != SHIPPED:
        weights = read(path)
        with _refusals(path):
            return unpacked(weights)
    with _refusals(path), path.open("rb") as file:
        return _mapped(file)


def read(path: Path) -> Weights:
    """Read the weights of a packed file.

    Raises: FileFormatError, whose message names the file and the reason.
    """
    with _refusals(path), open_regular(path) as file:
        # The header is checked before the rest is read, since a file of another kind may be endless.
        header, _ = _header(file, PACKED_MAGIC)
        return Weights(*unpacking.unpack(header, _body(file, header)))


def checksum(path: Path | None = None) -> str:
    """Return the CRC-32 of a packed file as eight hexadecimal digits. Results identify the weights by this checksum.

    Args:
        path: a packed file, or the shipped file, whose header contains the checksum. The default is ``in_use()``.

    Raises: FileFormatError, whose message names the file and the reason.
    """
    path = path or _in_use
    if path == SHIPPED:
        return str(_facts(path)["file"])
    with _refusals(path), open_regular(path) as file:
        header, lines = _header(file, PACKED_MAGIC)
        body = _body(file, header)
        return f"{zlib.crc32(body, zlib.crc32(lines)):08x}"


def version() -> str:
    """Return the version of Outflank and the checksum of the weights in use: ``1.1.0, evaluation f2eaca31``.

    Raises: FileFormatError: see ``checksum``.
    """
    return f"{__version__}, evaluation {checksum()}"


def provenance(path: Path = SHIPPED) -> Mapping[str, Any]:
    """Return the record of how the weights were made: command, seed, data counts, date.

    Raises: FileFormatError if the header of the file can't be read or has no such record.
    """
    made = _facts(path).get("provenance")
    if not isinstance(made, dict):
        raise FileFormatError(f"the evaluation weights {path} have no record of how they were made")
    return made


def _facts(path: Path) -> Mapping[str, Any]:
    with _refusals(path), open_regular(path) as file:
        return _header(file, UNPACKED_MAGIC if path == SHIPPED else PACKED_MAGIC)[0]


def packed(weights: Weights, made: Mapping[str, Any]) -> bytes:
    """Return the contents of a packed file; `made` is its provenance."""
    raw = unpacking.pack(_SHAPE, weights.tables, weights.rows, weights.layers)
    body = zlib.compress(raw, 9)
    header: dict[str, Any] = {**_SHAPE, "bytes": len(raw), "provenance": dict(made)}
    header["crc32"] = _checksum(header, body)
    return PACKED_MAGIC + json.dumps(header).encode() + b"\n" + body


@contextmanager
def _refusals(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        hint = "; run make build" if path == SHIPPED else ""
        raise FileFormatError(f"can't read the evaluation weights {path} ({error.strerror}){hint}") from None
    except ValueError as error:
        raise FileFormatError(f"can't read the evaluation weights {path} ({error})") from None


def _header(file: BinaryIO, magic: bytes) -> tuple[dict[str, Any], bytes]:
    """Read the first two lines of a file and check that they fit this engine. Return the header and both lines."""
    if file.readline(len(magic)) != magic:
        raise ValueError("the wrong file type or version")
    line = file.readline(_LONGEST_HEADER)
    try:
        header = json.loads(line)
    except (ValueError, RecursionError):
        raise ValueError("a damaged header") from None
    for key, value in _SHAPE.items():
        if not isinstance(header, dict) or header.get(key) != value:
            raise ValueError(f"{key} other than this engine's {value}")
    if not isinstance(header.get("crc32"), int):
        raise ValueError("a header without a checksum")
    return header, magic + line


def _body(file: BinaryIO, header: Mapping[str, Any]) -> bytes:
    body = file.read(_LONGEST_BODY)
    if header["crc32"] != _checksum({key: value for key, value in header.items() if key != "crc32"}, body):
        raise ValueError("weights that do not match their checksum")
    return body


def _checksum(header: Mapping[str, Any], body: bytes) -> int:
    """Return the checksum of a header and a body. The order of the header's fields has no effect.

    `header` must not contain the field ``crc32``.
    """
    return zlib.crc32(body, zlib.crc32(json.dumps(header, sort_keys=True).encode()))
