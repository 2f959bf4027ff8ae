"""The commands that let a book grow, ``build``, ``deepen``, ``extend`` and ``learn``, and ``set``."""

import re
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Unpack

import click

from outflank.book.growing import BEYOND, Grower, unknown_positions
from outflank.book.records import MOST_DISCS
from outflank.engine import HIGHEST_LEVEL, Game, NotationError, Position, Rules, SettingsError
from outflank.protocol.formats.files import FormatName
from outflank.tools.commands.book.options import (
    growth_options,
    level_option,
    log_option,
    path_argument,
    plies_option,
    position_argument,
    positions_option,
    reach_options,
    rules_option,
    where_options,
)
from outflank.tools.commands.game_filter import GameFilter, filter_options, source_option
from outflank.tools.commands.options import (
    WholeNumber,
    budget_option,
    json_object_option,
    read_by,
    weights_option,
)
from outflank.tools.runtime.cluster import Place


def _read_score(text: str) -> int | None:
    """A score, None for ``none``. Raises: NotationError."""
    if text == "none":
        return None
    if not re.fullmatch(r"[+-]?[0-9]{1,2}", text) or abs(int(text)) > MOST_DISCS:
        raise NotationError(f"expected none or a score from -{MOST_DISCS} to +{MOST_DISCS}, got {text!r}")
    return int(text)


