"""Works on a job: selects the most useful boards of the tree, lets workers solve the boards, and stores the results."""

import math
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, CancelledError, Executor, Future, wait
from contextlib import AbstractContextManager, ExitStack
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
from outflank.engine.machine import processors
from outflank.tools.cli.types import MOST_THREADS
from outflank.tools.runtime.cluster import Place
from outflank.tools.runtime.executor import open_executor, shared_searcher
from outflank.tools.runtime.kept import search_keeping
from outflank.tools.solving.jobs.file import BoardResult, JobFile
from outflank.tools.solving.jobs.tree import Tree, expected_nodes, move_reaching, seen

# The nodes of a midgame search of 10 plies, the factor for each further ply, and the maximum nodes of an estimate as a
# share of a frontier board's expected nodes.
_NODES_OF_10_PLIES, _TIMES_A_PLY, _SHARE = 8700, 1.85, 0.01
# The minimum and the maximum depth of an estimate, in plies.
_SHALLOWEST, _DEEPEST = 2, 12
# The limits of the search that estimates the root's score: a share of a question's expected nodes, and a number of
# nodes. A good estimate saves questions, and each question takes as long as all earlier questions together. The search
# also fills a transposition table, which later orders moves.
_GUESS_SHARE, _MOST_GUESS = 0.5, 200_000_000
_GUESS_SELECTIVITY: Percent = 95  # the selectivity at which this search stops if there are several workers
# The maximum number of empty squares of the default frontier, unless a single worker searches the whole position.
_MOST_EMPTIES = 26
# The maximum number of empty squares at which a single worker searches a whole position by default.
_MOST_WHOLE = 30
_AHEAD = 1  # the number of queued boards besides the running ones, so that no worker waits for the tree
_HASH_MB = 4  # the size of the transposition table for estimates
_LOOK_SECONDS = 0.5
_SHOWN_SECONDS = 0.25
_MOST_CRASHES = 3  # the number of consecutive crashes of workers after which the job stops with an error

_T = TypeVar("_T")


def thresholds(position: Position, wld: bool, at_least: int | None) -> list[int]:
    """Return the values of N for the questions "does the side to move reach N discs?", in ascending order."""
    if at_least is not None:
        return [at_least]
    rules, side = position.rules, position.side
    if wld:
        return sorted({rules.least_win(side), 1 - rules.least_win(side.other)})
    return list(range(-62, 65, 2)) if rules.scoring == "empties" else list(range(-63, 65))


def usual_frontier(empties: int, workers: int) -> int:
    """Return the number of empty squares of the default frontier.

    A single worker searches a position of at most `_MOST_WHOLE` empty squares as a whole. Several workers get smaller
    boards, so that every worker has work, although this takes more nodes.
    """
    if workers == 1 and empties <= _MOST_WHOLE:
        return empties
    return min(empties - 1 - workers.bit_length(), _MOST_EMPTIES)


def estimate_limit(frontier: int) -> Limit:
    """Return the limit for the searches that order the tree. `frontier` is the frontier's number of empty squares."""
    nodes = _SHARE * expected_nodes(frontier, 0.0)
    depth = 10 + round(math.log(nodes / _NODES_OF_10_PLIES) / math.log(_TIMES_A_PLY))
    return Limit(depth=min(max(depth, _SHALLOWEST), _DEEPEST), selectivity=73)


Progress = dict[str, Any]
"""The state of a position of a job, as docs/proofs.md describes it."""


class Workers:
    """The workers of a job, which are replaced after a crash; a context manager.

    Args:
        open_them: a function that opens an executor, and returns the executor and its number of concurrent tasks.
        hash_mb: the size of a worker's transposition table in MB.
        threads: the number of threads of a worker's search.
    """

    def __init__(
        self,
        open_them: Callable[[], AbstractContextManager[tuple[Executor, int]]],
        hash_mb: int,
        threads: int = 1,
    ) -> None:
        self._open = open_them
        self.hash_mb, self.threads = hash_mb, threads
        self._stack = ExitStack()
        self._crashes = 0  # the number of crashes since the last result

    def __enter__(self) -> Self:
        self.executor, self.places = self._stack.enter_context(self._open())
        return self

    def __exit__(self, *error: Any) -> None:
        self._stack.__exit__(*error)

    def submit(self, task: Callable[..., _T], *arguments: Any) -> Future[_T]:
        """Start a task with `arguments`, followed by `hash_mb` and `threads`."""
        return self.executor.submit(task, *arguments, self.hash_mb, self.threads)

    def worked(self) -> None:
        """Note that a task has returned a result."""
        self._crashes = 0

    def replace(self) -> None:
        """Replace all workers after one has crashed. The crash also stops the other workers.

        Raises: OutflankError after too many crashes without a result between them.
        """
        self._crashes += 1
        if self._crashes == _MOST_CRASHES:
            raise OutflankError(
                f"workers died {self._crashes} times without a result: they may lack memory for --hash"
            ) from None
        self._stack.close()
        self.__enter__()


