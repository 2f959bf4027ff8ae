"""``outflank puzzles``: finds, proves and rates problems in games, and poses them at the terminal."""

import time
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

import click

from outflank.engine import NotationError, OutflankError, Rules
from outflank.protocol.formats import FormatName, obf
from outflank.protocol.formats.annotated import AnnotatedGame
from outflank.storage.files import STDOUT
from outflank.tools.analysis.puzzles import (
    FORMS,
    Goal,
    Problems,
    Puzzle,
    ask_all,
    find,
    print_shares,
    write_puzzles,
)
from outflank.tools.cli.command import CommandGroup, completions
from outflank.tools.cli.game_filter import GameFilter, filter_options, source_option
from outflank.tools.cli.options import output_files_option, rules_option, weights_option, workers_option
from outflank.tools.cli.positions import ReadGames, complete_games, expect_kept, number_of_games
from outflank.tools.cli.types import COUNT, FileOrSample, read_by
from outflank.tools.runtime.inputlines import InputLines
from outflank.tools.runtime.kept import KeptResults
from outflank.tools.runtime.progress import Complaints, counted, live, progress_text, warn

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

_EMPTIES = "8-20"
_LEAST, _MOST = 2, 30


def _read_empties(text: str) -> range:
    least, _, most = text.partition("-")
    numbers = [least.strip(), most.strip() or least.strip()]
    if not all(number.isascii() and number.isdigit() and len(number) < 3 for number in numbers):
        raise NotationError(f"expected a number of empty squares or a range such as {_EMPTIES}, got {text!r}")
    first, last = map(int, numbers)
    if not _LEAST <= first <= last <= _MOST:
        raise NotationError(
            f"expected empty squares from {_LEAST} to {_MOST}, the smaller number first, got {text!r}"
        )
    return range(first, last + 1)


class _Puzzles(CommandGroup):
    """A command group whose first command is the default, used if the arguments don't begin with a command."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Insert the name of the first command if the arguments don't begin with a command."""
        if args and args[0] not in (*self.commands, *ctx.help_option_names):
            args = [next(iter(self.commands)), *args]
        return super().parse_args(ctx, args)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list["CompletionItem"]:
        """Return the commands, and files for the default command."""
        return [*super().shell_complete(ctx, incomplete), *completions((), incomplete, files=True)]


@click.group(cls=_Puzzles)
def puzzles() -> None:
    """Find problems in games, and pose them at the terminal.

    puzzles GAMES... is short for puzzles find GAMES...
    """


@puzzles.command("find")
@click.argument("games", nargs=-1, required=True, shell_complete=complete_games)
@click.option(
    "--empties",
    callback=read_by(_read_empties),
    default=_EMPTIES,
    metavar="SQUARES",
    help="Number of empty squares of the problems, or a range.",
)
@click.option(
    "--unique",
    is_flag=True,
    help="Find positions with a single best move.  [default: with a single winning move]",
)
@click.option("--count", type=COUNT, help="Number of problems to find.  [default: all]")
@click.option(
    "--by",
    "order",
    type=click.Choice(["game", "difficulty"]),
    default="game",
    help="Order of the problems: as in the games, or easiest first.",
)
@output_files_option(
    "Write the problems as OBF (.obf), SGF (.sgf) or one page with hidden solutions (.html); may be repeated. "
    "Without an .obf file, OBF goes to standard output.",
    tuple(FORMS),
    former=["--sgf", "--html"],
    stdout=True,
)
@source_option
@filter_options
@rules_option
@weights_option
@workers_option
def find_problems(
    games: Sequence[str],
    empties: range,
    unique: bool,
    count: int | None,
    order: str,
    outputs: Sequence[Path],
    source: FormatName | None,
    wanted: GameFilter,
    rules: Rules,
    workers: int | None,
) -> None:
    """Find positions in games in which a single move wins.

    GAMES are transcripts, files of games in a format of docs/formats.md, or samples listed there; - is standard
    input. The problems are solved exactly, and no two are alike. Each is rated by the plies that the engine needs and
    by how often each level of --elo fails (docs/review.md). Each level's success rate is printed to standard error.
    """
    expect_kept(games, [output for output in outputs if output is not STDOUT])
    read = ReadGames()
    found: list[Puzzle] = []
    goal: Goal = "best" if unique else "win"
    total = number_of_games(games, source, rules, wanted.allows)
    searched, began = 0, time.monotonic()

    def passing() -> Iterator[AnnotatedGame]:
        nonlocal searched
        for _, _, game in read.of(games, source, rules):
            if wanted.allows(game):
                yield game
                searched += 1

    def draw() -> str:
        text = progress_text("puzzles", searched, total, "games", time.monotonic() - began)
        return f"{text}; {counted(len(found), 'problem')} found"

    try:
        with live(draw), KeptResults("puzzles find", Problems, goal=goal, empties=str(empties)) as kept:
            for puzzle in islice(find(passing(), goal, empties, workers, kept), count):
                found.append(puzzle)
    finally:  # the problems found so far are written after Ctrl-C too
        if order == "difficulty":
            found.sort(key=lambda puzzle: puzzle.difficulty)
        if found:
            write_puzzles(found, outputs)
            print_shares(found)
    read.end()
    read.expect_good()
    if not found:
        raise OutflankError("the games contain no such problem, so nothing was written")
    if count is not None and len(found) < count:
        warn(f"the games contain only {counted(len(found), 'problem')}, not {count:,}")


@puzzles.command("solve")
@click.argument("file", type=FileOrSample(), default="problems")
@rules_option
def ask(file: Path, rules: Rules) -> None:
    """Pose the problems of an OBF file at the terminal.

    Without FILE, the shipped problems are posed. A problem counts as solved if the first answer is right;
    docs/review.md lists the commands.
    """
    with open(file, "rb") as stream:
        problems, errors = obf.read_suite(stream, str(file), rules)
    bad = Complaints("line without a position", "lines without a position")
    for error in errors:
        bad.add(str(error))
    bad.end()
    if not problems:
        raise OutflankError(f"{file} has no positions in OBF")
    ask_all(problems, InputLines())
