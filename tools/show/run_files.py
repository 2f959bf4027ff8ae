"""The files that are made from a run: report, game files, summary. The run's state is the only truth."""

import json
import re
from collections.abc import Iterable, Iterator
from importlib import import_module
from pathlib import Path

from outflank.protocol.formats import ggf, sgf_write
from outflank.tools.games.results import GameRecord
from outflank.tools.show.figures import Figures
from outflank.tools.show.records import run_record, transcript_line
from outflank.tools.show.report import render_report
from outflank.tools.show.summary import summary
from outflank.tools.state.run import Run
from outflank.tools.work.files import whole_file

_PACKAGES = ("jinja2", "sgfmill")  # loaded only where a page or a game is written
_DIALOGUE_FILE = re.compile(r"fault-game-[0-9]+\.txt")


def expect_packages() -> None:
    """Find out before the first game whether all is installed that the files need.

    Raises: ModuleNotFoundError.
    """
    for name in _PACKAGES:
        import_module(name)


def write_run_files(run: Run, figures: Figures, folder: Path) -> str:
    """Write report, game files, and the dialogue of each game that ended with a fault; remove those of other games.

    Returns: a sentence about what could not be written, the rest is; empty if all is well.
    """
    trouble = ""
    for path in _outdated(run, folder):
        try:
            path.unlink()
        except OSError as error:
            trouble = f"can't remove {str(path)!r} ({error.strerror})"
    for name, parts in _contents(run, figures):
        try:
            with whole_file(folder / name) as file:
                file.writelines(part.encode() for part in parts)
        except OSError as error:
            trouble = f"can't write {str(folder / name)!r} ({error.strerror})"
    return trouble


def _outdated(run: Run, folder: Path) -> list[Path]:
    """The dialogues of games that have been played again since, as their pairs were void."""
    current = {_dialogue_file(game) for game in run.games if game.dialogue}
    return [
        path
        for path in folder.glob("fault-game-*.txt")
        if _DIALOGUE_FILE.fullmatch(path.name) and path.name not in current
    ]


def _dialogue_file(game: GameRecord) -> str:
    return f"fault-game-{game.pairing.number}.txt"


def _contents(run: Run, figures: Figures) -> Iterator[tuple[str, Iterable[str]]]:
    """The files by name, in parts that are made when they are written: a run may have a hundred thousand games."""
    yield "games.txt", map(transcript_line, run.games)
    yield "games.ggf", (ggf.write(run_record(run, game)) for game in run.games)
    yield "games.sgf", (sgf_write.write(run_record(run, game)) for game in run.games)
    for game in run.games:
        if game.dialogue:
            yield _dialogue_file(game), ["\n".join([*game.dialogue, ""])]
    yield "summary.json", [json.dumps(summary(run, figures), indent=2, ensure_ascii=False), "\n"]
    yield "report.html", [render_report(run, figures)]
