"""The files that are made from a run: report, game files, summary. The run's state is the only truth."""

import json
from pathlib import Path

from outflank.protocol.formats import ggf, sgf_write
from outflank.tools.show.records import annotated_game, transcript_line
from outflank.tools.show.report import render_report
from outflank.tools.show.summary import summary
from outflank.tools.state.run import Run
from outflank.tools.work.files import write_whole


def write_run_files(run: Run, folder: Path) -> str:
    """Write report, game files, and the dialogue of each game that ended with a fault.

    Returns: a sentence about what could not be written, the rest is; empty if all is well.
    """
    games = [annotated_game(game) for game in run.games]
    texts = {
        "games.txt": "".join(map(transcript_line, run.games)),
        "games.ggf": "".join(map(ggf.write, games)),
        "games.sgf": "".join(map(sgf_write.write, games)),
        "report.html": render_report(run),
        "summary.json": json.dumps(summary(run), indent=2, ensure_ascii=False) + "\n",
    }
    for game in run.games:
        if game.dialogue:
            texts[f"fault-game-{game.pairing.number}.txt"] = "\n".join([*game.dialogue, ""])
    trouble = ""
    for name, text in texts.items():
        try:
            write_whole(folder / name, text.encode())
        except OSError as error:
            trouble = f"can't write {str(folder / name)!r} ({error.strerror})"
    return trouble
