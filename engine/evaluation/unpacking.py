"""Packs and unpacks the numbers of the weights; weights.py describes the packed and the unpacked file.

This module imports no other module of Outflank, since setup.py executes this file without the package, even in builds
for another CPU.

The packed file leaves out redundant numbers. Two mirrored configurations of a pattern have the same weight, which is
stored once. The weights of a phase are stored as differences from the next phase, since most differences are small; the
last phase comes first and is stored in full. Most rows of the network contain only zeros; these rows are left out.
"""

import functools
import json
import re
import struct
import sys
import zlib
from array import array
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate, chain, compress, count
from operator import le
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
    numbers, distinct = zip(*numbered_rows(header, rows), strict=True)
    kept = array("i", b"".join(entries(header, tables, numbers)))
    places, phases = columns(header["weights"]), header["phases"]
    if spread:
        kept, places = _spread(kept, places, phases), array("i")
    facts = {
        **header,
        "rows": [len(stage) // header["sums"] for stage in distinct],
        "kept": len(kept) // phases,
        "row_bits": ROW_BITS,
        "file": f"{zlib.crc32(content):08x}",
    }
    head = UNPACKED_MAGIC + json.dumps(facts).encode()
    padding = b" " * (-(len(head) + 1) % ALIGNMENT) + b"\n"
    return b"".join((head, padding, *distinct, kept, places, layers))


def _spread(kept: "array[int]", places: "array[int]", phases: int) -> "array[int]":
    """Return an entry for every weight, phase by phase. `places`: see ``columns``."""
    # The entries of a weight in all phases are put side by side, so that they are copied as one piece.
    by_weight, width = kept[:], len(kept) // phases
    for phase in range(phases):
        by_weight[phase::phases] = kept[phase * width : (phase + 1) * width]
    pieces = [*_pieces(by_weight, phases * kept.itemsize)]
    by_weight = array("i", b"".join(map(pieces.__getitem__, places)))
    return array("i", b"".join(by_weight[phase::phases].tobytes() for phase in range(phases)))


@functools.cache
def columns(weights: int) -> "array[int]":
    """Return, for each weight of a phase, the index of its value among the kept weights, as int32.

    Args:
        weights: the number of weights of a phase. All weights that follow the patterns' weights are kept.
    """
    found, kept = array("i"), 0
    for squares in PATTERNS:
        # `mirrored` has the index of each configuration's mirror image, in the order of the configurations' indices.
        mirrored = [0]
        for name in _mirrored(squares):
            worth = 3 ** (len(squares) - 1 - squares.index(name))
            mirrored = [index + digit for index in mirrored for digit in (0, worth, 2 * worth)]
        indices = range(len(mirrored))
        # Of two mirrored configurations, the one with the lower index is kept. `numbers` counts the kept weights that
        # precede each configuration.
        numbers = [*accumulate(map(le, indices, mirrored), initial=kept)]
        found.extend(map(numbers.__getitem__, map(min, indices, mirrored)))
        kept = numbers[-1]
    found.extend(range(kept, kept + weights - len(found)))
    return found


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
    number, width = header["stages"] * kept, header["sums"]
    least = tables + layers + flags
    raw = _decompressed(body, header.get("bytes"), least, least + number * width)
    both = bytearray(tables)
    both[0::2], both[1::2] = raw[: tables // 2], raw[tables // 2 : tables]
    bits = f"{int.from_bytes(raw[least - flags : least], 'little'):0{number}b}"[::-1]
    if len(bits) > number or bits.count("1") * width != len(raw) - least:
        raise ValueError("a number of rows that does not match the header")
    rows, read = array("b", [0]) * (number * width), least
    for stored in re.finditer("1+", bits):
        begin, end = stored.start() * width, stored.end() * width
        rows[begin:end] = array("b", raw[read : read + end - begin])
        read += end - begin
    return (
        _accumulated(both, 2 * kept),
        rows,
        _from_little(raw[tables : tables + layers]),
    )


def _decompressed(body: bytes, announced: object, least: int, most: int) -> bytes:
    """Decompress the raw numbers, up to the announced length, so that a hostile file can't fill the memory."""
    if not isinstance(announced, int) or not least <= announced <= most:
        raise ValueError(f"an uncompressed size outside {least} to {most} bytes")
    unpacker = zlib.decompressobj()
    try:
        raw = unpacker.decompress(body, announced + 1)
    except zlib.error:
        raise ValueError("damaged weights") from None
    if len(raw) != announced or not unpacker.eof or unpacker.unused_data:
        raise ValueError("truncated or overlong weights")
    return raw


def _pieces(content: "bytes | array[int] | memoryview[int]", size: int) -> Iterator[bytes]:
    return chain.from_iterable(struct.iter_unpack(f"{size}s", content))


# Big integers add or subtract all 16-bit numbers of a phase in one operation. Each sign bit is computed separately from
# the lower bits, so that no carry and no borrow reaches the next number.


def _sign_bits(size: int) -> int:
    """Return an integer of `size` bytes in which only the sign bit of each 16-bit number is set."""
    return int.from_bytes(b"\x00\x80" * (size // 2), "little")


def _accumulated(steps: bytearray, size: int) -> "array[int]":
    """Return the tables, the first phase first.

    Args:
        steps: the differences of each phase from the next phase, the last phase first, as little-endian int16.
        size: the size of a phase in bytes.

    Raises: ValueError if a number does not fit into 16 bits.
    """
    signs = _sign_bits(size)
    others = signs ^ (1 << 8 * size) - 1
    phase, phases = 0, []
    for begin in range(0, len(steps), size):
        step = int.from_bytes(steps[begin : begin + size], "little")
        following = phase
        phase = ((following & others) + (step & others)) ^ ((following ^ step) & signs)
        # A sum has overflowed if its sign differs from the signs of both numbers that were added.
        if (phase ^ following) & (phase ^ step) & signs:
            raise ValueError("a table value beyond 16 bits")
        phases.append(phase.to_bytes(size, "little"))
    return _from_little(b"".join(reversed(phases)))


def _differences(phases: list[bytes]) -> Iterator[bytes]:
    """Yield the differences of each phase from the next phase, modulo 2^16. `phases`: all phases, the last first."""
    signs = _sign_bits(len(phases[0]))
    following = 0
    for content in phases:
        phase = int.from_bytes(content, "little")
        step = ((phase | signs) - (following & ~signs)) ^ (~(phase ^ following) & signs)
        yield step.to_bytes(len(content), "little")
        following = phase


def pack(shape: _Shape, tables: "array[int]", rows: "array[int]", layers: "array[int]") -> bytes:
    """Return the numbers in the order in which `unpack` reads them, not yet compressed.

    The tables' numbers must have at most 15 bits, so that their differences have at most 16.
    """
    kept, *_ = _sizes(shape)
    phases = [*_pieces(_little(tables), 2 * kept)]
    steps = b"".join(_differences(phases[::-1]))
    nothing = bytes(shape["sums"])
    kept_rows = [*_pieces(rows, shape["sums"])]
    is_stored = bytes(map(nothing.__ne__, kept_rows))
    bits = is_stored[::-1].translate(bytes.maketrans(b"\0\1", b"01"))
    flags = int(bits, 2).to_bytes(-(-len(bits) // 8), "little")
    return b"".join((steps[0::2], steps[1::2], _little(layers), flags, *compress(kept_rows, is_stored)))


def numbered_rows(shape: _Shape, rows: "array[int]") -> "Iterator[tuple[array[int], bytes]]":
    """Yield, for each stage, the indices (int32) of its rows among its distinct rows, and the distinct rows.

    Raises: ValueError if a stage has more than 2^ROW_BITS distinct rows.
    """
    size = len(rows) // shape["stages"]
    for begin in range(0, len(rows), size):
        stage = memoryview(rows)[begin : begin + size]
        number_of = dict(zip(dict.fromkeys(_pieces(stage, shape["sums"])), count(), strict=False))
        if len(number_of) > 1 << ROW_BITS:
            raise ValueError(
                f"expected at most {1 << ROW_BITS} distinct rows in a stage, got {len(number_of)}"
            )
        yield array("i", map(number_of.__getitem__, _pieces(stage, shape["sums"]))), b"".join(number_of)


def entries(shape: _Shape, tables: "array[int]", numbers: "Sequence[array[int]]") -> Iterator[bytes]:
    """Yield the entries (int32) of each phase's kept weights.

    `numbers`: the indices of each stage's rows, see ``numbered_rows``.

    Raises: ValueError if a number of the tables does not fit into 32 - ROW_BITS bits.
    """
    kept, phases = len(numbers[0]), shape["phases"]
    # Big integers shift and add all entries of a phase in one operation: 32 bits per entry, in the byte order here.
    as_integer = functools.partial(int.from_bytes, byteorder=sys.byteorder)
    entry_bits = as_integer(array("I", [(1 << 32 - ROW_BITS) - 1]) * kept)
    # In a number that fits into an entry, these bits are equal: the sign bit of the entry's weight and all higher bits.
    upper_bits = as_integer(array("I", [sum(1 << bit for bit in range(31 - ROW_BITS, 15))]) * kept)
    row_numbers = [*map(as_integer, numbers)]
    halves = array("h", bytes(4 * kept))
    for phase in range(phases):
        halves[sys.byteorder == "big" :: 2] = tables[phase * kept : (phase + 1) * kept]
        phase_numbers = as_integer(halves)
        if (phase_numbers ^ phase_numbers >> 1) & upper_bits:
            raise ValueError(f"a table value beyond {32 - ROW_BITS} bits")
        shifted = (phase_numbers & entry_bits) << ROW_BITS
        yield (shifted + row_numbers[phase * len(numbers) // phases]).to_bytes(4 * kept, sys.byteorder)


def _little(numbers: "array[int]") -> bytes:
    """Return numbers of 16 bits as bytes, the low byte first on every machine."""
    ordered = numbers[:]
    if sys.byteorder == "big":
        ordered.byteswap()
    return ordered.tobytes()


def _from_little(raw: bytes) -> "array[int]":
    numbers = array("h", raw)
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers
