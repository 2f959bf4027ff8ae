"""``outflank book``: grows, inspects and exchanges opening books."""

import json
import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import asdict
from functools import partial, wraps
from itertools import islice
from pathlib import Path
from typing import Any, Unpack, get_args

import click

from outflank.book import Book, BookWriter, changes
from outflank.book.forms.files import WRITTEN_FORMS, Form, write_form
from outflank.book.graph import Reach
from outflank.book.growing import BEYOND, USUAL_LEVEL, Grower, unknown_positions
from outflank.book.names import opening_of
from outflank.book.records import MOST_DISCS
from outflank.engine import (
    HIGHEST_LEVEL,
    PRESETS,
    FileFormatError,
    Game,
    NotationError,
    Position,
    Rules,
    SettingsError,
)
from outflank.engine.links import file_of
from outflank.protocol.formats.files import FormatName
from outflank.protocol.lines import printable
from outflank.protocol.server.booksource import named_book, shipped_books
from outflank.tools.books.show import (
    asked_game,
    count_book,
    counts_text,
    entry_facts,
    entry_text,
    known_entry,
)
from outflank.tools.commands.game_filter import GameFilter, filter_options, source_option
from outflank.tools.commands.options import (
    COUNT,
    LOG_FILE,
    Decorated,
    Decorator,
    Number,
    RenamedOption,
    WholeNumber,
    budget_option,
    completed_by,
    handing,
    json_object_option,
    json_option,
    output_option,
    place_options,
    read_by,
    shown_output,
    together,
    weights_option,
)
from outflank.tools.commands.program import CommandGroup
from outflank.tools.report.board import say
from outflank.tools.runtime.cluster import Place
from outflank.tools.runtime.files import STDOUT, expect_writable, open_output
from outflank.tools.runtime.progress import counted, json_line


@click.group(cls=CommandGroup)
def book() -> None:
    """Grow, check and exchange opening books.

    A BOOK is a file, or standard or parallel, the books that come with the package; standard if left out. docs/book.md
    says what a book is, and how the shipped ones were made.
    """


