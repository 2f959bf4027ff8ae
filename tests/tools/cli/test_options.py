"""Options that several commands take: what they read, and what they say to what they can't read."""

import click
import pytest
from click.testing import CliRunner

from outflank.tools.cli.options import SECONDS


@click.command()
@click.option("--time", "seconds", type=SECONDS)
def probe(seconds: float) -> None:
    """Print the seconds."""
    click.echo(repr(seconds))


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("5", 5.0),
        ("5s", 5.0),
        ("0.5", 0.5),
        (".5 s", 0.5),
        ("500ms", 0.5),
        ("2m", 120.0),
        ("2 min", 120.0),
        ("1.5h", 5400.0),
    ],
)
def test_times_are_seconds_or_name_their_unit(text: str, seconds: float) -> None:
    assert CliRunner().invoke(probe, ["--time", text]).output == f"{seconds!r}\n"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("5x", "expected a time such as 5, 0.5s, 500ms or 2m, got '5x'"),
        ("s", "expected a time such as 5, 0.5s, 500ms or 2m, got 's'"),
        ("-1", "expected a time such as 5, 0.5s, 500ms or 2m, got '-1'"),
        ("nan", "expected a time such as 5, 0.5s, 500ms or 2m, got 'nan'"),
        ("0s", "expected a time of more than 0 seconds, got '0s'"),
        ("9" * 400, "expected a time of more than 0 seconds and less than for ever"),
    ],
)
def test_what_is_no_time_is_wrong_usage(text: str, sentence: str) -> None:
    result = CliRunner().invoke(probe, ["--time", text])

    assert result.exit_code == 2
    assert sentence in result.output
