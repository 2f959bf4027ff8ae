"""Runs the soak: ``python -m outflank.tests.soak --minutes 60 --folder DIR``, or ``make soak ARGS="--minutes 60"``.

Games of instant engines and tournaments that are killed, side by side. Prints a JSON object for each; the exit code
is 1 if something was lost or left behind.
"""

import json
import random
import signal
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

import click

from outflank.tests.soak import games, kills


@click.command()
@click.option("--minutes", type=float, default=30.0, show_default=True, help="How long.")
@click.option(
    "--games", "count", type=int, default=100_000, show_default=True, help="Games of instant engines at most."
)
@click.option(
    "--seed", type=int, default=1, show_default=True, help="Of the moments at which runners are killed."
)
@click.option(
    "--folder", type=click.Path(path_type=Path), help="New folder to keep.  [default: one that is removed]"
)
def soak(minutes: float, count: int, seed: int, folder: Path | None) -> None:
    """Play for a long time and see that nothing is lost, nothing grows and nothing stays behind."""
    # A shell has what it runs in the background ignore it, and what that starts too.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    failed = False
    with tempfile.TemporaryDirectory(prefix="outflank-soak-") as temporary:
        place = folder or Path(temporary)
        place.mkdir(parents=True, exist_ok=True)
        with ThreadPoolExecutor(2) as threads:
            under_way = {
                threads.submit(games.play, place, count, 60 * minutes): "games",
                threads.submit(kills.repeat, place, 60 * minutes, random.Random(seed)): "kills",
            }
            for done in as_completed(under_way):
                seen = done.exception() is None
                facts = done.result() if seen else {"failed": repr(done.exception())}
                click.echo(json.dumps({"soak": under_way[done], **facts}))
                failed |= not seen
    sys.exit(failed)


if __name__ == "__main__":
    soak()
