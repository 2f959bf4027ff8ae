"""Formats reviews as terminal text, as JSON data and as annotated games, and counts totals for sides and players."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from textwrap import wrap
from typing import Any, Literal

import click

from outflank.engine import Colour, OutflankError
from outflank.protocol.formats.annotated import AnnotatedGame, AnnotatedMove, for_black
from outflank.protocol.lines import printable
from outflank.tools.analysis.review.game import ERRORS, NOBODYS, GameReview, MoveClass, MoveReview
from outflank.tools.page.replay import occasion_text
from outflank.tools.page.replay import result_text as game_result
from outflank.tools.report.board import board_text, is_coloured
from outflank.tools.report.search import certainty, moves_text, score_number, score_text
from outflank.tools.runtime.progress import counted

PointOfView = Literal["mover", "black"]
"""The side from which scores are shown."""


@dataclass(slots=True)
class MoveTotals:
    """Counts of reviewed moves, without forced and given moves."""

    kinds: Counter[MoveClass] = field(default_factory=Counter)
    lost: float = 0.0
    worst: float = 0.0
    thrown: int = 0
    exact: int = 0

    def add(self, moves: Iterable[MoveReview]) -> "MoveTotals":
        """Count more moves. Return self."""
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
        """The number of moves that a player chose."""
        return self.kinds.total()

    @property
    def accuracy(self) -> float | None:
        """The share of moves without an error, 0 to 1; None without moves."""
        return self.kinds[MoveClass.GOOD] / self.moves if self.moves else None

    @property
    def lost_a_move(self) -> float | None:
        """The mean number of discs lost by a move; None without moves."""
        return self.lost / self.moves if self.moves else None


@dataclass(slots=True)
class PlayerSummary:
    """The totals of a player.

    Attributes:
        name: the player's name in the games; empty if the games do not name the player.
        losses: the number of lost games. A game without a result is neither a win, a draw nor a loss. A game between
            players of the same name is neither a win nor a loss.
    """

    name: str
    games: int = 0
    wins: int = 0
    draws: int = 0
    losses: int = 0
    tally: MoveTotals = field(default_factory=MoveTotals)

    def add(self, review: GameReview, colour: Colour) -> None:
        """Count a game in which the player had this colour."""
        has_both = review.game.black == review.game.white
        self.tally.add(review.of(colour))
        outcome = review.game.outcome
        if has_both and colour is Colour.WHITE:
            return
        self.games += 1
        if outcome is not None:
            self.draws += outcome.winner is None
            self.wins += outcome.winner is colour and not has_both
            self.losses += outcome.winner is colour.other and not has_both


def count_game(players: dict[str, PlayerSummary], review: GameReview) -> None:
    """Count a game for both of its players; `players` maps each name to its summary."""
    for colour, name in zip(Colour, (review.game.black, review.game.white), strict=True):
        players.setdefault(name, PlayerSummary(name)).add(review, colour)


def ranked(players: Mapping[str, PlayerSummary]) -> list[PlayerSummary]:
    """Return the summaries in increasing order of discs lost per move."""
    return sorted(
        players.values(),
        key=lambda player: (player.tally.lost_a_move is None, player.tally.lost_a_move or 0, player.name),
    )


def game_facts(review: GameReview, file: str, number: int) -> dict[str, Any]:
    """Return the review of a game as JSON data: players, costs of moves, both sides' totals, the evaluation curve."""
    game, outcome, opening, left = review.game, review.game.outcome, review.opening, review.exit_ply
    return {
        "kind": "game",
        "file": file,
        "number": number,
        "black": game.black,
        "white": game.white,
        "event": game.event,
        "date": game.date,
        "rules": str(game.rules),
        "start": game.first.board_string(),
        "opening": None if opening is None else asdict(opening),
        "book_exit": None
        if left is None
        else {
            "ply": left,
            "number": review.numbers[left - 1],
            "move": str(review.moves[left - 1].move),
            "judged": review.exit_judged,
        },
        "winner": None if outcome is None or outcome.winner is None else str(outcome.winner),
        "margin": None if outcome is None else outcome.margin,
        "given": game.given,
        "turning_point": review.turning_point,
        "moves": [_move(move, row) for move, row in zip(review.moves, review.rows(), strict=True)],
        "curve": [
            {"score": score_number(each.black_score), "exact": each.exact} for each in review.judgements
        ],
        "sides": {str(colour): _tally_facts(MoveTotals().add(review.of(colour))) for colour in Colour},
    }


