"""Draws the errors of an evaluation by the number of empty squares."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from matplotlib import rc_context
from matplotlib.figure import Figure

from outflank.tools.train.calibrate import Shift
from outflank.tools.train.fit import PhaseReport


def plot_errors(reports: Sequence[PhaseReport], path: Path) -> None:
    """Draw the errors by the number of empty squares. The suffix of the path determines the image format."""
    shown = [report for report in reports if report.kept_out]
    empties = [report.empties for report in shown]
    figure = Figure(figsize=(7, 4), layout="constrained")
    axes = figure.add_subplot(xlabel="empty squares", ylabel="discs", title="Games kept out of the fit")
    axes.plot(empties, [report.spread for report in shown], label="spread of the results", linestyle=":")
    axes.plot(empties, [report.rmse for report in shown], label="root mean square error")
    axes.plot(empties, [report.mae for report in shown], label="mean absolute error")
    axes.invert_xaxis()
    axes.set_ylim(bottom=0)
    axes.grid(alpha=0.3)
    axes.legend()
    save_figure(figure, path)


def plot_shifts(shifts: Sequence[Shift], depth: int, path: Path) -> None:
    """Draw the errors of searches to `depth` and `depth` + 1, by the number of empty squares at the leaves."""
    figure = Figure(figsize=(7, 6), layout="constrained")
    errors, bias = figure.subplots(2, 1, sharex=True)
    for plies in (depth, depth + 1):
        found = [
            (shift.empties, *((shift.odd_error, shift.odd) if plies % 2 else (shift.even_error, shift.even)))
            for shift in shifts
        ]
        shown = np.array([line for line in found if line[1]])
        errors.plot(shown[:, 0], shown[:, 1], label=f"{plies} plies")
        bias.plot(shown[:, 0], shown[:, 2], label=f"{plies} plies")
    errors.set(title="Searches of positions against their results", ylabel="root mean square error, discs")
    errors.set_ylim(bottom=0)
    bias.set(xlabel="empty squares at the leaves", ylabel="score too high by, discs")
    bias.invert_xaxis()
    for axes in (errors, bias):
        axes.grid(alpha=0.3)
        axes.legend()
    save_figure(figure, path)


def save_figure(figure: Figure, path: Path) -> None:
    """Write an image file. The suffix of the path determines the format. The grid replaces tick marks.

    Text is stored as text instead of outlines, which makes SVG files two thirds smaller.
    """
    for axes in figure.axes:
        axes.tick_params(bottom=False, left=False)
    with rc_context({"svg.fonttype": "none", "svg.hashsalt": "outflank"}):
        figure.savefig(path, metadata={"Date": None} if path.suffix == ".svg" else None)