class BookFile(click.Path):
    """A book to read: a file, or the name of a shipped book; hands the command a Path."""

    def __init__(self) -> None:
        super().__init__(exists=True, dir_okay=False, path_type=Path)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Find it. Raises: click.BadParameter."""
        return super().convert(named_book(os.fspath(value)), param, ctx)


def _expect_own(ctx: click.Context, argument: click.Parameter, name: str) -> Path:
    if named_book(name) in shipped_books():
        raise click.BadParameter(
            f"the book {name} comes with the package and is never changed: make a copy by "
            f"outflank book merge COPY {name}",
            ctx,
            argument,
        )
    return Path(name)


_USUAL_BOOK = "standard"
_path_argument = click.argument("path", type=click.Path(dir_okay=False), callback=_expect_own)
_position_argument = click.argument("text", metavar="[POSITION]", default="", required=False)
_level_option = together(
    click.option(
        "--level",
        type=WholeNumber(1, HIGHEST_LEVEL),
        help=f"Level at which positions are judged.  [default: that of most of the book, {USUAL_LEVEL} of a new one]",
    ),
    weights_option,
)
_max_error_option = click.option(
    "--max-error",
    type=Number(min=0),
    metavar="DISCS",
    help="Only lines in which both sides together give away at most this many discs.  [default: no limit]",
)
_ply_cost_option = click.option(
    "--ply-cost",
    type=Number(min=0),
    default=0.25,
    metavar="DISCS",
    help="Cost of a ply in discs, added to the discs given away when the next position is chosen.",
)
_positions_option = click.option(
    "--positions", type=WholeNumber(1), help="Most positions in the book.  [default: no limit]"
)
_log_option = click.option(
    "--log", type=LOG_FILE, metavar="FILE", help="Add a line of JSON to this file each minute and at the end."
)


def _plies_option(default: int) -> Callable[[Decorated], Decorated]:
    return click.option(
        "--plies", type=WholeNumber(0, 60), default=default, help="Most plies from the start."
    )


def _reach_options(plies: int, *more: Decorator) -> Decorator:
    """``--max-error --plies --ply-cost``: hands the command ``reach``, a ``Reach``."""
    return handing({"reach": Reach}, _max_error_option, _plies_option(plies), _ply_cost_option, *more)


_where_options = together(place_options, json_object_option)
_growth_options = together(budget_option, _level_option, _where_options)
_games_options = together(
    _path_argument,
    click.argument("games", nargs=-1, required=True, metavar="GAME..."),
    source_option,
    filter_options,
)


def _rules_option(default: str) -> Callable[[Decorated], Decorated]:
    """``--rules RULES`` of a book: hands the command a ``Rules``, or None, which means what `default` says."""
    return click.option(
        "--rules",
        metavar="RULES",
        callback=read_by(Rules.parse),
        shell_complete=completed_by(*PRESETS),
        help=f"PRESET[,OPTION=VALUE...], as docs/rules.md has them.  [default: {default}]",
    )


def _book_argument(**attributes: Any) -> Callable[[Decorated], Decorated]:
    """``[BOOK]``, a file or the name of a shipped book: hands the command ``path``."""
    return click.argument(
        "path",
        metavar="[BOOK]",
        default=_USUAL_BOOK,
        required=False,
        shell_complete=completed_by(_USUAL_BOOK, "parallel", files=True),
        **attributes,
    )


def _book_and_position(command: Callable[..., None]) -> Callable[..., None]:
    """``[BOOK] [POSITION]``: hands the command ``path`` and ``text``; a single word is a book if there is one."""

    @wraps(command)
    def looking(path: str, text: str, **options: object) -> None:
        is_book = named_book(path).exists()
        if not is_book and text:
            raise click.BadParameter(f"there is no book {path!r}", param_hint="BOOK")
        book, position = (path, text) if is_book else (_USUAL_BOOK, path)
        command(path=BookFile().convert(book, None, None), text=position, **options)

    return _book_argument()(_position_argument(looking))


@book.command()
@_path_argument
@_position_argument
@budget_option
@_reach_options(24, _positions_option)
@_level_option
@_rules_option("those of the book, othello of a new one")
@_where_options
@_log_option
def build(
    path: Path,
    text: str,
    budget: float | None,
    reach: Reach,
    level: int | None,
    rules: Rules | None,
    as_json: bool,
    log: Path | None,
    **place: Unpack[Place],
) -> None:
    """Let the book PATH grow from the start of the game, best-first; a new one is made if there is none.

    The next position is always the one that costs both sides least to reach, so that the book is complete in itself
    whenever it is stopped, and can go on growing from there. Scores are discs from the side to move.

    With POSITION, a transcript (f5d6c3) or whatever else outflank analyze takes, the book grows from there: the
    positions on the way to it are added, and plies and discs given away count from it.
    """
    from outflank.tools.books.growth import grow_book, growth_log, open_run

    with ExitStack() as stack:
        book = stack.enter_context(BookWriter.open(path, rules)) if path.exists() else None
        game = asked_game(rules or Rules() if book is None else book, text)
        add_to_log = stack.enter_context(growth_log(log, path))
        run = stack.enter_context(open_run(**place))
        if book is None:  # not before: a log or a cluster that is refused leaves no new book behind
            book = stack.enter_context(BookWriter.create(path, rules or Rules()))
        what = ["build", *_from(game), *_words(**asdict(reach), budget=budget)]

        def grow(grower: Grower) -> None:
            grower.extend(game.positions if text else (), budget)
            grower.grow(reach, budget, game.position)

        grow_book(book, " ".join(what), grow, as_json, level, run, add_to_log)


def _from(game: Game) -> list[str]:
    """Return words for the book's history on where growth begins; none for the start."""
    if game.position == Position.start(game.rules):
        return []
    return [game.transcript() or game.position.board_string()]


def _words(**settings: object) -> Iterator[str]:
    """Yield options as the book's history has them; those that are None or False are left out."""
    for name, value in settings.items():
        if value is not None and value is not False:
            yield f"--{name.replace('_', '-')}"
            if value is not True:
                yield (f"{value:g}" if isinstance(value, float) else str(value)) + "s" * (name == "budget")


