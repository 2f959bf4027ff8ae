"""Options that several commands take: what they read, and what they say to what they can't read."""

from collections.abc import Callable

import click
import pytest
from click.testing import CliRunner

from outflank.engine import Searcher, SettingsError
from outflank.tools.commands.options import MOST_THREADS, SECONDS, cluster_option
from outflank.tools.commands.run_options import run_options


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


def test_the_most_threads_are_those_that_a_search_takes() -> None:
    assert Searcher(1, MOST_THREADS).threads == MOST_THREADS
    with pytest.raises(SettingsError, match="expected threads of at most"):
        Searcher(1, MOST_THREADS + 1)


@pytest.mark.parametrize("decorate", [cluster_option, run_options])
def test_an_address_without_a_port_is_wrong_usage(
    decorate: Callable[[Callable[..., None]], Callable[..., None]],
) -> None:
    @click.command()
    @decorate
    def work(**_: object) -> None:
        """Work."""

    result = CliRunner().invoke(work, ["--cluster", "tcp://127.0.0.1"])

    assert result.exit_code == 2
    assert (
        "expected the address of a Dask scheduler, tcp://HOST:PORT or tls://HOST:PORT, got 'tcp://127.0.0.1'"
        in result.output
    )
