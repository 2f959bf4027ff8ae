"""Reviews games: searches all positions from the last to the first, scores every move, and finds the book exit."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import accumulate
from pathlib import Path
from typing import Any

from outflank.book import Book
from outflank.book.names import Opening, opening_of
from outflank.engine import (
    DEFAULT_LEVEL,
    Colour,
    FileFormatError,
    Game,
    Limit,
    Move,
    Position,
    Result,
    Rules,
    Searcher,
    SearchInfo,
    SearchResult,
    limit_for_level,
)
from outflank.engine.notebook import html_table
from outflank.errors import names_keywords
from outflank.protocol.formats.annotated import AnnotatedGame, BadGame
from outflank.tools.runtime.executor import shared_searcher
from outflank.tools.runtime.kept import KeepingSearcher, KeptResults, game_name
from outflank.tools.runtime.progress import counted

_ORDER: tuple[Result, ...] = ("loss", "draw", "win")


class MoveClass(StrEnum):
    """The class of a move. Moves that were neither forced nor given are classified by the discs that they lost.

    A loss of less than two discs is no error. Exact margins on a full board are even, so a smaller loss can only be a
    difference between estimates.
    """

    GIVEN = "given"
    FORCED = "forced"
    GOOD = "good"
    INACCURACY = "inaccuracy"
    MISTAKE = "mistake"
    BLUNDER = "blunder"


NOBODYS = (MoveClass.GIVEN, MoveClass.FORCED)
"""The classes of moves that no player chose; totals do not count them."""
ERRORS = (MoveClass.INACCURACY, MoveClass.MISTAKE, MoveClass.BLUNDER)
# The fewest discs lost by a move of each class, the worst class first.
LEAST_LOST = {MoveClass.BLUNDER: 12, MoveClass.MISTAKE: 6, MoveClass.INACCURACY: 2}


@dataclass(frozen=True, slots=True)
class SearchValue:
    """The search result for a position.

    Attributes:
        score: the final disc difference with best play, from the point of view of the side to move.
        line: the best line found; empty if the game is over.
        depth: the searched plies; the number of empty squares if the search reached the end of the game.
    """

    position: Position
    score: float
    line: tuple[Move, ...]
    exact: bool
    depth: int
    selectivity: int

    @classmethod
    def of(cls, position: Position, info: SearchInfo) -> "SearchValue":
        """Create the value of a position from the result of its search."""
        line = () if position.is_over else info.pv
        return cls(position, info.score, line, info.exact, info.depth, info.selectivity)

    @property
    def black_score(self) -> float:
        """The score from Black's point of view."""
        return self.score if self.position.side is Colour.BLACK else 0.0 - self.score


@dataclass(frozen=True, slots=True)
class MoveValue:
    """A legal move and its score.

    Attributes:
        line: the best line that begins with the move.
        score: the final disc difference with best play after the move, from the mover's point of view. It does not
            exceed the score of the best move.
    """

    line: tuple[Move, ...]
    score: float
    exact: bool

    @property
    def move(self) -> Move:
        """The first move of `line`."""
        return self.line[0]


