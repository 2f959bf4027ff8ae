"""Puts the weights' numbers into less room, in the file and in memory, and checks them there.

For a small file what follows from the rest is left out: `fold` and `unfold`. Configurations of a pattern that mirror
each other share a weight: only the first of each pair is kept. And phases differ little from the next, least where a
configuration is rare: only the difference is kept, from the last phase back to the first. Differences wrap round at 16
bits, and come back the same way. Rows of the network that are all 0, most of them, are not kept at all.

For the search each different row is kept once, and a weight is joined with the number of its row into an entry:
`distinct_rows` and `with_rows`; evaluate.pxd says what for.

All that lies in large memory, in huge pages where the system has them: what is read all over the place misses fewer
translations.
"""

import mmap
from array import array

from outflank.engine.evaluation.weights import Numbers

MOST_ROWS: int
"""A stage has no more different rows."""
MOST_IN_TABLE: int
"""No weight of the tables is farther from 0."""

def reserve(size: int) -> mmap.mmap:
    """Zeroed memory of `size` bytes, at the beginning of a page; the system fills it in when it is first touched.

    Raises: OSError if it can't be had.
    """

def shared(descriptor: int, size: int) -> mmap.mmap:
    """The first `size` bytes of a file, read-only: in memory once, however many processes map them.

    If the file gets shorter, reading ends the process by SIGBUS; it says why on standard error before, unless the
    program has a handler of its own for this signal.

    Raises: OSError if it can't be mapped; ValueError if the file is shorter.
    """

def representatives() -> array[int]:
    """For each weight of a phase the first weight that has to be equal to it; int32."""

def weights_kept(representative: array[int]) -> int:
    """How many weights of a phase are kept: those that are their own representatives."""

def fold(weights: Numbers, representative: array[int], phases: int) -> array[int]:
    """The weights of all phases, int16, without the ones that `unfold` computes: last phase first, int16."""

def unfold(folded: array[int], representative: array[int], phases: int) -> memoryview[int]:
    """The weights of all phases, phase by phase, from what `fold` kept; in memory made for them."""

def fold_rows(rows: Numbers, representative: array[int], width: int) -> tuple[bytes, bytes]:
    """Rows of `width` numbers, int8, one for each weight of a phase, for several stages, stage by stage.

    The first answer has a bit for each row that `representative` does not equate with an earlier one, the first
    in the lowest bit of the first byte: 1 unless the row is all 0. The second answer has the rows that are not.
    """

def unfold_rows(
    flags: bytes | memoryview, kept: memoryview[int], representative: array[int], width: int, stages: int
) -> memoryview[int]:
    """The rows of all stages, int8, from both answers of `fold_rows`, the second as numbers, in new memory.

    Raises: ValueError if there are too many or too few.
    """

def farthest(numbers: Numbers) -> int:
    """How far from 0 the numbers go, int8 or int16."""

def distinct_rows(rows: Numbers, width: int, stages: int) -> tuple[memoryview[int], array[int], array[int]]:
    """Each stage's rows of `width` numbers, int8, every one once.

    Three answers: the rows, in memory made for them; int32 with the number of each stage's first row there; int32 with
    the number of each old row's equal, counted from its stage's first.

    Raises: ValueError if a stage has more than MOST_ROWS different ones.
    """

def with_rows(tables: Numbers, numbers: Numbers, phases: int, stages: int) -> memoryview[int]:
    """The entries, int32, of weights, int16, whose rows have these numbers; in memory made for them."""

def checksum(memory: bytes | bytearray | memoryview[int] | mmap.mmap) -> int:
    """A number of 64 bits that depends on every byte of `memory` and on where it stands.

    Any change within eight bytes in a row changes it; another one is missed with a chance of about 2^-64. It is no
    guard against someone who means to deceive.

    Args:
        memory: a multiple of 64 bytes.

    Raises: ValueError if it is not.
    """
