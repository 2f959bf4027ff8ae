"""``outflank play`` and ``solo``: games at the terminal, against the engine or alone for hidden chips."""

from contextlib import ExitStack
from pathlib import Path
from typing import Any

import click

from outflank.engine import DEFAULT_LEVEL, Colour, NotationError, Position, Rules, Searcher, SettingsError
from outflank.engine.solo.game import Deal, DealerView, Variant, parse_layout
from outflank.engine.solo.player import HINT_EFFORT, SoloPlayer, solve
from outflank.protocol.clock import TimeControl
from outflank.protocol.formats.annotated import AnnotatedGame
from outflank.protocol.server.movesource import SearchSource
from outflank.protocol.server.session import Session, Strength
from outflank.tools.archive.table import Explorer
from outflank.tools.cli.books import books_to_play, books_to_read
from outflank.tools.cli.command import Command, group, handing
from outflank.tools.cli.options import (
    archive_option,
    drawn_seed_option,
    json_option,
    level_option,
    plain_search_options,
    played_book_option,
    rules_option,
    tc_option,
    varied_seed_option,
)
from outflank.tools.cli.positions import complete_games, read_game
from outflank.tools.cli.types import CONTINUED_FILE, COUNT, SECONDS, read_by
from outflank.tools.commands.engine import ONE_STRENGTH, elo_option
from outflank.tools.live.dialogue import Dialogue
from outflank.tools.live.files import GameFiles
from outflank.tools.play import solo as solo_game
from outflank.tools.runtime.inputlines import InputLines

_SIDES = {
    "black": frozenset({Colour.BLACK}),
    "white": frozenset({Colour.WHITE}),
    "both": frozenset(Colour),
    "none": frozenset[Colour](),
}


class SideChoice(click.Choice):  # type: ignore[type-arg]  # Choice is generic only in newer versions of click
    """The name of a side, which may be abbreviated."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the full name of the side. Raises: click.BadParameter."""
        word = str(value).lower()
        named = next((name for name in self.choices if word and name.startswith(word)), value)
        return super().convert(named, param, ctx)


