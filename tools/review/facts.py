"""A review as JSON has it. Scores are discs from the mover's side; those of the curve are Black's."""

from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

from outflank.engine import Colour
from outflank.tools.review.game import GameReview
from outflank.tools.review.moves import Class, MoveReview
from outflank.tools.review.tally import PlayerSummary, Tally
from outflank.tools.show.search import score_number


def game_facts(review: GameReview, file: str, number: int) -> dict[str, Any]:
    """A game: who played, what each move cost, both sides' totals, the evaluation curve."""
    game, outcome, opening, left = review.game, review.game.outcome, review.opening, review.book_exit
    return {
        "kind": "game",
        "file": file,
        "number": number,
        "black": game.black,
        "white": game.white,
        "date": game.date,
        "rules": str(game.rules),
        "start": game.first.board_string(),
        "opening": None if opening is None else asdict(opening),
        "book_exit": None
        if left is None
        else {"ply": left.ply, "move": str(left.move), "judged": left.judged},
        "winner": None if outcome is None or outcome.winner is None else str(outcome.winner),
        "margin": None if outcome is None else outcome.margin,
        "given": game.given,
        "moves": [_move(move, ply) for ply, move in enumerate(review.moves, 1)],
        "curve": [
            {"score": score_number(each.black_score), "exact": each.exact} for each in review.judgements
        ],
        "sides": {str(colour): tally_facts(Tally().add(review.of(colour))) for colour in Colour},
    }


def player_facts(players: Iterable[PlayerSummary]) -> dict[str, Any]:
    """The summary that ends the reviews of many games."""
    return {
        "kind": "players",
        "players": [
            {
                "name": player.name,
                "games": player.games,
                "wins": player.wins,
                "draws": player.draws,
                "losses": player.losses,
                **tally_facts(player.tally),
            }
            for player in players
        ],
    }


def tally_facts(tally: Tally) -> dict[str, Any]:
    """Totals of a side or of a player; moves that were forced or given do not count."""
    return {
        "moves": tally.moves,
        "exact_moves": tally.exact,
        **{_PLURALS[kind]: tally.kinds[kind] for kind in _PLURALS},
        "outcomes_thrown": tally.thrown,
        "accuracy": _rounded(tally.accuracy),
        "discs_lost": score_number(tally.lost),
        "discs_lost_a_move": _rounded(tally.lost_a_move),
        "worst": score_number(tally.worst),
    }


_PLURALS = {Class.INACCURACY: "inaccuracies", Class.MISTAKE: "mistakes", Class.BLUNDER: "blunders"}


def _move(move: MoveReview, ply: int) -> dict[str, Any]:
    thrown = move.thrown
    return {
        "ply": ply,
        "side": str(move.colour),
        "move": str(move.move),
        "empties": move.before.empties,
        "before": score_number(move.score_before),
        "after": score_number(move.score_after),
        "lost": score_number(move.lost),
        "class": str(move.kind),
        "outcome_thrown": None if thrown is None else list(thrown),
        "best": str(move.best.line[0]),
        "line": [str(each) for each in move.best.line],
        "exact": move.exact,
        "depth": move.best.depth,
        "selectivity": move.best.selectivity,
    }


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 4)