@dataclass(frozen=True, slots=True, repr=False)
class MoveReview:
    """A turn of a game and its cost.

    Attributes:
        best: the value of the position before the move.
        score_after: the score with best play after the move, in discs for the mover; exact if `best` is exact.
        given: True if no player chose the move, such as a move of a match's opening.
        values: the values of all legal moves, the best first; empty unless ``ReviewSettings.all_moves`` is set.
    """

    best: SearchValue
    move: Move
    score_after: float
    given: bool = False
    values: tuple[MoveValue, ...] = ()

    @property
    def before(self) -> Position:
        """The position before the move."""
        return self.best.position

    @property
    def colour(self) -> Colour:
        """The side that played the move."""
        return self.before.side

    @property
    def score_before(self) -> float:
        """The score with best play before the move, in discs for the mover."""
        return self.best.score

    @property
    def exact(self) -> bool:
        """Whether `score_before` and `score_after` are proven."""
        return self.best.exact

    @property
    def lost(self) -> float:
        """The discs that the move cost, 0 or more."""
        return self.best.score - self.score_after

    @property
    def is_error(self) -> bool:
        """Whether the move was a player's choice that lost two discs or more."""
        return self.kind in ERRORS

    @property
    def kind(self) -> MoveClass:
        """The class of the move."""
        if self.given:
            return MoveClass.GIVEN
        if len(self.before.legal_moves()) == 1:
            return MoveClass.FORCED
        return next((kind for kind, least in LEAST_LOST.items() if self.lost >= least), MoveClass.GOOD)

    @property
    def instead(self) -> tuple[Move, ...]:
        """The best line if the move was an error, else an empty line."""
        return self.best.line if self.is_error else ()

    @property
    def thrown(self) -> tuple[Result, Result] | None:
        """The mover's results before and after the move; None if they are unproven or the result did not get worse."""
        return self.worsened if self.exact else None

    @property
    def worsened(self) -> tuple[Result, Result] | None:
        """The mover's results before and after the move, even if unproven; None if the result did not get worse."""
        before, after = self._outcome(self.score_before), self._outcome(self.score_after)
        return (before, after) if _ORDER.index(after) < _ORDER.index(before) else None

    def __repr__(self) -> str:
        lost = f", {self.lost:g} discs lost, better {self.best.line[0]}" if self.is_error else ""
        return f"<MoveReview {self.colour} {self.move}: {self.kind}{lost}>"

    def _outcome(self, score: float) -> Result:
        """Return the mover's result for a score. The rules may count a tie as a win of one side."""
        return self.before.rules.result_of(self.colour, round(score))


# The default of ``ReviewSettings.exact_from``. Most positions with at most this number of empty squares are solved in
# less than a second if the transposition table contains the later positions.
EXACT_FROM = 24
_ALL_EXACT_FROM = 20  # the maximum of ``exact_from`` for moves that are neither the best nor the played move


@names_keywords
@dataclass(frozen=True, slots=True)
class ReviewSettings:
    """The search limits for each position.

    Attributes:
        seconds: the time limit of each search. If the played move is not the best move, it is searched separately.
        exact_from: the maximum number of empty squares at which positions are solved, regardless of other limits.
        all_moves: True to score all moves of each position. Moves that are neither the best nor the played move are
            solved only if at most 20 squares are empty.
    """

    level: int = DEFAULT_LEVEL
    depth: int | None = None
    seconds: float | None = None
    exact_from: int = EXACT_FROM
    all_moves: bool = False

    def limit(self, empties: int) -> Limit:
        """Return the limit for a position with `empties` empty squares."""
        if empties <= self.exact_from:
            return Limit.solve()
        if self.depth is None and self.seconds is None:
            return limit_for_level(self.level, empties)
        return Limit(self.depth, seconds=self.seconds)

    def words(self) -> str:
        """Describe the limits, as in ``level 10, exact from 20 empty squares``."""
        given = [
            *([counted(self.depth, "ply", "plies")] if self.depth is not None else []),
            *([f"{self.seconds:g} s per search"] if self.seconds is not None else []),
        ]
        return ", ".join([*(given or [f"level {self.level}"]), f"exact from {self.exact_from} empty squares"])


