"""Renders reviews as a self-contained HTML page. The page has the same parts as the report of a run."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import accumulate
from typing import Any

from outflank.engine import Colour, OutflankError
from outflank.protocol.formats.annotated import for_black
from outflank.tools.analysis.review.game import (
    ERRORS,
    NOBODYS,
    GameReview,
    MoveReview,
    MoveValue,
    ReviewSettings,
)
from outflank.tools.analysis.review.output import (
    MoveTotals,
    PlayerSummary,
    PointOfView,
    annotated,
    count_game,
    exit_text,
    ranked,
)
from outflank.tools.page.parts import PhaseTable, packed_files, page_parts, phase_table, rendered
from outflank.tools.page.replay import Replay
from outflank.tools.report.charts import Series, chart
from outflank.tools.report.search import certainty, moves_text

_WORST_SHOWN = 40
_LINE_SHOWN = 8  # the maximum number of moves that are shown of a line, unless it begins with the best move


def render_review(
    reviews: Sequence[GameReview],
    settings: ReviewSettings,
    view: PointOfView = "black",
    played: Sequence[str] = (),
) -> str:
    """Return the page of one or more games: each game on a board, its evaluation curve, totals, and the worst moves."""
    players: dict[str, PlayerSummary] = {}
    for review in reviews:
        count_game(players, review)
    replays = [review_replay(review, number) for number, review in enumerate(reviews, 1)]
    first = reviews[0]
    tallies = [MoveTotals().add(first.of(colour)) for colour in Colour]
    return rendered(
        "review.html",
        title=_title(reviews),
        settings=settings.words(),
        view=view,
        branches=True,
        players=ranked(players),
        sides=list(zip(_names(first), tallies, strict=True)),
        errors=ERRORS,
        rows=replays,
        played=played,
        phases=_phases(reviews),
        files=packed_files([annotated(review) for review in reviews]),
        remark_heading="lost",
        names=sorted({name for review in reviews for name in _names(review)}),
        endings=sorted({each.ending for each in replays}),
        worst=_worst(reviews),
        replays=[each.facts() for each in replays],
        **page_parts(first.game.rules, "report.js"),
    )


def curve_svg(review: GameReview) -> str:
    """Draw the evaluations of a game's positions from Black's point of view, as an SVG image.

    Raises: OutflankError if the game has no moves.
    """
    points = tuple(
        (float(number), judgement.black_score)
        for number, judgement in zip(_moves_made(review), review.judgements, strict=True)
    )
    black, white = _names(review)
    drawn = chart(
        f"{black} against {white}: discs for {review.game.rules.colour_names[0]} after each move",
        "",
        [Series("review", 0, points)],
        {"even": 0.0},
        whole=True,
    )
    if drawn is None:
        raise OutflankError("a game without moves has no curve to draw")
    return rendered("curve.svg", chart=drawn, clip="clip")


def _moves_made(review: GameReview) -> Iterator[int]:
    return accumulate((not move.move.is_pass for move in review.moves), initial=0)


def _title(reviews: Sequence[GameReview]) -> str:
    if len(reviews) > 1:
        return f"Review of {len(reviews)} games"
    return " against ".join(_names(reviews[0]))


def _names(review: GameReview) -> tuple[str, str]:
    black, white = review.game.rules.colour_names
    return review.game.black or black, review.game.white or white


def review_replay(review: GameReview, number: int) -> Replay:
    """Return the game with the review's scores and move classes, as data for the script of the page."""
    game, moves = review.game, review.moves
    left_book = f"Book: {exit_text(review)}" if review.exit_ply else ""
    record = Replay.of(game, number)
    margin = round(review.final.black_score) if review.final.exact else None
    return replace(
        record,
        detail=". ".join(filter(None, (left_book, game.comment))),
        result=record.result or "unfinished",
        remark="/".join(f"{MoveTotals().add(review.of(colour)).lost:g}" for colour in Colour),
        exact=[*(round(move.best.black_score) if move.exact else None for move in moves), margin],
        review=[round(each.black_score, 2) for each in review.judgements],
        depths=[certainty(each, each.position.empties) for each in review.judgements],
        lost=[move.lost for move in moves],
        classes=[str(move.kind) if move.is_error else "" for move in moves],
        better=[moves_text(move.instead) for move in moves],
        choices=[[_choice(value, move) for value in move.values] for move in moves],
        turned=review.turning_point,
    )


def _choice(value: MoveValue, move: MoveReview) -> list[object]:
    """Return the data of a legal move: its best line, its score for Black, and 1 if the score is proven, else 0.

    The line is shortened if the move is not the best move.
    """
    line = value.line if value.move == move.best.line[0] else value.line[:_LINE_SHOWN]
    return [moves_text(line), round(for_black(value.score, move.colour) or 0.0, 2), int(value.exact)]


def _phases(reviews: Sequence[GameReview]) -> PhaseTable:
    return phase_table(
        dict.fromkeys(name for review in reviews for name in _names(review)),
        (
            (_names(review)[move.colour is Colour.WHITE], move.before.empties, move.lost)
            for review in reviews
            for move in review.moves
            if move.kind not in NOBODYS
        ),
    )


def _worst(reviews: Sequence[GameReview]) -> list[dict[str, Any]]:
    errors = [
        (move, index, ply)
        for index, review in enumerate(reviews)
        for ply, move in enumerate(review.moves, 1)
        if move.is_error
    ]
    errors.sort(key=lambda error: -error[0].lost)
    return [_error(reviews[index], move, index, ply) for move, index, ply in errors[:_WORST_SHOWN]]


def _error(review: GameReview, move: MoveReview, index: int, ply: int) -> dict[str, Any]:
    return {
        "index": index,
        "ply": ply,
        "number": review.numbers[ply - 1],
        "white": move.colour is Colour.WHITE,
        "player": _names(review)[move.colour is Colour.WHITE],
        "move": str(move.move),
        "before": for_black(move.score_before, move.colour),
        "after": for_black(move.score_after, move.colour),
        "lost": f"{move.lost:g}",
        "kind": str(move.kind),
        "certainty": certainty(move.best, move.before.empties),
        "better": moves_text(move.instead),
    }
