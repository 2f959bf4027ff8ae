"""The checksum of much memory: any byte and its place count."""

import random

import pytest

from outflank.engine.evaluation.checksum import checksum


def test_the_same_bytes_have_the_same_sum_whatever_holds_them() -> None:
    content = random.Random(1).randbytes(640)

    assert checksum(content) == checksum(bytearray(content)) == checksum(memoryview(content))
    assert 0 <= checksum(content) < 1 << 64


def test_every_single_bit_counts() -> None:
    content = random.Random(2).randbytes(256)
    sums = {checksum(content)}
    for bit in range(8 * len(content)):
        changed = bytearray(content)
        changed[bit // 8] ^= 1 << bit % 8
        sums.add(checksum(changed))

    assert len(sums) == 1 + 8 * len(content)


def test_two_changed_bits_do_not_make_up_for_each_other() -> None:
    """Not even the highest ones, which a product alone would never spread."""
    found = set()
    for first in range(7, 1024, 8):
        for second in range(first + 8, 1024, 8):
            changed = bytearray(1024 // 8)
            changed[first // 8] |= 128
            changed[second // 8] |= 128
            found.add(checksum(changed))

    assert len(found) == 128 * 127 // 2


def test_the_place_and_the_length_count() -> None:
    blocks = [bytes([value]) * 64 for value in range(3)]

    assert len({checksum(b"".join(blocks)), checksum(b"".join(reversed(blocks)))}) == 2
    assert len({checksum(bytes(64 * count)) for count in range(20)}) == 20


@pytest.mark.parametrize("size", [1, 63, 65, 100])
def test_another_length_is_refused(size: int) -> None:
    with pytest.raises(ValueError, match=f"expected a multiple of 64 bytes, got {size}"):
        checksum(bytes(size))
