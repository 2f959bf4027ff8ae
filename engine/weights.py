r"""The evaluation's weights file: reads, checks and writes it.

    line 1    OUTFLANK WEIGHTS 1
    line 2    a JSON object: layout (hash of the patterns), phases, weights (a phase), bytes, crc32, provenance
    the rest  zlib-compressed weights in 1/128 disc from the side to move, folded (folding.pyi): first the low
              bytes of all, then the high bytes, which compress better apart

`bytes` is the size of the uncompressed folded weights, `crc32` the checksum of the rest of the header and of the
compressed weights. Anything else is refused, with the file's name and the reason.
"""

from __future__ import annotations

import functools
import json
import sys
import zlib
from array import array
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from outflank.engine.errors import FileFormatError
from outflank.engine.folding import fold, representatives, unfold
from outflank.engine.patterns import WEIGHTS_A_PHASE, layout_hash

SHIPPED = Path(__file__).with_name("weights.bin")
PHASES = 30
_MAGIC = b"OUTFLANK WEIGHTS 1\n"


@functools.cache
def _representatives() -> array[int]:
    """The fold map, made when it is first needed: it takes some hundredths of a second."""
    return representatives()


@functools.cache
def _bytes() -> int:
    """Length of all folded weights."""
    return PHASES * len(set(_representatives())) * 2


def read(path: Path = SHIPPED) -> array[int]:
    """All weights, phase by phase: int16, PHASES * WEIGHTS_A_PHASE of them.

    Raises: FileFormatError naming the file and what is wrong with it.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise FileFormatError(f"expected evaluation weights in {path}, got: {error.strerror}") from None
    try:
        return _decode(content)
    except ValueError as error:
        raise FileFormatError(f"expected evaluation weights in {path}, got {error}") from None


def provenance(path: Path = SHIPPED) -> Mapping[str, Any]:
    """How the weights were made: command, seed, data counts, date.

    Raises: FileFormatError as ``read``.
    """
    read(path)
    header: dict[str, Any] = json.loads(path.read_bytes().split(b"\n", 2)[1])
    return dict(header["provenance"])


def write(path: Path, weights: array[int], made: Mapping[str, Any]) -> None:
    """Write a weights file; `made` is its provenance. Of mirrored configurations the first one's weight counts.

    Raises: ValueError unless there are PHASES * WEIGHTS_A_PHASE int16 weights.
    """
    if weights.typecode != "h" or len(weights) != PHASES * WEIGHTS_A_PHASE:
        raise ValueError(
            f"expected {PHASES * WEIGHTS_A_PHASE} weights of 16 bits, got {len(weights)} {weights.typecode!r}"
        )
    folded = fold(weights, _representatives(), PHASES)
    raw = bytes(weight & 0xFF for weight in folded) + bytes(weight >> 8 & 0xFF for weight in folded)
    packed = zlib.compress(raw, 9)
    header: dict[str, Any] = {**_expected_header(), "provenance": dict(made)}
    header["crc32"] = _checksum(header, packed)
    path.write_bytes(_MAGIC + json.dumps(header).encode() + b"\n" + packed)


def _expected_header() -> dict[str, int]:
    return {"layout": layout_hash(), "phases": PHASES, "weights": WEIGHTS_A_PHASE, "bytes": _bytes()}


def _decode(content: bytes) -> array[int]:
    """The weights in a file's content.

    Raises: ValueError saying what came instead.
    """
    if not content.startswith(_MAGIC):
        raise ValueError("a file of another kind or version")
    first_line, _, packed = content.removeprefix(_MAGIC).partition(b"\n")
    try:
        header = json.loads(first_line)
    except ValueError:
        raise ValueError("a damaged header") from None
    for key, value in _expected_header().items():
        if not isinstance(header, dict) or header.get(key) != value:
            raise ValueError(f"another {key} than this engine's {value}")
    if header.pop("crc32", None) != _checksum(header, packed):
        raise ValueError("weights that differ from their checksum")
    raw = _unpack(packed)
    both = bytearray(_bytes())
    low = 0 if sys.byteorder == "little" else 1
    both[low::2], both[1 - low :: 2] = raw[: _bytes() // 2], raw[_bytes() // 2 :]
    return unfold(array("h", both), _representatives(), PHASES)


def _checksum(header: Mapping[str, Any], packed: bytes) -> int:
    """Of all but the checksum itself, however the header is laid out."""
    return zlib.crc32(packed, zlib.crc32(json.dumps(header, sort_keys=True).encode()))


def _unpack(packed: bytes) -> bytes:
    """The raw weights, never more than their announced length: a hostile file may not fill the memory."""
    unpacker = zlib.decompressobj()
    try:
        raw = unpacker.decompress(packed, _bytes() + 1)
    except zlib.error:
        raise ValueError("damaged weights") from None
    if len(raw) != _bytes() or not unpacker.eof or unpacker.unused_data:
        raise ValueError("truncated or overlong weights")
    return raw