def player_facts(players: Iterable[PlayerSummary]) -> dict[str, Any]:
    """Return the summaries of the players as JSON data."""
    return {
        "kind": "players",
        "players": [
            {
                "name": player.name,
                "games": player.games,
                "wins": player.wins,
                "draws": player.draws,
                "losses": player.losses,
                **_tally_facts(player.tally),
            }
            for player in players
        ],
    }


def _tally_facts(tally: MoveTotals) -> dict[str, Any]:
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


def _move(move: MoveReview, row: dict[str, Any]) -> dict[str, Any]:
    """Return a row of ``GameReview.rows`` as JSON data, with lists in place of texts."""
    del row["curve"]  # ``game_facts`` returns the curve as a separate list
    values = [
        {
            "move": str(value.move),
            "score": score_number(value.score),
            "exact": value.exact,
            "line": list(map(str, value.line)),
        }
        for value in move.values
    ]
    return {
        **row,
        **{name: score_number(row[name]) for name in ("before", "after", "lost")},
        "outcome_thrown": None if move.thrown is None else list(move.thrown),
        "line": [str(each) for each in move.best.line],
        **({"values": values} if values else {}),
    }


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 4)


# The terminal style of each class of moves.
_STYLES: dict[MoveClass, dict[str, object]] = {
    MoveClass.GIVEN: {"dim": True},
    MoveClass.FORCED: {"dim": True},
    MoveClass.GOOD: {},
    MoveClass.INACCURACY: {"fg": "yellow"},
    MoveClass.MISTAKE: {"fg": "red"},
    MoveClass.BLUNDER: {"fg": "red", "bold": True},
}
_LINE_SHOWN = 8  # the maximum number of moves that are shown of a better line
_NARROWEST = 40  # the least width in characters to which lines are wrapped
_TALLY_HEADING = "moves  accuracy  inaccuracies  mistakes  blunders  discs lost  a move  worst  thrown"
_NARROW_TALLY_HEADING = "moves   right   ?!    ?   ??    lost  a move  worst  thrown"
_NARROW_LEGEND = "?! inaccuracies, ? mistakes, ?? blunders"
_LONGEST_NARROW_NAME = 10


def game_text(review: GameReview, view: PointOfView = "mover", width: int | None = None) -> Iterator[str]:
    """Yield the lines of a game's review. The table of totals is narrow if `width` is too small for the wide table."""
    yield headline(review)
    if occasion := occasion_text(review.game):
        yield f"{'Event' if review.game.event else 'Date'}: {occasion}"
    if review.opening is not None:
        yield f"Opening: {review.opening}"
    if review.game.given:
        yield f"Given: {counted(review.game.given, 'move')}, for which nobody is blamed"
    if exit_words := exit_text(review):
        yield f"Book: {exit_words}"
    yield ""
    yield "   no  move   before  after   lost  class       certainty         instead"
    for number, move in zip(review.numbers, review.moves, strict=True):
        yield click.style(_move_line(number, move, view), **_STYLES[move.kind])  # type: ignore[arg-type]
    yield ""
    names = review.game.rules.colour_names
    longest = max(map(len, names))
    narrow = width is not None and longest + 2 + len(_TALLY_HEADING) > width
    yield f"{'':<{longest}}  {_NARROW_TALLY_HEADING if narrow else _TALLY_HEADING}"
    for colour, name in zip(Colour, names, strict=True):
        yield f"{name:<{longest}}  {_tally_text(MoveTotals().add(review.of(colour)), narrow)}"
    if narrow:
        yield _NARROW_LEGEND


