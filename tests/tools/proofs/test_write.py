"""What is written: each board once, and nothing that is not true."""

import pytest

from outflank.engine import Rules, SettingsError
from outflank.engine.search.proving import Prover
from outflank.tests.search_positions import problems
from outflank.tools.analysis.proofs.write import proof

POSITION = problems("fforum-1-19.obf")[4].position
SCORE = 32
HEADLINES = ["outflank", "rules", "turns", "scoring", "board", "score", "searched", "lower", "upper", "end"]


def test_a_board_that_comes_again_is_named_by_its_line() -> None:
    lines = proof(POSITION, SCORE, Prover(Rules(), 1), first=1000)
    named = [(1000 + i, int(line.split(" =")[1])) for i, line in enumerate(lines) if " =" in line]

    assert named
    assert all(1000 < earlier < number for number, earlier in named)


def test_each_line_is_told() -> None:
    told: list[None] = []
    lines = proof(POSITION, SCORE, Prover(Rules(), 1), on_line=lambda: told.append(None))

    assert len(told) == len(lines) - len(HEADLINES)


def test_the_same_proof_is_written_again() -> None:
    prover = Prover(Rules(), 1)

    assert proof(POSITION, SCORE, prover) == proof(POSITION, SCORE, prover)


@pytest.mark.parametrize("wrong", [SCORE - 2, SCORE + 2])
def test_a_score_that_is_wrong_is_not_proven(wrong: int) -> None:
    with pytest.raises(SettingsError, match="expected a position where"):
        proof(POSITION, wrong, Prover(Rules(), 1))
