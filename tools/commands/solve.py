"""``outflank solve``: solves positions for their exact score and best move."""

from collections.abc import Sequence
from dataclasses import replace

import click

from outflank.engine import Limit, NotationError, Parameters, Rules, Searcher
from outflank.tools.cli.command import Command, handing, together
from outflank.tools.cli.options import (
    json_option,
    rules_option,
    rules_option_read_by,
    search_options,
    selectivity_option,
    time_option,
)
from outflank.tools.cli.positions import complete_games
from outflank.tools.cli.types import WholeNumber
from outflank.tools.solving.problems import expect_right, read_problems, solve_all
from outflank.tools.solving.solutions import SolutionReport

POSITION_OR_BOARD = ("POSITION", "--board")
WLD_OR_BOUND = ("--wld", "--at-least")


def _every_direction(text: str) -> Rules:
    rules = Rules.parse(text)
    if rules.one_direction:
        raise NotationError(f"expected rules under which moves turn discs in every direction, got {rules}")
    return rules


every_direction_option = rules_option_read_by(_every_direction)
board_option = click.option(
    "--board", metavar="'64 SQUARES X'", help="Solve this position (a line of OBF) instead of POSITION."
)
positions_argument = click.argument("texts", nargs=-1, metavar="[POSITION...]", shell_complete=complete_games)
question_options = together(
    click.option("--wld", is_flag=True, help="Find only the result: win, draw or loss; in JSON, 1, 0 or -1."),
    click.option(
        "--at-least",
        type=WholeNumber(-63, 64),
        metavar="DISCS",
        help="Find only whether the side to move ends at least this many discs ahead.",
    ),
)
check_option = click.option(
    "--check", is_flag=True, help="Compare scores and best moves with those in the file."
)


@click.command(cls=Command, exclusive=[POSITION_OR_BOARD, WLD_OR_BOUND])
@positions_argument
@board_option
@rules_option
@question_options
@click.option("--all-moves", is_flag=True, help="Find the score of every move.")
@check_option
@time_option
@selectivity_option(default="the most efficient with --time, else 100")
@search_options
@json_option
@handing({"limit": Limit})
def solve(
    texts: Sequence[str],
    board: str | None,
    rules: Rules,
    limit: Limit,
    all_moves: bool,
    check: bool,
    threads: int,
    hash_mb: int,
    parameters: Parameters,
    as_json: bool,
) -> None:
    """Solve positions to the end of the game.

    POSITION is a transcript (f5d6c3), a board (64 squares and the side to move), the name of an opening (tiger), a
    file of positions or games in a format of docs/formats.md, or a sample listed there (ffo-40); - is standard input.
    A game stands for its last position. Each search starts with an empty transposition table.

    Scores are final disc differences from the point of view of the side to move. Positions that can't be read are
    reported and skipped. The exit code is 1 if there are such positions, or if --check finds a difference.
    """
    limit = limit if limit.seconds else replace(limit, exact_from=64)
    problems, bad = read_problems(texts, board, rules)
    searcher = Searcher(hash_mb, threads, parameters=parameters)
    report = SolutionReport(check, as_json)
    solve_all(problems, limit, searcher, all_moves, report, rules)
    expect_right(bad, report.differing)
