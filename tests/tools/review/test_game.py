"""What a review says of each move, against the plain oracle and against itself."""

import functools
from dataclasses import replace
from typing import Any

import pytest

from outflank.engine import PRESETS, Colour, Game, Limit, Position, Searcher, SearchResult
from outflank.protocol.formats.annotated import AnnotatedGame, Recorder
from outflank.tests.reference import Board, after, board_of, choices, count, moves, other
from outflank.tests.sample_games import ONE_WAY, WIPE_OUT, WITH_PASSES
from outflank.tools.analysis.review.game import Class, GameReview, ReviewSettings, review_game
from outflank.tools.analysis.review.output import Tally

QUICK = ReviewSettings(level=1, exact_from=12)
SOLVED_BY_ORACLE = 6  # empty squares
LETTERS = {Colour.BLACK: "X", Colour.WHITE: "O"}


def annotated(transcript: str, preset: str = "othello") -> AnnotatedGame:
    game = Game.from_transcript(transcript, PRESETS[preset])
    recorder = Recorder(game.first)
    for turn in game.turns:
        recorder.play(turn.move)
    return AnnotatedGame(game.first, recorder.moves)


@functools.cache
def reviewed(transcript: str, preset: str = "othello") -> GameReview:
    return review_game(annotated(transcript, preset), QUICK, Searcher(16))


def test_moves_that_were_given_are_nobodys() -> None:
    """A blunder of the opening counts for neither side; later moves count as they do without an opening."""
    game = annotated(WITH_PASSES)
    plain = reviewed(WITH_PASSES)
    worst = max(range(len(plain.moves)), key=lambda turn: plain.moves[turn].lost)
    review = review_game(replace(game, given=worst + 1), QUICK, Searcher(16))
    totals = Tally().add(review.moves)

    assert plain.moves[worst].kind is Class.BLUNDER
    assert {move.kind for move in review.moves[: worst + 1]} == {Class.GIVEN}
    assert [move.kind for move in review.moves[worst + 1 :]] == [
        move.kind for move in plain.moves[worst + 1 :]
    ]
    assert totals.moves == Tally().add(plain.moves[worst + 1 :]).moves
    assert totals.lost == Tally().add(plain.moves[worst + 1 :]).lost
    assert review.judgements == plain.judgements


def best_score(board: Board, side: str, turns: str) -> int:
    """The final disc difference with best play, by trying everything."""
    if not moves(board, side, turns) and not moves(board, other(side), turns):
        return count(board, side) - count(board, other(side))
    return max(
        -best_score(after(board, side, move, turns), other(side), turns)
        for move in choices(board, side, turns) or ["pass"]
    )


def by_oracle(position: Position) -> int:
    board = board_of(position.board_string().split()[0])
    return best_score(board, LETTERS[position.side], position.rules.turns)


@pytest.mark.parametrize(("transcript", "preset"), [(WITH_PASSES, "othello"), (ONE_WAY, "ravensburger-1987")])
def test_the_last_moves_cost_what_the_oracle_says(transcript: str, preset: str) -> None:
    review = reviewed(transcript, preset)
    last = [move for move in review.moves if move.before.empties <= SOLVED_BY_ORACLE]

    assert len(last) >= SOLVED_BY_ORACLE
    assert any(move.lost for move in last)
    for move in last:
        best, came = by_oracle(move.before), -by_oracle(move.before.play(move.move))

        assert (move.exact, move.score_before, move.score_after) == (True, best, came)


@pytest.mark.parametrize("transcript", [WITH_PASSES, WIPE_OUT, "f5", ""])
def test_every_move_is_reviewed_and_none_gains(transcript: str) -> None:
    review = reviewed(transcript)

    assert [move.move for move in review.moves] == [move.move for move in review.game.moves]
    assert len(review.judgements) == len(review.moves) + 1
    assert all(move.lost >= 0 for move in review.moves)


def test_the_best_line_can_be_played_and_begins_with_what_would_have_been_better() -> None:
    for move in reviewed(WITH_PASSES).moves:
        position = move.before
        for step in move.best.line:
            position = position.play(step)
        if move.is_error:
            assert move.instead[0] != move.move
        if move.exact and position.is_over:
            assert position.score(move.colour) == move.score_before


def test_forced_moves_cost_nothing_and_are_called_so() -> None:
    forced = [move for move in reviewed(WITH_PASSES).moves if len(move.before.legal_moves()) == 1]

    assert len(forced) > 2
    assert any(move.move.is_pass for move in forced)
    assert {(move.kind, move.lost) for move in forced} == {(Class.FORCED, 0.0)}


def test_classes_follow_the_discs_lost() -> None:
    kinds = {move.lost: move.kind for move in reviewed(WITH_PASSES).moves if move.kind is not Class.FORCED}

    assert len(set(kinds.values())) == 4
    for lost, kind in kinds.items():
        expected = (
            Class.BLUNDER
            if lost >= 12
            else Class.MISTAKE
            if lost >= 6
            else Class.INACCURACY
            if lost >= 2
            else Class.GOOD
        )
        assert kind is expected


@pytest.mark.parametrize(
    ("board", "move", "thrown"),
    [
        ("XXX-X--OXXXXXXOOXXOOXXXXOOXXXOXXOOXXOXOOOXOOXOOOOXXXXXXOOXXXXXXO O", "f1", ("win", "loss")),
        ("XXX-X--OXXXXXXOOXXOOXXXXOOXXXOXXOOXXOXOOOXOOXOOOOXXXXXXOOXXXXXXO O", "d1", None),
        ("XOOOOOX-XXOXOOXOXXXXXXOOXOOXOOOOXOXXXXO-XXOOOXOOXOOOOOXXOOOOXX-X O", "h1", ("win", "draw")),
    ],
)
def test_an_outcome_that_was_thrown_away_is_named(
    board: str, move: str, thrown: tuple[str, str] | None
) -> None:
    """d1 loses six discs and still wins."""
    recorder = Recorder(Position.parse(board))
    recorder.play(move)
    (review,) = review_game(AnnotatedGame(recorder.first, recorder.moves), QUICK, Searcher(16)).moves

    assert review.lost >= 6
    assert review.thrown == thrown


class _HurriedSearcher(Searcher):
    """Proves what a position is worth where the empty squares are odd in number, but not what a single move is."""

    def search(self, position: Position, limit: Limit, **options: Any) -> SearchResult:
        found = super().search(position, limit, **options)
        proves = position.empties % 2 == 1 and options.get("moves") is None
        return found if proves or not found.exact else super().search(position, Limit(depth=1), **options)


def test_what_a_move_cost_is_proven_only_if_both_searches_ended() -> None:
    review = review_game(annotated(WITH_PASSES), QUICK, _HurriedSearcher(16))

    late = [
        move for move in review.moves if 4 < move.before.empties <= 12 and len(move.before.legal_moves()) > 1
    ]
    worse = [move for move in late if move.lost]
    assert worse
    assert [move for move in worse if move.exact] == []
    assert any(judgement.exact for judgement in review.judgements)


def test_a_review_does_not_depend_on_the_games_before_it() -> None:
    searcher = Searcher(16)
    review_game(annotated(ONE_WAY, "ravensburger-1987"), QUICK, searcher)
    after_another = review_game(annotated(WITH_PASSES), QUICK, searcher)

    assert after_another == reviewed(WITH_PASSES)


def test_an_unfinished_game_is_judged_to_its_last_position() -> None:
    review = reviewed("f5d6c3")

    assert not review.final.exact
    assert review.final.line
    assert review.judgements[-1] is review.final
