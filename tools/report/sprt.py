"""Formats the result of a sequential test, as text and as JSON."""

from collections.abc import Iterator
from typing import Any

import click

from outflank.tools.match.stats.elo import elo_of, interval, mean
from outflank.tools.match.stats.sprt import Sprt, bayesian_ratio

_TRINOMIAL, PENTANOMIAL = 3, 5


def sprt_result(counts: tuple[int, ...], test: Sprt) -> dict[str, Any]:
    """Return the figures of a test as plain data.

    Raises: click.UsageError if there are not three or five counts, or if all counts are 0.
    """
    if len(counts) not in (_TRINOMIAL, PENTANOMIAL) or not any(counts):
        raise click.UsageError(
            f"expected three or five counts, not all of them 0, got {' '.join(map(str, counts))}"
        )
    low, high = test.bounds
    ratio = test.ratio_of(counts)
    score = mean(counts)
    result: dict[str, Any] = {
        "test": str(test),
        "counts": counts,
        "score": score,
        "elo": elo_of(score),
        "elo_interval": interval(counts),
        "ratio": ratio,
        "low": low,
        "high": high,
        "verdict": {True: "elo1", False: "elo0", None: None}[test.verdict_at(ratio)],
    }
    if len(counts) == _TRINOMIAL:
        lost, drawn, won = counts
        result["bayesian_ratio"] = bayesian_ratio(lost, drawn, won, test.elo0, test.elo1)
    return result


def sprt_lines(counts: tuple[int, ...], test: Sprt, result: dict[str, Any]) -> Iterator[str]:
    """Yield the figures of a test as text."""
    from outflank.tools.report.wording import elo_text, pairs_text

    yield f"test: {test}"
    if len(counts) == _TRINOMIAL:
        yield "games: lost {}, drawn {}, won {}".format(*counts)
    else:
        yield pairs_text(counts)
    yield f"score: {100 * result['score']:.2f} %"
    least, most = result["elo_interval"]
    yield f"Elo: {elo_text(result['elo'], least, most, digits=1)}"
    yield f"LLR: {result['ratio']:+.2f} ({result['low']:+.2f} to {result['high']:+.2f})"
    if "bayesian_ratio" in result:
        yield f"LLR by BayesElo: {result['bayesian_ratio']:+.2f}"
    verdict = result["verdict"]
    yield f"verdict: {f'{verdict} accepted' if verdict else 'none yet'}"