def move_text(review: GameReview, number: int, view: PointOfView = "mover") -> Iterator[str]:
    """Yield the lines about one move of a game: the board before the move, and the values of all legal moves.

    Raises: OutflankError if the game has no move with this number.
    """
    if number not in review.numbers:
        raise OutflankError(
            f"the game has {counted(review.game.discs_played, 'move')}, so there is no move {number}"
        )
    move = review.moves[review.numbers.index(number)]
    yield headline(review)
    yield board_text(move.before, coloured=is_coloured())
    yield ""
    owner = "the mover" if view == "mover" else move.before.rules.colour_name(Colour.BLACK)
    yield f"move    score   line (scores: final discs ahead for {owner}; * was played, ~ is not proven)"
    for value in move.values:
        mark = "*" if value.move == move.move else ""
        score = ("" if value.exact else "~") + score_text(_seen(value.score, move, view))
        yield f"{value.move!s:<5}{mark:<2}{score:>6}   {moves_text(value.line[1:])}".rstrip()
    if move.is_error:
        yield f"{number}. {move.move}: {_error_text(move)}"


def _seen(score: float, move: MoveReview, view: PointOfView) -> float:
    return 0.0 - score if view == "black" and move.colour is Colour.WHITE else score


def game_line(review: GameReview, number: int, width: int | None = None) -> list[str]:
    """Return the summary of a game as one line, or as lines of at most `width` characters."""
    tallies = [MoveTotals().add(review.of(colour)) for colour in Colour]
    lost = " and ".join(f"{score_text(tally.lost)[1:]} in {tally.moves}" for tally in tallies)
    opening = "" if review.opening is None else f"; {review.opening.name}"
    ply = review.exit_ply
    left = f"; left the book at {review.numbers[ply - 1]}. {review.moves[ply - 1].move}" if ply else ""
    occasion = occasion_text(review.game) and f" ({occasion_text(review.game)})"
    text = f"game {number}: {headline(review)}{occasion}; discs lost: {lost} moves{opening}{left}"
    return [text] if width is None else wrap(text, max(width, _NARROWEST), subsequent_indent="    ")


def exit_text(review: GameReview) -> str:
    """Describe the book exit, as in ``left at move 9, b5``. Return an empty text if no move left a book."""
    if review.exit_ply is None:
        return ""
    number, move = review.numbers[review.exit_ply - 1], review.moves[review.exit_ply - 1].move
    if review.exit_judged:
        return f"ends before move {number}; {move} is its best move to a position outside it"
    return f"left at move {number}, {move}"


def players_text(players: Sequence[PlayerSummary], width: int | None = None) -> Iterator[str]:
    """Yield the lines of a table of the players. The table is narrow if `width` is too small for the wide table."""
    names = [printable(player.name, None) or "(no name)" for player in players]
    longest = max(map(len, ["player", *names]))
    wide = f"{'player':<{longest}}  games  won  drawn  lost  {_TALLY_HEADING}"
    if width is not None and len(wide) > width:
        longest = min(longest, _LONGEST_NARROW_NAME)
        yield f"{'player':<{longest}}  +  =  -  {_NARROW_TALLY_HEADING}"
        for name, player in zip(names, players, strict=True):
            results = f"{player.wins:>2} {player.draws:>2} {player.losses:>2}"
            yield f"{name[:longest]:<{longest}} {results}  {_tally_text(player.tally, narrow=True)}"
        yield _NARROW_LEGEND
        return
    yield wide
    for name, player in zip(names, players, strict=True):
        games = f"{player.games:>5}  {player.wins:>3}  {player.draws:>5}  {player.losses:>4}"
        yield f"{name:<{longest}}  {games}  {_tally_text(player.tally)}"


def headline(review: GameReview) -> str:
    """Return players and result, as in ``A (Black) - B (White) 40-24``; see ``result_text`` for unfinished games."""
    game = review.game
    black, white = game.rules.colour_names
    players = " - ".join(
        f"{printable(name, None)} ({colour})" if name else colour
        for name, colour in ((game.black, black), (game.white, white))
    )
    return f"{players} {result_text(review)}"


