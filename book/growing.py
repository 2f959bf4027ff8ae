"""Adds positions to a book, best-first from the root or from a game. An interruption leaves a valid file."""

import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from heapq import nsmallest
from itertools import islice
from pathlib import Path

from outflank.book.graph import Graph, Node, Reach
from outflank.book.keys import after_passes, key_of, position_of, start_key
from outflank.book.records import HAND_LEVEL, Leaf, Record
from outflank.book.store import Book
from outflank.book.writer import BookWriter
from outflank.engine import Move, OutflankError, Position, Searcher, SearchResult, limit_for_level
from outflank.engine.evaluation.weights import checksum
from outflank.engine.search.limits import BOLDEST

_COMMIT_SECONDS = 1.0
# Choosing positions requires a visit to the whole book, so positions are chosen again only after a batch of searches. A
# batch has at least 64 searches. In a large book, the number of searches is 0.5 % of the number of positions.
_LEAST_BATCH, _BATCHES_IN_A_BOOK = 64, 200
Choice = Callable[[], Iterable[bytes]]
Question = tuple[Position, tuple[Move, ...]]
"""The canonical image of a position to search, and one or more moves to choose from.

The position is in the book or will be added.
"""


@dataclass(frozen=True, slots=True)
class Judge:
    """Answers a question by a search. A judge can be pickled.

    Attributes:
        searcher: the function that returns the process's searcher, which has the shipped weights. The function clears
            the searcher's transposition table, so that an answer does not depend on earlier questions. The function
            must be picklable.
        level: the level of the search.
    """

    searcher: Callable[[], Searcher]
    level: int

    def __call__(self, question: Question) -> SearchResult:
        """Search for the best of the question's moves."""
        position, moves = question
        return self.searcher().search(position, limit_for_level(self.level, position.empties), moves=moves)

    @property
    def provenance(self) -> str:
        """The level of the searches and the checksum of their weights: ``level 16, weights d5a9d812``."""
        return f"level {self.level}, weights {checksum()}"


RunSearches = Callable[
    [Callable[[Question], SearchResult], Iterable[Question]], Iterator[tuple[Question, SearchResult]]
]
"""A function that runs searches, in this process or in others, and yields each question with its result.

The function takes questions only when it can run them. ``outflank.tools`` has such a function that uses an executor.
"""


def run_here(
    search: Callable[[Question], SearchResult], questions: Iterable[Question]
) -> Iterator[tuple[Question, SearchResult]]:
    """Answer one question after the other in this process."""
    for question in questions:
        yield question, search(question)


@dataclass(frozen=True, slots=True)
class GrowthProgress:
    """The progress of a book's growth.

    Attributes:
        positions: the number of positions in the book.
        added: the number of positions added so far.
        searches: the number of searches so far.
        seconds: the time so far.
        error: the discs given away on the path to the position that was chosen last.
        ply: the number of plies from the root to this position.
        root: the score, the lower bound and the upper bound of the root, in discs for the side to move; None if there
            is no root yet.
    """

    positions: int
    added: int
    searches: int
    seconds: float
    error: float
    ply: int
    root: tuple[int, int, int] | None