@dataclass(frozen=True, slots=True, repr=False)
class GameReview:
    """A reviewed game.

    Attributes:
        final: the value of the position after the last move.
        exit_ply: the ply of the move that left the opening book. Plies include passes and are counted from 1. None if
            no book contains the first position of the game, or if the game never leaves the book.
        exit_judged: True if the book has a score for this move, as its best move to a position outside the book.
    """

    game: AnnotatedGame
    moves: tuple[MoveReview, ...]
    final: SearchValue
    exit_ply: int | None = None
    exit_judged: bool = False

    @property
    def opening(self) -> Opening | None:
        """The last named opening in the game; None if the game has none."""
        return opening_of(self.game.positions)

    @property
    def judgements(self) -> tuple[SearchValue, ...]:
        """The value of each position, from the first position to the position after the last move."""
        return (*(move.best for move in self.moves), self.final)

    @property
    def numbers(self) -> tuple[int | None, ...]:
        """The number of each move on a score sheet, from 1; None for a pass, which has no number."""
        made = accumulate(int(not move.move.is_pass) for move in self.moves)
        return tuple(None if move.move.is_pass else n for move, n in zip(self.moves, made, strict=True))

    @property
    def turning_point(self) -> int | None:
        """The ply of the last error that changed the result, else the ply of the worst error; None without errors."""
        errors = [(move, ply) for ply, move in enumerate(self.moves, 1) if move.is_error]
        if turns := [ply for move, ply in errors if move.worsened]:
            return turns[-1]
        return max(errors, key=lambda error: error[0].lost, default=(None, None))[1]

    def of(self, colour: Colour) -> Sequence[MoveReview]:
        """Return the moves of one side."""
        return [move for move in self.moves if move.colour is colour]

    def rows(self) -> list[dict[str, Any]]:
        """Return a row of plain values for each move, for example for a DataFrame. Moves and lines are texts.

        The columns are the fields of a move in ``outflank review --json``, and a further column ``curve``: the score
        before the move, from Black's point of view.
        """
        return [
            {
                "ply": ply,
                "number": number,
                "side": str(move.colour),
                "move": str(move.move),
                "empties": move.before.empties,
                "before": move.score_before,
                "after": move.score_after,
                "lost": move.lost,
                "curve": move.best.black_score,
                "class": str(move.kind),
                "outcome_thrown": None if move.thrown is None else " to ".join(move.thrown),
                "best": str(move.best.line[0]),
                "line": " ".join(map(str, move.best.line)),
                "exact": move.exact,
                "depth": move.best.depth,
                "selectivity": move.best.selectivity,
            }
            for ply, (move, number) in enumerate(zip(self.moves, self.numbers, strict=True), 1)
        ]

    def __str__(self) -> str:
        """Return a summary, as in ``60 moves, 9 discs lost by Black, 12 by White``."""
        lost = {colour: sum(move.lost for move in self.of(colour)) for colour in Colour}
        black, white = self.game.rules.colour_names
        count = counted(self.game.discs_played, "move")
        return f"{count}, {lost[Colour.BLACK]:g} discs lost by {black}, {lost[Colour.WHITE]:g} by {white}"

    def __repr__(self) -> str:
        return f"<GameReview {self}>"

    def _repr_html_(self) -> str:
        """Return the moves as an HTML table for a notebook."""
        shown = ("number", "side", "move", "before", "after", "lost", "class", "best")
        return html_table(({name: row[name] for name in shown} for row in self.rows()), str(self))


def review_game(
    game: AnnotatedGame | BadGame | Game,
    settings: ReviewSettings | None = None,
    searcher: Searcher | KeepingSearcher | None = None,
) -> GameReview:
    """Review a game. Without `settings`, use the default settings; without `searcher`, use a new searcher.

    Positions are searched from the last to the first, so that the transposition table has the later positions. The
    table is cleared first, so that a review does not depend on earlier games.

    Raises: FileFormatError with the reason if `game` is a ``BadGame``, which ``read_games`` yields for an unreadable
        game.
    """
    if isinstance(game, BadGame):
        raise FileFormatError(str(game))
    if isinstance(game, Game):
        game = AnnotatedGame.of(game)
    limits, search = settings or ReviewSettings(), searcher or Searcher()
    search.clear()

    def judge(position: Position, moves: Sequence[Move] | None = None) -> SearchValue:
        """Search a position. Consider only `moves`, or all moves if `moves` is None."""
        return SearchValue.of(position, search.search(position, limits.limit(position.empties), moves=moves))

    final = after = judge(game.final)
    reviews = []
    for number, played in reversed([*enumerate(game.moves)]):
        review = _review(judge, played.before, played.move, after)
        reviews.append(replace(review, given=number < game.given))
        after = review.best
    if limits.all_moves:  # these searches come last, so that they do not change the other results
        lines = [final.line, *(review.best.line for review in reviews)]
        reviews = [_with_values(*each, limits, search) for each in zip(reviews, lines, strict=False)]
    return GameReview(game, tuple(reversed(reviews)), final)


