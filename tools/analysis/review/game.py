"""The review of games: every position is searched, the last one first, and every move is judged."""

import functools
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import chain, islice
from pathlib import Path
from typing import Self

from outflank.book import Book
from outflank.book.names import Opening, opening_of
from outflank.engine import (
    DEFAULT_LEVEL,
    Colour,
    Game,
    Limit,
    Move,
    Position,
    Result,
    Rules,
    Searcher,
    SearchInfo,
    limit_for_level,
)
from outflank.protocol.formats.annotated import AnnotatedGame
from outflank.tools.work.executor import open_executor, run_in_order
from outflank.tools.work.progress import counted

_ORDER: tuple[Result, ...] = ("loss", "draw", "win")


class MoveClass(StrEnum):
    """How much a move cost.

    On a full board exact margins are even, so that less than two discs are no error but the noise of estimates.
    """

    GIVEN = "given"
    FORCED = "forced"
    GOOD = "good"
    INACCURACY = "inaccuracy"
    MISTAKE = "mistake"
    BLUNDER = "blunder"


NOBODYS = (MoveClass.GIVEN, MoveClass.FORCED)
"""Of moves that nobody chose: they count in no total."""
ERRORS = (MoveClass.INACCURACY, MoveClass.MISTAKE, MoveClass.BLUNDER)
# The fewest discs lost, the worst first.
LEAST_LOST = {MoveClass.BLUNDER: 12, MoveClass.MISTAKE: 6, MoveClass.INACCURACY: 2}


@dataclass(frozen=True, slots=True)
class SearchValue:
    """A search's judgement of a position.

    Attributes:
        position: the position.
        score: final disc difference with best play, from the side to move.
        line: the best line found; empty if the game is over.
        exact: whether the score is proven.
        depth: plies searched; the number of empty squares if the search went to the end.
        selectivity: of that search, in percent.
    """

    position: Position
    score: float
    line: tuple[Move, ...]
    exact: bool
    depth: int
    selectivity: int

    @classmethod
    def of(cls, position: Position, info: SearchInfo) -> "SearchValue":
        """The judgement of a finished search."""
        line = () if position.is_over else info.pv
        return cls(position, info.score, line, info.exact, info.depth, info.selectivity)

    @property
    def black_score(self) -> float:
        """The score from Black's side."""
        return self.score if self.position.side is Colour.BLACK else 0.0 - self.score


@dataclass(frozen=True, slots=True)
class MoveReview:
    """A turn of a game and what it cost.

    Attributes:
        best: the judgement of the position before the move, with the best line.
        move: that was played; it may be the best one.
        score_after: with best play after the move, in discs from the mover's side; as sure as the score before.
        given: whether the move was given to both sides, as the opening of a match is.
    """

    best: SearchValue
    move: Move
    score_after: float
    given: bool = False

    @property
    def before(self) -> Position:
        """The position in which it was played."""
        return self.best.position

    @property
    def colour(self) -> Colour:
        """Who played it."""
        return self.before.side

    @property
    def score_before(self) -> float:
        """With best play from the position before, in discs from the mover's side."""
        return self.best.score

    @property
    def exact(self) -> bool:
        """Whether both scores are proven."""
        return self.best.exact

    @property
    def lost(self) -> float:
        """Discs that the move cost; never negative."""
        return self.best.score - self.score_after

    @property
    def is_error(self) -> bool:
        """Whether it cost two discs or more."""
        return self.kind in ERRORS

    @property
    def kind(self) -> MoveClass:
        """Its class."""
        if self.given:
            return MoveClass.GIVEN
        if len(self.before.legal_moves()) == 1:
            return MoveClass.FORCED
        return next((kind for kind, least in LEAST_LOST.items() if self.lost >= least), MoveClass.GOOD)

    @property
    def instead(self) -> tuple[Move, ...]:
        """The best line if the move was an error; else empty."""
        return self.best.line if self.is_error else ()

    @property
    def thrown(self) -> tuple[Result, Result] | None:
        """The outcomes before and after, for the mover, if both are proven and it made the outcome worse."""
        if not self.exact:
            return None
        before, after = self._outcome(self.score_before), self._outcome(self.score_after)
        return (before, after) if _ORDER.index(after) < _ORDER.index(before) else None

    def _outcome(self, score: float) -> Result:
        """The outcome for the mover that a score stands for; a tie need not be a draw."""
        margin = round(score if self.colour is Colour.BLACK else 0 - score)
        winner = self.before.rules.winner_by(margin)
        if winner is None:
            return "draw"
        return "win" if winner is self.colour else "loss"


