"""The evaluation against a slow one that does what evaluate.pxd and evaluate.h say, number by number."""

import itertools
from array import array
from itertools import islice

import numpy as np

from outflank.engine import Position
from outflank.engine.evaluation import weights
from outflank.engine.evaluation.evaluate import (
    HEADS,
    HIDDEN,
    MOST_IN_ROW,
    NUMBERS_OF_A_LAYER,
    SUMS,
    Evaluator,
)
from outflank.engine.evaluation.patterns import (
    INSTANCES,
    PADDING_WEIGHT,
    PHASES,
    TABLE_OF,
    TABLE_OFFSETS,
    WEIGHTS_OF_A_PHASE,
)
from outflank.engine.evaluation.unpacking import columns
from outflank.engine.evaluation.weights import SHIPPED, unpacked
from outflank.tests.support import kernels
from outflank.tests.support.positions import mask_of_names, reached


def some_positions(count: int) -> list[Position]:
    """Return positions of random games, of every phase, where the side to move has a move."""
    found = (reached(seed, 2 + seed % 59) for seed in itertools.count())
    return list(islice((each for each in found if not (each.is_over or each.must_pass)), count))


def random_weights(*loudness: int) -> weights.Weights:
    """Return weights in which everything counts; the louder a stage, the more of its sums are clipped."""
    random_number = np.random.default_rng(1).integers
    nothing = weights.Weights.nothing()
    tables = random_number(-300, 300, len(nothing.tables))
    in_stage = len(nothing.rows) // len(loudness)
    rows = np.concatenate([random_number(-most, most + 1, in_stage) for most in loudness])
    layers = random_number(-400, 400, HEADS * NUMBERS_OF_A_LAYER)
    return weights.Weights(
        array("h", tables.astype(np.int16).tobytes()),
        array("b", rows.astype(np.int8).tobytes()),
        array("h", layers.astype(np.int16).tobytes()),
    )


def counting(position: Position) -> list[int]:
    """Return the weights that count in a position, each pattern read square by square."""
    found = []
    for table, squares in zip(TABLE_OF, INSTANCES, strict=True):
        number = 0
        for name in squares:
            square = mask_of_names(name)
            number = 3 * number + (0 if position.own & square else 1 if position.opp & square else 2)
        found.append(TABLE_OFFSETS[table] + number)
    masks = [position.legal_mask(side) for side in (position.side, position.side.other)]
    moves = [min(15, mask.bit_count()) for mask in masks]
    mobility = TABLE_OFFSETS[-1] + 16 * moves[0] + moves[1]
    corners = [TABLE_OFFSETS[-1] + 256 + corner_class(corner, masks) for corner in ("a1", "h1", "a8", "h8")]
    return [*found, mobility, *corners, TABLE_OFFSETS[-1] + 512 if position.empties % 2 else PADDING_WEIGHT]


def corner_class(corner: str, masks: "list[int]") -> int:
    """Return the number of a corner's weight that counts: the lower one of the two ways to look at the corner.

    From the lowest bit: X square, one C square, the other C square, corner; first the own moves, then the opponent's.
    """
    file, row = corner[0], corner[1]
    next_file, next_row = {"a": "b", "h": "g"}[file], {"1": "2", "8": "7"}[row]
    x, c_squares = next_file + next_row, [next_file + row, file + next_row]
    ways = ([x, *some, corner] for some in (c_squares, c_squares[::-1]))
    return min(
        sum(
            bool(mask & mask_of_names(name)) << 4 * side + place
            for side, mask in enumerate(masks)
            for place, name in enumerate(way)
        )
        for way in ways
    )


def slow_score(given: weights.Weights, position: Position) -> int:
    """Return the score in discs, in Python's integers."""
    phase = max(0, min(PHASES - 1, (60 - position.empties) // 2))
    column_of = columns(WEIGHTS_OF_A_PHASE)
    kept, counted = column_of[-1] + 1, [column_of[weight] for weight in counting(position)]
    stage = memoryview(given.rows)[phase // 10 * kept * SUMS :]  # no copy of millions
    rows = [stage[place * SUMS : (place + 1) * SUMS] for place in counted]
    head = max(0, min(HEADS - 1, 60 - position.empties))
    layer = given.layers[head * NUMBERS_OF_A_LAYER : (head + 1) * NUMBERS_OF_A_LAYER].tolist()
    start, layer = layer[:SUMS], layer[SUMS:]
    into, layer = layer[: SUMS * HIDDEN], layer[SUMS * HIDDEN :]
    threshold, out, last = layer[:HIDDEN], layer[HIDDEN : 2 * HIDDEN], layer[-1]
    sums = [sum(numbers) for numbers in zip(start, *rows, strict=True)]
    squares = [min(max(number, -128), 128) ** 2 // 128 for number in sums]
    total = 0
    for unit in range(HIDDEN):
        pull = 128 * threshold[unit] + sum(
            value * into[number * HIDDEN + unit] for number, value in enumerate(squares)
        )
        total += max(pull, 0) // 128 * out[unit]
    score = sum(given.tables[phase * kept + place] for place in counted) + last + total // 1024
    return max(-62, min(62, (score + 64) // 128))


def test_every_score_is_that_of_the_slow_evaluation() -> None:
    given = random_weights(2, 10, MOST_IN_ROW)
    evaluator = Evaluator(unpacked(given))

    positions = some_positions(450)
    scores = [evaluator.score(position) for position in positions]

    assert scores == [slow_score(given, position) for position in positions]
    assert len(set(scores)) > 20


def test_the_shipped_scores_are_those_of_the_slow_evaluation() -> None:
    given = weights.read(SHIPPED.with_name("weights.bin"))
    evaluator = Evaluator(weights.load())

    for position in some_positions(300):
        assert evaluator.score(position) == slow_score(given, position)


def test_the_loop_of_the_benchmark_evaluates_what_it_is_given() -> None:
    evaluator, positions = Evaluator(weights.load()), some_positions(100)
    own = np.array([position.own for position in positions], np.uint64)
    opp = np.array([position.opp for position in positions], np.uint64)

    assert kernels.total_evaluations(evaluator, own, opp, 1) == sum(map(evaluator.score, positions))


def test_small_numbers_are_good_enough_for_the_order_of_moves() -> None:
    evaluator = Evaluator(weights.load())
    checked = 0
    for position in some_positions(2000):
        exact, rough = kernels.tables_scores(evaluator, position)
        if position.empties > 17:
            assert rough == exact
        elif position.empties in (11, 12):
            assert abs(rough - exact) <= 60 * 8  # each of 60 weights is rounded by at most half a unit
            checked += 1
    assert checked > 50
