"""Works at a job: takes the boards that help most from the tree, has workers answer them, and keeps the answers."""

import math
import time
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, CancelledError, Executor, Future, wait
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass
from typing import Any, Self, TypeVar

from outflank.book.keys import after_passes, key_of
from outflank.engine import (
    PASS,
    Limit,
    Move,
    OutflankError,
    Percent,
    Position,
    Searcher,
    SearchInfo,
    SearchResult,
)
from outflank.tools.analysis.jobs.file import JobFile, Solved
from outflank.tools.analysis.jobs.tree import Tree, expected_nodes, seen
from outflank.tools.work.executor import shared_searcher

# A midgame search of 10 plies takes so many nodes, and each ply more so many times as many. An estimate may take this
# share of what a frontier board is expected to take, and has these depths at least and at most.
_NODES_OF_10_PLIES, _TIMES_A_PLY, _SHARE = 8700, 1.85, 0.01
_SHALLOWEST, _DEEPEST = 2, 12
# The search for a guess at the root's score may take this share of the nodes that a question is expected to take, and
# so many at most: a question more takes as long as all before it, and the guess leaves its worker a table that orders
# the moves.
_GUESS_SHARE, _MOST_GUESS = 0.5, 200_000_000
_GUESS_SELECTIVITY: Percent = 95  # of its last pass
_MOST_EMPTIES = 26  # of the frontier
_MOST_WHOLE = 30  # of a position that a single worker searches as a whole
_AHEAD = 1  # boards that wait for a worker, so that none waits for the tree
_HASH_MB = 4  # for estimates
_LOOK_SECONDS = 0.5
_SHOWN_SECONDS = 0.25
_MOST_DEATHS = 3  # of workers one after the other, with no result between

_T = TypeVar("_T")


def thresholds(position: Position, wld: bool, at_least: int | None) -> list[int]:
    """The discs of which it matters whether the side to move reaches them, in order.

    Args:
        position: the root.
        wld: only who wins is asked for.
        at_least: only whether the side to move reaches so many is asked for.
    """
    if at_least is not None:
        return [at_least]
    rules, side = position.rules, position.side
    if wld:
        return sorted({rules.least_win(side), 1 - rules.least_win(side.other)})
    return list(range(-62, 65, 2)) if rules.scoring == "empties" else list(range(-63, 65))


def usual_frontier(empties: int, workers: int) -> int:
    """Empty squares of the usual frontier.

    A single worker has the position as a whole, unless that would take long. The more workers, the smaller their
    boards, since all need work, which costs nodes.

    Args:
        empties: of the position.
        workers: how many there are.
    """
    if workers == 1 and empties <= _MOST_WHOLE:
        return empties
    return min(empties - 1 - workers.bit_length(), _MOST_EMPTIES)


def estimate_limit(frontier: int) -> Limit:
    """The limit of the searches that order a tree above a frontier of so many empty squares."""
    nodes = _SHARE * expected_nodes(frontier, 0.0)
    depth = 10 + round(math.log(nodes / _NODES_OF_10_PLIES) / math.log(_TIMES_A_PLY))
    return Limit(depth=min(max(depth, _SHALLOWEST), _DEEPEST), selectivity=73)


@dataclass(frozen=True, slots=True)
class JobProgress:
    """How far a position of a job is.

    Attributes:
        wanted: discs; the question under way is whether the side to move reaches them. None while a worker has
            the position as a whole.
        lower: bound of the score that is proven so far.
        upper: the other one.
        proof: nodes that a Yes to the question is expected to take; None as above.
        disproof: the same of a No.
        known: boards that the job's file has bounds of, from all its positions.
        open: frontier boards in the tree that have no answer yet.
        running: boards that workers have.
        searches: that were made for this position since the command began.
        nodes: of these searches and of those that order the tree.
        seconds: wall time since the work at this position began.
        left: seconds that the question is expected to take still; None before there is a speed to go by.
    """

    wanted: int | None
    lower: int
    upper: int
    proof: float | None
    disproof: float | None
    known: int
    open: int
    running: int
    searches: int
    nodes: int
    seconds: float
    left: float | None


