"""Reviews that search little. Each process makes a review only once."""

import functools
from dataclasses import replace

from outflank.engine import PRESETS, Game, Searcher
from outflank.protocol.formats.annotated import AnnotatedGame, Recorder
from outflank.tools.analysis.review.game import GameReview, ReviewSettings, review_game

QUICK = ReviewSettings(level=1, exact_from=12)


def annotated(transcript: str, preset: str = "othello") -> AnnotatedGame:
    """Return the game of a transcript as a file has it."""
    game = Game.from_transcript(transcript, PRESETS[preset])
    recorder = Recorder(game.first)
    for turn in game.turns:
        recorder.play(turn.move)
    return AnnotatedGame(game.first, recorder.moves)


@functools.cache
def reviewed(transcript: str, preset: str = "othello", all_moves: bool = False) -> GameReview:
    """Return the review of a game."""
    return review_game(annotated(transcript, preset), replace(QUICK, all_moves=all_moves), Searcher(16))


def named(transcript: str, black: str, white: str) -> GameReview:
    """Return the review of a game between two players with these names."""
    review = reviewed(transcript)
    return replace(review, game=replace(review.game, black=black, white=white))
