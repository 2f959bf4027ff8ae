"""The sequential test of the older chess runners, on wins, draws and losses: for comparison with their results.

A game is won with probability f(e - d) and lost with f(-e - d), where f(x) = 1 / (1 + 10^(-x / 400)). The draw
parameter d comes from the games themselves, half a win, draw and loss added (R. Coulom's BayesElo; the prior is
Jeffreys'). Differences are meant as logistic Elo, so they are scaled by what a point of e is worth at d.

A draw is left with the probability f(e - d) f(-e - d) (10^(d / 200) - 1): its last factor is common to all e, so a draw
weighs as much as a win and a loss together. Only logarithms are taken, since with nearly all games drawn a point of e
is worth next to nothing and e goes into the millions.
"""

import math

_PRIOR = 0.5


def bayesian_ratio(losses: int, draws: int, wins: int, elo0: float, elo1: float) -> float:
    """The log-likelihood ratio of elo1 against elo0, both logistic; 0 without games."""
    if not losses + draws + wins:
        return 0.0
    draw_elo = _draw_elo(losses, draws, wins)
    null, other = (elo / _scale(draw_elo) for elo in (elo0, elo1))
    won = _log_share(other - draw_elo) - _log_share(null - draw_elo)
    lost = _log_share(-other - draw_elo) - _log_share(-null - draw_elo)
    return (wins + draws) * won + (losses + draws) * lost


def _draw_elo(losses: int, draws: int, wins: int) -> float:
    lost, drawn, won = (count + _PRIOR for count in (losses, draws, wins))
    return 200 * math.log10((drawn + won) / lost * (lost + drawn) / won)


def _scale(draw_elo: float) -> float:
    """Logistic Elo of a point of e, between equals."""
    odds = 10 ** (-draw_elo / 400)
    return 4 * odds / (1 + odds) ** 2


def _log_share(elo: float) -> float:
    """The natural logarithm of f(elo)."""
    odds = elo * math.log(10) / 400  # their logarithm
    return min(odds, 0.0) - math.log1p(math.exp(-abs(odds)))
