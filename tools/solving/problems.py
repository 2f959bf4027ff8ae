"""Reads the positions that a command line names, and solves them one after the other."""

import time
from collections.abc import Iterable, Iterator, Sequence

import click

from outflank.engine import Limit, OutflankError, Rules, Searcher, SearchInfo, SearchResult
from outflank.protocol.formats import obf
from outflank.protocol.formats.annotated import BadGame
from outflank.protocol.formats.obf import Problem
from outflank.tools.cli.positions import PositionArgument, as_usage, bad_game, shown
from outflank.tools.report.search import limit_words, settings_line
from outflank.tools.runtime.kept import KeptResults, search_keeping
from outflank.tools.runtime.progress import Complaints, counted, live
from outflank.tools.solving.solutions import Solution, SolutionReport

_MOST_POSITIONS, _MOST_BAD = 100_000, 1000


def solve_all(
    problems: Sequence[Problem],
    limit: Limit,
    searcher: Searcher,
    all_moves: bool,
    report: SolutionReport,
    rules: Rules,
) -> None:
    """Solve the problems one after another, and print each solution."""
    searcher.prepare()  # otherwise the time of the first position would include the preparation
    settings = settings_line(searcher, str(rules), *limit_words(limit))
    report.begin(settings)

    def solved(left: Iterable[tuple[int, Problem]]) -> Iterator[tuple[SearchResult, float]]:
        for number, problem in left:
            found: list[Solution] = []
            try:
                result = _solve(problem, number, len(problems), limit, searcher, all_moves, found)
            except BaseException:
                # The result of the last iteration is printed even if Ctrl-C interrupts the search.
                if found:
                    report.add(found[-1])
                raise
            yield result, found[-1].seconds

    question = {"settings": settings, "limit": repr(limit), "all_moves": all_moves}
    try:
        with KeptResults("solve", tuple[SearchResult, float], **question) as results:
            found = results.in_order(enumerate(problems, 1), _name_of, solved)
            for (number, problem), (result, seconds) in zip(enumerate(problems, 1), found, strict=True):
                report.add(Solution(number, problem, result, seconds, limit))
    finally:
        report.end()


def _name_of(entry: tuple[int, Problem]) -> str:
    position = entry[1].position
    return f"{position.board_string()} {position.rules}"


def _solve(
    problem: Problem,
    number: int,
    count: int,
    limit: Limit,
    searcher: Searcher,
    all_moves: bool,
    found: list[Solution],
) -> SearchResult:
    """Solve a problem. Append the solution of each iteration to `found`. Times include the clearing of the table."""
    position = problem.position

    def note(info: SearchInfo) -> None:
        found.append(Solution(number, problem, info, time.perf_counter() - began, limit))

    def draw() -> str:
        text = f"position {number} of {count}, {position.empties} empties"
        if found:
            last = found[-1]
            text += f", {last.certainty}: {last.score} {last.move}, {last.info.nodes:,} nodes"
        return f"{text}, {time.perf_counter() - began:.0f} s"

    began = time.perf_counter()
    with live(draw):
        began = time.perf_counter()
        searcher.clear()
        lines = max(len(position.legal_moves()), 1) if all_moves else 1
        result = search_keeping(searcher, position, limit, multipv=lines, on_info=note)
        note(result)
    return result


def read_problems(
    texts: Sequence[str], board: str | None, rules: Rules, same_rules: bool = False
) -> tuple[list[Problem], Complaints]:
    """Read the problem of `board`, or the problems of the texts if `board` is None.

    Returns: the problems, and the warnings about positions that can't be read.
    """
    if not texts and board is None:
        raise click.UsageError("there is nothing to solve: give POSITION or --board")
    bad = Complaints("position")
    if board is not None:
        return [board_problem(board, rules)], bad
    problems: list[Problem] = []
    for text in texts:
        with PositionArgument(text) as given, as_usage():
            if (suite := given.suite(rules)) is not None:
                read, errors = suite
                problems += read
                for error in errors:
                    bad.add(str(error))
                continue
            for entry in given.games(rules):
                if isinstance(entry, BadGame):
                    bad.add(bad_game(text, entry))
                else:
                    problems.append(Problem(entry.final))
                # The input is limited, because a pipe may never end.
                if bad.count >= _MOST_BAD:
                    raise OutflankError(
                        f"{shown(text)} is not a file of positions: {_MOST_BAD:,} entries can't be read"
                    )
                if len(problems) > _MOST_POSITIONS:
                    raise OutflankError(f"{shown(text)} has more than {_MOST_POSITIONS:,} positions")
    bad.end()
    if not problems:
        expect_right(bad, ())
        raise OutflankError(f"no positions in {' and '.join(map(shown, texts))}")
    for number, problem in enumerate(problems, 1):
        if same_rules and problem.position.rules != rules:
            own = problem.position.rules
            raise OutflankError(f"position {number} has the rules {own}: use --rules {own}")
    return problems, bad


def board_problem(line: str, rules: Rules) -> Problem:
    """Return the problem of ``--board``. Raises: click.BadParameter if the line is invalid."""
    try:
        return obf.parse_problem(line, rules)
    except obf.LineError as error:
        raise click.BadParameter(f"{error} (column {error.column})", param_hint="'--board'") from None


def expect_right(bad: Complaints, differing: Sequence[int]) -> None:
    """Raise OutflankError if positions could not be read, or if solutions differ from the file's scores."""
    complaints = []
    if differing:
        numbers = ", ".join(map(str, differing))
        complaints.append(f"no agreement with the file for position {numbers}")
    if bad.count:
        complaints.append(f"{counted(bad.count, 'position')} can't be read ({bad.where})")
    if complaints:
        raise OutflankError("; ".join(complaints))
