"""Creates archives from game files, and writes the games of an archive to files."""

import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path

import click

from outflank.engine import FileFormatError, OutflankError, Rules
from outflank.protocol.formats import FormatName
from outflank.protocol.formats.annotated import AnnotatedGame, BadGame
from outflank.tools.archive import ArchiveContents
from outflank.tools.cli.positions import ReadGames, expect_kept, games_of
from outflank.tools.report.gamefiles import FORMAT_OF, chosen_formats, game_writers, written_files
from outflank.tools.runtime.kept import file_versions
from outflank.tools.runtime.progress import Complaints, counted, json_line, progress_bar


def write_games(
    files: Sequence[str],
    path: Path,
    source: FormatName | None,
    rules: Rules,
    write: Callable[..., ArchiveContents],
    before: int | None,
    as_json: bool,
) -> None:
    """Create an archive from files, or add their games to an existing archive. Print the new contents.

    `before`: the number of games of the existing archive; None to create a new archive.
    """
    expect_kept(files, [path])
    complaints = ReadGames()

    def games() -> Iterator[AnnotatedGame | BadGame]:
        for name in files:
            for number, entry in enumerate(games_of(name, source, rules), 1):
                complaints.add(name, number, entry)
                yield entry

    began = time.perf_counter()
    with progress_bar("archive", None, "games") as advance:
        # Announce steps during which the progress bar does not move, but only on a terminal.
        begin = partial(click.echo, err=True) if sys.stderr.isatty() else lambda phase: None
        built = write(path, games(), task=_task(files, source, rules), advance=advance, begin=begin)
    seconds = time.perf_counter() - began
    complaints.end()
    if as_json:
        facts = {"archive": str(path), **asdict(built), "seconds": round(seconds, 3)}
        click.echo(json_line(facts if before is None else {**facts, "added": built.games - before}))
    else:
        added = "" if before is None else f", {built.games - before:,} of them new"
        others = f", {built.others:,} under other rules" if built.others else ""
        click.echo(
            f"{path}: {counted(built.games, 'game')}{added}, {counted(built.positions, 'position')}, "
            f"{counted(built.duplicates, 'duplicate')} left out{others}; {built.bytes:,} bytes, {seconds:.1f} s"
        )
    complaints.expect_good()


def _task(files: Sequence[str], source: FormatName | None, rules: Rules) -> str | None:
    """Return a text that identifies the files and options of a build; None if an input is not a regular file."""
    paths = [Path(file) for file in files]
    return repr((file_versions(paths), source, str(rules))) if all(map(Path.is_file, paths)) else None


def export_games(found: Iterable[AnnotatedGame], outputs: Sequence[Path], as_json: bool) -> None:
    """Write the games to each of `outputs`, and print their number."""
    names = chosen_formats(None, outputs, FORMAT_OF)
    written, bad = 0, Complaints("game")
    with game_writers(names) as writers:
        for game in found:
            try:
                writers.write(game)
                written += 1
            except FileFormatError as error:
                bad.add(f"game {written + bad.count + 1}: {error}")
        if not written:
            raise OutflankError("no game in the archive matches, so nothing was written")
    bad.end()
    writers.warn_of_losses()
    files = [str(file) for output, name in names.items() for file in written_files(name, output)]
    if as_json:
        click.echo(json_line({"written": written, "bad": bad.count, "files": files}))
    else:
        click.echo("\n".join(files))
        click.echo(f"{counted(written, 'game')} written", err=True)
    if bad.count:
        raise OutflankError(f"{counted(bad.count, 'game')} can't be written ({bad.where})")