@book.command()
@_path_argument
@_position_argument
@click.option(
    "--level",
    type=WholeNumber(1, HIGHEST_LEVEL),
    required=True,
    help="Level at which positions are judged; positions judged at this or a higher level are left alone.",
)
@click.option(
    "--again",
    is_flag=True,
    help="Judge positions of this level again, each once: for a book grown with another evaluation.",
)
@weights_option
@budget_option
@_reach_options(24)
@_where_options
@_log_option
def deepen(
    path: Path,
    text: str,
    level: int,
    again: bool,
    budget: float | None,
    reach: Reach,
    as_json: bool,
    log: Path | None,
    **place: Unpack[Place],
) -> None:
    """Judge again the positions of the book PATH that were judged at a lower level.

    The positions that cost both sides least to reach come first. The book is sound whenever this is stopped. With
    POSITION, a transcript (f5d6c3) or whatever else outflank analyze takes, only this position of the book and those
    that it leads to are judged; plies and discs given away count from it.
    """
    from outflank.tools.books.growth import grow_book, growth_log, open_run

    with BookWriter.open(path) as book, growth_log(log, path) as add_to_log, open_run(**place) as run:
        game = asked_game(book, text)
        if text:
            known_entry(book, game)
        limits = {
            "plies": reach.plies,
            "ply_cost": reach.ply_cost,
            "again": again,
            "max_error": reach.max_error,
        }
        what = ["deepen", *_from(game), *_words(**limits, budget=budget)]

        def grow(grower: Grower) -> None:
            grower.deepen(reach, budget, again, game.position)

        grow_book(book, " ".join(what), grow, as_json, level, run, add_to_log)


@book.command()
@_games_options
@_plies_option(24)
@_growth_options
def extend(plies: int, **given: Any) -> None:
    """Add the positions of every GAME to the book PATH.

    A GAME is a transcript such as f5d6c3, or a file of games in any format of docs/formats.md (- is standard input),
    or a run: its folder or its run.db. One that can't be used is named and left out; the exit code is then 1.
    """

    def chosen(book: Book, line: Sequence[Position]) -> Iterable[Position]:
        fewest = Position.start(book.rules).empties - plies
        return (position for position in line if position.empties >= fewest)

    _grow_by_games("extend", f"--plies {plies}", chosen, **given)


@book.command()
@_games_options
@click.option(
    "--beyond",
    type=WholeNumber(1, 60),
    default=BEYOND,
    help="Positions of each game to add where it leaves the book.",
)
@_growth_options
def learn(beyond: int, **given: Any) -> None:
    """Let the book PATH learn from every GAME or RUN: it grows where their games left it.

    A GAME is a transcript, or a file of games in any format of docs/formats.md (- is standard input); a RUN is the
    folder of a match or tournament, or its run.db. The first positions that the book does not know are judged and
    added, so that a line which lost is known better the next time. What can't be used is named and left out; the exit
    code is then 1.
    """
    _grow_by_games(
        "learn", f"--beyond {beyond}", lambda book, line: unknown_positions(book, line, beyond), **given
    )


def _grow_by_games(
    command: str,
    setting: str,
    chosen: Callable[[Book, Sequence[Position]], Iterable[Position]],
    path: Path,
    games: Sequence[str],
    source: FormatName | None,
    wanted: GameFilter,
    budget: float | None,
    level: int | None,
    as_json: bool,
    **place: Unpack[Place],
) -> None:
    from outflank.tools.books.growth import PlayedLines, grow_book, open_run

    with BookWriter.open(path) as book, open_run(**place) as run:
        lines = PlayedLines(games, book, source, wanted.allows)
        positions = [position for line in lines for position in chosen(book, line)]
        what = f"{command} {wanted}".strip() + f" {setting}, games: {lines.games}"

        def grow(grower: Grower) -> None:
            grower.extend(positions, budget)

        grow_book(book, what, grow, as_json, level, run, games=lines.games)
    lines.expect_good()
    wanted.expect_found(lines.games, lines.read.unnamed)


def _read_score(text: str) -> int | None:
    if text == "none":
        return None
    if not re.fullmatch(r"[+-]?[0-9]{1,2}", text) or abs(int(text)) > MOST_DISCS:
        raise NotationError(f"expected none or a score from -{MOST_DISCS} to +{MOST_DISCS}, got {text!r}")
    return int(text)


