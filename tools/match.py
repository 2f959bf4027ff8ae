"""``outflank match``: games between two GTP engines, and who is stronger."""

import json
import random
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import click

from outflank.engine import NotationError, OutflankError, Rules
from outflank.tools.games.clock import TimeControl
from outflank.tools.games.entries import Entry
from outflank.tools.games.openings import OpeningsChoice
from outflank.tools.games.referee import STALL_SECONDS
from outflank.tools.options import json_option, rules_option
from outflank.tools.runs.contest import Contest, Outcome
from outflank.tools.runs.interrupts import Interrupts
from outflank.tools.runs.scoreboard import Scoreboard
from outflank.tools.runs.summary import MatchSettings, match_summary
from outflank.tools.show.resulttable import print_result

_SHORT_MATCH = ('name="level 5" cmd="outflank gtp --level 5"', 'name="level 4" cmd="outflank gtp --level 4"')
_SEEDS = 2**31
_MOST_GAMES = 1_000_000


def _read_by(read: Callable[[str], Any]) -> Callable[[click.Context, click.Parameter, str], Any]:
    """A click callback that reads an option's text with `read`; what it can't read is a wrong usage."""

    def convert(ctx: click.Context, param: click.Parameter, text: str) -> Any:
        try:
            return read(text)
        except NotationError as error:
            raise click.BadParameter(str(error)) from None

    return convert


@click.command()
@click.option(
    "--engine",
    "engines",
    multiple=True,
    metavar="TEXT",
    help="""An engine, twice: 'name=A cmd="outflank gtp --level 4"', perhaps with time=. """
    "[default: two levels of Outflank]",
)
@click.option(
    "--games",
    type=click.IntRange(1, _MOST_GAMES),
    default=10,
    show_default=True,
    help="How many; two on each opening, colours swapped.",
)
@click.option(
    "--time",
    "time",
    callback=_read_by(TimeControl.parse),
    default="none",
    show_default=True,
    help="0.5 (seconds a move), 60+1 (Fischer), 60+0 (absolute), 60+10/5 (Canadian) or none.",
)
@click.option(
    "--openings",
    callback=_read_by(OpeningsChoice.parse),
    default="random:8",
    show_default=True,
    metavar="FILE|random:N",
    help="A transcript on each line of FILE, or N random moves.",
)
@rules_option
@click.option("--seed", type=click.IntRange(0, _SEEDS - 1), help="For random openings.  [default: drawn]")
@click.option(
    "--stall",
    type=click.FloatRange(min=0, min_open=True),
    default=STALL_SECONDS,
    show_default=True,
    help="Seconds an engine without a clock may think about a move.",
)
@click.option(
    "--out",
    "folder",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="New or empty folder for the records.  [default: match-DATE-TIME]",
)
@click.option("--no-records", is_flag=True, help="Write no records.")
@json_option
def match(
    engines: tuple[str, ...],
    games: int,
    time: TimeControl,
    openings: OpeningsChoice,
    rules: Rules,
    seed: int | None,
    stall: float,
    folder: Path | None,
    no_records: bool,
    as_json: bool,
) -> None:
    """Play games between two GTP engines and say who is stronger.

    Without --engine, two levels of Outflank play a short match. docs/match.md has the details.
    """
    settings = MatchSettings(
        _entries(engines or _SHORT_MATCH, time),
        games,
        openings,
        rules,
        random.randrange(_SEEDS) if seed is None else seed,
        stall,
    )
    folder = None if no_records else folder or Path(f"match-{datetime.now():%Y%m%d-%H%M%S}")
    with Interrupts() as interrupts, Scoreboard(games) as board:
        board.say(settings.line())
        outcome = Contest(settings, folder, board, interrupts).play()
    _show(outcome, folder, as_json)


def _entries(texts: tuple[str, ...], time: TimeControl) -> tuple[Entry, Entry]:
    """The two engines; anything else is a wrong usage."""
    try:
        entries = [Entry.parse(text, time) for text in texts]
    except NotationError as error:
        raise click.BadParameter(str(error), param_hint="--engine") from None
    if len(entries) != 2:
        raise click.BadParameter(f"expected two engines, got {len(entries)}", param_hint="--engine")
    first, second = entries
    if first.name == second.name:
        raise click.BadParameter(
            f"expected two names, got {first.name!r} twice: add name=", param_hint="--engine"
        )
    return first, second


def _show(outcome: Outcome, folder: Path | None, as_json: bool) -> None:
    """Print the result; what went wrong after the first game decides the exit code."""
    try:
        _print(outcome, as_json)
        if folder and outcome.result.games and not outcome.trouble:
            click.echo(f"Records and report are in {folder}/", err=True)
    except OSError:
        if not outcome.interruption:  # SIGHUP comes with the terminal gone
            raise
    if outcome.trouble:
        raise OutflankError(outcome.trouble)
    if outcome.interruption:
        click.get_current_context().exit(outcome.interruption.exit_code)


def _print(outcome: Outcome, as_json: bool) -> None:
    if as_json:
        click.echo(json.dumps(match_summary(outcome.result), ensure_ascii=False))
    else:
        print_result(outcome.result)
