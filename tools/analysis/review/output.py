"""A review for people and for programs: totals of each side and player, text for a terminal, JSON."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import click

from outflank.engine import Colour
from outflank.protocol.lines import printable
from outflank.tools.analysis.review.game import ERRORS, NOBODYS, BookExit, GameReview, MoveClass, MoveReview
from outflank.tools.report.search import certainty, moves_text, score_number, score_text
from outflank.tools.work.progress import counted


@dataclass(slots=True)
class Tally:
    """Counts of reviewed moves; those that were forced or given do not count.

    Attributes:
        kinds: number of moves of each class.
        lost: discs lost by all of them.
        worst: the most discs that one of them lost.
        thrown: moves that made a proven outcome worse.
        exact: moves that were judged exactly.
    """

    kinds: Counter[MoveClass] = field(default_factory=Counter)
    lost: float = 0.0
    worst: float = 0.0
    thrown: int = 0
    exact: int = 0

    def add(self, moves: Iterable[MoveReview]) -> "Tally":
        """Count more moves; returns itself."""
        for move in moves:
            if move.kind in NOBODYS:
                continue
            self.kinds[move.kind] += 1
            self.lost += move.lost
            self.worst = max(self.worst, move.lost)
            self.thrown += move.thrown is not None
            self.exact += move.exact
        return self

    @property
    def moves(self) -> int:
        """How many moves were somebody's choice."""
        return self.kinds.total()

    @property
    def accuracy(self) -> float | None:
        """The share of them that were no errors, 0 to 1; None if there are none."""
        return self.kinds[MoveClass.GOOD] / self.moves if self.moves else None

    @property
    def lost_a_move(self) -> float | None:
        """Discs lost by one of them in the mean; None if there are none."""
        return self.lost / self.moves if self.moves else None


@dataclass(slots=True)
class PlayerSummary:
    """All reviewed games of a player.

    Attributes:
        name: as the games have it; empty for games that name nobody.
        games: how many.
        wins: of them.
        draws: of them.
        losses: of them; games without a result are none of the three.
        tally: the player's moves.
    """

    name: str
    games: int = 0
    wins: int = 0
    draws: int = 0
    losses: int = 0
    tally: Tally = field(default_factory=Tally)

    def add(self, review: GameReview, colour: Colour) -> None:
        """Count a game in which the player had this colour."""
        self.games += 1
        self.tally.add(review.of(colour))
        outcome = review.game.outcome
        if outcome is not None:
            self.wins += outcome.winner is colour
            self.draws += outcome.winner is None
            self.losses += outcome.winner is colour.other


class Players:
    """A summary for each player, as the games come."""

    def __init__(self) -> None:
        self._by_name: dict[str, PlayerSummary] = {}

    def add(self, review: GameReview) -> None:
        """Count a game for both players."""
        for colour, name in zip(Colour, (review.game.black, review.game.white), strict=True):
            self._by_name.setdefault(name, PlayerSummary(name)).add(review, colour)

    def summaries(self) -> list[PlayerSummary]:
        """The one who lost the fewest discs a move first."""
        return sorted(
            self._by_name.values(),
            key=lambda player: (player.tally.lost_a_move is None, player.tally.lost_a_move or 0, player.name),
        )


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


_PLURALS = {
    MoveClass.INACCURACY: "inaccuracies",
    MoveClass.MISTAKE: "mistakes",
    MoveClass.BLUNDER: "blunders",
}


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


# How a terminal shows each class.
_STYLES: dict[MoveClass, dict[str, object]] = {
    MoveClass.GIVEN: {"dim": True},
    MoveClass.FORCED: {"dim": True},
    MoveClass.GOOD: {},
    MoveClass.INACCURACY: {"fg": "yellow"},
    MoveClass.MISTAKE: {"fg": "red"},
    MoveClass.BLUNDER: {"fg": "red", "bold": True},
}
_LINE_SHOWN = 8  # moves of the line that would have been better
_TALLY_HEADING = "moves  accuracy  inaccuracies  mistakes  blunders  discs lost  a move  worst  thrown"


