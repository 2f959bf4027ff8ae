"""Leaves out of the weights what follows from the rest, for a small file.

Configurations of a pattern that mirror each other share a weight: only the first of each pair is kept. And phases
differ little from the next, least where a configuration is rare: only the difference is kept, from the last phase
back to the first. Differences wrap round at 16 bits, and come back the same way. Rows of the network that are all 0,
most of them, are not kept at all.
"""

from array import array

from outflank.engine.evaluation.memory import Numbers

def representatives() -> array[int]:
    """For each weight of a phase the first weight that has to be equal to it; int32."""

def weights_kept(representative: array[int]) -> int:
    """How many weights of a phase are kept: those that are their own representatives."""

def fold(weights: Numbers, representative: array[int], phases: int) -> array[int]:
    """The weights of all phases, int16, without those that `unfold` works out: last phase first, int16."""

def unfold(folded: array[int], representative: array[int], phases: int) -> memoryview[int]:
    """The weights of all phases, phase by phase, from what `fold` kept; in memory made for them."""

def fold_rows(rows: Numbers, representative: array[int], width: int) -> tuple[bytes, bytes]:
    """Rows of `width` numbers, int8, one for each weight of a phase, for several stages, stage by stage.

    Of those that are not equal to an earlier one by `representative`, a bit each says which are not all 0, the first
    in the lowest bit of the first byte; those follow one another in the second answer.
    """

def unfold_rows(
    flags: bytes | memoryview, kept: memoryview[int], representative: array[int], width: int, stages: int
) -> memoryview[int]:
    """The rows of all stages, int8, from both answers of `fold_rows`, the second as numbers, in new memory.

    Raises: ValueError if there are too many or too few.
    """

def farthest(numbers: Numbers) -> int:
    """How far from 0 the numbers go, int8 or int16."""