@dataclass(frozen=True, slots=True)
class JobResult:
    """What came of a position.

    Attributes:
        lower: proven lower bound of its score, in discs from the side to move.
        upper: proven upper bound.
        move: one that reaches `lower`; None if no lower bound was proven.
        searches: that were made for it since the command began.
        nodes: of these searches and of those that order the tree.
        seconds: wall time.
        visited: frontier boards that had been searched for it, now or in earlier runs of the job.
        needed: frontier boards that its answers rest on.
        estimates: midgame searches that ordered the tree.
    """

    lower: int
    upper: int
    move: Move | None
    searches: int
    nodes: int
    seconds: float
    visited: int
    needed: int
    estimates: int


class Workers:
    """The workers of a job, opened anew when one dies; a context manager.

    Args:
        open_them: opens an executor, and says how many tasks it runs at once.
    """

    def __init__(self, open_them: Callable[[], AbstractContextManager[tuple[Executor, int]]]) -> None:
        self._open = open_them
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        self.executor, self.places = self._stack.enter_context(self._open())
        return self

    def __exit__(self, *error: Any) -> None:
        self._stack.__exit__(*error)

    def replace(self) -> None:
        """Open new ones in place of those of which one has died, and took the others with it."""
        self._stack.close()
        self.__enter__()


