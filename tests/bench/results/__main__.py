"""``python -m outflank.tests.bench.results``: measures, writes the figures as JSON and the tables of the page."""

import json
import os
from pathlib import Path

import click

from outflank.tests.bench.results import by_command, from_outside
from outflank.tests.bench.results.document import updated, with_tables
from outflank.tests.bench.results.figures import Effort, Measure

MEASUREMENTS: dict[str, Measure] = {
    "perft": by_command.perft,
    "bench": by_command.bench,
    "ffo": by_command.ffo,
    "hard-20": by_command.hard20,
    "accuracy": by_command.accuracy,
    "kernels": from_outside.kernels,
    "program": from_outside.program,
    "stops": from_outside.stops,
    "runner": from_outside.runner,
}


@click.command()
@click.option(
    "--only", multiple=True, type=click.Choice([*MEASUREMENTS]), help="Measure this; may be repeated."
)
@click.option("--runs", type=click.IntRange(1), default=5, show_default=True, help="Runs of what varies.")
@click.option("--quick", is_flag=True, help="Do the least work there is, to see that it works.")
@click.option("--out", type=click.Path(path_type=Path), help="Update this JSON file.  [default: print JSON]")
@click.option(
    "--page", type=click.Path(path_type=Path, exists=True), help="Make the tables of this page anew."
)
def main(only: tuple[str, ...], runs: int, quick: bool, out: Path | None, page: Path | None) -> None:
    """Measure what docs/results.md shows, or the measurements named with --only.

    Positions that are not ours to ship are read from the folder that OUTFLANK_SUITES names.
    """
    if quick and page:
        raise click.UsageError("expected a page to be made without --quick: its figures say little")
    effort = Effort(runs, quick)
    document = json.loads(out.read_text()) if out and out.exists() else {}
    for name in only or MEASUREMENTS:
        click.echo(f"measuring {name}", err=True)
        load = os.getloadavg()[0]
        document = updated(document, name, list(MEASUREMENTS[name](effort)), load)
        if out:  # after each, so that an interruption loses only what is being measured
            out.write_text(json.dumps(document, indent=1) + "\n")
    if not out:
        click.echo(json.dumps(document, indent=1))
    if page:
        page.write_text(with_tables(page.read_text(), document))


if __name__ == "__main__":
    main()