@book.command("set", context_settings={"ignore_unknown_options": True})
@_path_argument
@click.argument("text", metavar="POSITION")
@click.argument("score", metavar="SCORE|none", callback=read_by(_read_score))
@_level_option
@json_object_option
def set_(path: Path, text: str, score: int | None, level: int | None, as_json: bool) -> None:
    """Set by hand the SCORE of a POSITION of the book PATH, in discs from the side to move.

    Later builds and searches keep it, and the scores of the positions before it follow from it; "none" gives the
    position back to the searches. POSITION is a transcript (f5d6c3) or whatever else outflank analyze takes; if the
    book does not know it, it is added with the positions on the way to it. outflank book show says which scores were
    set.
    """
    from outflank.book.judging import run_here
    from outflank.tools.books.growth import grow_book

    with BookWriter.open(path) as book:
        game = asked_game(book, text)
        if game.position.is_over:
            raise SettingsError("the game is over, and books end before that")
        words = [
            game.transcript() or game.position.board_string(),
            "none" if score is None else f"{score:+d}",
        ]

        def change(grower: Grower) -> None:
            grower.extend(game.positions)
            grower.set_score(game.position, score)

        grow_book(book, " ".join(["set", *words]), change, as_json, level, run_here)


@book.command()
@_path_argument
@_reach_options(60, _positions_option)
@json_object_option
def prune(path: Path, reach: Reach, as_json: bool) -> None:
    """Remove from the book PATH what costs too much, is too deep, or can't be reached.

    The score of a removed position stays as that of the move to it, so no score changes. The file is written anew
    without gaps.
    """
    with BookWriter.open(path) as book:
        before = path.stat().st_size
        book.note(" ".join(["prune", *_words(**asdict(reach))]))
        removed = changes.prune(book, reach)
        book.compact()
        kept = len(book)
    size = path.stat().st_size
    if as_json:
        click.echo(json.dumps({"book": str(path), "positions": kept, "removed": removed, "bytes": size}))
    else:
        click.echo(
            f"{path}: {counted(removed, 'position')} removed, {kept:,} left, {before:,} bytes before, {size:,} now"
        )


@book.command()
@_path_argument
@click.argument("others", nargs=-1, required=True, type=BookFile(), metavar="OTHER...")
@_level_option
@place_options
@json_object_option
def merge(
    path: Path, others: Sequence[Path], level: int | None, as_json: bool, **place: Unpack[Place]
) -> None:
    """Add to the book PATH what every OTHER book knows.

    If several know a position, the search at the highest level counts. Where the best move out of a book now leads to a
    position of the book, the other moves are judged. PATH is made if it does not exist, and left out among the OTHERs.
    """
    from outflank.tools.books.growth import grow_book, open_run

    others = [other for other in others if not (path.exists() and other.samefile(path))]
    with ExitStack() as stack:
        run = stack.enter_context(open_run(**place))
        # A book that is still being read could not be put in order at the end.
        with ExitStack() as readers:
            book, added = _merged(path, [readers.enter_context(Book.open(other)) for other in others])
        stack.enter_context(book)
        what = f"merge of {', '.join(other.name for other in others)}"
        grow_book(book, what, lambda _: None, as_json, level, run, merged=added)


def _merged(path: Path, others: Sequence[Book]) -> tuple[BookWriter, int]:
    is_new = not path.exists()
    book = BookWriter.create(path, others[0].rules) if is_new else BookWriter.open(path)
    try:
        return book, changes.merge(book, others)
    except BaseException:
        book.close()
        if is_new:
            file_of(path).unlink(missing_ok=True)
        raise


@book.command(context_settings={"ignore_unknown_options": True})
@_book_and_position
@json_object_option
def show(path: Path, text: str, as_json: bool) -> None:
    """Show what BOOK knows about a position: its moves, their scores and lines, the opening's name.

    POSITION is a transcript (f5d6c3), a board, or whatever else outflank analyze takes; the start of the game if it is
    left out. Scores are final disc differences from the side to move, and "from" and "to" what they can be if no leaf
    is off by more than its margin. Lines are counted to the leaves of the book, won and lost for the side to move. A
    move that "leaves" the book is the best of those that lead out of it.
    """
    with Book.open(path) as book, book.steady():
        game = asked_game(book, text)
        entry = known_entry(book, game)
        if as_json:
            click.echo(json_line(entry_facts(book, game, entry)))
        else:
            for line in entry_text(book, game, entry):
                say(line)