class JobSolver:
    """The work at a position of a job.

    Args:
        job: where answers are kept.
        position: the root; its rules turn in every direction.
        asked: see ``thresholds``.
        workers: who solve the frontier.
        hash_mb: size of each worker's table in MB.
        show: is told how far it is, a few times a second.
        threads: of each worker.
    """

    def __init__(
        self,
        job: JobFile,
        position: Position,
        asked: Sequence[int],
        workers: Workers,
        hash_mb: int,
        show: Callable[[JobProgress], object],
        threads: int = 1,
    ) -> None:
        self._job, self._position, self._asked = job, position, list(asked)
        self._workers, self._hash_mb, self._show, self._threads = workers, hash_mb, show, threads
        self._frontier = job.facts.frontier or usual_frontier(position.empties, job.facts.workers)
        self._limit = estimate_limit(self._frontier)
        self._searcher = Searcher(_HASH_MB)
        self._bounds = {key: solved.bounds for key, solved in job.solved.items()}
        self._estimates: dict[bytes, float] = {}
        self._lower, self._upper = -64, 64
        self._searches, self._nodes, self._expected = 0, 0, 0.0
        self._visited: set[bytes] = set()
        self._needed: set[bytes] = set()
        self._move: Move | None = None
        self._running: dict[Future[Solved], Position] = {}
        self._began = self._shown = time.monotonic()

    def run(self) -> JobResult:
        """Work until the questions are answered.

        Raises: OutflankError if workers die again and again, or if an answer can't be kept.
        """
        guess, deaths = None, 0
        self._recall()
        while open_ones := [asked for asked in self._asked if self._lower < asked <= self._upper]:
            before = self._searches
            try:
                if guess is None:
                    guess = self._guess(open_ones)
                    continue
                below = [asked for asked in open_ones if asked <= guess]
                self._answer(below[-1] if below else open_ones[0])
            except BrokenExecutor:
                deaths = deaths + 1 if before == self._searches else 1
                if deaths == _MOST_DEATHS:
                    raise OutflankError(
                        f"workers died {deaths} times without a result: they may lack memory for --hash"
                    ) from None
                self._running.clear()
                self._workers.replace()
        for future in self._running:
            future.cancel()
        return JobResult(
            self._lower,
            self._upper,
            self._move,
            self._searches,
            self._nodes,
            time.monotonic() - self._began,
            len(self._visited),
            len(self._needed),
            len(self._estimates),
        )

    def _recall(self) -> None:
        """Take what is known of the root as a whole: of a lower bound only with a move that reaches it."""
        root, passed = after_passes(self._position)
        key = key_of(root)[0]
        if root.is_over or key not in self._bounds:
            return
        lower, upper = seen(self._bounds[key], not passed)
        move = PASS if passed else self._move_reaching(lower)
        if move is not None and lower > self._lower:
            self._lower, self._move = lower, move
        self._upper = min(self._upper, upper)
        self._visited.add(key)
        self._needed.add(key)

    def _move_reaching(self, wanted: int) -> Move | None:
        """A move at the root after which it is known that the side to move reaches so many discs."""
        position = self._position
        for move in position.legal_moves():
            after, again = after_passes(position.play(move))
            if after.is_over:
                lower = after.score(position.side)
            else:
                lower, _ = seen(self._bounds.get(key_of(after)[0], (-64, 64)), again)
            if lower >= wanted:
                return move
        return None

    def _guess(self, open_ones: Sequence[int]) -> float:
        """The expected score of the root, by a search of it as a whole, which may answer the questions.

        It goes on to the end if the root belongs to the frontier.

        Args:
            open_ones: the questions.
        """
        position = self._position
        if position.is_over:
            self._lower = self._upper = position.score(position.side)
            return float(self._lower)
        most = None
        if position.empties > self._frontier:
            most = max(int(min(_GUESS_SHARE * expected_nodes(position.empties, 0.0), _MOST_GUESS)), 1)
        only = open_ones[0] if len(open_ones) == 1 else None
        winner = only is None and list(open_ones) == thresholds(position, True, None)
        limit = Limit(exact_from=64, nodes=most, at_least=only, wld=winner)
        enough: Percent = 100 if self._workers.places == 1 else _GUESS_SELECTIVITY  # since the others wait
        task = self._workers.executor.submit(
            search_whole, position, limit, enough, self._hash_mb, self._threads
        )
        while not wait([task], _LOOK_SECONDS).done:
            self._tell(None)
        found = _result(task)
        self._nodes += found.nodes
        if found.exact:
            self._searches += 1
            score, bound = int(found.score), found.bound
            lower, upper = -64 if bound == "upper" else score, 64 if bound == "lower" else score
            self._keep_root(lower, upper, found.move, found.nodes, found.seconds)
            self._recall()
        return found.score

    def _keep_root(self, lower: int, upper: int, move: Move | None, nodes: int, seconds: float) -> None:
        """Take bounds of the root to the job's file, first what the move of the lower one reaches."""
        root, passed = after_passes(self._position)
        if move is not None and not passed and lower > -64:
            after, again = after_passes(self._position.play(move))
            if not after.is_over:
                self._add(after, Solved(*seen((lower, 64), again), 0, 0, 0.0))
        self._add(root, Solved(*seen((lower, upper), not passed), 1 if nodes else 0, nodes, seconds))

    def _add(self, position: Position, found: Solved) -> None:
        """Take an answer to the job's file."""
        key = key_of(position)[0]
        self._bounds[key] = self._job.add(key, found).bounds

    def _answer(self, wanted: int) -> None:
        """Find out whether the side to move at the root reaches so many discs.

        Raises: BrokenExecutor if a worker died; OutflankError.
        """
        tree = Tree(self._position, wanted, self._frontier, self._estimate, self._bounds)
        while tree.answer is None:
            while len(self._running) < self._workers.places + _AHEAD and (node := tree.next()) is not None:
                self._expected += expected_nodes(node.empties, node.lead)
                task = self._workers.executor.submit(
                    search_bound, node.position, node.wanted, self._hash_mb, self._threads
                )
                self._running[task] = node.position
            self._tell(tree)
            for future in wait(self._running, _LOOK_SECONDS, FIRST_COMPLETED).done:
                board, found = self._running.pop(future), _result(future)
                self._add(board, found)
                self._searches += 1
                self._nodes += found.nodes
                tree.learn(key_of(board)[0])
        (lower, upper), best = tree.known()
        # Scores are even where the winner takes the empty squares.
        odd = 1 if self._position.rules.scoring == "empties" else 0
        if tree.answer:
            lower = max(lower, wanted)
            self._lower, self._move = lower + lower % 2 * odd, self._move_to(best, wanted)
        upper = min(upper, 64 if tree.answer else wanted - 1)
        self._upper = min(self._upper, upper - upper % 2 * odd)
        self._needed |= tree.needed()
        self._visited |= tree.answered()
        self._keep_root(self._lower, self._upper, self._move, 0, 0.0)

    def _tell(self, tree: Tree | None) -> None:
        """Show how far it is, unless that was just done.

        Args:
            tree: of the question; None while a worker searches the root as a whole.
        """
        now = time.monotonic()
        if now - self._shown < _SHOWN_SECONDS:
            return
        self._shown = now
        seconds = now - self._began
        left = None
        if tree is not None and self._searches:
            left = min(tree.numbers) * seconds / max(self._expected, 1e-9)  # the speed is by the same measure
        self._show(
            JobProgress(
                None if tree is None else tree.wanted,
                self._lower,
                self._upper,
                None if tree is None else tree.numbers[0],
                None if tree is None else tree.numbers[1],
                len(self._job.solved),
                0 if tree is None else tree.open,
                1 if tree is None else len(self._running),
                self._searches,
                self._nodes,
                seconds,
                left,
            )
        )

    def _estimate(self, position: Position) -> float:
        """The expected score of a position, by a search of the midgame."""
        key = key_of(position)[0]
        score = self._estimates.get(key)
        if score is None:
            self._searcher.clear()  # so that the order of estimates does not matter, and a job goes on as it began
            found = self._searcher.search(position, self._limit)
            self._nodes += found.nodes
            score = self._estimates[key] = found.score
        return score

    def _move_to(self, key: bytes | None, wanted: int) -> Move | None:
        """The move at the root to a board, or to the end of the game with so many discs."""
        if self._position.must_pass:
            return PASS
        for move in self._position.legal_moves():
            after, _ = after_passes(self._position.play(move))
            if after.is_over:
                if after.score(self._position.side) >= wanted:
                    return move
            elif key_of(after)[0] == key:
                return move
        return None


