"""Games for tests of formats: games read from text, and strategies for games with every field."""

import io
import random
from dataclasses import replace
from pathlib import Path
from typing import cast

from hypothesis import strategies as st

from outflank.engine import Colour, Position, Rules
from outflank.protocol.formats import Entry, FormatName, read_games
from outflank.protocol.formats.annotated import AnnotatedGame, AnnotatedMove, Recorder, Result, ResultReason
from outflank.tests.support.strategies import PRESETS

# Texts on one line, without blanks at the ends or double blanks, since formats treat other blanks differently.
words = st.text(st.characters(codec="utf-8", categories=("L", "N", "P", "S")), min_size=1, max_size=12).map(
    lambda text: text.strip()
)
texts = st.lists(words.filter(bool), max_size=3).map(" ".join)
scores = st.integers(-6400, 6400).map(lambda cents: cents / 100)
times = st.integers(0, 10**7).map(lambda milliseconds: milliseconds / 1000)
margins = st.integers(-32, 32).map(lambda half: 2 * half)
dates = st.one_of(st.just(""), st.dates().map(str), st.integers(1900, 2100).map(str))
clocks = st.sampled_from(["", "15:00", "5:00/0:03", "5:00//2:00", "300 s, overtime 10/30 canadian"])
othello = Rules()


def read(text: str | bytes | Path, name: FormatName | None = None, rules: Rules | None = None) -> list[Entry]:
    """Read the entries of a text, of bytes, or of a file, whose companion files are read too."""
    if isinstance(text, Path):
        return list(read_games(text, name=name, rules=rules))
    data = text if isinstance(text, bytes) else text.encode()
    return list(read_games(io.BytesIO(data), name=name, rules=rules))


def games_in(
    text: str | bytes | Path, name: FormatName | None = None, rules: Rules | None = None
) -> list[AnnotatedGame]:
    games = read(text, name, rules)
    assert all(isinstance(game, AnnotatedGame) for game in games), games
    return cast(list[AnnotatedGame], games)


def only(
    text: str | bytes | Path, name: FormatName | None = None, rules: Rules | None = None
) -> AnnotatedGame:
    (game,) = games_in(text, name, rules)
    return game


def one_move(comment: str, move: str, seconds: float | None) -> AnnotatedGame:
    """Return a game of one move, with comments on the game and on the move."""
    recorder = Recorder(Position.start())
    recorder.play("f5", seconds=seconds, comment=move)
    return AnnotatedGame(Position.start(), recorder.moves, comment=comment)


@st.composite
def plain_games(draw: st.DrawFn, rules: Rules | None = None) -> AnnotatedGame:
    """Draw a game without annotations, finished or unfinished, by the rules or else by a random preset."""
    first = Position.start(rules or Rules.parse(draw(st.sampled_from(PRESETS))))
    recorder, position = Recorder(first), first
    rng = random.Random(draw(st.integers(0, 2**32)))
    for _ in range(draw(st.one_of(st.integers(0, 8), st.just(130)))):
        legal = position.legal_moves()
        if not legal:
            break
        move = rng.choice(legal)
        recorder.play(move)
        position = position.play(move)
    return AnnotatedGame(first, recorder.moves)


@st.composite
def results(draw: st.DrawFn, game: AnnotatedGame) -> Result | None:
    """Draw None, a result with a margin, which is the board's margin in a finished game, or a winner alone."""
    ending = draw(st.sampled_from(ResultReason))
    if ending in (ResultReason.DISCS, ResultReason.AGREEMENT):
        outcome = game.final.outcome()
        margin = draw(margins) if outcome is None else outcome.margin_of(Colour.BLACK)
        winner = game.rules.winner_by(margin) if outcome is None else outcome.winner
        return draw(st.sampled_from([None, Result(winner, margin, ending)]))
    return Result(draw(st.sampled_from(Colour)), None, ending)


@st.composite
def annotated_games(draw: st.DrawFn, rules: Rules | None = None) -> AnnotatedGame:
    """Draw a game with any combination of annotations."""
    game = draw(plain_games(rules))
    moves = list(game.moves)
    for at in draw(st.sets(st.integers(0, 61), max_size=4)):
        if at < len(moves):
            moves[at] = draw(_annotated(moves[at]))
    return replace(
        game,
        moves=tuple(moves),
        black=draw(texts),
        white=draw(texts),
        black_rating=draw(st.none() | scores.map(abs)),
        white_rating=draw(st.none() | scores.map(abs)),
        result=draw(results(game)),
        exact=draw(st.none() | margins),
        title=draw(texts),
        event=draw(texts),
        place=draw(texts),
        date=draw(dates),
        clock=draw(clocks),
        comment=draw(texts),
        given=draw(st.integers(0, len(moves))),
    )


@st.composite
def _annotated(draw: st.DrawFn, move: AnnotatedMove) -> AnnotatedMove:
    """Draw annotations for a move."""
    return replace(
        move,
        seconds=draw(st.none() | times),
        score=draw(st.none() | scores),
        exact=draw(st.none() | margins),
        comment=draw(texts),
    )
