"""Finds problems in games, rates their difficulty, and presents them.

A problem is a position in which a single move wins, or in which a single move is the best. Each problem is solved to
the end of the game. Problems are written as OBF, as SGF, or as a page with hidden solutions, or a user solves them at a
terminal.
"""

import functools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Literal

import click

from outflank.book.keys import key_of
from outflank.engine import IllegalMoveError, Limit, Line, Move, NotationError, Position, Searcher
from outflank.engine.evaluation import weights
from outflank.engine.search.limits import BOLDEST
from outflank.protocol.formats import sgf
from outflank.protocol.formats.annotated import AnnotatedGame, Recorder, for_black
from outflank.protocol.formats.obf import Problem
from outflank.protocol.server.human_strength import HIGHEST_ELO, LOWEST_ELO, chances, depths, strength_of
from outflank.storage.files import STDOUT, open_output
from outflank.tools.page.parts import page_parts, rendered
from outflank.tools.report.board import board_text, is_coloured, say
from outflank.tools.report.search import moves_text, score_text
from outflank.tools.runtime.executor import map_in_order
from outflank.tools.runtime.inputlines import InputLines
from outflank.tools.runtime.kept import KeptResults, game_name
from outflank.tools.runtime.progress import counted, warn

ELOS = range(LOWEST_ELO, HIGHEST_ELO + 1, 100)
"""The Elo levels for which a problem's probability of failure is computed."""
_APART = 6  # the least distance in plies between two problems of a game; closer positions are nearly the same
# A position is too easy if no level fails with at least this probability.
_LEAST_FAILURES = 0.1
_HASH_MB = 32


Goal = Literal["win", "best"]
"""The question of a problem: to find the only winning move, or the only best move."""


