"""What moves add up to."""

from dataclasses import replace

import pytest

from outflank.engine import Colour
from outflank.tests.sample_games import WIPE_OUT, WITH_PASSES
from outflank.tests.tools.review.test_game import annotated, reviewed
from outflank.tools.analysis.review.game import Class, GameReview
from outflank.tools.analysis.review.output import Players, Tally


def named(transcript: str, black: str, white: str) -> GameReview:
    review = reviewed(transcript)
    return replace(review, game=replace(review.game, black=black, white=white))


@pytest.mark.parametrize("colour", Colour)
def test_totals_are_those_of_the_moves_with_a_choice(colour: Colour) -> None:
    moves = [move for move in reviewed(WITH_PASSES).of(colour) if move.kind is not Class.FORCED]
    tally = Tally().add(reviewed(WITH_PASSES).of(colour))

    assert tally.moves == len(moves)
    assert tally.lost == sum(move.lost for move in moves)
    assert tally.worst == max(move.lost for move in moves)
    assert tally.accuracy == sum(move.lost < 2 for move in moves) / len(moves)
    assert tally.exact == sum(move.exact for move in moves)


def test_nothing_played_is_no_accuracy() -> None:
    assert (Tally().accuracy, Tally().lost_a_move) == (None, None)


def test_a_player_is_counted_with_both_colours_and_the_best_comes_first() -> None:
    players = Players()
    players.add(named(WITH_PASSES, "A", "B"))
    players.add(named(WIPE_OUT, "B", "A"))
    players.add(replace(named(WIPE_OUT, "B", "A"), game=replace(annotated("f5d6"), black="B", white="A")))
    summaries = players.summaries()
    by_name = {each.name: each for each in summaries}

    # White wins the first, Black the second, nobody knows of the third.
    assert [(each.games, each.wins, each.draws, each.losses) for each in map(by_name.get, "AB") if each] == [
        (3, 0, 0, 2),
        (3, 2, 0, 0),
    ]
    assert summaries[0].tally.lost_a_move < summaries[1].tally.lost_a_move  # type: ignore[operator]