def game_text(review: GameReview) -> Iterator[str]:
    """The lines of one game's review."""
    yield headline(review)
    if review.opening is not None:
        yield f"Opening: {review.opening}"
    if review.game.given:
        yield f"Given: {counted(review.game.given, 'move')}, for which nobody is blamed"
    if review.book_exit is not None:
        yield f"Book: {exit_text(review.book_exit)}"
    yield ""
    yield "  ply  move   before  after   lost  class       certainty         instead"
    for ply, move in enumerate(review.moves, 1):
        yield click.style(_move_line(ply, move), **_STYLES[move.kind])  # type: ignore[arg-type]
    yield ""
    names = review.game.rules.colour_names
    width = max(map(len, names))
    yield f"{'':<{width}}  {_TALLY_HEADING}"
    for colour, name in zip(Colour, names, strict=True):
        yield f"{name:<{width}}  {_tally_text(Tally().add(review.of(colour)))}"


def game_line(review: GameReview, number: int) -> str:
    """One line about a game among many."""
    tallies = [Tally().add(review.of(colour)) for colour in Colour]
    lost = " and ".join(f"{score_text(tally.lost)[1:]} in {tally.moves}" for tally in tallies)
    opening = "" if review.opening is None else f"; {review.opening.name}"
    left = (
        ""
        if review.book_exit is None
        else f"; left the book at {review.book_exit.ply}. {review.book_exit.move}"
    )
    return f"game {number}: {headline(review)}; discs lost: {lost} moves{opening}{left}"


def exit_text(left: BookExit) -> str:
    """``left at move 9, b5``, or that the book ends there."""
    if left.judged:
        return f"ends with move {left.ply}, {left.move}, the best of those that lead out of it"
    return f"left at move {left.ply}, {left.move}"


def players_text(players: Sequence[PlayerSummary]) -> Iterator[str]:
    """The lines of the summary of many games."""
    names = [printable(player.name, None) or "(no name)" for player in players]
    width = max(map(len, ["player", *names]))
    yield f"{'player':<{width}}  games  won  drawn  lost  {_TALLY_HEADING}"
    for name, player in zip(names, players, strict=True):
        games = f"{player.games:>5}  {player.wins:>3}  {player.draws:>5}  {player.losses:>4}"
        yield f"{name:<{width}}  {games}  {_tally_text(player.tally)}"


def headline(review: GameReview) -> str:
    """``A (Black) - B (White) 40-24``, or who won otherwise."""
    game = review.game
    black, white = game.rules.colour_names
    players = " - ".join(
        f"{printable(name, None)} ({colour})" if name else colour
        for name, colour in ((game.black, black), (game.white, white))
    )
    return f"{players} {result_text(review)}"


def result_text(review: GameReview) -> str:
    """``40-24`` where the board says all, else what the record says: ``+8``, ``White wins by time``."""
    game = review.game
    outcome = game.outcome
    if outcome is None:
        return "unfinished"
    if game.final.is_over:
        return f"{game.final.discs(Colour.BLACK)}-{game.final.discs(Colour.WHITE)}"
    if outcome.margin is not None:
        return f"{outcome.margin:+d}"
    if outcome.winner is None:
        return "draw"
    return f"{game.rules.colour_name(outcome.winner)} wins by {outcome.ending}"


def instead_text(move: MoveReview) -> str:
    """The better line; empty if the move was no error."""
    if not move.is_error:
        return ""
    line = moves_text(move.instead[:_LINE_SHOWN])
    return line if move.thrown is None else f"{line} ({move.thrown[0]} to {move.thrown[1]})"


def _move_line(ply: int, move: MoveReview) -> str:
    lost = f"{move.lost:.4g}" if move.lost and not move.given else ""
    disc = "X" if move.colour is Colour.BLACK else "O"
    scores = f"{score_text(move.score_before):>7} {score_text(move.score_after):>6} {lost:>6}"
    how_sure = certainty(move.best, move.before.empties)
    line = f"{ply:>4} {disc} {move.move!s:<6}{scores}  {move.kind:<10}  {how_sure:<16}  {instead_text(move)}"
    return line.rstrip()


def _tally_text(tally: Tally) -> str:
    accuracy = "-" if tally.accuracy is None else f"{tally.accuracy:.1%}"
    lost = "-" if tally.lost_a_move is None else f"{tally.lost_a_move:.2f}"
    slight, mistakes, blunders = (tally.kinds[kind] for kind in ERRORS)
    return (
        f"{tally.moves:>5}  {accuracy:>8}  {slight:>12}  {mistakes:>8}  "
        f"{blunders:>8}  {tally.lost:>10.4g}  {lost:>6}  {tally.worst:>5.4g}  {tally.thrown:>6}"
    )
