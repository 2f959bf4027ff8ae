"""The moves of a proof reach what they are said to reach, by the word of the search."""

import pytest

from outflank.engine import PASS, PRESETS, Limit, Position, Rules, Searcher, SettingsError
from outflank.engine.search.proving import Prover
from outflank.tests.search_positions import problems, reached

COUNT = Rules.parse("othello,scoring=count")


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
        with pytest.raises(SettingsError, match="expected a position where"):
            prover.answer(position, score + 1)


def test_of_the_moves_that_do_it_leaves_the_fewest_replies() -> None:
    position = problems("fforum-1-19.obf")[2].position
    scores = problems("fforum-1-19.obf")[2].scores
    prover = Prover(Rules(), 4)
    for bound in range(-12, 3, 2):
        good = [move for move, score in scores.items() if score >= bound]
        answer = prover.answer(position, bound)

        assert answer in good
        assert replies(position, answer) == min(replies(position, move) for move in good)


def replies(position: Position, move: object) -> int:
    return len(position.play(str(move)).legal_moves())


def test_a_pass_is_the_answer_where_there_is_no_move() -> None:
    positions = (reached(seed, 7) for seed in range(1000))
    position = next(position for position in positions if position.must_pass)

    assert Prover(Rules(), 1).answer(position, 64) == PASS


def test_other_rules_and_rules_that_turn_in_one_direction_are_refused() -> None:
    with pytest.raises(
        SettingsError,
        match="proofs need rules under which a move turns every direction, unlike ravensburger-1987",
    ):
        Prover(PRESETS["ravensburger-1987"])
    with pytest.raises(SettingsError, match="the position is of reversi, not of othello"):
        Prover(Rules(), 1).answer(Position.start(PRESETS["reversi"]), 0)
