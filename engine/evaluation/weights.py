r"""The evaluation's weights file: reads, checks and writes it.

    line 1    OUTFLANK WEIGHTS 6
    line 2    a JSON object: layout (hash of the patterns), phases, stages, heads, weights (a phase), sums, units,
              bytes, crc32, provenance
    the rest  zlib-compressed: the tables' weights in 1/128 disc from the side to move, folded (packing.pyi), first
              the low bytes of all, then the high bytes, which compress better apart; the network's layers, head by
              head, 16 bits each number, the low byte first; the network's rows, folded, stage by stage: which of
              them are kept, a bit each, then those, a byte each number

`bytes` is the size of all that uncompressed, `crc32` the checksum of the rest of the header and of what is
compressed. Anything else is refused, with the file's name and the reason.
"""

from __future__ import annotations

import functools
import json
import os
import sys
import zlib
from array import array
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from outflank import __version__
from outflank.engine.errors import FileFormatError
from outflank.engine.evaluation.evaluate import (
    HEADS,
    HIDDEN,
    MOST_IN_ROW,
    NUMBERS_OF_A_LAYER,
    SCORE_BITS,
    STAGES,
    SUMS,
)
from outflank.engine.evaluation.packing import (
    MOST_IN_TABLE,
    farthest,
    fold,
    fold_rows,
    representatives,
    unfold,
    unfold_rows,
    weights_kept,
)
from outflank.engine.evaluation.patterns import PHASES, WEIGHTS_OF_A_PHASE, layout_hash
from outflank.engine.links import open_regular

# Numbers of one kind, one after another, in an array or in memory that was reserved for them.
Numbers: TypeAlias = "array[int] | memoryview[int]"
SHIPPED = Path(__file__).with_name("weights.bin")
UNITS_A_DISC = 1 << SCORE_BITS  # of the tables' weights and of the score
_MAGIC = b"OUTFLANK WEIGHTS 6\n"
_LONGEST_HEADER = 1 << 20  # bytes


@dataclass(frozen=True, slots=True)
class Weights:
    """All numbers of an evaluation; evaluate.pxd says what they mean.

    Attributes:
        tables: int16, PHASES * WEIGHTS_OF_A_PHASE, phase by phase, none beyond MOST_IN_TABLE.
        rows: int8, STAGES * WEIGHTS_OF_A_PHASE * SUMS, stage by stage, none beyond MOST_IN_ROW; those of
            the network.
        layers: int16, HEADS * NUMBERS_OF_A_LAYER, one for each number of empty squares, 60 first; those of the network.

    Raises: ValueError if one is of another shape, or if a table or a row has a number beyond the limit.
    """

    tables: Numbers
    rows: Numbers
    layers: Numbers

    def __post_init__(self) -> None:
        for name, typecode, count in (
            ("tables", "h", PHASES * WEIGHTS_OF_A_PHASE),
            ("rows", "b", STAGES * WEIGHTS_OF_A_PHASE * SUMS),
            ("layers", "h", HEADS * NUMBERS_OF_A_LAYER),
        ):
            got = memoryview(getattr(self, name))
            if got.format != typecode or len(got) != count:
                raise ValueError(
                    f"expected {name} of {count} numbers {typecode!r}, got {len(got)} {got.format!r}"
                )
        for name, most in ("tables", MOST_IN_TABLE), ("rows", MOST_IN_ROW):
            if (found := farthest(getattr(self, name))) > most:
                raise ValueError(f"expected {name} of numbers up to {most}, got {found}")

    @classmethod
    def of_tables(cls, tables: Numbers) -> Weights:
        """Tables, with a network that adds nothing.

        Raises: ValueError as the class.
        """
        rows = array("b", bytes(STAGES * WEIGHTS_OF_A_PHASE * SUMS))
        return cls(tables, rows, array("h", bytes(2 * HEADS * NUMBERS_OF_A_LAYER)))

    @classmethod
    def nothing(cls) -> Weights:
        """Weights that are all 0."""
        return cls.of_tables(array("h", bytes(2 * PHASES * WEIGHTS_OF_A_PHASE)))


