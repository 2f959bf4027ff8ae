"""The sizes of the network over the patterns; network.pxd says what it is."""

STAGES: int
"""How many stages the game has, each of as many phases; the network has other rows in each."""
HEADS: int
"""How many heads there are, one for each number of empty squares, 60 first."""
SCORE_BITS: int
"""A disc is 1 << SCORE_BITS in the numbers of the tables and in what the network adds."""
SUMS: int
"""How many sums the network's rows are added to: the numbers in a row."""
HIDDEN: int
"""How many units follow the sums."""
NUMBERS_OF_A_LAYER: int
"""How many numbers a weights file has for a head, in the order of network.h."""
MOST_IN_ROW: int
"""No number of a row is farther from 0."""
