"""Draws the growth of a book: ``python -m outflank.measure.book_curve LOG PICTURE``.

LOG is the log of ``outflank book build --log`` of one build; the suffix of PICTURE names its format.
"""

import json
import sys
from pathlib import Path
from typing import Any

from matplotlib import rc_context
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

_DRAW = 0  # the result of perfect play (Takizawa, Othello is Solved, 2023)


def draw(log: Path, path: Path) -> None:
    """Write a picture of the positions, the processor time and the root's error over the minutes.

    Args:
        log: the log, whose lines without a root are skipped.
        path: the path of the picture.
    """
    lines: list[dict[str, Any]] = [json.loads(line) for line in log.read_text().splitlines()]
    shown = [line for line in lines if line["root"]]
    minutes = [line["seconds"] / 60 for line in shown]
    figure = Figure(figsize=(7, 5), layout="constrained")
    above, below = figure.subplots(2, 1, sharex=True)
    above.plot(minutes, [line["positions"] / 1000 for line in shown])
    above.set(ylabel="thousand positions", ylim=(0, None))
    worked = above.twinx()
    worked.plot(minutes, [line["processor_seconds"] / 60 for line in shown], color="grey", linestyle=":")
    worked.set(ylabel="processor minutes (dotted)", ylim=(0, None))
    roots = [line["root"] for line in shown]
    low, middle, high = ([root[name] - _DRAW for root in roots] for name in ("lower", "score", "upper"))
    below.fill_between(minutes, low, high, step="mid", alpha=0.2, label="its bounds")
    below.step(minutes, middle, where="mid", label="the root's error")
    below.set(xlabel="minutes", ylabel="discs")
    below.yaxis.set_major_locator(MaxNLocator(integer=True))
    below.legend(loc="lower right")
    for axes in (above, worked, below):
        axes.tick_params(bottom=False, left=False, right=False)
    for axes in (above, below):
        axes.grid(alpha=0.3)
    # Letters as text: their outlines would be two thirds of the file.
    with rc_context({"svg.fonttype": "none", "svg.hashsalt": "outflank"}):
        figure.savefig(path, metadata={"Date": None} if path.suffix == ".svg" else None)


if __name__ == "__main__":
    draw(*map(Path, sys.argv[1:]))
