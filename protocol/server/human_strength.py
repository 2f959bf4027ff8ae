"""Opponents of human strength, rated on our own Elo scale.

All moves are searched, and one move is drawn at random. The more discs a move loses, the less likely it is to be
drawn. The search depth, the size of mistakes, and the number of empty squares from which the game is solved depend on
the Elo rating. docs/play.md has the measured scale.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise
from random import Random, SystemRandom

from outflank.engine import Limit, Line, Move, Position, Searcher, SearchInfo, SettingsError
from outflank.errors import whole

HumanStrength = tuple[float, float, int]
"""The strength of a weaker opponent: search depth, temperature, and number of empty squares from which it solves.

A depth of 2.3 means a search of two plies for 70 % of the moves and of three plies for the others. The temperature is
the loss in discs at which a move is e times less probable than the best move. With no more empty
squares than the third value, the opponent plays a proven best move.
"""

# Strengths by Elo rating, fitted to the matches in docs/play.md. All three values are interpolated between two rows.
_SCALE: dict[int, HumanStrength] = {
    600: (1.0, 9.0, 2),
    660: (1.0, 7.0, 2),
    725: (1.0, 5.4, 3),
    815: (1.0, 4.2, 4),
    920: (1.0, 3.3, 5),
    1040: (1.3, 2.8, 6),
    1215: (1.7, 2.3, 6),
    1350: (2.0, 1.9, 7),
    1505: (2.5, 1.65, 8),
    1650: (3.0, 1.4, 8),
    1790: (3.5, 1.2, 9),
    1930: (4.0, 1.0, 10),
    2035: (4.5, 0.85, 10),
    2145: (5.0, 0.7, 11),
    2240: (5.5, 0.6, 12),
    2320: (6.0, 0.5, 12),
    2400: (6.5, 0.42, 13),
}
LOWEST_ELO, HIGHEST_ELO = min(_SCALE), max(_SCALE)
# The factors that multiply the temperature, for numbers of empty squares; interpolated between two entries. People err
# most in the endgame, until they can calculate the rest of the game completely.
_PHASES = ((60, 0.5), (36, 0.9), (20, 1.5), (8, 1.5), (4, 0.7), (0, 0.7))
_MOST_TEMPERATURES_LOST = 4.0  # the maximum loss of a move, in multiples of the temperature
_MOST_DISCS_LOST = 14.0  # the maximum loss of a move at any temperature, in discs
_CORNERS = 0x8100000000000081
# The weight of a move that loses discs and gives a corner away is multiplied by this factor.
_CORNER_FACTOR = 0.05


def check_elo(elo: int) -> int:
    """Return `elo`. Raises: SettingsError if the rating is out of range."""
    if not LOWEST_ELO <= whole("elo", elo, -(2**31)) <= HIGHEST_ELO:
        raise SettingsError(f"expected an Elo from {LOWEST_ELO} to {HIGHEST_ELO}, got {elo}")
    return elo


def strength_of(elo: int) -> HumanStrength:
    """Return the strength for an Elo rating. Raises: SettingsError if the rating is out of range."""
    points = list(_SCALE.items())
    check_elo(elo)
    (low, weaker), (high, stronger) = next(pair for pair in pairwise(points) if elo <= pair[1][0])
    part = (elo - low) / (high - low)
    (depth, temperature, solves), (more, cooler, sooner) = weaker, stronger
    return (
        depth + part * (more - depth),
        temperature * (cooler / temperature) ** part,
        round(solves + part * (sooner - solves)),
    )


def depths(given: HumanStrength, empties: int) -> list[tuple[int, float]]:
    """Return the possible search depths in plies at `empties` empty squares, each with its probability."""
    depth, _, solves = given
    if empties <= solves:
        return [(max(empties, 1), 1.0)]
    least = math.floor(depth)
    deeper = depth - least
    return [(least, 1.0 - deeper), *([(least + 1, deeper)] if deeper else [])]


def chances(position: Position, lines: Sequence[Line], given: HumanStrength) -> list[float]:
    """Return, for each line, the probability that its move is drawn. The probabilities add up to 1.

    Args:
        position: the position searched.
        lines: a line for each move to choose from, the best first, searched to a depth that ``depths`` returns.
        given: the strength of the opponent.
    """
    best = lines[0].score
    _, temperature, solves = given
    if position.empties <= solves:
        return [1.0, *[0.0] * (len(lines) - 1)]
    temperature *= _phase(position.empties)
    most = min(_MOST_TEMPERATURES_LOST * temperature, _MOST_DISCS_LOST)
    weights = []
    for line in lines:
        lost = best - line.score
        weight = math.exp(-lost / temperature) if lost <= most else 0.0
        weights.append(weight * (_CORNER_FACTOR if lost and gives_corner(position, line.move) else 1.0))
    total = sum(weights)
    return [weight / total for weight in weights]


def gives_corner(position: Position, move: Move) -> bool:
    """Return whether the move makes a corner legal for the other side that was not legal before."""
    before = position.with_side(position.side.other).legal_mask()
    return bool(position.play(move).legal_mask() & ~before & _CORNERS)


def choose(
    searcher: Searcher,
    position: Position,
    elo: int,
    limit: Limit,
    seed: int | None,
    *,
    moves: Sequence[Move] | None = None,
    on_info: Callable[[SearchInfo], object] | None = None,
) -> Move:
    """Choose a move for an opponent of a given Elo rating.

    With a seed, the drawn move depends only on the seed and the position, not on earlier searches or moves.

    Args:
        searcher: the searcher that scores the moves.
        position: a position with at least one legal move.
        elo: the Elo rating of the opponent, see ``strength_of``.
        limit: the limit of time and nodes; its depth is replaced by the opponent's depth.
        seed: the seed for drawing the move; None for a random seed.
        moves: the legal moves to choose from; None for all.
        on_info: the function that gets the search result with the line of the drawn move.
    """
    given = strength_of(elo)
    draw = SystemRandom() if seed is None else Random(f"{seed} {position.board_string()}")
    plies, shares = zip(*depths(given, position.empties), strict=True)
    depth = min(draw.choices(plies, shares)[0], position.empties)
    # With a selectivity of 100 %, no score depends on earlier searches.
    wanted = replace(limit, depth=depth, exact_from=None, selectivity=100)
    most = len(position.legal_moves())
    found = searcher.search(position, wanted, moves=moves, multipv=most)
    line = draw.choices(found.lines, chances(position, found.lines, given))[0]
    if on_info is not None:
        on_info(replace(found, lines=(line,)))
    return line.move


def _phase(empties: int) -> float:
    for (more, first), (fewer, last) in pairwise(_PHASES):
        if empties >= fewer:
            return last + (first - last) * (min(empties, more) - fewer) / (more - fewer)
    raise AssertionError(empties)
