"""A standing arena: engines come and go, and whoever is there plays whom it says most about.

The pairs are chosen one by one, by how little is known of the two and how open their game is; each is played on the
next opening of the two, with both colours. The run's file has the games, and with them all that a choice depends on.
"""

import math
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

from outflank.engine import Colour
from outflank.tools.match.conduct.conductor import Conductor
from outflank.tools.match.conduct.ledger import by_pair
from outflank.tools.match.game.engines import Entrant
from outflank.tools.match.game.results import GameRecord, Pairing
from outflank.tools.match.state.events import Entered, GameEnded
from outflank.tools.match.stats.elo import QUANTILE
from outflank.tools.match.stats.ratings import PairScore, rate

_UNKNOWN = 400.0  # Elo: how little is known of an engine without games
_SCALE = 400.0
_SECONDS_BETWEEN = 1.0  # two fits of the ratings, at the least
_SHARE = 20  # of the time at most one part in so many goes into them

Duo = frozenset[str]
Present = Callable[[], Sequence[tuple[Entrant, int]]]


class Field:
    """How good the engines are, as far as it is known.

    Args:
        names: of all engines.
        games: so far.
    """

    def __init__(self, names: Iterable[str], games: Iterable[GameRecord]) -> None:
        self._names = tuple(names)
        self._index = {name: place for place, name in enumerate(self._names)}
        self._games = list(games)
        self._due = 0.0
        self._elo = dict.fromkeys(self._names, 0.0)
        self._deviation = dict.fromkeys(self._names, _UNKNOWN)
        self._played_then = Counter[str]()
        self.played = Counter(name for game in self._games for name in game.pairing.names.values())
        self.met = Counter(frozenset(game.pairing.names.values()) for game in self._games)

    def add(self, game: GameRecord) -> None:
        """Count a game."""
        self._games.append(replace(game, turns=(), dialogue=()))
        self.played.update(game.pairing.names.values())
        self.met[frozenset(game.pairing.names.values())] += 1

    def best(self, duos: Iterable[tuple[str, str]], playing: Counter[Duo]) -> tuple[str, str] | None:
        """The two whose games say most, of those given; None if there are none.

        Args:
            duos: who might play each other.
            playing: how many pairs of two are being played.
        """
        self._renew()
        return max(duos, key=lambda duo: (self._worth(duo, playing), duo), default=None)

    def _worth(self, duo: tuple[str, str], playing: Counter[Duo]) -> float:
        """What a game may tell: the variance of both by how open the game is; less for those who met often."""
        first, second = duo
        share = 1 / (1 + 10 ** ((self._elo[second] - self._elo[first]) / _SCALE))
        met = self.met[frozenset(duo)] / 2 + playing[frozenset(duo)]
        variance = self._doubt(first) ** 2 + self._doubt(second) ** 2
        return variance * share * (1 - share) / math.sqrt(1 + met)

    def _doubt(self, name: str) -> float:
        """The standard deviation of its rating, games since the last fit taken into account."""
        return self._deviation[name] * math.sqrt((1 + self._played_then[name]) / (1 + self.played[name]))

    def _renew(self) -> None:
        """Fit the ratings, if it is time for that."""
        begun = time.monotonic()
        if begun < self._due or not self._games:
            return
        scores = [_score(games, self._index) for _, games in by_pair(self._games)]
        for rating in rate(self._names, scores).ratings:
            self._elo[rating.name] = max(-4 * _UNKNOWN, min(4 * _UNKNOWN, rating.elo or 0.0))
            ends = [
                abs(end - rating.elo)
                for end in (rating.low, rating.high)
                if end is not None and rating.elo is not None
            ]
            self._deviation[rating.name] = min(_UNKNOWN, max(ends) / QUANTILE) if ends else _UNKNOWN
        self._played_then = Counter(self.played)
        now = time.monotonic()
        self._due = now + max(_SECONDS_BETWEEN, _SHARE * (now - begun))


def _score(games: list[GameRecord], index: Mapping[str, int]) -> PairScore:
    black, white = (games[0].pairing.names[colour] for colour in Colour)
    points = sum(game.points_of(black) for game in games)
    return PairScore(index[black], index[white], points, len(games), games[0].pairing.opening)


class StandingConductor(Conductor):
    """Plays pairs until it is interrupted; see ``Conductor``.

    Args:
        present: who is there now and may begin a game, and how many games each can play at once.
        arguments: of ``Conductor``.
    """

    def __init__(self, present: Present, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._present = present
        self._field = Field(self._settings.names, self._ledger.games)
        self._last = max((game.pairing.pair for game in self._ledger.games), default=0)
        self._halves = {
            pair: (_twin(games[0].pairing),) for pair, games in by_pair(self._ledger.games) if len(games) == 1
        }

    def _hand_out(self) -> bool:
        present = self._present()
        self._enter([entry for entry, _ in present if entry.name not in self._settings.names])
        rooms = {entry.name: room for entry, room in present}
        while len(self._running) < self._pool.places and (pairings := self._next(rooms)):
            self._pairs[pairings[0].pair] = pairings
            self._begin(pairings)
        return True

    def _enter(self, newcomers: list[Entrant]) -> None:
        """Let engines take part from now on."""
        if newcomers:
            self._settings = replace(self._settings, entries=(*self._settings.entries, *newcomers))
            self._field = Field(self._settings.names, self._ledger.games)
            event = Entered(self._settings)
            self._write([event])
            self._on_event(event)

    def _take(self, news: Iterable[Any]) -> None:
        pieces = list(news)
        for piece in pieces:
            if isinstance(piece, GameEnded):
                self._field.add(piece.game)
        super()._take(pieces)

    def _next(self, rooms: Mapping[str, int]) -> tuple[Pairing, ...] | None:
        """The next pair of engines that have time for each other, of those with so much room; None if there is none."""
        busy = Counter(name for task in self._running.values() for name in task.names)
        there = [name for name, room in rooms.items() if busy[name] < room]
        for waiting in (pairings for pairings in self._waiting if self._can_play(pairings, there)):
            self._waiting.remove(waiting)
            return waiting
        for pair, pairings in self._halves.items():
            if self._can_play(pairings, there):
                return self._halves.pop(pair)
        playing = Counter(task.names for task in self._running.values())
        duo = self._field.best(combinations(sorted(there), 2), playing)
        if duo is None:
            return None
        self._last += 1
        pairs_before = (self._field.met[frozenset(duo)] + 1) // 2 + playing[frozenset(duo)]
        return _pair(self._last, duo, self._openings[pairs_before % len(self._openings)])

    def _can_play(self, pairings: tuple[Pairing, ...], there: Iterable[str]) -> bool:
        return set(pairings[0].names.values()) <= set(there)


def _pair(number: int, duo: tuple[str, str], opening: Any) -> tuple[Pairing, ...]:
    """Two games of two engines on an opening, colours swapped; in turn each begins with Black."""
    first, second = duo if number % 2 else duo[::-1]
    names = {Colour.BLACK: first, Colour.WHITE: second}
    game = Pairing(2 * number - 1, number, names, opening)
    return game, _twin(game)


def _twin(game: Pairing) -> Pairing:
    """The other game of its pair."""
    number = game.number + 1 if game.number % 2 else game.number - 1
    black, white = game.names[Colour.BLACK], game.names[Colour.WHITE]
    return Pairing(number, game.pair, {Colour.BLACK: white, Colour.WHITE: black}, game.opening, game.round)