@book.command(context_settings={"ignore_unknown_options": True})
@_book_and_position
@click.option("--lines", "most", type=COUNT, default=20, help="How many lines to show.")
@_max_error_option
@click.option("--plies", type=COUNT, help="Most moves of a line.  [default: no limit]")
@json_option
def lines(
    path: Path, text: str, most: int, max_error: float | None, plies: int | None, as_json: bool
) -> None:
    """List the main lines of BOOK, first those in which both sides give away the least.

    They begin at the start of the game or go on from POSITION, a transcript (f5d6c3) or whatever else outflank analyze
    takes. Each is a transcript, which match and other commands take, and after # stand its final score in discs for
    Black, the discs that both sides give away, and the name of its opening. A line that transposes ends at a position
    of a line above it.
    """
    from outflank.tools.books.lines import main_lines

    with Book.open(path) as book, book.steady():
        game = asked_game(book, text)
        before = game.transcript()
        played = [turn.before for turn in game.turns]
        found = main_lines(book, game.position, max_error=max_error, plies=plies)
        for line in islice(found, most):
            opening = opening_of([*played, *line.positions])
            separator = " " if before and book.rules.one_direction else ""
            if as_json:
                facts: dict[str, Any] = {
                    "moves": f"{before}{separator}{line.transcript}",
                    "score": line.score,
                    "exact": line.is_exact,
                    "error": line.error,
                    "opening": None if opening is None else str(opening),
                    "transposes": line.transposes,
                }
                click.echo(json_line(facts))
                continue
            words = [
                f"{line.score:+d}{' exact' if line.is_exact else ''}",
                f"{line.error} given away",
                *([] if opening is None else [str(opening)]),
                *(["transposes"] if line.transposes else []),
            ]
            click.echo(f"{before}{separator}{line.transcript}  # {', '.join(words)}")


@book.command(context_settings={"ignore_unknown_options": True})
@_book_and_position
@output_option("File to write, an SVG image", required=True)
@click.option("--lines", "most", type=COUNT, default=30, help="How many lines to draw.")
@_max_error_option
@click.option("--plies", type=COUNT, default=16, help="Most moves of a line.")
def tree(path: Path, text: str, output: Path, most: int, max_error: float | None, plies: int) -> None:
    """Draw the main lines of BOOK as a tree, an SVG image.

    They are those of outflank book lines, from the start of the game or from POSITION on. A run of moves that nothing
    branches off from is one box, with the score after it on the colour of the side that is ahead.
    """
    from outflank.tools.books.lines import main_lines, tree_svg

    with Book.open(path) as book, book.steady():
        game = asked_game(book, text)
        known_entry(book, game)
        lines = islice(main_lines(book, game.position, max_error=max_error, plies=plies), most)
        before = game.transcript()
        title = f"{path.name}: main lines{f' after {before}' if before else ''}"
        image = tree_svg(book, game.position, title, lines)
    with open_output(output) as file:
        file.write(image.encode(errors="backslashreplace"))
    if output is not STDOUT:
        click.echo(output)


@book.command()
@_book_argument(type=BookFile())
@json_object_option
def stats(path: Path, as_json: bool) -> None:
    """Count what is in BOOK: coverage by ply, scores, and depths of the searches.

    A ply counts the discs played. "of all" is the share of all positions that can be reached at that ply, images
    counted once; later plies, which take too long to count, have no share. "leaves" are positions with a move that
    leads out of the book. Where the history of the book
    says which evaluations judged it, their checksums are shown. --json has the history too.
    """
    with Book.open(path) as book, book.steady():
        counts = count_book(book)
        if as_json:
            click.echo(json_line(counts))
        else:
            for line in counts_text(book, counts):
                click.echo(line)


@book.command()
@_book_argument(type=BookFile())
@output_option("File to write; edax needs a file", required=True)
@click.option(
    "--format",
    "form",
    cls=RenamedOption,
    former=["--to"],
    type=click.Choice(WRITTEN_FORMS),
    help="Format to write.  [default: edax for .dat, else text]",
)
def export(path: Path, output: Path, form: Form | None) -> None:
    """Write BOOK in another form: our own text, or one of Edax's.

    text carries everything, a position a line, and equal books are equal texts. edax is Edax's binary form, which has
    only the level of each search, and edax-text has nothing but leaves and levels. docs/book.md describes them.
    """
    form = form or ("edax" if output.suffix.lower() == ".dat" else "text")
    if output is STDOUT and form == "edax":  # its header is filled in at the end
        raise click.BadParameter("edax is a binary form: name a file (-o FILE)", param_hint="--output")
    with Book.open(path) as book, book.steady(), open_output(output) as file:
        write_form(book, file, form)
        count = len(book)
    click.echo(f"{shown_output(output)}: {counted(count, 'position')}", err=output is STDOUT)