@dataclass(frozen=True, slots=True)
class Puzzle:
    """A problem.

    Attributes:
        scores: the proven scores of all moves, in discs for the side to move, the best first.
        line: the best line to the end of the game; its first move is the solution.
        plies: the least search depth such that the engine chooses the solution at this depth and at every greater
            depth; the number of empty squares if the engine finds the solution only by solving the position.
        failures: the probability, 0 to 1, that an engine plays another move, for each Elo level in ``ELOS``.
        source: a description of the game in which the position occurs; empty if unknown.
        ply: the number of moves and passes before the position in the game.
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
        """The first move of `line`."""
        return self.line[0]

    @property
    def difficulty(self) -> tuple[float, int]:
        """The sort key of problems: the mean probability of failure, then `plies`."""
        return sum(self.failures.values()) / len(self.failures), self.plies


Problems = list[tuple[Puzzle, set[bytes]]]
"""The problems of a game in the order of plies, each with the keys of the positions less than ``_APART`` plies away."""


def problems_of(goal: Goal, empties: range, game: AnnotatedGame) -> Problems:
    """Return problems of a game that are at least ``_APART`` plies apart. The result depends only on the arguments."""
    solver, searcher = _searchers()
    solver.clear()
    solved: dict[int, tuple[Line, ...]] = {}
    # The loop begins at the last position, so that the transposition table contains the later positions.
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
    games: Iterable[AnnotatedGame],
    goal: Goal,
    empties: range,
    workers: int | None = None,
    kept: KeptResults | None = None,
) -> Iterator[Puzzle]:
    """Yield the problems of all games in order, without problems that are too similar to an earlier one.

    A problem is too similar if its position occurs in the game of the earlier problem, less than ``_APART`` plies away.
    Rotations and reflections of a position count as equal. `kept` stores the ``Problems`` of games between runs.
    """
    seen: set[bytes] = set()
    finder = functools.partial(problems_of, goal, empties)

    def found(left: Iterable[AnnotatedGame]) -> Iterator[Problems]:
        return map_in_order(finder, left, workers)

    every = found(games) if kept is None else kept.in_order(games, game_name, found)
    for puzzle, near in chain.from_iterable(every):
        if _key(puzzle.position) not in seen:
            seen |= near
            yield puzzle


def failures(
    position: Position, solution: Move, solved: Sequence[Line], searcher: Searcher
) -> dict[int, float]:
    """Return the probability that an engine does not play the solution, for each Elo level in ``ELOS``."""

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
    """Return the least depth such that the engine chooses the solution at this depth and at every greater depth.

    Returns the number of empty squares if no depth suffices.
    """
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
    """Return the known players, event and date of a game: ``Tamenori - Murakami, World Championship, 1998``."""
    players = f"{game.black or '?'} - {game.white or '?'}" if game.black or game.white else ""
    return ", ".join(filter(None, (players, game.event, game.date[:10])))


def _around(game: AnnotatedGame, ply: int) -> Iterator[Position]:
    """Yield the positions of a game that are too close to `ply` to be separate problems."""
    for position in game.positions[max(0, ply - _APART + 1) : ply + _APART]:
        if position.legal_mask():
            yield position


def _key(position: Position) -> bytes:
    return str(position.rules).encode() + key_of(position)[0]


@functools.lru_cache(maxsize=1)
def _searchers() -> tuple[Searcher, Searcher]:
    """Return a searcher that solves positions, and a searcher for the depth-limited searches that rate problems."""
    return Searcher(_HASH_MB), Searcher(_HASH_MB)


_BOARD_PIXELS = 300
# The maximum number of empty squares in a position that is solved while the user waits.
_SOLVED_WHEN_ASKED = 24


def solved_share(puzzles: Sequence[Puzzle], elo: int) -> float:
    """Return the expected share of problems that an engine of level `elo` solves, 0 to 1."""
    return 1.0 - sum(puzzle.failures[elo] for puzzle in puzzles) / len(puzzles)


def print_shares(puzzles: Sequence[Puzzle]) -> None:
    """Print the share of the problems that each level of ``ELOS`` solves, to stderr."""
    click.echo(f"{counted(len(puzzles), 'problem')}; expected share solved, by Elo rating", err=True)
    for elo in ELOS:
        click.echo(f"{elo:>6}  {solved_share(puzzles, elo):>4.0%}", err=True)


def obf_line(puzzle: Puzzle, number: int) -> str:
    """Return an OBF line with the scores of all moves. Its comment has the goal, the difficulty and the source."""
    failed = " ".join(f"{elo}: {share:.0%}" for elo, share in puzzle.failures.items())
    facts = (
        f"{number}, {puzzle.goal}",
        counted(puzzle.plies, "ply", "plies"),
        f"fails {failed}",
        puzzle.source,
    )
    return f"{Problem(puzzle.position, puzzle.scores)} % {'; '.join(filter(None, facts))}\n"


def sgf_game(puzzle: Puzzle, number: int) -> str:
    """Return the problem as an SGF game that starts at its position. The moves are the best line to the end."""
    position = puzzle.position
    recorder = Recorder(position)
    for move in puzzle.line:
        recorder.play(move)
    score = for_black(puzzle.scores[puzzle.solution], position.side)
    first, *rest = recorder.moves
    solution = f"Solution: {puzzle.solution}. {_scores_text(puzzle.scores)}. {_difficulty_text(puzzle)}."
    moves = (replace(first, exact=None if score is None else round(score), comment=solution), *rest)
    comment = f"{question(position, puzzle.goal)}."
    return sgf.write(
        AnnotatedGame(position, moves, title=f"Problem {number}", event=puzzle.source, comment=comment)
    )


def render_page(puzzles: Sequence[Puzzle]) -> str:
    """Return an HTML page of at least one problem, with hidden solutions."""
    from markupsafe import Markup  # installed with jinja2

    shown = [
        {
            "number": number,
            # the image contains no text from input files
            "board": Markup(puzzle.position.svg(size=_BOARD_PIXELS, legal=False)),
            "question": question(puzzle.position, puzzle.goal),
            "empties": puzzle.position.empties,
            "solution": str(puzzle.solution),
            "scores": _scores_text(puzzle.scores),
            "line": moves_text(puzzle.line),
            "difficulty": _difficulty_text(puzzle),
            "source": f"{puzzle.source or 'From a game'}, ply {puzzle.ply + 1}",
        }
        for number, puzzle in enumerate(puzzles, 1)
    ]
    levels = [(elo, f"{solved_share(puzzles, elo):.0%}") for elo in ELOS]
    return rendered(
        "puzzles.html", puzzles=shown, levels=levels, **page_parts(puzzles[0].position.rules, "tables.js")
    )


def _as_obf(puzzles: Sequence[Puzzle]) -> str:
    heading = f"% {counted(len(puzzles), 'problem')} by outflank {weights.version()}\n"
    return "".join([heading, *(obf_line(each, n) for n, each in enumerate(puzzles, 1))])


def _as_sgf(puzzles: Sequence[Puzzle]) -> str:
    return "".join(sgf_game(each, n) for n, each in enumerate(puzzles, 1))


FORMS = {".obf": _as_obf, ".sgf": _as_sgf, ".html": render_page}
"""The functions that write problems in each format, by the suffix of the file."""


def write_puzzles(puzzles: Sequence[Puzzle], outputs: Sequence[Path]) -> None:
    """Write the problems to each file in the format of its suffix. If no file is OBF, write OBF to stdout."""
    forms = [".obf" if output is STDOUT else output.suffix.lower() for output in outputs]
    targets = [*zip(outputs, forms, strict=True), *([] if ".obf" in forms else [(STDOUT, ".obf")])]
    for output, form in targets:
        with open_output(output) as stream:
            stream.write(FORMS[form](puzzles).encode())


def question(position: Position, goal: Goal) -> str:
    """Return the question of a problem, as in ``Black to move: one move alone wins``."""
    asked = "one move alone wins" if goal == "win" else "one move is best"
    return f"{position.rules.colour_name(position.side)} to move: {asked}"


def _difficulty_text(puzzle: Puzzle) -> str:
    """Describe the difficulty: ``Found by a search of 9 plies; failures by Elo: 600 83%, ...``, with about 5 levels."""
    shown = [*ELOS][:: max(1, len(ELOS) // 5)]
    failed = ", ".join(f"{elo} {puzzle.failures[elo]:.0%}" for elo in shown)
    return f"Found by a search of {counted(puzzle.plies, 'ply', 'plies')}; failures by Elo: {failed}"


def _scores_text(scores: Mapping[Move, int]) -> str:
    return ", ".join(f"{move} {score_text(score)}" for move, score in scores.items())


HELP = """\
a move          such as f5
solution        shows the best move; the problem counts as not solved
skip            the next problem
board           the board
quit            end"""


def ask_all(problems: Sequence[Problem], lines: InputLines) -> None:
    """Pose the problems to the user one after the other. Stop early if the user quits or the input ends.

    If the input is a terminal, an invalid line leads to a warning.

    Raises: NotationError or IllegalMoveError for an invalid line if the input is not a terminal.
    """
    searcher = Searcher()
    asked = solved = 0
    for number, problem in enumerate(problems, 1):
        scores = _scores(problem, searcher)
        if scores is None:
            warn(
                f"problem {number} is skipped: it has fewer than two legal moves, or too many empty squares to solve"
            )
            continue
        goal: Goal = "win" if sum(score > 0 for score in scores.values()) == 1 else "best"
        say()
        say(board_text(problem.position, coloured=is_coloured()))
        say(f"Problem {number} of {len(problems)}. {question(problem.position, goal)}.")
        at_once = _ask(problem.position, scores, lines)
        if at_once is None:
            break
        asked += 1
        solved += at_once
    say(f"{solved} of {counted(asked, 'problem')} solved on the first try.")


def _scores(problem: Problem, searcher: Searcher) -> Mapping[Move, int] | None:
    """Return the scores of all moves. Solve the position if the problem lacks the score of a move.

    Returns None if the position has fewer than two legal moves, or too many empty squares to solve.
    """
    moves, position = problem.position.legal_moves(), problem.position
    if len(moves) < 2:
        return None
    if problem.scores.keys() == set(moves):
        return problem.scores
    if position.empties > _SOLVED_WHEN_ASKED:
        return None
    lines = searcher.search(position, Limit.solve(), multipv=len(moves)).lines
    return {line.move: round(line.score) for line in lines}


def _ask(position: Position, scores: Mapping[Move, int], lines: InputLines) -> bool | None:
    """Ask for moves until the user solves the problem, skips it or quits.

    Returns whether the first move was right; None if the user quits or the input ends.
    """
    best = max(scores.values())
    tried = False
    while (line := lines.next("Your move: ", float("inf"))) is not None:
        word = line.strip().lower()
        if word in ("quit", "exit", "q"):
            return None
        if word in ("skip", "solution"):
            if word == "solution":
                say(f"Solution: {_scores_text({m: s for m, s in scores.items() if s == best})}.")
            return False
        if word in ("help", "?"):
            say(HELP)
        elif word == "board":
            say(board_text(position, coloured=is_coloured()))
        elif word and (move := _read(word, position, lines)):
            if scores[move] == best:
                say(f"Right: {move} {score_text(best)}.")
                return not tried
            tried = True
            say(f"No: {move} {score_text(scores[move])}. Try again, or type solution or skip.")
    return None


def _read(text: str, position: Position, lines: InputLines) -> Move | None:
    try:
        return position.parse_move(text)
    except (NotationError, IllegalMoveError) as error:
        if not lines.is_terminal:
            raise
        warn(str(error))
        return None
