"""A review for a terminal: a line for each move, totals for each side, a line for each player."""

from collections.abc import Iterator, Sequence

import click

from outflank.engine import Colour
from outflank.protocol.lines import printable
from outflank.tools.review.bookexit import BookExit
from outflank.tools.review.game import GameReview
from outflank.tools.review.moves import Class, MoveReview
from outflank.tools.review.tally import PlayerSummary, Tally
from outflank.tools.show.search import certainty, moves_text, score_text
from outflank.tools.work.words import counted

# How a terminal shows each class.
_STYLES: dict[Class, dict[str, object]] = {
    Class.GIVEN: {"dim": True},
    Class.FORCED: {"dim": True},
    Class.GOOD: {},
    Class.INACCURACY: {"fg": "yellow"},
    Class.MISTAKE: {"fg": "red"},
    Class.BLUNDER: {"fg": "red", "bold": True},
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
    """What would have been better; empty if nothing would have been."""
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
    return (
        f"{tally.moves:>5}  {accuracy:>8}  {tally.kinds[Class.INACCURACY]:>12}  {tally.kinds[Class.MISTAKE]:>8}  "
        f"{tally.kinds[Class.BLUNDER]:>8}  {tally.lost:>10.4g}  {lost:>6}  {tally.worst:>5.4g}  {tally.thrown:>6}"
    )