@book.command("import")
@click.argument("source", type=click.Path(exists=True, dir_okay=False, allow_dash=True), metavar="FILE")
@_path_argument
@click.option(
    "--input-format",
    "form",
    cls=RenamedOption,
    former=["--from"],
    type=click.Choice(get_args(Form)),
    help="Format of the file.  [default: detected]",
)
@_rules_option("those of the text, othello of the others")
def import_(source: str, path: Path, form: Form | None, rules: Rules | None) -> None:
    """Make the book PATH from FILE (- is standard input): our own text, or a book of Edax or Egaroucid.

    Scores, bounds and counts are taken as they are; of Edax's text and Egaroucid's books (.egbk3) they are worked out
    from the leaves. Our own text names its rules, and is checked as by outflank book check. A file with anything wrong
    in it makes no book. To add to a book, import into a new one and merge that.
    """
    from outflank.tools.books.importing import import_book

    if not path.exists():  # an existing book is refused in other words
        expect_writable(path)
    count = import_book(source, path, rules, form)
    click.echo(f"{path}: {counted(count, 'position')}")


_SHOWN = 10  # of the faults


@book.command()
@_book_argument(type=BookFile())
@click.option(
    "--sample", type=WholeNumber(0), default=100, help="Search this many positions again, drawn at random."
)
@click.option("--seed", type=WholeNumber(0, 2**31 - 1), default=1, help="Seed of the drawing.")
@weights_option
@place_options
@json_object_option
def check(
    path: Path, sample: int, seed: int, workers: int | None, cluster: str | None, as_json: bool
) -> None:
    """Check BOOK: file, rows, links, scores, and a sample of them against a new search.

    A new search may find another score where more moves have become links, or with another evaluation; that is
    reported and is no fault. Exit code 1 if there are faults.
    """
    from outflank.book.checking import check as check_book
    from outflank.book.judging import Judge
    from outflank.engine.evaluation.weights import checksum
    from outflank.protocol.drivers.command import join_command
    from outflank.tools.books.growth import open_run
    from outflank.tools.runtime.executor import cleared_searcher

    with Book.open(path) as book, open_run(workers if sample else 1, cluster) as run:
        checked = check_book(book, partial(Judge, cleared_searcher) if sample else None, sample, seed, run)
        judged_by = book.judged_by()
    again, here = checked.sample, checksum()
    if as_json:
        facts = {
            **asdict(checked),
            "book": str(path),
            "evaluations": judged_by,
            "evaluation_here": here,
            "sample": again and {**again, "mean_difference": round(again["mean_difference"], 3)},
        }
        click.echo(json_line(facts))
    else:
        for fault in checked.faults[:_SHOWN]:
            click.echo(f"fault: {printable(fault, None)}")
        if len(checked.faults) > _SHOWN:
            click.echo(f"and {counted(len(checked.faults) - _SHOWN, 'more fault')}")
        click.echo(
            f"{path}: {counted(checked.positions, 'position')}, {counted(len(checked.faults), 'fault')}, "
            f"{checked.unreachable:,} not reached from the start, {checked.unfinished:,} to be finished"
        )
        if again is not None:
            click.echo(
                f"searched again: {again['searched']:,}, the same {again['same']:,}, "
                f"mean difference {again['mean_difference']:.2f} discs, largest {again['largest_difference']}"
            )
        if others := [evaluation for evaluation in judged_by if evaluation != here]:
            click.echo(
                f"the evaluation {' and '.join(others)} judged this book, and this Outflank has {here}, which gives "
                f"other scores; to judge it again: outflank book deepen {join_command([str(path)])} --again"
            )
    if checked.faults:
        raise FileFormatError(f"{str(path)!r} has {counted(len(checked.faults), 'fault')} (named above)")