@functools.cache
def _representatives() -> array[int]:
    """The fold map, made when it is first needed: it takes some hundredths of a second."""
    return representatives()


@functools.cache
def _lengths() -> tuple[int, int, int, int]:
    """How many bytes the folded tables, the layers, the bits of the rows, and the rows at most take."""
    kept = weights_kept(_representatives())
    rows = STAGES * kept
    return PHASES * kept * 2, HEADS * NUMBERS_OF_A_LAYER * 2, -(-rows // 8), rows * SUMS


def read(path: Path = SHIPPED) -> Weights:
    """The weights of a file.

    Raises: FileFormatError naming the file and its fault.
    """
    with _refusals(path), open_regular(path) as file:
        lines = file.readline(len(_MAGIC)) + file.readline(_LONGEST_HEADER)
        _header(lines)  # first, since what is no file of weights may have no end
        return _decode(lines + file.read(2 * sum(_lengths())))  # packed it is shorter


def checksum(path: Path = SHIPPED) -> str:
    """The CRC-32 of a whole file in eight hexadecimal digits, by which all that is made with weights names them.

    Only the header is read, which takes a hundredth of the time: the checksum in it already covers the rest.

    Raises: FileFormatError as ``read``, but of the header alone.
    """
    with _refusals(path), open_regular(path) as file:
        lines = file.readline(len(_MAGIC)) + file.readline(_LONGEST_HEADER)
        header, _ = _header(lines)
        rest = os.fstat(file.fileno()).st_size - len(lines)
    stored = header.pop("crc32")
    # Both CRCs end with the same bytes, so they differ only by how they began, moved on over those bytes.
    begun = zlib.crc32(lines) ^ _checksum(header, b"")
    return f"{(stored ^ _times(begun, _power_of_x(8 * rest))) & 0xFFFFFFFF:08x}"


def version() -> str:
    """The text by which results of two builds differ: ``1.1.0, evaluation f2eaca31``.

    Raises: FileFormatError as ``checksum``.
    """
    return f"{__version__}, evaluation {checksum()}"


def identity(path: Path = SHIPPED) -> str:
    """16 hexadecimal digits that identify the weights of a file; only the header is read.

    Raises: FileFormatError as ``read``, but of the header alone.
    """
    with _refusals(path), open_regular(path) as file:
        lines = file.readline(len(_MAGIC)) + file.readline(_LONGEST_HEADER)
        header, _ = _header(lines)
        return f"{header['crc32'] & 0xFFFFFFFF:08x}{zlib.crc32(lines):08x}"


def provenance(path: Path = SHIPPED) -> Mapping[str, Any]:
    """How the weights were made: command, seed, data counts, date.

    Raises: FileFormatError as ``read``.
    """
    read(path)
    header: dict[str, Any] = json.loads(path.read_bytes().split(b"\n", 2)[1])
    return dict(header["provenance"])


def packed(weights: Weights, made: Mapping[str, Any]) -> bytes:
    """The contents of a weights file; `made` is its provenance. Of mirrored configurations the first counts."""
    tables = fold(weights.tables, _representatives(), PHASES)
    flags, rows = fold_rows(weights.rows, _representatives(), SUMS)
    raw = _apart(tables) + _little(weights.layers) + flags + rows
    body = zlib.compress(raw, 9)
    header: dict[str, Any] = {**_expected_header(), "bytes": len(raw), "provenance": dict(made)}
    header["crc32"] = _checksum(header, body)
    return _MAGIC + json.dumps(header).encode() + b"\n" + body


def _expected_header() -> dict[str, int]:
    return {
        "layout": layout_hash(),
        "phases": PHASES,
        "stages": STAGES,
        "heads": HEADS,
        "weights": WEIGHTS_OF_A_PHASE,
        "sums": SUMS,
        "units": HIDDEN,
    }


@contextmanager
def _refusals(path: Path) -> Iterator[None]:
    """Turn faults of a file into a FileFormatError that names it."""
    try:
        yield
    except OSError as error:
        raise FileFormatError(f"can't read the evaluation weights {path} ({error.strerror})") from None
    except ValueError as error:
        raise FileFormatError(f"can't read the evaluation weights {path} ({error})") from None


def _header(content: bytes) -> tuple[dict[str, Any], bytes]:
    """The header of a file's content, which fits this engine, and what follows it.

    Raises: ValueError with the value that came instead.
    """
    if not content.startswith(_MAGIC):
        raise ValueError("a file of another kind or version")
    first_line, _, rest = content.removeprefix(_MAGIC).partition(b"\n")
    try:
        header = json.loads(first_line)
    except (ValueError, RecursionError):
        raise ValueError("a damaged header") from None
    for key, value in _expected_header().items():
        if not isinstance(header, dict) or header.get(key) != value:
            raise ValueError(f"another {key} than this engine's {value}")
    if not isinstance(header.get("crc32"), int):
        raise ValueError("a header without a checksum")
    return header, rest


def _decode(content: bytes) -> Weights:
    """The weights in a file's content.

    Raises: ValueError with the value that came instead.
    """
    header, packed = _header(content)
    if header.pop("crc32") != _checksum(header, packed):
        raise ValueError("weights that differ from their checksum")
    raw = memoryview(_unpack(packed, header.get("bytes")))
    tables, layers, flags, _ = _lengths()
    rows = raw[tables + layers :]
    return Weights(
        unfold(_together(raw[:tables]), _representatives(), PHASES),
        unfold_rows(rows[:flags], rows[flags:].cast("b"), _representatives(), SUMS, STAGES),
        _from_little(raw[tables : tables + layers]),
    )


def _little(numbers: Numbers) -> bytes:
    """Numbers of 16 bits, the low byte first on any machine."""
    ordered = array("h", numbers)
    if sys.byteorder == "big":
        ordered.byteswap()
    return ordered.tobytes()


def _from_little(raw: bytes | bytearray | memoryview) -> array[int]:
    numbers = array("h")
    numbers.frombytes(raw)
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers


def _apart(numbers: Numbers) -> bytes:
    """Numbers of 16 bits: all low bytes, then all high bytes."""
    raw = _little(numbers)
    return raw[0::2] + raw[1::2]


def _together(raw: memoryview) -> array[int]:
    """The whole of the parts that `_apart` made."""
    both = bytearray(len(raw))
    both[0::2], both[1::2] = raw[: len(raw) // 2], raw[len(raw) // 2 :]
    return _from_little(both)


def _checksum(header: Mapping[str, Any], packed: bytes) -> int:
    """Of all but the checksum itself, however the header is laid out."""
    return zlib.crc32(packed, zlib.crc32(json.dumps(header, sort_keys=True).encode()))


_POLYNOMIAL = 0xEDB88320  # of CRC-32, without x^32; bit 31 is the factor of x^0


def _times(one: int, other: int) -> int:
    """The product of two polynomials modulo CRC-32's."""
    product = 0
    for bit in reversed(range(32)):
        if one >> bit & 1:
            product ^= other
        other = other >> 1 ^ (_POLYNOMIAL if other & 1 else 0)
    return product


def _power_of_x(exponent: int) -> int:
    """x^exponent modulo CRC-32's polynomial."""
    power, square = 1 << 31, 1 << 30
    while exponent:
        if exponent & 1:
            power = _times(power, square)
        square = _times(square, square)
        exponent >>= 1
    return power


def _unpack(packed: bytes, announced: object) -> bytes:
    """The raw weights, never more than their announced length: a hostile file may not fill the memory."""
    tables, layers, flags, rows = _lengths()
    least = tables + layers + flags
    if not isinstance(announced, int) or not least <= announced <= least + rows:
        raise ValueError(f"another number of bytes than {least} to {least + rows}")
    unpacker = zlib.decompressobj()
    try:
        raw = unpacker.decompress(packed, announced + 1)
    except zlib.error:
        raise ValueError("damaged weights") from None
    if len(raw) != announced or not unpacker.eof or unpacker.unused_data:
        raise ValueError("truncated or overlong weights")
    return raw