@click.command()
@path_argument
@position_argument
@budget_option
@reach_options
@positions_option
@level_option
@rules_option("those of the book, othello of a new one")
@where_options
@log_option
def build(
    path: Path,
    text: str,
    budget: float | None,
    max_error: float | None,
    plies: int,
    ply_cost: float,
    positions: int | None,
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
    from outflank.book import BookWriter
    from outflank.book.graph import Reach
    from outflank.tools.books.growth import grow_book, growth_log, open_run
    from outflank.tools.books.show import asked_game

    reach = Reach(max_error, plies, ply_cost, positions)
    limits = [
        f"--max-error {max_error:g}" if max_error is not None else "",
        f"--plies {plies} --ply-cost {ply_cost:g}",
        f"--positions {positions}" if positions is not None else "",
        f"--budget {budget:g}s" if budget is not None else "",
    ]
    with ExitStack() as stack:
        book = stack.enter_context(BookWriter.open(path, rules)) if path.exists() else None
        game = asked_game(rules or Rules() if book is None else book, text)
        add_to_log = stack.enter_context(growth_log(log, path))
        run = stack.enter_context(open_run(**place))
        if book is None:  # not before: a log or a cluster that is refused leaves no new book behind
            book = stack.enter_context(BookWriter.create(path, rules or Rules()))
        what = " ".join(["build", *_from(game), *filter(None, limits)])

        def grow(grower: Grower) -> None:
            grower.extend(game.positions if text else (), budget)
            grower.grow(reach, budget, game.position)

        grow_book(book, what, grow, as_json, level, run, add_to_log)


def _from(game: Game) -> list[str]:
    """Words for the book's history on where growth begins; none for the start."""
    return (
        [game.transcript() or game.position.board_string()]
        if game.position != Position.start(game.rules)
        else []
    )


@click.command()
@path_argument
@position_argument
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
@reach_options
@where_options
@log_option
def deepen(
    path: Path,
    text: str,
    level: int,
    again: bool,
    budget: float | None,
    max_error: float | None,
    plies: int,
    ply_cost: float,
    as_json: bool,
    log: Path | None,
    **place: Unpack[Place],
) -> None:
    """Judge again the positions of the book PATH that were judged at a lower level.

    The positions that cost both sides least to reach come first. The book is sound whenever this is stopped. With
    POSITION, a transcript (f5d6c3) or whatever else outflank analyze takes, only this position of the book and those
    that it leads to are judged; plies and discs given away count from it.
    """
    from outflank.book import BookWriter
    from outflank.book.graph import Reach
    from outflank.tools.books.growth import grow_book, growth_log, open_run
    from outflank.tools.books.show import asked_game, known_entry

    reach = Reach(max_error, plies, ply_cost)
    settings = [
        f"--plies {plies} --ply-cost {ply_cost:g}",
        "--again" if again else "",
        f"--max-error {max_error:g}" if max_error is not None else "",
        f"--budget {budget:g}s" if budget is not None else "",
    ]
    with BookWriter.open(path) as book, growth_log(log, path) as add_to_log, open_run(**place) as run:
        game = asked_game(book, text)
        if text:
            known_entry(book, game)
        what = " ".join(["deepen", *_from(game), *filter(None, settings)])

        def grow(grower: Grower) -> None:
            grower.deepen(reach, budget, again, game.position)

        grow_book(book, what, grow, as_json, level, run, add_to_log)


@click.command("set", context_settings={"ignore_unknown_options": True})
@path_argument
@click.argument("text", metavar="POSITION")
@click.argument("score", metavar="SCORE|none", callback=read_by(_read_score))
@level_option
@json_object_option
def set_(path: Path, text: str, score: int | None, level: int | None, as_json: bool) -> None:
    """Set by hand the SCORE of a POSITION of the book PATH, in discs from the side to move.

    Later builds and searches keep it, and the scores of the positions before it follow from it; "none" gives the
    position back to the searches. POSITION is a transcript (f5d6c3) or whatever else outflank analyze takes; if the
    book does not know it, it is added with the positions on the way to it. outflank book show says which scores were
    set.
    """
    from outflank.book import BookWriter
    from outflank.book.judging import run_here
    from outflank.tools.books.growth import grow_book
    from outflank.tools.books.show import asked_game

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


@click.command()
@path_argument
@click.argument("games", nargs=-1, required=True, metavar="GAME...")
@source_option
@filter_options
@plies_option
@growth_options
def extend(
    path: Path,
    games: Sequence[str],
    source: FormatName | None,
    wanted: GameFilter,
    plies: int,
    budget: float | None,
    level: int | None,
    as_json: bool,
    **place: Unpack[Place],
) -> None:
    """Add the positions of every GAME to the book PATH.

    A GAME is a transcript such as f5d6c3, or a file of games in any format of docs/formats.md (- is standard input),
    or a run: its folder or its run.db. One that can't be used is named and left out; the exit code is then 1.
    """
    from outflank.book import BookWriter
    from outflank.engine import Position
    from outflank.tools.books.growth import PlayedLines, grow_book, open_run

    with BookWriter.open(path) as book, open_run(**place) as run:
        lines = PlayedLines(games, book, source, wanted.allows)
        fewest = Position.start(book.rules).empties - plies
        positions = [position for line in lines for position in line if position.empties >= fewest]
        what = f"extend {wanted}".strip() + f" --plies {plies}, games: {lines.games}"

        def grow(grower: Grower) -> None:
            grower.extend(positions, budget)

        grow_book(book, what, grow, as_json, level, run, games=lines.games)
    lines.expect_good()
    wanted.expect_found(lines.games, lines.read.unnamed)


@click.command()
@path_argument
@click.argument("games", nargs=-1, required=True, metavar="GAME...")
@source_option
@filter_options
@click.option(
    "--beyond",
    type=WholeNumber(1, 60),
    default=BEYOND,
    help="Positions of each game to add where it leaves the book.",
)
@growth_options
def learn(
    path: Path,
    games: Sequence[str],
    source: FormatName | None,
    wanted: GameFilter,
    beyond: int,
    budget: float | None,
    level: int | None,
    as_json: bool,
    **place: Unpack[Place],
) -> None:
    """Let the book PATH learn from every GAME or RUN: it grows where their games left it.

    A GAME is a transcript, or a file of games in any format of docs/formats.md (- is standard input); a RUN is the
    folder of a match or tournament, or its run.db. The first positions that the book does not know are judged and
    added, so that a line which lost is known better the next time. What can't be used is named and left out; the exit
    code is then 1.
    """
    from outflank.book import BookWriter
    from outflank.tools.books.growth import PlayedLines, grow_book, open_run

    with BookWriter.open(path) as book, open_run(**place) as run:
        lines = PlayedLines(games, book, source, wanted.allows)
        positions = [position for line in lines for position in unknown_positions(book, line, beyond)]
        what = f"learn {wanted}".strip() + f" --beyond {beyond}, games: {lines.games}"

        def grow(grower: Grower) -> None:
            grower.extend(positions, budget)

        grow_book(book, what, grow, as_json, level, run, games=lines.games)
    lines.expect_good()
    wanted.expect_found(lines.games, lines.read.unnamed)
