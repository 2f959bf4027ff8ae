"""Finds problems in games: positions with a single winning or best move; proven, all different, and rated."""

import functools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Literal

from outflank.book.keys import key_of
from outflank.engine import Limit, Line, Move, Position, Searcher
from outflank.engine.search.limits import BOLDEST
from outflank.protocol.formats.annotated import AnnotatedGame
from outflank.protocol.server.human_strength import HIGHEST_ELO, LOWEST_ELO, chances, depths, strength_of
from outflank.tools.runtime.executor import map_in_order

ELOS = range(LOWEST_ELO, HIGHEST_ELO + 1, 100)
"""The levels for which each problem's share of failures is computed."""
_APART = 6  # the least plies between two problems of a game, since closer ones are nearly the same
_LEAST_FAILURES = 0.1  # of the level that fails most often; a move that all find is not a problem
_HASH_MB = 32


Goal = Literal["win", "best"]
"""The question of a problem: the single winning move, or the single best one."""


@dataclass(frozen=True, slots=True)
class Puzzle:
    """A problem.

    Attributes:
        scores: the proven scores of all moves, in discs from the side to move, the best first.
        line: the best line to the end of the game; its first move is the solution.
        plies: the depth from which the engine finds the solution; the number of empty squares if it has to solve.
        failures: for each of ``ELOS``, the probability that a weaker opponent plays another move, 0 to 1.
        source: the game in words; empty if unknown.
        ply: the number of moves and passes before it in the game.
    """

    position: Position
    goal: Goal
    scores: Mapping[Move, int]
    line: Sequence[Move]
    plies: int
    failures: Mapping[int, float]
    source: str
    ply: int

    @property
    def solution(self) -> Move:
        """The solution."""
        return self.line[0]

    @property
    def difficulty(self) -> tuple[float, int]:
        """The mean probability of failure, and the plies: the order of problems."""
        return sum(self.failures.values()) / len(self.failures), self.plies


Problems = list[tuple[Puzzle, set[bytes]]]
"""The problems of a game in their order, each with the keys of the positions that are too like it."""


def problems_of(goal: Goal, empties: range, game: AnnotatedGame) -> Problems:
    """Return the problems of a game that can stand beside each other; they depend on the game alone."""
    solver, searcher = _searchers()
    solver.clear()
    solved: dict[int, tuple[Line, ...]] = {}
    # Backwards, so that the table already knows the positions after each one.
    for ply, position in reversed([*enumerate(game.positions)]):
        if position.empties in empties and (lines := _solved(solver, position, goal)):
            solved[ply] = lines
    puzzles: list[Puzzle] = []
    for ply, lines in sorted(solved.items()):
        if puzzles and ply - puzzles[-1].ply < _APART:
            continue
        position, solution = game.positions[ply], lines[0].move
        scores = {line.move: round(line.score) for line in lines}
        plies = plies_needed(position, solution, searcher)
        failed = failures(position, solution, lines, searcher)
        if max(failed.values()) >= _LEAST_FAILURES:
            puzzles.append(Puzzle(position, goal, scores, lines[0].pv, plies, failed, _source(game), ply))
    return [(puzzle, {_key(each) for each in _around(game, puzzle.ply)}) for puzzle in puzzles]


def _solved(solver: Searcher, position: Position, goal: Goal) -> tuple[Line, ...] | None:
    moves = len(position.legal_moves())
    if moves < 2:
        return None
    first, second = solver.search(position, Limit.solve(), multipv=2).lines
    alone = first.score > second.score
    if goal == "win":
        alone = (first.result, second.result) in (("win", "draw"), ("win", "loss"))
    return solver.search(position, Limit.solve(), multipv=moves).lines if alone else None


def find(
    games: Iterable[AnnotatedGame], goal: Goal, empties: range, workers: int | None = None
) -> Iterator[Puzzle]:
    """Yield the different problems of all games in their order: no images, and none from the same few plies."""
    seen: set[bytes] = set()
    finder = functools.partial(problems_of, goal, empties)
    for puzzle, near in chain.from_iterable(map_in_order(finder, games, workers)):
        if _key(puzzle.position) not in seen:
            seen |= near
            yield puzzle


def failures(
    position: Position, solution: Move, solved: Sequence[Line], searcher: Searcher
) -> dict[int, float]:
    """Return for each of ``ELOS`` the probability that an opponent of this level does not play the solution."""

    @functools.cache
    def lines(depth: int) -> Sequence[Line]:
        if depth >= position.empties:
            return solved
        return searcher.search(position, Limit(depth=depth), multipv=len(solved)).lines

    failed = {}
    for elo in ELOS:
        given, found = strength_of(elo), 0.0
        for depth, share in depths(given, position.empties):
            drawn = zip(lines(depth), chances(position, lines(depth), given), strict=True)
            found += share * sum(chance for line, chance in drawn if line.move == solution)
        failed[elo] = max(0.0, 1.0 - found)
    return failed


def plies_needed(position: Position, solution: Move, searcher: Searcher) -> int:
    """Return the depth from which the engine's choice is the solution; the empty squares if it has to solve."""
    best: list[tuple[int, Move]] = []
    searcher.clear()
    if position.empties > 1:
        limit = Limit(depth=position.empties - 1, selectivity=BOLDEST.percent)
        searcher.search(position, limit, on_info=lambda info: best.append((info.depth, info.lines[0].move)))
    needed = position.empties
    for depth, move in reversed(best):
        if move != solution:
            break
        needed = depth
    return needed


def _source(game: AnnotatedGame) -> str:
    """Return ``Tamenori - Murakami, World Championship, 1998``, or the known parts of it."""
    players = f"{game.black or '?'} - {game.white or '?'}" if game.black or game.white else ""
    return ", ".join(filter(None, (players, game.event, game.date[:10])))


def _around(game: AnnotatedGame, ply: int) -> Iterator[Position]:
    """Yield the positions of a game that are too close to this ply to be another problem."""
    for position in game.positions[max(0, ply - _APART + 1) : ply + _APART]:
        if position.legal_mask():
            yield position


def _key(position: Position) -> bytes:
    return str(position.rules).encode() + key_of(position)[0]


@functools.lru_cache(maxsize=1)
def _searchers() -> tuple[Searcher, Searcher]:
    """Return two searchers: one for solving, one that searches like the engine and its weaker opponents."""
    return Searcher(_HASH_MB), Searcher(_HASH_MB)
