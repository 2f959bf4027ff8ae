"""Works at a job: takes the boards that help most from the tree, has workers answer them, and keeps the answers."""

import math
import time
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, CancelledError, Executor, Future, wait
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass
from typing import Any, Self

from outflank.book.keys import after_passes, key_of
from outflank.engine import PASS, Limit, Move, OutflankError, Position, Searcher
from outflank.tools.analysis.jobs.file import JobFile, Solved
from outflank.tools.analysis.jobs.tree import Tree, expected_nodes
from outflank.tools.work.executor import shared_searcher

# A midgame search of 10 plies takes so many nodes, and each ply more so many times as many. An estimate may take this
# share of what a frontier board is expected to take, and has these depths at least and at most.
_NODES_OF_10_PLIES, _TIMES_A_PLY, _SHARE = 8700, 1.85, 0.01
_SHALLOWEST, _DEEPEST = 2, 12
# The guess at the root's score may take this share of the nodes that a question is expected to take, within bounds: a
# question more takes as long as all before it, and the guess leaves its worker a table that orders the moves.
_GUESS_SHARE, _LEAST_GUESS, _MOST_GUESS = 0.5, 20_000, 200_000_000
_MOST_BELOW = 26  # empty squares of the frontier
_AHEAD = 1  # boards that wait for a worker, so that none waits for the tree
_HASH_MB = 4  # for estimates
_LOOK_SECONDS = 0.5
_SHOWN_SECONDS = 0.25
_MOST_DEATHS = 3  # of workers one after the other, with no result between


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
    """Empty squares of the frontier below a position: fewer for more workers, since all need work, which costs nodes.

    Args:
        empties: of the position.
        workers: how many there are.
    """
    return min(empties - 1 - workers.bit_length(), _MOST_BELOW)


def estimate_limit(frontier: int) -> Limit:
    """The limit of the searches that order a tree above a frontier of so many empty squares."""
    nodes = _SHARE * expected_nodes(frontier, 0.0)
    depth = 10 + round(math.log(nodes / _NODES_OF_10_PLIES) / math.log(_TIMES_A_PLY))
    return Limit(depth=min(max(depth, _SHALLOWEST), _DEEPEST), selectivity=73)


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a position of a job is.

    Attributes:
        wanted: discs; the question under way is whether the side to move reaches them.
        lower: bound of the score that is proven so far.
        upper: the other one.
        proof: nodes that a Yes to the question is expected to take.
        disproof: the same of a No.
        known: boards that the job's file has bounds of, from all its positions.
        open: frontier boards in the tree that have no answer yet.
        running: boards that workers have.
        searches: that were made for this position since the command began.
        nodes: of these searches and of those that order the tree.
        seconds: wall time since the work at this position began.
        left: seconds that the question is expected to take still; None before there is a speed to go by.
    """

    wanted: int
    lower: int
    upper: int
    proof: float
    disproof: float
    known: int
    open: int
    running: int
    searches: int
    nodes: int
    seconds: float
    left: float | None


@dataclass(frozen=True, slots=True)
class Outcome:
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


class Work:
    """The work at a position of a job.

    Args:
        job: where answers are kept.
        position: the root; its rules turn in every direction.
        asked: see ``thresholds``.
        workers: who solve the frontier.
        hash_mb: size of each worker's table in MB.
        show: is told how far it is, a few times a second.
    """

    def __init__(
        self,
        job: JobFile,
        position: Position,
        asked: Sequence[int],
        workers: Workers,
        hash_mb: int,
        show: Callable[[Progress], object],
    ) -> None:
        self._job, self._position, self._asked = job, position, list(asked)
        self._workers, self._hash_mb, self._show = workers, hash_mb, show
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
        self._running: dict[Future[Solved], bytes] = {}
        self._began = self._shown = time.monotonic()

    def run(self) -> Outcome:
        """Work until the questions are answered.

        Raises: OutflankError if workers die again and again, or if an answer can't be kept.
        """
        guess, deaths = None, 0
        while open_ones := [asked for asked in self._asked if self._lower < asked <= self._upper]:
            before = self._searches
            try:
                guess = self._guess() if guess is None else guess
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
        return Outcome(
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

    def _guess(self) -> float:
        """The expected score of the root."""
        if self._position.is_over:
            score = self._position.score(self._position.side)
            self._lower = self._upper = score
            return float(score)
        nodes = _GUESS_SHARE * expected_nodes(self._position.empties, 0.0)
        most = int(min(max(nodes, _LEAST_GUESS), _MOST_GUESS))
        task = self._workers.executor.submit(guess_score, self._position, most, self._hash_mb)
        guess, searched = task.result()
        self._nodes += searched
        return guess

    def _answer(self, wanted: int) -> None:
        """Find out whether the side to move at the root reaches so many discs.

        Raises: BrokenExecutor if a worker died; OutflankError.
        """
        tree = Tree(self._position, wanted, self._frontier, self._estimate, self._bounds)
        while tree.answer is None:
            while len(self._running) < self._workers.places + _AHEAD and (node := tree.next()) is not None:
                self._expected += expected_nodes(node.empties, node.lead)
                task = self._workers.executor.submit(search_bound, node.position, node.wanted, self._hash_mb)
                self._running[task] = node.key
            self._tell(tree)
            for future in wait(self._running, _LOOK_SECONDS, FIRST_COMPLETED).done:
                key = self._running.pop(future)
                self._keep(key, future)
                tree.learn(key)
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

    def _keep(self, key: bytes, future: Future[Solved]) -> None:
        """Take an answer to the job's file."""
        try:
            found = future.result()
        except (BrokenExecutor, OutflankError):
            raise
        except CancelledError:
            raise OutflankError("the cluster has given up a board: is its scheduler still there?") from None
        except Exception as error:  # of the cluster; what it says may be anything
            raise OutflankError(f"a worker has failed ({type(error).__name__}: {error})") from None
        self._bounds[key] = self._job.add(key, found).bounds
        self._searches += 1
        self._nodes += found.nodes

    def _tell(self, tree: Tree) -> None:
        """Show how far it is, unless that was just done."""
        now = time.monotonic()
        if now - self._shown < _SHOWN_SECONDS:
            return
        self._shown = now
        proof, disproof = tree.numbers
        seconds = now - self._began
        done = self._expected / max(seconds, 1e-9)  # a second, by the same measure
        self._show(
            Progress(
                tree.wanted,
                self._lower,
                self._upper,
                proof,
                disproof,
                len(self._job.solved),
                tree.open,
                len(self._running),
                self._searches,
                self._nodes,
                seconds,
                min(proof, disproof) / done if self._searches else None,
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


def search_bound(position: Position, wanted: int, hash_mb: int) -> Solved:
    """Runs in a worker: whether the side to move reaches so many discs, as bounds."""
    searcher = shared_searcher(hash_mb=hash_mb)
    found = searcher.search(position, Limit.solve(at_least=wanted))
    bounds = (int(found.score), 64) if found.bound == "lower" else (-64, int(found.score))
    return Solved(*bounds, 1, found.nodes, found.seconds)


def guess_score(position: Position, most: int, hash_mb: int) -> tuple[float, int]:
    """Runs in a worker: the expected score of a position, and the nodes that it took, `most` at most."""
    searcher = shared_searcher(hash_mb=hash_mb)
    found = searcher.search(position, Limit(exact_from=64, selectivity=95, nodes=most))
    return found.score, found.nodes
