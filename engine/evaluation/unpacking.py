"""Packs and unpacks the numbers of the weights; weights.py describes the packed and the unpacked file.

This module imports no other module of Outflank, since setup.py executes its file without the package, also in builds
for another CPU.

The packed file leaves out redundant numbers. Two mirrored configurations of a pattern have the same weight, which is
stored once. The weights of a phase are stored as differences from the next phase, since most differences are small; the
last phase comes first, complete. Most rows of the network contain only zeros; these rows are left out.
"""

import functools
import json
import sys
import zlib
from array import array
from collections.abc import Iterator, Mapping
from itertools import chain
from operator import add, itemgetter, sub
from typing import Any

PATTERNS = tuple(
    tuple(squares.split())
    for squares in (
        "a1 b1 a2 b2 c1 a3 c2 b3 c3",
        "e1 d1 c1 b1 a1 a2 a3 a4 a5 b2",
        "b2 a1 b1 c1 d1 e1 f1 g1 h1 g2",
        "a1 c1 d1 c2 d2 e2 f2 e1 f1 h1",
        "a2 b2 c2 d2 e2 f2 g2 h2",
        "a3 b3 c3 d3 e3 f3 g3 h3",
        "a4 b4 c4 d4 e4 f4 g4 h4",
        "a1 b2 c3 d4 e5 f6 g7 h8",
        "b1 c2 d3 e4 f5 g6 h7",
        "c1 d2 e3 f4 g5 h6",
        "d1 e2 f3 g4 h5",
        "a4 b3 c2 d1",
        "a1 b1 c1 d1 e1 a2 b2 c2 d2 e2",
    )
)
PACKED_MAGIC = b"OUTFLANK WEIGHTS 6\n"
UNPACKED_MAGIC = f"OUTFLANK UNPACKED WEIGHTS 2 {sys.byteorder}\n".encode()
ROW_BITS = 18  # the number of bits of an entry that contain the index of its row; the same as in evaluate.h
ALIGNMENT = 64  # the alignment of the numbers in an unpacked file, in bytes: no row crosses a cache line

# The tables, rows and layers of `weights.Weights`.
_Numbers = tuple["array[int]", "array[int]", "array[int]"]
_Shape = Mapping[str, Any]


def unpacked_file(content: bytes, spread: bool = True) -> bytes:
    """Return the contents of the unpacked file for a packed one.

    Args:
        content: the contents of the packed file.
        spread: True to write an entry for every weight; processes then share the file's memory. Otherwise, mirrored
            configurations share an entry, and each process spreads the entries to all weights in its own memory.
    """
    line, _, body = content.removeprefix(PACKED_MAGIC).partition(b"\n")
    header = json.loads(line)
    tables, rows, layers = unpack(header, body)
    kept, distinct, counts = entries_and_rows(header, tables, rows)
    places = columns(header["weights"])
    if spread:
        width, of_all = len(kept) // header["phases"], itemgetter(*places)
        phases = (kept[begin : begin + width] for begin in range(0, len(kept), width))
        kept = array("i", chain.from_iterable(map(of_all, phases)))
        places = array("i")
    facts = {
        **header,
        "rows": counts,
        "kept": len(kept) // header["phases"],
        "row_bits": ROW_BITS,
        "file": f"{zlib.crc32(content):08x}",
    }
    head = UNPACKED_MAGIC + json.dumps(facts).encode()
    padding = b" " * (-(len(head) + 1) % ALIGNMENT) + b"\n"
    return head + padding + distinct + kept.tobytes() + places.tobytes() + layers.tobytes()


@functools.cache
def columns(weights: int) -> "array[int]":
    """Return, for each weight of a phase, the index of its value among the kept weights, as int32.

    Args:
        weights: the number of weights of a phase. All weights that follow the patterns' weights are kept.
    """
    representatives: list[int] = []
    for squares in PATTERNS:
        # For each configuration of the pattern, in the order of indices, the index of the mirrored configuration.
        mirrored, begin = [0], len(representatives)
        for name in _mirrored(squares):
            worth = 3 ** (len(squares) - 1 - squares.index(name))
            mirrored = [index + digit * worth for index in mirrored for digit in range(3)]
        representatives += (begin + min(pair) for pair in enumerate(mirrored))
    representatives += range(len(representatives), weights)
    kept = [weight for weight, other in enumerate(representatives) if weight == other]
    column_of = dict(zip(kept, range(len(kept)), strict=True))
    return array("i", map(column_of.__getitem__, representatives))


def _mirrored(squares: tuple[str, ...]) -> tuple[str, ...]:
    """Return the images of a pattern's squares under a reflection that maps the pattern to itself.

    If there is no such reflection, returns the squares unchanged.
    """
    files, rows = "abcdefgh", "12345678"
    mirror_files, mirror_rows = str.maketrans(files, files[::-1]), str.maketrans(rows, rows[::-1])
    transpose = str.maketrans(files + rows, rows + files)
    transposed = tuple(name.translate(transpose)[::-1] for name in squares)
    for image in (
        tuple(name.translate(mirror_files) for name in squares),
        tuple(name.translate(mirror_rows) for name in squares),
        transposed,
        tuple(name.translate(mirror_files).translate(mirror_rows) for name in transposed),
    ):
        if image != squares and set(image) == set(squares):
            return image
    return squares