EXACT_FROM = 20  # empty squares; a tenth of a second each with a table that remembers the positions after it


@dataclass(frozen=True, slots=True)
class ReviewSettings:
    """The limits of the search of each position.

    Attributes:
        level: a level from 0 to 60; used if neither depth nor seconds are given.
        depth: plies to search.
        seconds: for each search; a move that is not the best one takes a second search.
        exact_from: positions with at most so many empty squares are solved, whatever the rest says.
    """

    level: int = DEFAULT_LEVEL
    depth: int | None = None
    seconds: float | None = None
    exact_from: int = EXACT_FROM

    def limit(self, empties: int) -> Limit:
        """The limit for a position with this many empty squares."""
        if empties <= self.exact_from:
            return Limit.solve()
        if self.depth is None and self.seconds is None:
            return limit_for_level(self.level, empties)
        return Limit(self.depth, seconds=self.seconds)

    def words(self) -> str:
        """``level 10, exact from 20 empty squares``."""
        given = [
            *([counted(self.depth, "ply", "plies")] if self.depth is not None else []),
            *([f"{self.seconds:g} s a search"] if self.seconds is not None else []),
        ]
        return ", ".join([*(given or [f"level {self.level}"]), f"exact from {self.exact_from} empty squares"])


@dataclass(frozen=True, slots=True)
class BookExit:
    """The move that led out of a book.

    Attributes:
        ply: its number, passes counted, 1 for the first.
        move: the move.
        judged: whether it is the best move out of the book: then the book ends there, and the game did not leave it.
    """

    ply: int
    move: Move
    judged: bool


class BookExits:
    """Finds where games have left the books that they began in; a context manager, which closes the books.

    Args:
        paths: of the books; each counts for games by its rules.
        warn: called with a sentence for rules that none of them is for, once for each; None if nobody asked for just
            these books.

    Raises: FileFormatError if one can't be read.
    """

    def __init__(self, paths: Sequence[Path], warn: Callable[[str], object] | None = None) -> None:
        self._warn = warn
        self._unserved: set[Rules] = set()
        with ExitStack() as stack:
            self._books = [stack.enter_context(Book.open(path)) for path in paths]
            self._opened = stack.pop_all()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._opened.close()

    def of(self, game: AnnotatedGame) -> BookExit | None:
        """The move by which a game left the first book that knows how it began; None if there was no such move.

        Raises: FileFormatError if a book is damaged.
        """
        serving = [book for book in self._books if book.serves(game.rules)]
        if not serving:
            self._tell_unserved(game.rules)
        for book in serving:
            if game.first in book:
                return _exit(book, game)
        return None

    def _tell_unserved(self, rules: Rules) -> None:
        if self._warn is None or rules in self._unserved:
            return
        self._unserved.add(rules)
        for book in self._books:
            self._warn(
                f"{str(book.path)!r} is a book for {book.rules}, not for {rules}; reviewing without a book"
            )


def _exit(book: Book, game: AnnotatedGame) -> BookExit | None:
    for ply, (played, after) in enumerate(zip(game.moves, game.positions[1:], strict=True), 1):
        if after.is_over or after in book:
            continue
        entry = book.probe(played.before)
        assert entry is not None, "the book knew it a move ago"
        return BookExit(ply, played.move, any(move.move == played.move for move in entry.moves))
    return None


