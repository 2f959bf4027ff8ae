"""What is proven: the moves of a proof, the line to the end with its score, and discs that are never turned."""

from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outflank.engine import PASS, PRESETS, Limit, Position, Rules, Searcher, SettingsError
from outflank.engine.search.limits import Line
from outflank.engine.search.proving import Prover
from outflank.engine.search.stability import stable_discs
from outflank.tests.support import kernels, reference, strategies
from outflank.tests.support.positions import mask_of_discs, mask_of_names, problems, reached
from outflank.tests.support.reference import BLACK, EMPTY, WHITE

COUNT = Rules.parse("othello,scoring=count")
FULL = 2**64 - 1


@pytest.mark.parametrize("rules", [Rules(), COUNT], ids=str)
@pytest.mark.parametrize("seed", range(20))
def test_an_answer_reaches_the_score_and_none_reaches_more(seed: int, rules: Rules) -> None:
    """With few squares and with more than the endgame's solver takes."""
    position = reached(seed, 5 + seed % 9, rules)
    if position.is_over:
        position = reached(seed, 20, rules)
    searcher, prover = Searcher(1), Prover(rules, 1)
    score = int(searcher.search(position, Limit.solve()).score)
    for bound in (score - 3, score):
        answer = prover.answer(position, bound)
        assert searcher.search(position.play(answer), Limit.solve()).score <= -bound
    if not position.must_pass:
        with pytest.raises(SettingsError, match="can't be reached from"):
            prover.answer(position, score + 1)


def test_of_the_moves_that_do_it_leaves_the_fewest_replies() -> None:
    position = problems("ffo-1")[2].position
    scores = problems("ffo-1")[2].scores
    prover = Prover(Rules(), 4)
    for bound in range(-12, 3, 2):
        good = [move for move, score in scores.items() if score >= bound]
        answer = prover.answer(position, bound)

        assert answer in good
        replies = {move: len(position.play(move).legal_moves()) for move in good}
        assert replies[answer] == min(replies.values())


def test_a_pass_is_the_answer_where_there_is_no_move() -> None:
    positions = (reached(seed, 7) for seed in range(1000))
    position = next(position for position in positions if position.must_pass)

    assert Prover(Rules(), 1).answer(position, 64) == PASS


def test_other_rules_and_rules_that_turn_in_one_direction_are_refused() -> None:
    with pytest.raises(
        SettingsError,
        match="proofs need rules under which a move turns discs in every direction, unlike ravensburger-1987",
    ):
        Prover(PRESETS["ravensburger-1987"])
    with pytest.raises(SettingsError, match="the position is for reversi, not for othello"):
        Prover(Rules(), 1).answer(Position.start(PRESETS["reversi"]), 0)


def end_of(position: Position, line: Line) -> Position:
    for move in line.pv:
        position = position.play(move)
    return position


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("rules", ["othello", "obversi", "reveris", "ravensburger-1987"])
def test_an_exact_line_ends_the_game_with_its_score(rules: str, seed: int) -> None:
    position = reached(seed, 12 if rules == "ravensburger-1987" else 16, Rules.parse(rules))
    searcher = Searcher(hash_mb=16, threads=1 + seed % 3)
    for line in searcher.search(position, Limit.solve(), multipv=3).lines:
        end = end_of(position, line)

        assert end.is_over
        assert end.score(position.side) == line.score


@pytest.mark.parametrize("seed", range(12))
def test_a_line_of_a_won_or_lost_game_ends_so(seed: int) -> None:
    position = reached(seed, 18)
    line = Searcher(hash_mb=16).search(position, Limit.solve(wld=True)).lines[0]
    end = end_of(position, line)
    outcome = end.outcome()

    assert outcome is not None
    margin = outcome.margin_of(position.side)
    assert line.result == ("win" if margin > 0 else "loss" if margin < 0 else "draw")