def _review(
    judge: Callable[..., SearchValue], before: Position, move: Move, after: SearchValue
) -> MoveReview:
    """Review a move. `after` is the value of the position after the move."""
    if len(before.legal_moves()) == 1:
        depth = after.depth + (not move.is_pass)
        line = (move, *after.line)
        forced = SearchValue(before, 0.0 - after.score, line, after.exact, depth, after.selectivity)
        return MoveReview(forced, move, forced.score)
    best = judge(before)
    if best.exact and after.exact:
        return MoveReview(best, move, 0.0 - after.score)
    if after.exact and 0.0 - after.score >= best.score:  # the proven score replaces the estimate
        proven = replace(best, score=0.0 - after.score, line=(move, *after.line))
        return MoveReview(proven, move, proven.score)
    if best.line[0] == move:
        return MoveReview(best, move, best.score)
    # The played move gets the same limit as the best move, so that the compared scores have the same depth.
    played = judge(before, [move])
    if played.score >= best.score:
        return MoveReview(played, move, played.score)
    # If the limit stopped the search of the played move early, the loss of the move is not proven.
    if best.exact and not played.exact:
        best = replace(best, exact=False, depth=played.depth, selectivity=played.selectivity)
    return MoveReview(best, move, played.score)


def _with_values(
    review: MoveReview,
    line: tuple[Move, ...],
    settings: ReviewSettings,
    searcher: Searcher | KeepingSearcher,
) -> MoveReview:
    """Return the review with the values of all moves. `line` is the best line after the played move."""
    best, before = review.best, review.before
    known = {review.move: MoveValue((review.move, *line), review.score_after, review.exact)}
    known[best.line[0]] = MoveValue(best.line, best.score, best.exact)
    if others := [move for move in before.legal_moves() if move not in known]:
        settings = replace(settings, exact_from=min(settings.exact_from, _ALL_EXACT_FROM))
        limit = settings.limit(before.empties)
        found = searcher.search(before, limit, moves=others, multipv=len(others))
        # This search may be shallower and score a move higher than the best move. The score of the best move is then
        # used in place of the higher score.
        known |= {
            each.move: MoveValue(each.pv, min(each.score, best.score), found.exact) for each in found.lines
        }
    values = sorted(known.values(), key=lambda value: (-value.score, value.move != best.line[0]))
    return replace(review, values=tuple(values))


def review_in_worker(settings: ReviewSettings, hash_mb: int, threads: int, game: AnnotatedGame) -> GameReview:
    """Review a game with the shared searcher of this process. Only one thread of the process may do so at a time.

    If the process is killed, the next review of the game with the same settings uses the saved results of its searches.
    """
    searcher = shared_searcher(hash_mb=hash_mb, threads=threads)
    question = {"settings": repr(settings), "threads": threads, "hash": hash_mb, "game": game_name(game)}
    with KeptResults("review of a game", SearchResult, lambda sentence: None, **question) as results:
        return review_game(game, settings, KeepingSearcher(searcher, results))


@contextmanager
def book_exits(
    paths: Sequence[Path], warn: Callable[[str], object] | None = None
) -> Iterator[Callable[[GameReview], GameReview]]:
    """Open books, and yield a function that adds the book exit to a review.

    The function uses the first book that fits the game's rules and has the game's first position.

    Args:
        paths: the paths of the books.
        warn: a function that receives a warning for each book if no book is for the rules of a game, only once for the
            same rules; None for no warnings.

    Raises: FileFormatError if a book can't be read. The yielded function raises FileFormatError if a book is damaged.
    """
    unserved: set[Rules] = set()
    with ExitStack() as opened:
        books = [opened.enter_context(Book.open(path)) for path in paths]

        def with_exit(review: GameReview) -> GameReview:
            game = review.game
            serving = [book for book in books if book.serves(game.rules)]
            if not serving and warn is not None and game.rules not in unserved:
                unserved.add(game.rules)
                for book in books:
                    wrong = f"{str(book.path)!r} is a book for {book.rules}, not for {game.rules}"
                    warn(f"{wrong}; reviewing without a book")
            left = next((book for book in serving if game.first in book), None)
            return review if left is None else _with_exit(review, left)

        yield with_exit


def _with_exit(review: GameReview, book: Book) -> GameReview:
    for ply, (move, after) in enumerate(zip(review.moves, review.game.positions[1:], strict=True), 1):
        if after.is_over or after in book:
            continue
        entry = book.probe(move.before)
        assert entry is not None, "the book knew it a move ago"
        is_judged = any(each.move == move.move for each in entry.moves)
        return replace(review, exit_ply=ply, exit_judged=is_judged)
    return review
