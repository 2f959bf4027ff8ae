"""Joins what a weight says and the number of its row into an entry; entries.pxd says what for."""

from array import array

from outflank.engine.evaluation.memory import Numbers

MOST_ROWS: int
MOST_IN_TABLE: int

def distinct_rows(rows: Numbers, width: int, stages: int) -> tuple[memoryview[int], array[int], array[int]]:
    """Each stage's rows of `width` numbers, int8, every one once.

    Three answers: the rows, in memory made for them; int32 with the number of each stage's first row there; int32 with
    the number of each old row's equal, counted from its stage's first.

    Raises: ValueError if a stage has more than MOST_ROWS different ones.
    """

def with_rows(tables: Numbers, numbers: Numbers, phases: int, stages: int) -> memoryview[int]:
    """The entries, int32, of weights, int16, whose rows have these numbers; in memory made for them."""
