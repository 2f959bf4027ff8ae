"""How fast the hot code is: `make bench`. Without that they are skipped; they prove nothing."""

from pytest_benchmark.fixture import BenchmarkFixture

from outflank.engine import Limit, Position, Searcher, SearchResult, perft
from outflank.engine.evaluation.weights import SHIPPED, load
from outflank.tests.support.dialogue import Program

# Number 40 of the FFO endgame suite, as published with Edax (problem/fforum-40-59.obf): Black wins by 38.
FFO_40 = "O--OOOOX-OOOOOOXOOXXOOOXOOXOOOXXOOOOOOXX---OOOOX----O--X-------- X"


def test_counting_leaves_without_a_table(benchmark: BenchmarkFixture) -> None:
    assert benchmark(perft, Position.start(), 9) == 3005288


def test_a_midgame_search_to_twelve_plies(benchmark: BenchmarkFixture) -> None:
    benchmark(search, Position.start(), Limit(depth=12))


def test_an_endgame_of_twenty_empty_squares(benchmark: BenchmarkFixture) -> None:
    assert benchmark(search, Position.parse(FFO_40), Limit.solve()).score == 38


def test_the_first_answer_of_the_program(benchmark: BenchmarkFixture) -> None:
    def ask() -> str:
        with Program() as program:
            return program.ask("name")

    assert benchmark(ask) == "Outflank"


def test_reading_the_weights(benchmark: BenchmarkFixture) -> None:
    benchmark(load, SHIPPED.with_name("weights.bin"))


def search(position: Position, limit: Limit) -> SearchResult:
    """Search with an empty table; making it counts, as published figures have it."""
    return Searcher().search(position, limit)
