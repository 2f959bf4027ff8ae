"""The sequential test of the older chess runners, on wins, draws and losses: for comparison with their results.

A game is won with probability f(e - d) and lost with f(-e - d), where f(x) = 1 / (1 + 10^(-x / 400)). The draw
parameter d comes from the games themselves, half a win, draw and loss added (R. Coulom's BayesElo; the prior is
Jeffreys'). Differences are meant as logistic Elo, so they are scaled by what a point of e is worth at d.
"""

import math

_PRIOR = 0.5


def bayesian_ratio(losses: int, draws: int, wins: int, elo0: float, elo1: float) -> float:
    """The log-likelihood ratio of elo1 against elo0, both logistic; 0 without games."""
    if not losses + draws + wins:
        return 0.0
    draw_elo = _draw_elo(losses, draws, wins)
    null, other = (_logarithms(elo / _scale(draw_elo), draw_elo) for elo in (elo0, elo1))
    counts = (losses, draws, wins)
    return math.fsum(
        count * (better - worse) for count, worse, better in zip(counts, null, other, strict=True)
    )


def _draw_elo(losses: int, draws: int, wins: int) -> float:
    total = losses + draws + wins + 3 * _PRIOR
    lost, won = (losses + _PRIOR) / total, (wins + _PRIOR) / total
    return 200 * math.log10((1 - lost) / lost * (1 - won) / won)


def _scale(draw_elo: float) -> float:
    """Logistic Elo of a point of e, between equals."""
    odds = 10 ** (-draw_elo / 400)
    return 4 * odds / (1 + odds) ** 2


def _logarithms(elo: float, draw_elo: float) -> tuple[float, float, float]:
    """Of the probabilities of a loss, a draw and a win."""
    lost = 1 / (1 + 10 ** ((draw_elo + elo) / 400))
    won = 1 / (1 + 10 ** ((draw_elo - elo) / 400))
    return math.log(lost), math.log(1 - lost - won), math.log(won)
