"""``outflank play``: a game against the engine at a terminal."""

from contextlib import ExitStack
from pathlib import Path

import click

from outflank.engine import (
    DEFAULT_LEVEL,
    HIGHEST_LEVEL,
    Colour,
    NotationError,
    Position,
    Rules,
    Searcher,
    SettingsError,
)
from outflank.engine.evaluation import weights
from outflank.protocol.clock import TimeControl
from outflank.protocol.formats.annotated import AnnotatedGame
from outflank.protocol.server.movesource import SearchSource
from outflank.protocol.server.session import Session, Strength
from outflank.tools.archive.table import Explorer
from outflank.tools.commands.engine_options import books_to_play, books_to_read, elo_option
from outflank.tools.commands.options import (
    COUNT,
    OUTPUT_FILE,
    SECONDS,
    WholeNumber,
    archive_option,
    completed_by,
    hash_option,
    read_by,
    rules_option,
    threads_option,
    weights_option,
)
from outflank.tools.play.dialogue import Dialogue, InputLines
from outflank.tools.play.localgame import GameFiles, LocalGame
from outflank.tools.report.board import say
from outflank.tools.work.games import read_game
from outflank.tools.work.progress import counted

_SIDES = {
    "black": frozenset({Colour.BLACK}),
    "white": frozenset({Colour.WHITE}),
    "both": frozenset(Colour),
    "none": frozenset[Colour](),
}


@click.command()
@click.option(
    "--side",
    type=click.Choice(list(_SIDES)),
    help="Your side: a colour, both (no engine), or none (watch).  [default: the side to move]",
)
@rules_option
@click.option(
    "--level",
    type=WholeNumber(0, HIGHEST_LEVEL),
    help="Strength of the engine, see docs/search.md.  "
    f"[default: {DEFAULT_LEVEL} if neither another option nor a clock limits it]",
)
@elo_option
@click.option("--depth", type=COUNT, help="Plies that the engine searches.  [default: no limit]")
@click.option("--time", "seconds", type=SECONDS, help="Seconds for each of its moves.  [default: no limit]")
@click.option(
    "--clock",
    "control",
    callback=read_by(TimeControl.parse),
    default="none",
    metavar="TIME",
    help="Clock of both sides: 30s (a move), 5m+3s (Fischer), 10m+0 (absolute), 5m+30s/10 (Canadian) or none.",
)
@click.option("--hint", "hints", is_flag=True, help="Show the best moves before each of your moves.")
@click.option(
    "--resume",
    metavar="GAME",
    shell_complete=completed_by(files=True),
    help="Resume a game: a file in a format of docs/formats.md, a transcript or a board.",
)
@click.option(
    "--save",
    "saved",
    type=OUTPUT_FILE,
    metavar="FILE",
    help="Save the game in FILE, a new one or the file of --resume, after every move: "
    ".sgf, .ggf, .txt (transcript), .obf or .wtb (WTHOR, at the end of the game).",
)
@click.option("--name", default="Human", help="Your name in the file.")
@click.option(
    "--book",
    metavar="BOOK|none",
    shell_complete=completed_by("none", "standard", "parallel", files=True),
    help="Opening book to play from, a file, standard or parallel.  "
    "[default: the one that comes with the package, if it is for the rules]",
)
@archive_option
@click.option(
    "--seed",
    type=WholeNumber(),
    help="Vary the play among equal moves; repeat the moves of --elo.  "
    "[default: always the same move, with --elo by chance]",
)
@threads_option
@hash_option
@weights_option
def play(
    side: str | None,
    rules: Rules,
    level: int | None,
    elo: int | None,
    depth: int | None,
    seconds: float | None,
    control: TimeControl,
    hints: bool,
    resume: str | None,
    saved: Path | None,
    name: str,
    book: str | None,
    archive: Path | None,
    seed: int | None,
    threads: int,
    hash_mb: int,
) -> None:
    """Play a game against the engine at a terminal.

    Moves and commands are read from standard input, one a line; help lists them. Through a pipe, a line that can't
    be obeyed ends the game. However the game ends, it is printed as --resume takes it unless it was saved in a file:
    as a transcript, or as the board at its end if it did not begin at the start.
    """
    start = AnnotatedGame(Position.start(rules))
    record = start if resume is None else read_game(resume, rules, "--resume")
    files = _files(saved, None if record.unread else resume)
    searcher = Searcher(hash_mb, threads, seed)
    session = Session(
        SearchSource(searcher, seed=seed),
        books=books_to_play(book, 0.0, seed),
        strength=Strength(level, depth, seconds, elo=elo),
        rules=record.rules,
    )
    session.prepare()
    people = frozenset({record.final.side}) if side is None else _SIDES[side]
    table = LocalGame(session, record, people, control, name)
    files.expect_held(table.record())
    limits = ", ".join(
        words
        for words in (
            None if elo is None else f"Elo {elo}",
            None if level is None else f"level {level}",
            None if depth is None else counted(depth, "ply", "plies"),
            None if seconds is None else f"{seconds:g} s a move",
            None if not control.is_limited else f"clock {control}",
        )
        if words
    )
    say(
        f"outflank {weights.version()}, {record.rules}, {limits or f'level {DEFAULT_LEVEL}'}; help lists the commands"
    )
    with ExitStack() as stack:
        explorer = None
        if archive is not None:
            explorer = stack.enter_context(Explorer.open(archive, books_to_read(book), DEFAULT_LEVEL))
            explorer.archive.expect(record.rules)
        Dialogue(table, InputLines(), files, hints, explorer).run()


def _files(saved: Path | None, resumed: str | None) -> GameFiles:
    """The files of the game; `resumed` may also be a transcript or a board instead of a path.

    It is None if the game was resumed from nothing, or from a file that holds more than is kept.

    Raises: BadParameter if it can't be saved there.
    """
    try:
        return GameFiles(saved, None if resumed is None else Path(resumed))
    except (NotationError, SettingsError) as error:
        raise click.BadParameter(str(error), param_hint="--save") from None
