"""How fast the hot code is: `make bench`. Without that they are skipped; they prove nothing."""

from pytest_benchmark.fixture import BenchmarkFixture

from outflank.engine import Limit, Position, Searcher, perft

# Number 40 of the FFO endgame suite, as published with Edax (problem/fforum-40-59.obf): Black wins by 38.
FFO_40 = "O--OOOOX-OOOOOOXOOXXOOOXOOXOOOXXOOOOOOXX---OOOOX----O--X-------- X"


def test_counting_leaves_without_a_table(benchmark: BenchmarkFixture) -> None:
    assert benchmark(perft, Position.start(), 9) == 3005288


def test_a_midgame_search_to_twelve_plies(benchmark: BenchmarkFixture) -> None:
    searcher = Searcher()
    benchmark.pedantic(searcher.search, (Position.start(), Limit(depth=12)), setup=searcher.clear, rounds=3)


def test_an_endgame_of_twenty_empty_squares(benchmark: BenchmarkFixture) -> None:
    searcher = Searcher()
    found = benchmark.pedantic(
        searcher.search, (Position.parse(FFO_40), Limit()), setup=searcher.clear, rounds=3
    )

    assert found.score == 38