@dataclass(frozen=True, slots=True)
class GameReview:
    """A game and what its moves cost.

    Attributes:
        game: the game.
        moves: a review for each of its moves, passes among them.
        final: the judgement of the position after the last move.
        book_exit: the move that led out of the opening book; None if there was none, or no book was asked.
    """

    game: AnnotatedGame
    moves: tuple[MoveReview, ...]
    final: SearchValue
    book_exit: BookExit | None = None

    @property
    def opening(self) -> Opening | None:
        """The last opening with a name that it passed through; None if there was none."""
        return opening_of(self.game.positions)

    @property
    def judgements(self) -> tuple[SearchValue, ...]:
        """The judgement of each position, from the first to the one after the last move."""
        return (*(move.best for move in self.moves), self.final)

    def of(self, colour: Colour) -> Sequence[MoveReview]:
        """The moves of one side."""
        return [move for move in self.moves if move.colour is colour]


def review_game(
    game: AnnotatedGame | Game, settings: ReviewSettings | None = None, searcher: Searcher | None = None
) -> GameReview:
    """Review a game: with the settings and a searcher of their own if they are left out.

    Going backwards, the searcher's table knows what comes after a position when its turn comes. The table is
    cleared first, so that a review does not depend on the games before it.
    """
    if isinstance(game, Game):
        game = AnnotatedGame.of(game)
    searcher = searcher or Searcher()
    searcher.clear()
    judge = _Judge(settings or ReviewSettings(), searcher)
    final = after = judge.judge(game.final)
    reviews = []
    for number, played in reversed([*enumerate(game.moves)]):
        review = judge.review(played.before, played.move, after)
        reviews.append(replace(review, given=number < game.given))
        after = review.best
    return GameReview(game, tuple(reversed(reviews)), final)


class _Judge:
    def __init__(self, settings: ReviewSettings, searcher: Searcher) -> None:
        self._settings, self._searcher = settings, searcher

    def judge(self, position: Position, moves: Sequence[Move] | None = None) -> SearchValue:
        """The judgement of a position, if only some moves are considered."""
        limit = self._settings.limit(position.empties)
        return SearchValue.of(position, self._searcher.search(position, limit, moves=moves))

    def review(self, before: Position, move: Move, after: SearchValue) -> MoveReview:
        """The review of a move that led to a position worth `after`."""
        if len(before.legal_moves()) == 1:
            depth = after.depth + (not move.is_pass)
            line = (move, *after.line)
            forced = SearchValue(before, 0.0 - after.score, line, after.exact, depth, after.selectivity)
            return MoveReview(forced, move, forced.score)
        best = self.judge(before)
        if best.exact and after.exact:
            return MoveReview(best, move, 0.0 - after.score)
        if best.line[0] == move:
            return MoveReview(best, move, best.score)
        # Searched as deep as the best move, else scores of different depths would be compared.
        played = self.judge(before, [move])
        if played.score >= best.score:
            return MoveReview(played, move, played.score)
        if (
            best.exact and not played.exact
        ):  # the limit broke the second search off: the cost of the move is not proven
            best = replace(best, exact=False, depth=played.depth, selectivity=played.selectivity)
        return MoveReview(best, move, played.score)


@dataclass(frozen=True, slots=True)
class Reviewer:
    """Reviews games in the process that calls it.

    Attributes:
        settings: limits of the searches.
        hash_mb: the size of the searcher's table.
        threads: the searcher's.
    """

    settings: ReviewSettings
    hash_mb: int
    threads: int

    def __call__(self, game: AnnotatedGame) -> GameReview:
        """The review; a process may review only one game at a time."""
        return review_game(game, self.settings, _searcher(self.hash_mb, self.threads))


def review_games(
    games: Iterable[AnnotatedGame], reviewer: Reviewer, workers: int | None = None
) -> Iterator[GameReview]:
    """The reviews in the order of the games, each as soon as it and those before it are done.

    A single game needs no process of its own. `games` is read only a little ahead, so memory does not grow with it.

    Args:
        games: of any number.
        reviewer: reviews each of them.
        workers: processes to start; one for each processor if None.
    """
    waiting = iter(games)
    first = list(islice(waiting, 2))
    if len(first) < 2 or workers == 1:
        yield from map(reviewer, chain(first, waiting))
        return
    with open_executor(workers) as (executor, at_once):
        yield from run_in_order(executor, reviewer, chain(first, waiting), at_once)


@functools.lru_cache(maxsize=1)
def _searcher(hash_mb: int, threads: int) -> Searcher:
    return Searcher(hash_mb, threads)
