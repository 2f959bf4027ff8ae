"""The search: exact where it says so, the same answer for the same question, and always ready to stop."""

import threading
from array import array
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from outflank.engine import (
    PRESETS,
    Game,
    IllegalMoveError,
    Limit,
    Move,
    NotationError,
    Position,
    Searcher,
    SearchInfo,
    SettingsError,
)
from outflank.engine.evaluation.weights import Weights, packed
from outflank.engine.search.limits import Percent, limit_for_level
from outflank.tests.support.positions import CUT_SHORT, MIDGAME, problems, reached

SEEDS = st.integers(0, 2**32)
FFO = (("ffo-40", 40), ("ffo-20", 20), ("ffo-1", 1))


class TestTheSameQuestionGetsTheSameAnswer:
    @settings(max_examples=20)
    @given(seed=SEEDS, empties=st.integers(16, 44), depth=st.integers(1, 6), other=st.integers(1, 8))
    def test_whatever_the_table_held_before(self, seed: int, empties: int, depth: int, other: int) -> None:
        position = reached(seed, empties)
        fresh = Searcher(hash_mb=4).search(position, Limit(depth=depth))
        used = Searcher(hash_mb=4)
        used.search(position, Limit(depth=other))
        used.search(position, Limit(depth=other, selectivity=73))

        assert used.search(position, Limit(depth=depth)).score == fresh.score

    @pytest.mark.parametrize(
        "forget",
        [
            lambda searcher: searcher.clear(),
            lambda searcher: searcher.set_parameters(searcher.parameters),
            lambda searcher: searcher.search(Position.start(PRESETS["reversi"]), Limit(depth=1)),
        ],
        ids=["cleared", "other parameters", "other rules"],
    )
    def test_once_earlier_searches_are_forgotten(self, forget: Callable[[Searcher], object]) -> None:
        """Of a selective search too, whose leaves may be worth what an earlier search knows of them."""
        position = Position.parse("---------------------------OX------XOX----XXO-X---X-O----------- O")
        fresh, used = Searcher(hash_mb=4), Searcher(hash_mb=4)
        expected = fresh.search(position, limit_for_level(6, position.empties))
        used.search(position, limit_for_level(8, position.empties))
        forget(used)
        found = used.search(position, limit_for_level(6, position.empties))

        assert (found.lines, found.nodes) == (expected.lines, expected.nodes)

    @settings(max_examples=10)
    @given(seed=SEEDS, empties=st.integers(14, 44))
    def test_however_many_threads_search(self, seed: int, empties: int) -> None:
        position = reached(seed, empties)
        limit = Limit(depth=empties if empties < 17 else 9)
        scores = {Searcher(hash_mb=4, threads=threads).search(position, limit).score for threads in (1, 2, 5)}

        assert len(scores) == 1

    @settings(max_examples=10)
    @given(seed=SEEDS, empties=st.integers(4, 50))
    def test_under_every_symmetry_of_the_board(self, seed: int, empties: int) -> None:
        images = reached(seed, empties).symmetries()
        limit = Limit(depth=min(max(empties, 1), 5))

        assert len({Searcher(hash_mb=1).search(image, limit).score for image in images}) == 1
        assert len({Searcher(hash_mb=1).evaluate(image) for image in images}) == 1

    @pytest.mark.parametrize("seed", range(8))
    def test_after_the_board_that_differs_in_the_owner_of_one_square(self, seed: int) -> None:
        position, limit = reached(seed, 12 + seed), Limit(depth=2)
        for square in range(64):
            disc = 1 << square
            if not (position.own | position.opp) & disc:
                continue
            other = Position(position.own ^ disc, position.opp ^ disc, position.side)
            searcher = Searcher(hash_mb=1)
            searcher.search(position, limit)
            after = searcher.search(other, limit).score

            assert after == Searcher(hash_mb=1).search(other, limit).score

    @pytest.mark.parametrize("limit", [Limit(depth=10), Limit(nodes=50_000), Limit(depth=12, selectivity=87)])
    def test_to_the_node_for_one_thread(self, limit: Limit) -> None:
        first, second = (Searcher(hash_mb=4).search(MIDGAME, limit) for _ in range(2))

        assert (first.nodes, first.lines) == (second.nodes, second.lines)

    def test_two_searchers_in_two_threads_do_not_disturb_each_other(self) -> None:
        expected = Searcher(hash_mb=4).search(MIDGAME, Limit(depth=10))
        found = []

        def search() -> None:
            found.append(Searcher(hash_mb=4).search(MIDGAME, Limit(depth=10)))

        threads = [threading.Thread(target=search) for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

        assert [(result.nodes, result.lines) for result in found] == [(expected.nodes, expected.lines)] * 3


class TestLimits:
    def test_a_search_to_a_depth_goes_just_that_deep(self) -> None:
        result = Searcher(hash_mb=4).search(MIDGAME, Limit(depth=7))

        assert (result.depth, result.selectivity, result.exact) == (7, 100, False)
        assert len(result.pv) <= 7

    def test_a_selective_search_to_the_end_is_not_called_exact(self) -> None:
        position = problems("ffo-1")[18].position
        result = Searcher(hash_mb=4).search(position, Limit.solve(selectivity=73))

        assert (result.depth, result.selectivity, result.exact) == (16, 73, False)

    @pytest.mark.parametrize("nodes", [1, 2, 10, 1000, 20_000])
    def test_a_number_of_nodes_is_kept_but_for_the_endgame_in_hand(self, nodes: int) -> None:
        result = Searcher(hash_mb=4).search(MIDGAME, Limit(nodes=nodes))

        assert result.move in MIDGAME.legal_moves()
        assert result.nodes <= nodes + 64

    def test_the_last_report_is_about_the_move_chosen_wherever_the_limit_cuts(self) -> None:
        """The cut iteration may have found another best move, which is then the choice."""
        searcher, changed = Searcher(hash_mb=4), 0
        for nodes in range(100, 6000, 59):
            searcher.clear()
            infos: list[SearchInfo] = []
            result = searcher.search(CUT_SHORT, Limit(nodes=nodes), on_info=infos.append)
            changed += infos[-1].depth == infos[-2].depth

            assert (infos[-1].lines[0].move, infos[-1].score) == (result.move, result.score)
        assert changed

    def test_no_time_at_all_still_gives_a_legal_move(self) -> None:
        assert Searcher(hash_mb=4).search(MIDGAME, Limit(seconds=0.0)).move in MIDGAME.legal_moves()

    def test_the_exact_endgame_begins_where_it_is_asked_to(self) -> None:
        position = problems("ffo-1")[0].position
        searcher = Searcher(hash_mb=4)

        assert searcher.search(position, Limit(depth=2, exact_from=14)).exact
        assert not searcher.search(position, Limit(depth=2, exact_from=13)).exact
        assert searcher.search(position, Limit(depth=60)).exact

    def test_a_search_against_time_deepens_until_then(self) -> None:
        infos: list[SearchInfo] = []
        result = Searcher(hash_mb=4).search(MIDGAME, Limit(seconds=0.2), on_info=infos.append)

        depths = [info.depth for info in infos]
        assert depths == sorted(depths)
        assert {*depths} == {*range(1, result.depth + 1)}
        assert not result.stopped


class TestLeaves:
    """The last ply of a search by depth: the evaluation after a pass, the final score of a game that is over."""

    @pytest.mark.parametrize("depth", [1, 2, 3])
    @pytest.mark.parametrize("selectivity", [73, 100])
    def test_a_wipe_out_is_seen_at_any_depth(self, depth: int, selectivity: Percent) -> None:
        position = Position.parse("-" * 26 + "XXOO-----XXX-----XXX" + "-" * 18 + " X")
        result = Searcher(hash_mb=1).search(position, Limit(depth=depth, selectivity=selectivity))

        assert result.score == 64
        assert str(result.move) in ("f3", "g4")

    @settings(max_examples=60)
    @given(
        seed=SEEDS, empties=st.integers(4, 56), preset=st.sampled_from(list(PRESETS)), lopsided=st.booleans()
    )
    def test_a_search_is_negamax_over_evaluations_and_final_scores(
        self, seed: int, empties: int, preset: str, lopsided: bool
    ) -> None:
        """Lopsided boards have one side with three discs: many passes and ends."""
        position = reached(seed, empties, PRESETS[preset])
        if lopsided:
            few = sum(
                1 << square for square in range(64) if position.own >> square & 1 and square % 5 == seed % 5
            )
            position = Position(few, position.opp | position.own & ~few, position.side, position.rules)
        searcher = Searcher(hash_mb=1)
        if position.is_over:
            return
        for depth in (1, 2):
            expected = negamax(searcher, position, depth)

            assert searcher.search(position, Limit(depth=depth)).score == expected


def negamax(searcher: Searcher, position: Position, depth: int) -> float:
    """Return the value `depth` plies deep, from the side to move, without any cut."""
    if position.must_pass:
        return -negamax(searcher, position.pass_(), depth)
    if position.is_over or not depth:
        return searcher.evaluate(position)
    return max(-negamax(searcher, position.play(move), depth - 1) for move in position.legal_moves())


class TestRoot:
    def test_only_the_moves_asked_for_are_considered_which_may_be_text(self) -> None:
        """One that is named twice has one line."""
        moves, limit = [Move.parse("d3"), Move.parse("c4")], Limit(depth=4)

        assert Searcher(hash_mb=1).search(Position.start(), limit, moves=moves).move in moves
        with Searcher(hash_mb=1).analyse(Position.start(), limit, multipv=2, moves=["e6", "e6"]) as analysis:
            assert [line.move for line in analysis.result().lines] == [Move.parse("e6")]

    def test_a_seed_varies_the_choice_among_moves_of_equal_value(self) -> None:
        """The four first moves are images of each other."""
        chosen = {
            Searcher(hash_mb=1, seed=seed).search(Position.start(), Limit(depth=1)).move for seed in range(20)
        }

        assert len(chosen) > 1


class TestSettings:
    @pytest.mark.parametrize(
        ("settings", "sentence"),
        [
            ({"threads": 0}, "expected threads of at least 1, got"),
            ({"threads": 10**6}, "expected threads of at most 256, got"),
            ({"hash_mb": 0}, "at least 1 MB"),
            ({"hash_mb": 1 << 30}, "machine's"),
        ],
    )
    def test_a_size_that_makes_no_sense_is_refused(self, settings: dict[str, Any], sentence: str) -> None:
        with pytest.raises(SettingsError, match=sentence):
            Searcher(**{"hash_mb": 1, **settings})


class TestEntriesOfTheTable:
    """What the table has of a search that was broken off lets another searcher go on where it ended."""

    PROBLEM = problems("ffo-20")[7]

    def broken_off(self, nodes: int) -> bytes:
        searcher = Searcher(hash_mb=4)
        searcher.search(MIDGAME, Limit(depth=6))  # its entries are left out
        searcher.search(self.PROBLEM.position, Limit(exact_from=64, nodes=nodes))
        return searcher.table_entries()

    def test_a_search_that_gets_them_searches_only_what_was_left(self) -> None:
        whole = Searcher(hash_mb=4).search(self.PROBLEM.position, Limit.solve())
        again = Searcher(hash_mb=4)
        again.add_table_entries(self.broken_off(whole.nodes * 9 // 10), self.PROBLEM.position.rules)
        found = again.search(self.PROBLEM.position, Limit.solve())

        assert (found.score, found.exact) == (self.PROBLEM.score, True)
        assert found.nodes < whole.nodes / 5

    def test_they_are_the_deepest_of_the_last_search_while_it_runs_too(self) -> None:
        searcher = Searcher(hash_mb=4)
        with searcher.analyse(Position.start()) as analysis:
            while (info := next(analysis)).depth < 10:
                pass
            few, many = searcher.table_entries(10), searcher.table_entries()
        own, opp, payload = array("Q", many)[:3]

        assert info.depth == 10
        assert 0 < len(few) <= 10 * 24 < len(many)
        assert own & opp == 0
        assert (own | opp).bit_count() <= 64 - (payload >> 16 & 255)
        searcher.clear()
        assert searcher.table_entries() == b""

    def test_impossible_ones_are_left_out_and_the_score_stays_right(self) -> None:
        rules = self.PROBLEM.position.rules
        good = array("Q", self.broken_off(100_000))
        bad = array("Q", good)
        for i in range(0, len(bad), 3):
            bad[i] ^= 1 << (i % 64)  # another board, most of them impossible for the best move or the depth
            bad[i + 1] = bad[i]
        searcher = Searcher(hash_mb=4)
        searcher.add_table_entries(bad.tobytes() + b"cut", rules)
        assert searcher.table_entries() == b""
        found = searcher.search(self.PROBLEM.position, Limit.solve())

        assert found.score == self.PROBLEM.score

    def test_those_of_other_rules_are_forgotten(self) -> None:
        searcher = Searcher(hash_mb=4)
        expected = searcher.search(MIDGAME, Limit(depth=6))
        again = Searcher(hash_mb=4)
        again.add_table_entries(searcher.table_entries(), PRESETS["reversi"])

        assert again.search(MIDGAME, Limit(depth=6)).nodes == expected.nodes

    def test_nothing_is_added_during_a_search(self) -> None:
        searcher = Searcher(hash_mb=4)
        with searcher.analyse(Position.start()), pytest.raises(SettingsError, match="busy"):
            searcher.add_table_entries(b"", Position.start().rules)


def test_an_evaluation_beyond_all_scores_ends_every_iteration(tmp_path: Path) -> None:
    """Leaves that the tables alone decide once gave the root a bound at the end of its widest window, for ever.

    Whoever moves at a leaf wins there: the root at even depths, the opponent at odd ones.
    """
    path = tmp_path / "boundless.bin"
    tables = array("h", [1000]) * len(Weights.nothing().tables)
    path.write_bytes(packed(Weights.of_tables(tables), {"command": "made for a test"}))
    searcher = Searcher(hash_mb=1, weights=path)
    searcher.evaluate(MIDGAME)  # the weights are read, which a busy machine takes long for
    for depth, score in (4, 62), (5, -62):
        found = searcher.search(MIDGAME, Limit(depth=depth, selectivity=73, seconds=20))

        assert (found.depth, found.score) == (depth, score)


def test_moves_that_a_search_broken_off_leaves_are_best_first() -> None:
    """The seventh ply lowers the first move's score before the nodes run out."""
    position = Position.parse("-XXXX--XXXXX-OX-O-XOOOX----OXOOX-X-OXOOO-XOOOOO--XOO-OOX---O--O- X")
    for nodes in range(7000, 9000, 100):
        lines = Searcher(1).search(position, Limit(nodes=nodes), multipv=3).lines

        assert [line.score for line in lines] == sorted((line.score for line in lines), reverse=True)


@pytest.mark.parametrize("board", [Position.start().board_string(), "-OOOOOOX" + "-" * 56 + " O", "X" * 64])
@pytest.mark.parametrize(
    ("moves", "error"), [([], SettingsError), (["zz"], NotationError), (["h8"], IllegalMoveError)]
)
def test_moves_to_consider_are_checked_also_where_there_is_no_choice(
    board: str, moves: list[str], error: type[Exception]
) -> None:
    with pytest.raises(error):
        Searcher(1).search(Position.parse(board), Limit(depth=2), moves=moves)


class TestExactScores:
    @pytest.mark.parametrize(
        "number",
        [
            *range(1, 20),
            *(pytest.param(ffo, marks=[pytest.mark.slow, pytest.mark.timeout(600)]) for ffo in range(20, 60)),
        ],
    )
    def test_ffo_1_to_59_are_solved_exactly(self, number: int) -> None:
        name, first = next(file for file in FFO if number >= file[1])
        problem = problems(name)[number - first]
        result = Searcher(hash_mb=64).search(problem.position, Limit.solve())

        assert result.exact
        assert result.score == problem.score
        assert problem.scores[result.move] == problem.score

    @pytest.mark.parametrize("number", range(1, 20))
    def test_win_or_loss_solving_agrees_with_the_score(self, number: int) -> None:
        problem = problems("ffo-1")[number - 1]
        result = Searcher(hash_mb=64).search(problem.position, Limit.solve(wld=True))

        assert result.exact
        assert problem.score is not None
        wins, draws = problem.score > 0, problem.score == 0
        assert (result.result, result.score, result.bound) == (
            ("win", 2, "lower") if wins else ("draw", 0, "exact") if draws else ("loss", -2, "upper")
        )

    @pytest.mark.parametrize("number", [20, 21, 22, 23, 24])
    def test_the_score_of_every_move_is_exact_if_all_are_asked_for(self, number: int) -> None:
        problem = problems("ffo-20")[number - 20]
        result = Searcher(hash_mb=64).search(problem.position, Limit.solve(), multipv=64)

        assert {line.move: line.score for line in result.lines} == dict(problem.scores)

    @settings(max_examples=15)
    @given(seed=SEEDS, name=st.sampled_from(sorted(PRESETS)), wanted=st.integers(-63, 64))
    def test_scores_and_whether_discs_are_reached_are_found_as_by_brute_force(
        self, seed: int, name: str, wanted: int
    ) -> None:
        """With a bound that holds, behind a forced pass too."""
        position = reached(seed, 8, PRESETS[name])
        score = minimax(position)
        assert Searcher(hash_mb=1).search(position, Limit.solve()).score == score
        for asked in (wanted, max(score, -63), min(score + 1, 64)):
            result = Searcher(hash_mb=1).search(position, Limit.solve(at_least=asked))

            assert result.exact
            if result.bound == "exact":  # a game that is over
                assert result.score == score
            else:
                assert (result.bound == "lower") == (score >= asked)
                assert result.score <= score if result.bound == "lower" else score <= result.score < asked

    def test_whether_discs_are_reached_is_asked_of_one_line(self) -> None:
        with pytest.raises(SettingsError, match="at_least needs a multipv of 1"):
            Searcher(hash_mb=1).search(MIDGAME, Limit.solve(at_least=4), multipv=2)


def minimax(position: Position) -> int:
    """Return the score by alpha-beta without any table, ordering or shortcut."""

    def best(position: Position, alpha: int, beta: int) -> int:
        if position.is_over:
            return position.score(position.side)
        for move in position.legal_moves():
            alpha = max(alpha, -best(position.play(move), -beta, -alpha))
            if alpha >= beta:
                break
        return alpha

    return best(position, -65, 65)


SHUT_IN = {  # a board, and what plies at full width say of it
    # Eight discs each, and White is about to shut Black in; half the plies gave Black 13 to 18 discs.
    Game.from_transcript("f5d6c7d7c5b6e7f8d3b8f7d8").position.board_string(): ((12, -6), (14, -9)),
    # Black wins all of White's discs; half the plies said that White wins by eight.
    "--------XO---X---O---X---OXXXXXX-O-XX---XO-X-------------------- X": ((12, 64),),
    "XXX-O---XXXX----XOXXXX--XOXXXX--XXXXXX--X----------------------- O": ((12, -62),),
    # Each side still has several moves, and the other one a move after which three of them are left.
    "--X-X-X---OXXX----X-X---OOOOOOO----OO-O-----O-O-----O----------- X": ((12, 36),),
}


@pytest.mark.parametrize("percent", [73, 87, 95, 98, 99])
@pytest.mark.parametrize("board", SHUT_IN)
def test_a_selective_search_sees_that_a_side_will_be_shut_in_or_wiped_out(
    board: str, percent: Percent
) -> None:
    for depth, score in SHUT_IN[board]:
        found = Searcher(hash_mb=4).search(Position.parse(board), Limit(depth=depth, selectivity=percent))

        assert abs(found.score - score) < 8
