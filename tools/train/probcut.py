"""Measures the differences between scores of shallow and deep searches, and fits the engine's error model to them.

Positions of self-play are searched at full width to increasing depths. A sample is a pair of a deep score and a
shallower score. The shallower score is from a depth of the same parity, or is the static evaluation.
"""

import json
from collections import defaultdict
from collections.abc import Sequence
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, Unpack

import numpy as np
from scipy.optimize import least_squares

from outflank.engine import Colour, Limit, Position, SearchInfo
from outflank.engine.evaluation.weights import checksum
from outflank.engine.search.probcut import SHIPPED, sigma
from outflank.storage.files import write_whole
from outflank.tools.runtime.cluster import Place
from outflank.tools.runtime.executor import open_executor, run_all, shared_searcher
from outflank.tools.runtime.kept import KeptResults
from outflank.tools.runtime.progress import progress_bar
from outflank.tools.train.dataset import load
from outflank.tools.train.label import boards_of_games
from outflank.tools.train.weights_file import made_now

_EMPTIES = range(12, 56, 2)
_BOARDS_A_TASK = 10

Cell = tuple[int, int, int]
"""The number of empty squares, the deep search's depth, and the shallow search's depth: 0 for the static evaluation."""


Measured = dict[Cell, tuple[int, float]]
"""The number of pairs of scores in a cell, and their root mean square difference in discs."""


def write(path: Path, coefficients: Sequence[float], measured: Measured, weights: Path, seed: int) -> int:
    """Write the engine's file of coefficients, with the checksum of the measured weights and the seed for the boards.

    Returns: the total number of samples.
    """
    samples = sum(count for count, _ in measured.values())
    made = {**made_now(), "weights": _named(weights), "seed": seed, "samples": samples}
    content = {"coefficients": [round(value, 8) for value in coefficients], "provenance": made}
    write_whole(path, (json.dumps(content, indent=1) + "\n").encode())
    return samples


def is_fitted_to(path: Path, weights: Path) -> bool:
    """Return whether a selectivity model was fitted to these weights."""
    return bool(json.loads(path.read_bytes())["provenance"]["weights"] == _named(weights))


def measure(
    weights: Path, folders: Sequence[Path], boards: int, depth: int, seed: int, **place: Unpack[Place]
) -> Measured:
    """Measure the differences between deep and shallow scores. Use `boards` boards for each entry of _EMPTIES."""
    records = load(folders)
    tasks = [
        tuple(chosen[first : first + _BOARDS_A_TASK])
        for empties in _EMPTIES
        for chosen in [list(islice(boards_of_games(records, empties, empties, seed), boards))]
        for first in range(0, len(chosen), _BOARDS_A_TASK)
    ]
    differences: dict[Cell, list[float]] = defaultdict(list)
    with (
        open_executor(**place) as (executor, at_once),
        progress_bar("probcut", len(tasks) * _BOARDS_A_TASK, "boards") as advance,
        KeptResults(
            "train probcut", list[tuple[Cell, float]], weights=checksum(weights), depth=depth
        ) as results,
    ):
        task = partial(_differences, weights, depth)
        for _, found in results.as_ready(tasks, str, lambda left: run_all(executor, task, left, at_once)):
            for cell, difference in found:
                differences[cell].append(difference)
            advance(_BOARDS_A_TASK)
    return {
        cell: (len(found), float(np.sqrt(np.mean(np.square(found))))) for cell, found in differences.items()
    }


def fit(measured: Measured) -> tuple[float, ...]:
    """Return the coefficients x y z a b c of engine/search/probcut.py.

    The coefficients minimize the sum of squared relative errors over the cells, each weighted by its number of samples.
    """
    cells = sorted(measured)
    counts, found = np.array([measured[cell] for cell in cells]).T
    certainty = np.sqrt(counts) / np.maximum(found, 0.5)

    def errors(coefficients: Sequence[float]) -> Any:
        return certainty * (np.array([sigma(coefficients, *cell) for cell in cells]) - found)

    begin = json.loads(SHIPPED.read_text())["coefficients"]
    return tuple(float(value) for value in least_squares(errors, begin).x)


def as_table(coefficients: Sequence[float], measured: Measured) -> str:
    """Format a table of measured and fitted deviations for each pair of depths, averaged over the empty squares."""
    by_depths: dict[tuple[int, int], list[Cell]] = defaultdict(list)
    for cell in measured:
        by_depths[cell[1:]].append(cell)
    lines = ["depth  shallow  samples  measured  model"]
    for (depth, shallow), cells in sorted(by_depths.items()):
        samples, found = zip(*(measured[cell] for cell in cells), strict=True)
        modelled = np.mean([sigma(coefficients, *cell) for cell in cells])
        lines.append(f"{depth:5d}  {shallow:7d}  {sum(samples):7d}  {np.mean(found):8.2f}  {modelled:5.2f}")
    return "\n".join(lines)


def _named(weights: Path) -> str:
    return f"CRC-32 {checksum(weights)}"


def _differences(weights: Path, depth: int, boards: Sequence[tuple[int, int]]) -> list[tuple[Cell, float]]:
    searcher = shared_searcher(weights)
    found = []
    for own, opp in boards:
        position = Position(own, opp, Colour.BLACK)
        scores = {0: searcher.evaluate(position)}

        def note(info: SearchInfo, scores: dict[int, float] = scores) -> None:
            scores[info.depth] = info.score

        searcher.clear()
        searcher.search(position, Limit(depth=min(depth, position.empties)), on_info=note)
        found += [
            ((position.empties, deep, shallow), scores[deep] - scores[shallow])
            for deep in scores
            for shallow in scores
            if shallow < deep and (shallow == 0 or (deep - shallow) % 2 == 0)
        ]
    return found