def search_bound(position: Position, wanted: int, hash_mb: int, threads: int) -> Solved:
    """Runs in a worker: whether the side to move reaches so many discs, as bounds."""
    searcher = shared_searcher(hash_mb=hash_mb, threads=threads)
    found = searcher.search(position, Limit.solve(at_least=wanted))
    bounds = (int(found.score), 64) if found.bound == "lower" else (-64, int(found.score))
    return Solved(*bounds, 1, found.nodes, found.seconds)


def search_whole(
    position: Position, limit: Limit, enough: Percent, hash_mb: int, threads: int
) -> SearchResult:
    """Runs in a worker: what a search finds out; it stops after a pass to the end that is good enough.

    Args:
        position: to search.
        limit: when to stop.
        enough: selectivity of that pass.
        hash_mb: size of the table in MB.
        threads: to search with.
    """
    searcher = shared_searcher(hash_mb=hash_mb, threads=threads)

    def look(info: SearchInfo) -> None:
        if info.depth == position.empties and enough <= info.selectivity < 100:
            searcher.stop()

    return searcher.search(position, limit, on_info=look)


def _result(future: Future[_T]) -> _T:
    """What a worker has found.

    Raises: BrokenExecutor if it died; OutflankError.
    """
    try:
        return future.result()
    except (BrokenExecutor, OutflankError):
        raise
    except CancelledError:
        raise OutflankError("the cluster has given up a board: is its scheduler still there?") from None
    except Exception as error:  # of the cluster; what it says may be anything
        raise OutflankError(f"a worker has failed ({type(error).__name__}: {error})") from None