def _sizes(shape: _Shape) -> tuple[int, int, int, int]:
    """Return the number of kept weights of a phase, and the sizes in bytes of the tables, layers and row flags."""
    kept = columns(shape["weights"])[-1] + 1
    sums, units = shape["sums"], shape["units"]
    layer = sums + sums * units + 2 * units + 1
    return kept, 2 * shape["phases"] * kept, 2 * shape["heads"] * layer, -(-shape["stages"] * kept // 8)


def unpack(header: _Shape, body: bytes) -> _Numbers:
    """Return the numbers of a packed file. `weights.packed` writes the header.

    Raises: ValueError if the body does not fit the header.
    """
    kept, tables, layers, flags = _sizes(header)
    count, width = header["stages"] * kept, header["sums"]
    least = tables + layers + flags
    raw = _decompressed(body, header.get("bytes"), least, least + count * width)
    both = bytearray(tables)
    both[0::2], both[1::2] = raw[: tables // 2], raw[tables // 2 : tables]
    bits = f"{int.from_bytes(raw[least - flags : least], 'little'):0{count}b}"[::-1]
    if len(bits) > count or bits.count("1") * width != len(raw) - least:
        raise ValueError("another number of rows than announced")
    kept_rows, nothing = _pieces(raw[least:], width), bytes(width)
    rows = b"".join(next(kept_rows) if bit == "1" else nothing for bit in bits)
    return (
        _accumulated(_from_little(both), kept),
        array("b", rows),
        _from_little(raw[tables : tables + layers]),
    )


def _decompressed(body: bytes, announced: object, least: int, most: int) -> bytes:
    """Decompress the raw numbers, up to the announced length, so that a hostile file can't fill the memory."""
    if not isinstance(announced, int) or not least <= announced <= most:
        raise ValueError(f"another number of bytes than {least} to {most}")
    unpacker = zlib.decompressobj()
    try:
        raw = unpacker.decompress(body, announced + 1)
    except zlib.error:
        raise ValueError("damaged weights") from None
    if len(raw) != announced or not unpacker.eof or unpacker.unused_data:
        raise ValueError("truncated or overlong weights")
    return raw


def _pieces(content: bytes, size: int) -> Iterator[bytes]:
    return (content[begin : begin + size] for begin in range(0, len(content), size))


def _accumulated(steps: "array[int]", kept: int) -> "array[int]":
    """Return the tables, the first phase first. `steps`: the differences between phases, the last phase first."""
    phases = [array("h", bytes(2 * kept))]
    try:
        for begin in range(0, len(steps), kept):
            phases.append(array("h", map(add, phases[-1], steps[begin : begin + kept])))
    except OverflowError:
        raise ValueError("tables of numbers beyond 16 bits") from None
    return array("h", b"".join(phase.tobytes() for phase in phases[:0:-1]))


def pack(shape: _Shape, tables: "array[int]", rows: "array[int]", layers: "array[int]") -> bytes:
    """Return the numbers in the order in which `unpack` reads them, not yet compressed."""
    kept, *_ = _sizes(shape)
    phases = [tables[begin : begin + kept] for begin in range(0, len(tables), kept)]
    last_first = [*reversed(phases)]
    steps = last_first[0]
    for phase, following in zip(last_first[1:], last_first, strict=False):
        steps.extend(map(sub, phase, following))
    nothing = bytes(shape["sums"])
    kept_rows = [*_pieces(rows.tobytes(), shape["sums"])]
    bits = "".join("0" if row == nothing else "1" for row in kept_rows)
    flags = int(bits[::-1], 2).to_bytes(-(-len(bits) // 8), "little")
    packed = _little(steps)
    not_empty = (row for row in kept_rows if row != nothing)
    return b"".join((packed[0::2], packed[1::2], _little(layers), flags, *not_empty))


def entries_and_rows(
    shape: _Shape, tables: "array[int]", rows: "array[int]"
) -> "tuple[array[int], bytes, list[int]]":
    """Return the entries of the kept weights (int32), the distinct rows of each stage, and the number of rows by stage.

    Raises: ValueError if a stage has more than 2^ROW_BITS distinct rows.
    """
    kept, width = columns(shape["weights"])[-1] + 1, shape["sums"]
    phases, stages = shape["phases"], shape["stages"]
    content, entries = rows.tobytes(), array("i")
    different: list[bytes] = []
    counts: list[int] = []
    for stage in range(stages):
        number_of: dict[bytes, int] = {}
        here = content[stage * kept * width : (stage + 1) * kept * width]
        numbers = [number_of.setdefault(row, len(number_of)) for row in _pieces(here, width)]
        if len(number_of) > 1 << ROW_BITS:
            raise ValueError(
                f"{len(number_of)} different rows in a stage, where {1 << ROW_BITS} are possible"
            )
        different += number_of
        counts.append(len(number_of))
        for phase in range(stage * phases // stages, (stage + 1) * phases // stages):
            values = map((1 << ROW_BITS).__mul__, tables[phase * kept : (phase + 1) * kept])
            entries.extend(map(add, values, numbers))
    return entries, b"".join(different), counts


def _little(numbers: "array[int]") -> bytes:
    """Return numbers of 16 bits as bytes, the low byte first on every machine."""
    ordered = numbers[:]
    if sys.byteorder == "big":
        ordered.byteswap()
    return ordered.tobytes()


def _from_little(raw: bytes | bytearray) -> "array[int]":
    numbers = array("h", bytes(raw))
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers
