"""``outflank join``: plays with an engine of this machine in an arena elsewhere."""

from pathlib import Path

import click

from outflank.engine import NotationError
from outflank.protocol.drivers.spec import EngineSpec
from outflank.tools.commands.options import EXISTING_FILE, WholeNumber, read_by

_MOST_SLOTS = 64


def _entry(text: str) -> EngineSpec:
    """The engine.

    Raises: NotationError if it can't be entered so.
    """
    entry = EngineSpec.parse(text)
    if entry.time.is_limited:
        raise NotationError("the server of the arena sets the time: leave time= out")
    return entry


@click.command()
@click.argument("url", metavar="URL")
@click.option(
    "--token", required=True, envvar="OUTFLANK_TOKEN", help="The organiser gives it.  [env: OUTFLANK_TOKEN]"
)
@click.option(
    "--engine",
    "entry",
    required=True,
    callback=read_by(_entry),
    metavar="TEXT",
    help="""The engine: 'cmd="./mine gtp"', perhaps with protocol=nboard and more.""",
)
@click.option(
    "--slots",
    type=WholeNumber(1, _MOST_SLOTS),
    default=1,
    help="Games at once; the engine is started so many times.",
)
@click.option(
    "--trust", type=EXISTING_FILE, metavar="FILE", help="A certificate that the server may show, in PEM."
)
def join(url: str, token: str, entry: EngineSpec, slots: int, trust: Path | None) -> None:
    """Play with an engine of this machine in the arena at URL, until Ctrl-C.

    The engine is started here, and nothing but its moves leaves this machine. docs/join.md has the details.
    """
    from outflank.tools.arena.joining import Joiner, join_address, trusting
    from outflank.tools.work.progress import warn
    from outflank.tools.work.signals import Interrupted, Interrupts

    try:
        address = join_address(url)
    except NotationError as error:
        raise click.BadParameter(str(error), param_hint="URL") from None
    with Interrupts() as interrupts:
        try:
            Joiner(address, token, entry, slots, warn, interrupts.check, trusting(address, trust)).run()
        except Interrupted as interruption:
            click.get_current_context().exit(interruption.exit_code)