def result_text(review: GameReview) -> str:
    """Return the result of a game: ``40-24`` if finished, a recorded ``White wins by time``, or ``unfinished``."""
    return game_result(review.game) or "unfinished"


def _instead_text(move: MoveReview) -> str:
    if not move.is_error:
        return ""
    line = moves_text(move.instead[:_LINE_SHOWN])
    return line if move.thrown is None else f"{line} ({move.thrown[0]} to {move.thrown[1]})"


def _error_text(move: MoveReview) -> str:
    """Describe an error, as in ``blunder, 12 discs lost, better h4 h7 g8``."""
    lost = counted(round(move.lost), "disc")
    return f"{move.kind}, {lost} lost, better {_instead_text(move)}"


def _move_line(number: int | None, move: MoveReview, view: PointOfView) -> str:
    lost = f"{move.lost:.4g}" if move.lost and not move.given else ""
    disc = "X" if move.colour is Colour.BLACK else "O"
    before, after = (score_text(_seen(score, move, view)) for score in (move.score_before, move.score_after))
    scores = f"{before:>7} {after:>6} {lost:>6}"
    how_sure = certainty(move.best, move.before.empties)
    line = f"{number or '':>4} {disc} {move.move!s:<6}{scores}  {move.kind:<10}  {how_sure:<16}  {_instead_text(move)}"
    return line.rstrip()


def _tally_text(tally: MoveTotals, narrow: bool = False) -> str:
    accuracy = "-" if tally.accuracy is None else f"{tally.accuracy:.1%}"
    lost = "-" if tally.lost_a_move is None else f"{tally.lost_a_move:.2f}"
    slight, mistakes, blunders = (tally.kinds[kind] for kind in ERRORS)
    last = f"{lost:>6}  {tally.worst:>5.4g}  {tally.thrown:>6}"
    if narrow:
        errors = f"{slight:>4} {mistakes:>4} {blunders:>4}"
        return f"{tally.moves:>5}  {accuracy:>6} {errors}  {tally.lost:>6.4g}  {last}"
    errors = f"{slight:>12}  {mistakes:>8}  {blunders:>8}"
    return f"{tally.moves:>5}  {accuracy:>8}  {errors}  {tally.lost:>10.4g}  {last}"


def annotated(review: GameReview) -> AnnotatedGame:
    """Return the game with annotations from its review.

    The review's score after each move replaces the player's score. If the scores are proven, the move also gets an
    exact margin. An error gets a mark, a better line and a comment. The game's comment lists all errors, because some
    formats have no comments on moves.
    """
    game, numbers = review.game, review.numbers
    moves = [_annotated(*each) for each in zip(game.moves, review.moves, strict=True)]
    errors = [
        f"{number}. {move.move} {_error_text(move)}"
        for move, number in zip(review.moves, numbers, strict=True)
        if move.is_error
    ]
    remarks = "; ".join([*_totals(review), *errors])
    final = review.final
    return replace(
        game,
        moves=tuple(moves),
        comment="\n".join(filter(None, [game.comment, remarks])),
        exact=round(final.black_score) if final.exact else game.exact,
    )


def _annotated(played: AnnotatedMove, move: MoveReview) -> AnnotatedMove:
    remark = _error_text(move) if move.is_error else ""
    return replace(
        played,
        score=for_black(move.score_after, move.colour),
        exact=round(move.best.black_score) if move.exact else played.exact,
        comment="\n".join(filter(None, [played.comment, remark])),
        fault=1 + ERRORS.index(move.kind) if move.is_error else 0,
        instead=move.instead,
    )


def _totals(review: GameReview) -> Iterator[str]:
    for colour in Colour:
        tally = MoveTotals().add(review.of(colour))
        name = review.game.rules.colour_name(colour)
        yield f"{name} lost {tally.lost:.4g} discs in {counted(tally.moves, 'move')}"
