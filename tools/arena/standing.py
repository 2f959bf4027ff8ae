"""A standing arena: engines connect and disconnect at any time, and the most informative pairs are played.

Two engines are chosen for each pair of games, by the uncertainty of their ratings and of the result. They play their
next opening twice, with colours swapped. The choice depends on the games so far, the pairs being played, and the
engines that are present.
"""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

from outflank.engine import Colour
from outflank.protocol.drivers.spec import EngineSpec
from outflank.tools.match.game.results import Pairing, Score
from outflank.tools.match.runner.conductor import Conductor
from outflank.tools.match.standings import Standings
from outflank.tools.match.state.events import EngineJoined
from outflank.tools.match.stats.elo import QUANTILE
from outflank.tools.match.stats.ratings import Rating
from outflank.tools.match.stats.sprt import expected_score

_UNKNOWN = 400.0  # the standard deviation in Elo of an engine without games
_MOST_ELO = 1_600.0

Duo = frozenset[str]
Present = Callable[[], Sequence[tuple[EngineSpec, int]]]


def most_informative(
    standings: Standings, duos: Iterable[tuple[str, str]], playing: Counter[Duo]
) -> tuple[str, str] | None:
    """Return the two engines whose games are most informative; None if `duos` is empty.

    A game is more informative if the ratings are more uncertain, if the result is less predictable, and if the two
    engines have met less often.

    Args:
        standings: the standings after all games so far.
        duos: the pairs of engines to choose from.
        playing: the number of pairs of games being played, by the names of both engines.
    """
    ratings = {rating.name: rating for rating in standings.ratings.ratings}

    def worth(duo: tuple[str, str]) -> float:
        first, second = (_elo(ratings.get(name)) for name in duo)
        share = expected_score(first - second)
        met = _games_between(standings, duo) / 2 + playing[frozenset(duo)]
        variance = sum(_deviation(ratings.get(name), standings.scores[name].games) ** 2 for name in duo)
        return variance * share * (1 - share) / (1 + met)

    return max(duos, key=lambda duo: (worth(duo), duo), default=None)


def _elo(rating: Rating | None) -> float:
    """Return an engine's rating, clamped to the meaningful range; 0 if it has no rating."""
    return max(-_MOST_ELO, min(_MOST_ELO, rating.elo)) if rating and rating.elo is not None else 0.0


def _deviation(rating: Rating | None, games: int) -> float:
    """Return the standard deviation of a rating in Elo. Each game since the rating was computed reduces it."""
    deviation, rated = _UNKNOWN, 0
    if rating is not None and rating.elo is not None:
        ends = [abs(end - rating.elo) for end in (rating.low, rating.high) if end is not None]
        deviation = min(_UNKNOWN, max(ends, default=math.inf) / QUANTILE)
        rated = rating.games
    return deviation * math.sqrt((1 + rated) / (1 + games))


def _games_between(standings: Standings, duo: tuple[str, str]) -> int:
    return standings.against.get(duo, Score()).games


class StandingConductor(Conductor):
    """Plays pairs of a standing arena until an interruption; see ``Conductor``.

    Args:
        present: the function that returns the present engines, each with its number of slots.
        arguments: the arguments of ``Conductor``.
    """

    def __init__(self, present: Present, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._present = present
        self._last = max(self._standings.pairs, default=0)
        self._halves = {
            game.pairing.pair: (_twin(game.pairing),)
            for game in self._standings.games.values()
            if not self._standings.is_complete(game.pairing.pair)
        }

    def _hand_out(self) -> bool:
        present = self._present()
        self._enter([engine for engine, _ in present if engine.name not in self._settings.names])
        rooms = {engine.name: room for engine, room in present}
        while len(self._running) < self._pool.places and (pairings := self._next(rooms)):
            self._pairs[pairings[0].pair] = pairings
            self._begin(pairings)
        return True

    def _enter(self, newcomers: list[EngineSpec]) -> None:
        if newcomers:
            self._settings = replace(self._settings, engines=(*self._settings.engines, *newcomers))
            self._standings.enter(self._settings)
            joined = EngineJoined(self._settings)
            self._write([joined])
            self._on_event(joined)

    def _next(self, rooms: Mapping[str, int]) -> tuple[Pairing, ...] | None:
        """Return the next pair of games between engines with free slots; None if there is no such pair."""
        busy = Counter(name for pairings in self._running.values() for name in pairings[0].engines)
        there = [name for name, room in rooms.items() if busy[name] < room]
        for waiting in (pairings for pairings in self._waiting if self._can_play(pairings, there)):
            self._waiting.remove(waiting)
            return waiting
        for pair, pairings in self._halves.items():
            if self._can_play(pairings, there):
                return self._halves.pop(pair)
        playing = Counter(pairings[0].engines for pairings in self._running.values())
        duo = most_informative(self._standings, combinations(sorted(there), 2), playing)
        if duo is None:
            return None
        self._last += 1
        pairs_before = (_games_between(self._standings, duo) + 1) // 2 + playing[frozenset(duo)]
        return _pair(self._last, duo, self._openings[pairs_before % len(self._openings)])

    def _can_play(self, pairings: tuple[Pairing, ...], there: Iterable[str]) -> bool:
        return pairings[0].engines <= set(there)


def _pair(number: int, duo: tuple[str, str], opening: Any) -> tuple[Pairing, ...]:
    """Return two games of `duo` from an opening, with colours swapped. If `number` is odd, `duo[0]` begins as Black."""
    first, second = duo if number % 2 else duo[::-1]
    names = {Colour.BLACK: first, Colour.WHITE: second}
    game = Pairing(2 * number - 1, number, names, opening)
    return game, _twin(game)


def _twin(game: Pairing) -> Pairing:
    number = game.number + 1 if game.number % 2 else game.number - 1
    black, white = game.black, game.white
    return Pairing(number, game.pair, {Colour.BLACK: white, Colour.WHITE: black}, game.opening, game.round)
