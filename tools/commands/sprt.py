"""``outflank sprt``: a sequential test of results that exist already."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

from outflank.tools.commands.options import WholeNumber, json_option, read_by

if TYPE_CHECKING:  # it brings scipy, which help does not need
    from outflank.tools.match.stats.sprt import Sprt

_TRINOMIAL, _PENTANOMIAL = 3, 5


def _read_test(text: str) -> Sprt:
    """The test. Raises: NotationError."""
    from outflank.tools.match.stats.sprt import Sprt

    return Sprt.parse(text)


@click.command()
@click.argument("counts", nargs=-1, required=True, type=WholeNumber(0, 10**12))
@click.option(
    "--test",
    callback=read_by(_read_test),
    default="0,10",
    metavar="TEXT",
    help="The hypotheses: 'elo0=0 elo1=10', perhaps with alpha=, beta=, model=.",
)
@json_option
def sprt(counts: tuple[int, ...], test: Sprt, as_json: bool) -> None:
    """Run a sequential test on COUNTS of results.

    Five counts are pairs of games that brought 0, 1/2, 1, 3/2 and 2 points; three are games lost, drawn and won,
    for which the ratio by the BayesElo model of older runners is printed as well.
    """
    result = _result(counts, test)
    if as_json:
        click.echo(json.dumps(result))
        return
    for name, value in result.items():
        click.echo(f"{name.replace('_', ' ')}: {_shown(value)}")


def _result(counts: tuple[int, ...], test: Sprt) -> dict[str, Any]:
    """The result, under the names that ``--json`` gives it."""
    from outflank.tools.match.stats.elo import elo_of, mean
    from outflank.tools.match.stats.sprt import bayesian_ratio

    if len(counts) not in (_TRINOMIAL, _PENTANOMIAL) or not any(counts):
        raise click.UsageError(
            f"give three counts or five, not all of them 0: {' '.join(map(str, counts))} is none of these"
        )
    low, high = test.bounds
    ratio = test.ratio_of(counts)
    score = mean(counts)
    result: dict[str, Any] = {
        "test": str(test),
        "score": score,
        "elo": elo_of(score),
        "ratio": ratio,
        "low": low,
        "high": high,
        "verdict": {True: "elo1", False: "elo0", None: None}[test.verdict_at(ratio)],
    }
    if len(counts) == _TRINOMIAL:
        lost, drawn, won = counts
        result["bayesian_ratio"] = bayesian_ratio(lost, drawn, won, test.elo0, test.elo1)
    return result


def _shown(value: float | str | None) -> str:
    if value is None:
        return "none"
    return value if isinstance(value, str) else f"{value:.4g}"
