"""Compiled for aarch64, where only the portable kernels serve, the engine counts and searches as it does here.

``make aarch64`` fetches the system that it runs in and calls these tests.
"""

import pytest

from outflank.tests.aarch64 import Aarch64, missing
from outflank.tests.installation import ROOT, clone, python_script
from outflank.tests.races import BOARD
from outflank.tests.signature import nodes, nodes_here

LACKING = list(missing())
pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(3600),
    pytest.mark.xdist_group("aarch64"),
    pytest.mark.skipif(bool(LACKING), reason=f"not found: {', '.join(LACKING)}"),
]
LEAVES = {1: 4, 2: 12, 3: 56, 4: 244, 5: 1396, 6: 8200, 7: 55092, 8: 390216}
_AARCH64 = 183  # EM_AARCH64 of the ELF header
SOLVE = f"""
from outflank.engine import Limit, Position, Searcher
board, searcher = Position.parse({BOARD!r}), Searcher()
while board.empties > 14:
    board = board.play(searcher.search(board, Limit(depth=4)).move)
print(board, *(Searcher(threads=threads).search(board, Limit.solve()).score for threads in (1, 2)))
"""


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Aarch64:
    return Aarch64(clone(tmp_path_factory.mktemp("aarch64")))


def test_every_module_is_compiled_for_it(built: Aarch64) -> None:
    machines = {path.stem: int.from_bytes(path.read_bytes()[18:20], "little") for path in built.modules()}

    assert machines == {path.stem: _AARCH64 for path in (ROOT / "engine").rglob("*.pyx")}


def test_perft_counts_what_is_published(built: Aarch64) -> None:
    count = f"{{depth: perft(Position.start(), depth) for depth in {list(LEAVES)}}}"
    script = f"from outflank.engine import Position, perft; print({count})"

    told = built.python("-c", script)

    assert (told.stdout, told.stderr) == (f"{LEAVES}\n", "")


def test_the_bench_signature_is_that_of_this_machine(built: Aarch64) -> None:
    here = nodes_here()
    there = built.outflank("bench", "--json")

    assert there.stderr == ""
    assert len(here) > 10
    assert nodes(there.stdout) == here


def test_two_threads_prove_the_score_that_one_proves_here(built: Aarch64) -> None:
    here, there = python_script("-c", SOLVE), built.python("-c", SOLVE)

    assert here.stdout != ""
    assert (there.stdout, there.stderr) == (here.stdout, "")
