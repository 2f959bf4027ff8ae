"""What is shown of a run, from the run alone."""

from typing import Any

from outflank.tools.show.figures import figures_of
from outflank.tools.show.report import render_report
from outflank.tools.show.resulttable import print_result
from outflank.tools.show.summary import summary
from outflank.tools.state.run import Run


def page_of(run: Run) -> str:
    """The report."""
    return render_report(run, figures_of(run))


def summary_of(run: Run) -> dict[str, Any]:
    """The summary."""
    return summary(run, figures_of(run))


def print_result_of(run: Run) -> None:
    """Print the final table."""
    print_result(run, figures_of(run))