class Grower:
    """Adds positions to a book, and searches positions again.

    After each commit, the scores of the book are its negamax values. With `commits_meanwhile`, changes are committed
    every second, so that an interruption loses little. Otherwise each call commits once, at its end.
    """

    def __init__(
        self,
        book: BookWriter,
        judge: Judge,
        run: RunSearches = run_here,
        on_progress: Callable[[GrowthProgress], object] = lambda _: None,
        *,
        commits_meanwhile: bool = True,
    ) -> None:
        self.graph = Graph(book.rules, book.records())
        self._book = book
        self._judge = judge
        self._run = run
        self._on_progress = on_progress
        self._commits_meanwhile = commits_meanwhile
        self._root_key = start_key(book.rules)
        self._began = self._committed = time.monotonic()
        self._before = len(self.graph.nodes)
        self._searches = 0
        self._last = (0.0, 0)
        self._urgent = deque(node.key for node in self.graph.nodes.values() if node.is_unfinished)
        self._in_flight: set[bytes] = set()
        self._judged: set[bytes] = set()

    @property
    def root(self) -> Node | None:
        """The root of the book; None if the book is empty."""
        return self.graph.nodes.get(self._root_key)

    def note(self, what: str) -> None:
        """Add to the book's history a line about the next change. The change and the line are committed together."""
        self._book.note(f"{what}, {self._judge.provenance}, from {self._before} positions")

    def grow(self, reach: Reach, seconds: float | None = None, position: Position | None = None) -> None:
        """Add positions until no position within `reach` is left to add, or until the time is up.

        `position` is the position at which growth begins, by default the root.

        Raises: OutflankError if the book can't be written.
        """
        key = self._key_or_root(position)
        self._work(lambda: self._leaves(reach, key), seconds)

    def deepen(
        self,
        reach: Reach,
        seconds: float | None = None,
        again: bool = False,
        position: Position | None = None,
    ) -> None:
        """Search again the positions whose level is lower than the judge's, in the order of their costs.

        With `again`, positions of the judge's level are searched too. Each position is searched only once.

        Raises: see ``grow``.
        """
        key = self._key_or_root(position)
        self._work(lambda: self._shallow(reach, again, key), seconds)

    def set_score(self, position: Position, score: int | None) -> None:
        """Set a position's score by hand, so that no search changes it. Adds the position if it is not in the book.

        Raises: see ``grow``.
        """
        self.extend([position])
        after, has_passed = after_passes(position)
        node = self.graph.nodes[key_of(after)[0]]
        self.graph.set_score(node, -score if has_passed and score is not None else score)
        self._commit()

    def extend(self, positions: Iterable[Position], seconds: float | None = None) -> None:
        """Add all given positions, such as those of a game, that are not in the book yet. Raises: see ``grow``."""
        settled = (after_passes(position)[0] for position in positions)
        wanted = dict.fromkeys(key_of(position)[0] for position in settled if position.legal_mask())
        self._work(lambda: (key for key in wanted if key not in self.graph.nodes), seconds)

    def finish(self) -> None:
        """Search unfinished positions, whose leaf has become a link, and write all changes. Raises: see ``grow``."""
        self._work(lambda: (), None)

    def progress(self) -> GrowthProgress:
        """Return the progress of the growth."""
        root, count = self.root, len(self.graph.nodes)
        return GrowthProgress(
            count,
            count - self._before,
            self._searches,
            time.monotonic() - self._began,
            *self._last,
            (root.score, root.lower, root.upper) if root else None,
        )

    def _work(self, choose: Choice, seconds: float | None) -> None:
        deadline = None if seconds is None else self._began + seconds
        asked = True
        while asked:
            asked = False
            for question, result in self._run(self._judge, self._questions(choose, deadline)):
                asked = True
                self._take(question, result)
                self._on_progress(self.progress())
                if self._commits_meanwhile and time.monotonic() - self._committed >= _COMMIT_SECONDS:
                    self._commit()
        self._commit()

    def _questions(self, choose: Choice, deadline: float | None) -> Iterator[Question]:
        """Yield questions. Unfinished positions come before the positions that `choose` returns."""
        chosen: Iterator[bytes] = iter(())
        chosen_at = -1
        while True:
            key = self._urgent.popleft() if self._urgent else None
            if key is None:
                if deadline is not None and time.monotonic() >= deadline:
                    return
                if self._searches >= chosen_at + self._batch or chosen_at < 0:
                    chosen, chosen_at = iter(choose()), self._searches
                key = next(chosen, None)
            if key is None:
                if chosen_at == self._searches:
                    return
                chosen_at = -1
            elif key not in self._in_flight and (question := self._question(key)):
                self._in_flight.add(key)
                yield question

    @property
    def _batch(self) -> int:
        return max(_LEAST_BATCH, len(self.graph.nodes) // _BATCHES_IN_A_BOOK)

    def _question(self, key: bytes) -> Question | None:
        """Return the question about a position; None if no move leads out of the book.

        If None is returned and the position is not in the book, the position is added without a search.
        """
        graph = self.graph
        position = position_of(key, graph.rules)
        node = graph.nodes.get(key)
        moves = graph.open_moves(position)
        if moves:
            return position, moves
        if node is None:
            self._add(Record(position, 0, -64, 64, 0, BOLDEST.percent, self._judge.level))
        return None

    def _take(self, question: Question, result: SearchResult) -> None:
        self._searches += 1
        position, _ = question
        key, _ = key_of(position)
        self._in_flight.discard(key)
        self._judged.add(key)
        score = round(result.score)
        leaf = Leaf(result.move, score)
        found = (result.depth, result.selectivity, self._judge.level)
        node = self.graph.nodes.get(key)
        if node is None:
            self._add(Record(position, score, score, score, *found, leaf))
            return
        self.graph.judge(node, leaf, *found)
        self.graph.settle([node])
        self._see_to(node)

    def _add(self, record: Record) -> None:
        graph = self.graph
        node = graph.add(record)
        touched = [node, *graph.parents(node)]
        graph.settle(touched)
        for each in touched:
            self._see_to(each)

    def _see_to(self, node: Node) -> None:
        if node.is_unfinished:
            self._urgent.append(node.key)

    def _commit(self) -> None:
        self._book.put_all(self.graph.take_changed())
        self._book.commit()
        self._committed = time.monotonic()

    def _key_or_root(self, position: Position | None) -> bytes:
        return self._root_key if position is None else key_of(after_passes(position)[0])[0]

    def _leaves(self, reach: Reach, begin: bytes) -> Iterator[bytes]:
        root = self.graph.nodes.get(begin)
        if root is None:
            yield begin
            return
        self.graph.measure(root)
        for _, error, ply, key in nsmallest(self._batch, self._costs(root, reach)):
            if (
                reach.positions is not None
                and len(self.graph.nodes) + len(self._in_flight) >= reach.positions
            ):
                return
            if key not in self.graph.nodes:
                self._last = error, ply
                yield key

    def _costs(self, root: Node, reach: Reach) -> Iterator[tuple[float, float, int, bytes]]:
        for node in self.graph.nodes.values():
            ply = root.empties - node.empties + 1
            if node.leaf is not None and node.leaf_key is not None:
                # A score that was set by hand may be below the score of the leaf.
                error = node.error + max(0, node.score - node.leaf.score)
                if (cost := reach.cost(error, ply)) is not None:
                    yield cost, error, ply, node.leaf_key

    def _shallow(self, reach: Reach, again: bool, begin: bytes) -> Iterator[bytes]:
        root = self.graph.nodes.get(begin)
        if root is None:
            return
        self.graph.measure(root)
        shallow = (
            (node, root.empties - node.empties)
            for node in self.graph.nodes.values()
            if node.open and (node.level is None or node.level < self._judge.level + again)
            if not again or node.key not in self._judged
        )
        costs = (
            (cost, node.error, ply, node.key)
            for node, ply in shallow
            if (cost := reach.cost(node.error, ply)) is not None
        )
        for _, error, ply, key in nsmallest(self._batch, costs):
            self._last = error, ply
            yield key


USUAL_LEVEL = 16
"""The level of searches for a book without searched positions."""
BEYOND = 2
"""The maximum number of positions that a game adds to a book."""


def usual_level(book: Book, otherwise: int = USUAL_LEVEL) -> int:
    """Return the most frequent level above 0 of the book's searches; `otherwise` if there is no such level."""
    return next((level for level in book.levels() if level and level != HAND_LEVEL), otherwise)


def unknown_positions(book: Book, positions: Iterable[Position], count: int = BEYOND) -> list[Position]:
    """Return the first `count` of a game's positions that have a legal move and are not in the book.

    Raises: see ``Book.probe``.
    """
    return list(islice((each for each in positions if each.legal_mask() and each not in book), count))


def learn_game(
    path: Path, positions: Sequence[Position], judge: Judge, is_stopped: Callable[[], bool] = lambda: False
) -> int:
    """Add the first positions of a game that are not in a book, and return their number.

    The positions are added atomically at the end, so an interruption leaves the book unchanged.

    Args:
        path: the path of the book.
        positions: the positions of the game, in order.
        judge: the judge. Its level is used only if the book has no usual level (see ``usual_level``).
        is_stopped: the function that is called after each search, and returns whether to stop.

    Raises: OutflankError if the book can't be written, if it is for other rules, if another process is changing it, or
        if learning was stopped.
    """

    def run(
        search: Callable[[Question], SearchResult], questions: Iterable[Question]
    ) -> Iterator[tuple[Question, SearchResult]]:
        for searched in run_here(search, questions):
            if is_stopped():  # the result of a stopped search is dropped
                raise OutflankError("another command interrupted learning")
            yield searched

    with BookWriter.open(path) as book:
        for position in positions[:1]:
            book.expect(position.rules)
        new = unknown_positions(book, positions)
        if new:
            judge = replace(judge, level=usual_level(book, judge.level))
            grower = Grower(book, judge, run, commits_meanwhile=False)
            grower.note("learn from a game")
            grower.extend(new)
    return len(new)
