"""A weights file that has been written anew is read anew, and old weights do not stay in memory."""

from array import array
from pathlib import Path

from outflank.engine import Position, Searcher
from outflank.engine.evaluation import weights
from outflank.engine.evaluation.patterns import PHASES, WEIGHTS_OF_A_PHASE
from outflank.tests.processes import resident_kib

START = Position.start()
_MIB = 1024  # KiB


def write(path: Path, value: int) -> Path:
    """A file of weights that are all alike."""
    same = weights.Weights.of_tables(array("h", [value]) * (PHASES * WEIGHTS_OF_A_PHASE))
    path.write_bytes(weights.packed(same, {"command": f"value {value}"}))
    return path


def test_a_file_rewritten_at_its_path_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "weights.bin"
    first = Searcher(1, weights=write(path, 0))
    assert first.evaluate(START) == 0

    second = Searcher(1, weights=write(path, 20))
    assert second.evaluate(START) > 0
    assert first.evaluate(START) == 0  # it keeps what it has read
    assert Searcher(1, weights=str(path)).evaluate(START) == second.evaluate(START)


def test_each_new_path_does_not_cost_memory_for_ever(tmp_path: Path) -> None:
    def use(number: int) -> None:
        Searcher(1, weights=write(tmp_path / f"{number}.bin", number % 3)).evaluate(START)

    for number in range(3):
        use(number)
    before = resident_kib()
    for number in range(3, 7):
        use(number)

    assert resident_kib() - before < 150 * _MIB  # 4 more would be 280