@click.command(cls=Command, exclusive=[ONE_STRENGTH])
@group(
    "The game",
    click.option(
        "--side",
        type=SideChoice(list(_SIDES)),
        help="Your side: a colour, both (no engine) or none (watch).  [default: the side to move]",
    ),
    rules_option,
    tc_option(
        "control",
        metavar="TIME",
        help="Time control: 30s (per move), 5m+3s (Fischer), 10m+0 (absolute), 5m+30s/10 (Canadian) or none.",
    ),
    click.option(
        "--resume",
        metavar="GAME",
        shell_complete=complete_games,
        help="Resume GAME: a file in a format of docs/formats.md, a transcript, a board or an opening's name.",
    ),
    click.option(
        "--save",
        "saved",
        type=CONTINUED_FILE,
        help="Save the game after every move in FILE, a new file or that of --resume: "
        ".sgf, .ggf, .txt (transcript), .obf or .wtb (WTHOR, at the end of the game).",
    ),
    click.option("--name", default="Human", help="Your name in the saved game."),
)
@group(
    "The engine",
    level_option(
        "Strength of the engine; see docs/search.md.  "
        f"[default: {DEFAULT_LEVEL} if no other option or clock limits it]"
    ),
    elo_option,
    click.option("--depth", type=COUNT, help="Plies that the engine searches.  [default: no limit]"),
    click.option(
        "--time", "seconds", type=SECONDS, help="Seconds for each engine move.  [default: no limit]"
    ),
    played_book_option,
    varied_seed_option,
    plain_search_options,
)
@group(
    "Help",
    click.option("--hint", "hints", is_flag=True, help="Show the best moves before each of your moves."),
    archive_option,
)
@handing({"strength": Strength})
def play(
    side: str | None,
    rules: Rules,
    strength: Strength,
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
    """Play a game against the engine at the terminal.

    Moves and commands are read from standard input, one per line; help lists them. If the input is not a terminal, an
    invalid line ends the game. Unless the game is saved in a file, it is printed at the end in a form for --resume: as
    a transcript, or as the final board if it did not begin from the start.
    """
    start = AnnotatedGame(Position.start(rules))
    record = start if resume is None else read_game(resume, rules, "--resume")
    files = _files(saved, None if record.unread else resume)
    searcher = Searcher(hash_mb, threads, seed)
    people = frozenset({record.final.side}) if side is None else _SIDES[side]
    with ExitStack() as stack:
        books = stack.enter_context(books_to_play(book, 0.0, seed))
        session = Session(
            SearchSource(searcher, seed=seed), books=books, strength=strength, rules=record.rules
        )
        session.prepare()
        explorer = None
        if archive is not None:
            explorer = stack.enter_context(Explorer.open(archive, books_to_read(book), DEFAULT_LEVEL))
            explorer.archive.expect(record.rules)
        dialogue = Dialogue(record, session, people, control, name, InputLines(), files, hints, explorer)
        dialogue.run()


def _files(saved: Path | None, resumed: str | None) -> GameFiles:
    """Return the files of the game. `resumed` is the value of --resume: a file, the description of a game, or None."""
    try:
        return GameFiles(saved, None if resumed is None else Path(resumed))
    except (NotationError, SettingsError) as error:
        raise click.BadParameter(str(error), param_hint="--save") from None


@click.command(
    cls=Command,
    exclusive=[("--auto", "--open"), ("--hint", "--auto"), ("--hint", "--open"), ("--random", "--open")],
    needs={"--random": ["--games"], "--games": ["--auto", "--open"]},
)
@drawn_seed_option("Number of the deal.")
@click.option(
    "--layout",
    default="corners",
    metavar="SQUARES",
    callback=read_by(parse_layout),
    help="Squares of the chips: corners, or 24 squares such as a3,b2,c1,...",
)
@click.option(
    "--variant",
    type=click.Choice([str(variant) for variant in Variant]),
    default=str(Variant.CHIPS),
    callback=read_by(Variant),
    help="Score: chips won, or the sum of their numbers, doubled if all four blank chips are won.",
)
@click.option("--auto", is_flag=True, help="Watch the program play.")
@click.option("--open", "is_open", is_flag=True, help="Turn the chips face up and find the best play.")
@click.option("--hint", "hints", is_flag=True, help="Show the most promising moves before each move.")
@click.option("--random", "by_random", is_flag=True, help="With --auto and --games: play random legal moves.")
@click.option(
    "--games",
    type=COUNT,
    help="With --auto or --open: play this many deals, from --seed on, and print a summary.",
)
@json_option
def solo(
    seed: int,
    layout: tuple[int, ...],
    variant: Variant,
    auto: bool,
    is_open: bool,
    hints: bool,
    by_random: bool,
    games: int | None,
    as_json: bool,
) -> None:
    """Play the solo game of the 2006 rule sheet.

    The player moves both colours to win the 24 hidden chips. Moves are read from standard input, one per line: black
    d3, or gd3 for a golden disc. Type help for more; stop or the end of input ends the game with the current score.
    docs/rules.md has the rules.
    """
    report = solo_game.SoloPrinter(variant, as_json)
    report.begin(seed, layout)
    if games is not None:
        way: solo_game.Way = (
            solo_game.with_open_chips
            if is_open
            else solo_game.by_chance
            if by_random
            else solo_game.by_player
        )
        solo_game.play_many(way, range(seed, seed + games), layout, report)
        return
    deal = Deal.shuffled(seed, layout)
    if is_open:
        report.solution(solve(DealerView.start(deal), variant), deal)
    elif auto:
        solo_game.watch(DealerView.start(deal), SoloPlayer(variant, seed), report)
    else:
        solo_game.play(DealerView.start(deal), report, SoloPlayer(variant, seed, **HINT_EFFORT), hints)
