"""What is shown of a run, from the run alone."""

import re
from base64 import b64encode
from hashlib import sha256
from pathlib import Path
from typing import Any

from outflank.tools.match.state.run import Run
from outflank.tools.report.figures import figures_of
from outflank.tools.report.report import render_report, write_run_files
from outflank.tools.report.summary import summary
from outflank.tools.report.tables import print_result


def page_of(run: Run) -> str:
    """The report."""
    return render_report(run, figures_of(run))


def expect_policy(page: str) -> None:
    """Let the page's content security policy name each script that runs in it, and allow nothing else but styles."""
    scripts = re.findall(r"<script>(.*?)</script>", page, re.DOTALL)
    digests = [b64encode(sha256(script.encode()).digest()).decode() for script in scripts]
    (policy,) = re.findall(r'<meta http-equiv="Content-Security-Policy" content="(.*?)">', page)
    assert policy.replace("&#39;", "'").split("; ") == [
        "default-src 'none'",
        " ".join(["script-src", *(f"'sha256-{digest}'" for digest in digests)]),
        "style-src 'unsafe-inline'",
        "base-uri 'none'",
        "form-action 'none'",
    ]


def summary_of(run: Run) -> dict[str, Any]:
    """The summary."""
    return summary(run, figures_of(run))


def print_result_of(run: Run) -> None:
    """Print the final table."""
    print_result(run, figures_of(run))


def write_files_of(run: Run, folder: Path) -> str:
    """Write what a run leaves at its end; what could not be written."""
    return write_run_files(run, figures_of(run), folder)
