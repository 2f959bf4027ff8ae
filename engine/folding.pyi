"""Leaves out of the weights what can be told from the rest, for a small file.

Configurations of a pattern that mirror each other share a weight: only the first of each pair is kept. And phases
differ little from the next, least where a configuration is rare: only the difference is kept, from the last phase
back to the first. Differences wrap round at 16 bits, and come back the same way.
"""

from array import array

def representatives() -> array[int]:
    """For each weight of a phase the first weight that has to be equal to it; int32."""

def weights_kept(representative: array[int]) -> int:
    """How many weights of a phase are kept: those that are their own representatives."""

def fold(weights: array[int], representative: array[int], phases: int) -> array[int]:
    """The weights of all phases, int16, without what `unfold` can tell: last phase first, int16."""

def unfold(folded: array[int], representative: array[int], phases: int) -> array[int]:
    """The weights of all phases, phase by phase, from what `fold` kept."""

def fold_rows(rows: array[int], representative: array[int], width: int) -> array[int]:
    """Rows of `width` numbers, int8, one for each weight of a phase, without those that have to be equal to another.

    There may be such rows for several stages, stage by stage.
    """

def unfold_rows(
    folded: array[int] | memoryview[int], representative: array[int], width: int, stages: int
) -> array[int]:
    """The rows of all stages from what `fold_rows` kept."""

def farthest(numbers: array[int]) -> int:
    """How far from 0 the numbers go, int8."""