def test_a_selective_line_ends_where_its_score_is_not_kept() -> None:
    complete = 0
    for seed in range(12):
        position = reached(seed, 18)
        result = Searcher(hash_mb=16).search(position, Limit(depth=18, selectivity=73))
        end = end_of(position, result.lines[0])
        if end.is_over:
            complete += 1
            assert end.score(position.side) == result.score

    assert complete >= 6


@given(board=strategies.boards, picks=st.lists(st.integers(0, 255), min_size=64, max_size=64))
def test_a_stable_disc_is_never_turned_whoever_plays_whatever(
    board: reference.Board, picks: list[int]
) -> None:
    """Either side may play at any time, so more than any game is tried."""
    stable = stable_discs(mask_of_discs(board, BLACK), mask_of_discs(board, WHITE))
    for pick in picks:
        options = [(side, move) for side in (BLACK, WHITE) for move in reference.moves(board, side, "all")]
        if not options:
            break
        side, move = options[pick % len(options)]
        board = reference.after(board, side, move, "all")

        assert stable & ~mask_of_discs(board, BLACK) == 0


@given(board=strategies.boards)
def test_a_symmetry_of_the_board_moves_its_stable_discs_along(board: reference.Board) -> None:
    own, opp = mask_of_discs(board, BLACK), mask_of_discs(board, WHITE)
    stable = stable_discs(own, opp)
    assert stable & ~own == 0
    assert stable_discs(own, FULL & ~own) == own, "every disc of a full board is stable"
    for number in range(8):
        image = stable_discs(kernels.transform(own, number), kernels.transform(opp, number))

        assert image == kernels.transform(stable, number)


@pytest.mark.parametrize(
    ("own", "opp", "stable"),
    [
        pytest.param("a1 b1 c1", "d1 e1", "a1 b1 c1", id="a corner and a run from it along the edge"),
        pytest.param("a1 b1 c1 a2 b2 a3", "c3 d4", "a1 b1 c1 a2 b2 a3", id="a triangle built on a corner"),
        pytest.param("e4 d5", "d4 e5", "", id="nothing at the start"),
    ],
)
def test_known_discs_are_stable(own: str, opp: str, stable: str) -> None:
    assert stable_discs(mask_of_names(own), mask_of_names(opp)) == mask_of_names(stable)


def turned_along(edge: str, at: int, side: str) -> str:
    """Return the edge after `side` has played at a place, discs between turned; it need not turn any there."""
    letters = list(edge)
    letters[at] = side
    for step in (-1, 1):
        run = []
        place = at + step
        while 0 <= place < 8 and edge[place] not in (EMPTY, side):
            run.append(place)
            place += step
        if 0 <= place < 8 and edge[place] == side:
            for turned in run:
                letters[turned] = side
    return "".join(letters)


@cache
def never_turned(edge: str) -> frozenset[int]:
    """Return the places whose disc stays what it is, whatever either side plays on the edge."""
    places = {place for place in range(8) if edge[place] != EMPTY}
    for at in range(8):
        if edge[at] == EMPTY:
            for side in (BLACK, WHITE):
                later = turned_along(edge, at, side)
                places &= {place for place in never_turned(later) if later[place] == edge[place]}
    return frozenset(places)


def edges(letters: int) -> list[str]:
    return (
        [""] if letters == 0 else [edge + new for edge in edges(letters - 1) for new in (EMPTY, BLACK, WHITE)]
    )


@pytest.mark.parametrize("corner", [EMPTY, BLACK, WHITE])
def test_on_an_edge_exactly_the_discs_are_stable_that_no_play_on_it_can_turn(corner: str) -> None:
    for rest in edges(7):
        edge = corner + rest
        own, opp = (sum(1 << place for place in range(8) if edge[place] == side) for side in (BLACK, WHITE))
        expected = sum(1 << place for place in never_turned(edge) if edge[place] == BLACK)

        assert expected == stable_discs(own, opp), edge
