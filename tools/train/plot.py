"""Draws the error of a fit by phase."""

from collections.abc import Sequence
from pathlib import Path

from matplotlib.figure import Figure

from outflank.tools.train.fit import PhaseReport


def plot_errors(reports: Sequence[PhaseReport], path: Path) -> None:
    """Write a picture of the errors over the empty squares, in the format that the file's name asks for."""
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
    figure.savefig(path)
