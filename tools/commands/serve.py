"""``outflank serve``: an arena that engines join from elsewhere."""

from datetime import datetime
from pathlib import Path
from typing import Any

import click

from outflank.engine import NotationError
from outflank.tools.commands.options import EXISTING_FILE, Seconds, WholeNumber, json_option, read_by
from outflank.tools.commands.run_options import (
    engine_option,
    live_options,
    played_options,
    settings_of,
    use_config,
)
from outflank.tools.match.state.run import Format

_FORMATS = [str(form) for form in Format if form is not Format.MATCH]
LISTEN = "127.0.0.1:8765"
_MOST_ENTRANTS = 1_000
_HOURS = Seconds(0.1, 86_400)


def _moment(text: str) -> datetime:
    """A date and a time; of this machine's zone if it names none.

    Raises: NotationError.
    """
    try:
        return datetime.fromisoformat(text).astimezone()
    except ValueError:
        raise NotationError(f"expected a time such as '2027-01-31 19:00', got {text!r}") from None


@click.command()
@click.argument("arena", type=EXISTING_FILE, metavar="ARENA.toml", callback=use_config, is_eager=True)
@click.option(
    "--format",
    "form",
    type=click.Choice(_FORMATS),
    default=str(Format.ROUND_ROBIN),
    help="The pairing of a tournament; in a standing arena engines come and go, and play as long as they are there.",
)
@click.option("--rounds", type=WholeNumber(1, 1000), help="As outflank tournament has it.")
@click.option(
    "--listen",
    default=LISTEN,
    metavar="HOST:PORT",
    help="Where the server listens; names under which a proxy is reached may follow after commas.",
)
@click.option("--certificate", type=EXISTING_FILE, metavar="FILE", help="Certificate for TLS, in PEM.")
@click.option("--key", type=EXISTING_FILE, metavar="FILE", help="Its private key, in PEM.")
@click.option(
    "--start",
    callback=read_by(_moment),
    metavar="TIME",
    help="When a tournament begins; entries are open until then.",
)
@click.option(
    "--entrants",
    type=WholeNumber(1, _MOST_ENTRANTS),
    help="Begin a tournament as soon as so many have joined.",
)
@click.option(
    "--patience",
    type=_HOURS,
    default=60.0,
    help="Seconds in which a lost line may come back, all losses of a game together.",
)
@click.option(
    "--line",
    type=Seconds(0, 10),
    default=0.5,
    help="The most seconds a move that are allowed for a line; what is allowed is measured.",
)
@click.option(
    "--out",
    "folder",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Folder of the arena.  [default: ARENA]",
)
@engine_option
@played_options
@live_options
@json_option
def serve(arena: Path, form: str, rounds: int | None, **options: Any) -> None:
    """Let engines join a tournament or a standing arena from their authors' machines, and referee it.

    ARENA.toml has these options by their long names, and a table [[engine]] for each engine of this machine. The same
    command goes on with a run that was ended. docs/arena.md has the details.
    """
    from outflank.tools.commands.serving import serve_arena  # brings the web server, which help does not need

    source = click.get_current_context().get_parameter_source("concurrency")
    if source is click.core.ParameterSource.DEFAULT:
        options["concurrency"] = None
    played = Format(form)
    if played is not Format.STANDING and not options["start"] and not options["entrants"]:
        raise click.UsageError("say when the tournament begins: --start TIME, --entrants N, or both")
    if bool(options["certificate"]) != bool(options["key"]):
        raise click.UsageError("--certificate and --key need each other")
    serve_arena(
        lambda entries, tables: settings_of(
            {**options, "concurrency": tables}, played, rounds, None, entries
        ),
        options,
        options["folder"] or arena.with_suffix(""),
    )