def job_workers(place: Place, threads: int, hash_mb: int) -> Workers:
    """Return workers at a place, each with `threads` threads; without a place, use all processors of this machine."""
    if place["workers"] is None and place["cluster"] is None:
        # By default one worker uses all processors, since its threads share a table; several workers would solve some
        # boards twice.
        threads = threads if threads > 1 else min(processors(), MOST_THREADS)
        place = {"workers": max(processors() // threads, 1)}
    return Workers(lambda: open_executor(**place), hash_mb, threads)


class JobSolver:
    """Finds out whether the score of a job's position reaches the job's thresholds (see ``thresholds``).

    Calls `show` regularly with the progress.

    Attributes:
        lower: the proven lower bound of the score, in discs for the side to move.
        move: a move that reaches `lower`; None if no lower bound was proven.
        searches: the number of exact searches, not counting earlier runs of the job.
        nodes: the number of nodes in all searches including estimates, not counting earlier runs of the job.
        seconds: the wall time of ``run``.
        visited: the frontier boards that were searched for this position, also in earlier runs of the job.
        needed: the frontier boards that the answers depend on.
        estimates: the scores of the midgame searches that order the tree, by board.
    """

    def __init__(
        self,
        job: JobFile,
        position: Position,
        asked: Sequence[int],
        workers: Workers,
        show: Callable[[Progress], object],
    ) -> None:
        self._job, self._position, self._asked = job, position, list(asked)
        self._workers, self._show = workers, show
        self._frontier = job.facts.frontier or usual_frontier(position.empties, job.facts.workers)
        self._limit = estimate_limit(self._frontier)
        self._searcher = Searcher(_HASH_MB)
        self._bounds = job.bounds
        self.estimates: dict[bytes, float] = {}
        self.lower, self.upper = -64, 64
        self.searches, self.nodes, self._expected = 0, 0, 0.0
        self.visited: set[bytes] = set()
        self.needed: set[bytes] = set()
        self.move: Move | None = None
        self._running: dict[Future[BoardResult], Position] = {}
        self._began = self._shown = time.monotonic()

    def run(self) -> Self:
        """Search until all questions are answered.

        Raises: OutflankError if workers crash repeatedly, or if an answer can't be stored.
        """
        guess = None
        self._recall()
        while open_ones := [asked for asked in self._asked if self.lower < asked <= self.upper]:
            try:
                if guess is None:
                    guess = self._guess(open_ones)
                    continue
                below = [asked for asked in open_ones if asked <= guess]
                self._answer(below[-1] if below else open_ones[0])
            except BrokenExecutor:
                self._workers.replace()
                self._running.clear()
        for future in self._running:
            future.cancel()
        self.seconds = time.monotonic() - self._began
        return self

    def _recall(self) -> None:
        """Use the known bounds of the root. A lower bound is used only if a known move reaches it."""
        root, passed = after_passes(self._position)
        key = key_of(root)[0]
        if root.is_over or key not in self._bounds:
            return
        lower, upper = seen(self._bounds[key], not passed)
        move = PASS if passed else move_reaching(self._bounds, self._position, lower)
        if move is not None and lower > self.lower:
            self.lower, self.move = lower, move
        self.upper = min(self.upper, upper)
        self.visited.add(key)
        self.needed.add(key)

    def _after_moves(self) -> Iterator[tuple[Move, Position, bool]]:
        """Yield each move at the root, the position after the move, and whether the same side is to move again."""
        for move in self._position.legal_moves():
            yield move, *after_passes(self._position.play(move))

    def _guess(self, open_ones: Sequence[int]) -> float:
        """Estimate the score of the root by one search of the root position. The search may answer the questions.

        The search has no node limit if the root is a frontier board.
        """
        position = self._position
        if position.is_over:
            self.lower = self.upper = position.score(position.side)
            return float(self.lower)
        most = None
        if position.empties > self._frontier:
            most = max(int(min(_GUESS_SHARE * expected_nodes(position.empties, 0.0), _MOST_GUESS)), 1)
        only = open_ones[0] if len(open_ones) == 1 else None
        winner = only is None and list(open_ones) == thresholds(position, True, None)
        limit = Limit(exact_from=64, nodes=most, at_least=only, wld=winner)
        # With several workers, the search stops before an exact result, since the other workers are idle meanwhile.
        enough: Percent = 100 if self._workers.places == 1 else _GUESS_SELECTIVITY
        task = self._workers.submit(_search_whole, position, limit, enough)
        while not wait([task], _LOOK_SECONDS).done:
            self._tell(None)
        found = result_of(task)
        self.nodes += found.nodes
        if found.exact:
            self._workers.worked()
            self.searches += 1
            score, bound = int(found.score), found.bound
            lower, upper = -64 if bound == "upper" else score, 64 if bound == "lower" else score
            self._keep_root(lower, upper, found.move, found.nodes, found.seconds)
            self._recall()
        return found.score

    def _keep_root(self, lower: int, upper: int, move: Move | None, nodes: int, seconds: float) -> None:
        """Store bounds of the root. First store the bounds of the board after the move that reaches the lower bound."""
        root, passed = after_passes(self._position)
        if move is not None and not passed and lower > -64:
            after, again = after_passes(self._position.play(move))
            if not after.is_over:
                self._add(after, BoardResult(*seen((lower, 64), again), 0, 0, 0.0))
        self._add(root, BoardResult(*seen((lower, upper), not passed), 1 if nodes else 0, nodes, seconds))

    def _add(self, position: Position, found: BoardResult) -> None:
        key = key_of(position)[0]
        self._bounds[key] = self._job.add(key, found).bounds

    def _answer(self, wanted: int) -> None:
        """Search until it is proven whether the side to move at the root reaches `wanted` discs."""
        tree = Tree(self._position, wanted, self._frontier, self._estimate, self._bounds)
        while tree.answer is None:
            while len(self._running) < self._workers.places + _AHEAD and (node := tree.next()) is not None:
                self._expected += expected_nodes(node.empties, node.lead)
                task = self._workers.submit(_search_bound, node.position, node.wanted)
                self._running[task] = node.position
            self._tell(tree)
            for future in wait(self._running, _LOOK_SECONDS, FIRST_COMPLETED).done:
                board, found = self._running.pop(future), result_of(future)
                self._add(board, found)
                self._workers.worked()
                self.searches += 1
                self.nodes += found.nodes
                tree.learn(key_of(board)[0])
        (lower, upper), best = tree.known()
        # If the winner takes the empty squares, all scores are even. Odd bounds can be tightened by one.
        odd = 1 if self._position.rules.scoring == "empties" else 0
        if tree.answer:
            lower = max(lower, wanted)
            self.lower, self.move = lower + lower % 2 * odd, self._move_to(best, wanted)
        upper = min(upper, 64 if tree.answer else wanted - 1)
        self.upper = min(self.upper, upper - upper % 2 * odd)
        self.needed |= tree.needed()
        self.visited |= tree.answered()
        self._keep_root(self.lower, self.upper, self.move, 0, 0.0)

    def _tell(self, tree: Tree | None) -> None:
        now = time.monotonic()
        if now - self._shown < _SHOWN_SECONDS:
            return
        self._shown = now
        seconds = now - self._began
        left = None
        if tree is not None and self.searches:
            left = min(tree.numbers) * seconds / max(self._expected, 1e-9)  # at the current speed
        proof, disproof = (None, None) if tree is None else tree.numbers
        self._show(
            {
                "wanted": None if tree is None else tree.wanted,
                "lower": self.lower,
                "upper": self.upper,
                "proof": proof,
                "disproof": disproof,
                "known": len(self._job.solved),
                "open": 0 if tree is None else tree.open,
                "running": 1 if tree is None else len(self._running),
                "searches": self.searches,
                "nodes": self.nodes,
                "seconds": seconds,
                "left": left,
            }
        )

    def _estimate(self, position: Position) -> float:
        key = key_of(position)[0]
        score = self.estimates.get(key)
        if score is None:
            self._searcher.clear()  # an estimate must not depend on earlier estimates
            found = self._searcher.search(position, self._limit)
            self.nodes += found.nodes
            score = self.estimates[key] = found.score
        return score

    def _move_to(self, key: bytes | None, wanted: int) -> Move | None:
        if self._position.must_pass:
            return PASS
        for move, after, _ in self._after_moves():
            if after.is_over:
                if after.score(self._position.side) >= wanted:
                    return move
            elif key_of(after)[0] == key:
                return move
        return None


def _search_bound(position: Position, wanted: int, hash_mb: int, threads: int) -> BoardResult:
    """Return bounds that show whether the side to move reaches `wanted` discs. Runs in a worker."""
    searcher = shared_searcher(hash_mb=hash_mb, threads=threads)
    found = search_keeping(searcher, position, Limit.solve(at_least=wanted))
    bounds = (int(found.score), 64) if found.bound == "lower" else (-64, int(found.score))
    return BoardResult(*bounds, 1, found.nodes, found.seconds)


def _search_whole(
    position: Position, limit: Limit, enough: Percent, hash_mb: int, threads: int
) -> SearchResult:
    """Search until an iteration to the end has a selectivity of at least `enough` percent. Runs in a worker."""
    searcher = shared_searcher(hash_mb=hash_mb, threads=threads)

    def look(info: SearchInfo) -> None:
        if info.depth == position.empties and enough <= info.selectivity < 100:
            searcher.stop()

    return search_keeping(searcher, position, limit, on_info=look)


def result_of(future: Future[_T]) -> _T:
    """Return the result of a task. Raises: BrokenExecutor if its worker died; OutflankError if the task failed."""
    try:
        return future.result()
    except (BrokenExecutor, OutflankError):
        raise
    except CancelledError:
        raise OutflankError(
            "the cluster cancelled the search of a board: is its scheduler still running?"
        ) from None
    except Exception as error:  # a cluster raises errors of any type
        raise OutflankError(f"a worker has failed ({type(error).__name__}: {error})") from None
