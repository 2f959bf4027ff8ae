"""``outflank sprt``: a sequential test of results that exist already."""

from __future__ import annotations

import json
from collections.abc import Iterator
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
    for which the ratio by the BayesElo model of older runners is printed as well. LLR is the log-likelihood ratio,
    with the bounds at which the test ends.
    """
    result = _result(counts, test)
    click.echo(json.dumps(result) if as_json else "\n".join(_lines(counts, test, result)))


def _result(counts: tuple[int, ...], test: Sprt) -> dict[str, Any]:
    """The result, under the names that ``--json`` gives it."""
    from outflank.tools.match.stats.elo import elo_of, interval, mean
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
        "counts": counts,
        "score": score,
        "elo": elo_of(score),
        "elo_interval": interval(score, counts),
        "ratio": ratio,
        "low": low,
        "high": high,
        "verdict": {True: "elo1", False: "elo0", None: None}[test.verdict_at(ratio)],
    }
    if len(counts) == _TRINOMIAL:
        lost, drawn, won = counts
        result["bayesian_ratio"] = bayesian_ratio(lost, drawn, won, test.elo0, test.elo1)
    return result


def _lines(counts: tuple[int, ...], test: Sprt, result: dict[str, Any]) -> Iterator[str]:
    """The result as text."""
    yield f"test: {test}"
    if len(counts) == _TRINOMIAL:
        yield "games: lost {}, drawn {}, won {}".format(*counts)
    else:
        yield f"pairs with 0 to 2 points: {' '.join(map(str, counts))}"
    yield f"score: {100 * result['score']:.2f} %"
    ends = result["elo_interval"]
    within = "undefined" if ends == (None, None) else " to ".join(_elo(end, "unbounded") for end in ends)
    yield f"Elo: {_elo(result['elo'], 'undefined')} (95 %: {within})"
    yield f"LLR: {result['ratio']:+.2f} ({result['low']:+.2f} to {result['high']:+.2f})"
    if "bayesian_ratio" in result:
        yield f"LLR by BayesElo: {result['bayesian_ratio']:+.2f}"
    verdict = result["verdict"]
    yield f"verdict: {f'{verdict} accepted' if verdict else 'none yet'}"


def _elo(value: float | None, otherwise: str) -> str:
    return otherwise if value is None else f"{value:+.1f}"
