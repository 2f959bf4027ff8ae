"""The standings of a run, updated game by game: pairs, repeated pairs, scores, ratings, order, the test's verdict."""

import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import lru_cache
from hashlib import blake2b
from typing import TypeVar, cast

from outflank.engine import Colour, Position, Symmetry
from outflank.engine.squares import DIRECTIONS, SQUARES
from outflank.tools.match.game.results import GameRecord, Score
from outflank.tools.match.schedule.formats import course_of
from outflank.tools.match.schedule.meetings import Meeting
from outflank.tools.match.schedule.swiss import SwissScore
from outflank.tools.match.state.run import RunSettings
from outflank.tools.match.stats.elo import EloEstimate, estimate
from outflank.tools.match.stats.ratings import PairScore, Ratings, rate

_PASS = len(SQUARES)
_NO_DIRECTION = len(DIRECTIONS)
_SECONDS_BETWEEN = 1.0  # the minimum interval between two computations of the same value
_SHARE = 20  # a value that takes t seconds to compute is computed again after 20 t seconds at the earliest

Computed = TypeVar("Computed")


class Standings:
    """The standings of a run. Threads may read the standings while another thread adds games.

    Attributes:
        settings: the settings of the run.
        games: the games that count, by number, without turns.
        pairs: the results of the pairs, by number; incomplete pairs are included.
        scores: the score of each engine.
        against: the score of each engine against each opponent that it played.
    """

    def __init__(self, settings: RunSettings, games: Iterable[GameRecord] = ()) -> None:
        self.settings = settings
        self.games: dict[int, GameRecord] = {}
        self.pairs: dict[int, PairScore] = {}
        self.scores = dict.fromkeys(settings.names, Score())
        self.against: defaultdict[tuple[str, str], Score] = defaultdict(Score)
        self._open: dict[int, GameRecord] = {}  # the game of each incomplete pair, with its turns
        self._keys: dict[int, bytes] = {}  # the `pair_key` of each complete pair
        self._first_with: dict[bytes, int] = {}
        self._lock = threading.Lock()
        self._changes = 0
        self._computed: dict[str, tuple[object, int, float]] = {}
        self._tested = [0] * 5  # the number of pairs that the test has counted, by points
        self._last_tested = 0
        self._verdict: bool | None = None
        for game in games:
            self.add(game)

    def add(self, game: GameRecord) -> None:
        """Count a game."""
        number, pair = game.pairing.number, game.pairing.pair
        twin = self._open.pop(pair, None)
        both = [game] if twin is None else [twin, game]
        with self._lock:
            self._count(game)
            self.games[number] = replace(game, turns=(), dialogue=())
            self.pairs[pair] = _pair_score(both)
            if twin is None:
                # The off-clock times were counted with the game, so they are not counted again if it becomes void.
                self._open[pair] = replace(game, outside={})
            else:
                key = self._keys[pair] = pair_key(both)
                self._first_with[key] = min(pair, self._first_with.get(key, pair))

    def take_back(self, pair: int) -> GameRecord | None:
        """Remove the counted game of an incomplete pair that became void, and return it; None if none was counted."""
        game = self._open.pop(pair, None)
        if game is not None:
            with self._lock:
                self._count(game, -1)
                del self.games[game.pairing.number], self.pairs[pair]
        return game

    def enter(self, settings: RunSettings) -> None:
        """Replace the settings by `settings`, which have additional engines."""
        with self._lock:
            self.settings = settings
            self.scores = dict.fromkeys(settings.names, Score()) | self.scores
            self._changes += 1

    def is_complete(self, pair: int) -> bool:
        """Return whether both games of a pair count."""
        return pair in self._keys

    @property
    def complete_pairs(self) -> int:
        """The number of pairs of which both games count."""
        return len(self._keys)

    @property
    def repeats(self) -> dict[int, int]:
        """The numbers of complete pairs that repeat an earlier pair, each with the number of the first equal pair."""
        with self._lock:
            firsts = {pair: self._first_with[key] for pair, key in sorted(self._keys.items())}
        return {pair: first for pair, first in firsts.items() if first != pair}

    @property
    def rated_pairs(self) -> list[PairScore]:
        """The pairs that ratings count, in schedule order, including incomplete pairs but not repeated pairs."""
        repeated = self.repeats
        with self._lock:
            return [score for pair, score in sorted(self.pairs.items()) if pair not in repeated]

    @property
    def pair_points(self) -> list[float]:
        """The first engine's points in each pair of a match, 0 to 2, up to the first incomplete pair."""
        first = self.settings.names[0]
        return [self.pairs[pair].score_of(first).points for pair in self._in_turn()]

    @property
    def match_points(self) -> list[float]:
        """The first engine's points, 0 to 2, in each complete pair of a match, in order, without repeated pairs."""
        return [score.points for score in self._of_first(self._keys)]

    @property
    def tested_points(self) -> list[float]:
        """The points that the run's test counts: ``match_points`` up to the first incomplete pair."""
        return [score.points for score in self._of_first(self._in_turn())]

    @property
    def disc_sums(self) -> list[float]:
        """The sum of the first engine's disc differences in each tested pair, without pairs that lack a difference."""
        return [float(score.discs) for score in self._of_first(self._in_turn()) if score.measured == 2]

    @property
    def verdict(self) -> bool | None:
        """The first verdict of the run's test: whether elo1 was accepted; None without a verdict."""
        test = self.settings.sprt
        while test and self._verdict is None and self.is_complete(pair := self._last_tested + 1):
            self._last_tested = pair
            if self._first_with[self._keys[pair]] == pair:
                points = self.pairs[pair].score_of(self.settings.names[0]).points
                self._tested[round(2 * points)] += 1
                self._verdict = test.verdict_at(test.ratio_of(self._tested))
        return self._verdict

    @property
    def elo(self) -> EloEstimate | None:
        """The Elo difference between two engines, without repeated pairs; None for a run with more engines.

        This property, ``ratings`` and ``order`` are recomputed when they are read after new games, but at most once a
        second, and less often if the computation is slow.
        """
        return self._current("elo", self._estimate) if len(self.settings.names) == 2 else None

    @property
    def ratings(self) -> Ratings:
        """The ratings of all engines, without repeated pairs."""
        return self._current("ratings", lambda: rate(self.settings.names, self.rated_pairs))

    @property
    def order(self) -> tuple[str, ...]:
        """The engines, best first.

        A Swiss tournament orders its engines by points (a bye counts as a won meeting), Buchholz and Sonneborn-Berger.
        A knockout orders its engines by the round in which they lost, then by meetings won. Other formats order the
        engines by their share of the points, then by disc difference per game. Seeding breaks ties. Only a Swiss
        tournament counts unfinished meetings.
        """
        order, _, _ = self._current("course", self._course)
        return order

    @property
    def rounds(self) -> tuple[tuple[Meeting, ...], ...]:
        """The known rounds of a Swiss tournament or a knockout; empty for other formats."""
        _, rounds, _ = self._current("course", self._course)
        return rounds

    @property
    def swiss(self) -> Mapping[str, SwissScore]:
        """The table of a Swiss tournament, including games of unfinished meetings; empty for other formats."""
        _, _, swiss = self._current("course", self._course)
        return swiss

    def _course(self) -> tuple[tuple[str, ...], tuple[tuple[Meeting, ...], ...], Mapping[str, SwissScore]]:
        with self._lock:
            games = list(self.games.values())
        return course_of(self.settings, games)

    def _count(self, game: GameRecord, times: int = 1) -> None:
        for colour, name in game.pairing.names.items():
            duo, score = (name, game.pairing.names[colour.other]), game.score_of(name)
            if times < 0:
                score = Score() - score
            self.scores[name] += score
            self.against[duo] += score
            if not self.against[duo].games:
                del self.against[duo]
        self._changes += 1

    def _in_turn(self) -> list[int]:
        return [pair for place, pair in enumerate(sorted(self._keys), 1) if pair == place]

    def _of_first(self, pairs: Iterable[int]) -> list[Score]:
        repeated, first = self.repeats, self.settings.names[0]
        return [self.pairs[pair].score_of(first) for pair in sorted(pairs) if pair not in repeated]

    def _estimate(self) -> EloEstimate:
        first, games, pairs = self.settings.names[0], list[float](), list[float]()
        for pair in self.rated_pairs:
            score = pair.score_of(first)
            games += [score.points / score.games] * score.games
            pairs += [score.points] * (score.games == 2)
        return estimate(games, pairs)

    def _current(self, name: str, compute: Callable[[], Computed]) -> Computed:
        value, changes, due = self._computed.get(name, (None, -1, 0.0))
        began = time.monotonic()
        if changes != self._changes and (changes <= 0 or began >= due):
            changes, value = self._changes, compute()
            due = began + max(_SECONDS_BETWEEN, _SHARE * (time.monotonic() - began))
            self._computed[name] = value, changes, due
        return cast(Computed, value)


def pair_key(games: Iterable[GameRecord]) -> bytes:
    """Return a key of 16 bytes, equal for two pairs if the same engines played the same games, up to symmetry."""
    keys = sorted(f"{[*map(game.pairing.names.get, Colour)]}".encode() + game_key(game) for game in games)
    return blake2b(b"".join(keys), digest_size=16).digest()


def game_key(game: GameRecord) -> bytes:
    """Return a key of 16 bytes, equal for games with equal start, moves, rules, ending and winner, up to symmetry."""
    moves = [turn.move for turn in game.turns]
    squares = bytes(_PASS if move.square is None else move.square for move in moves)
    directions = bytes(
        DIRECTIONS.index(move.direction) if move.direction else _NO_DIRECTION for move in moves
    )
    boards = _boards(game.first_position)
    images = (
        b"%s%s%s"
        % (
            boards[symmetry],
            squares.translate(_SQUARES[symmetry]),
            directions.translate(_DIRECTIONS[symmetry]),
        )
        for symmetry in Symmetry
    )
    key = blake2b(min(images), digest_size=16)
    key.update(f"{game.rules} {game.ending} {game.winner}".encode())
    return key.digest()


@lru_cache
def _boards(position: Position) -> list[bytes]:
    images = map(position.transformed, Symmetry)
    return [
        b"%s%s%s"
        % (image.black.to_bytes(8, "big"), image.white.to_bytes(8, "big"), image.side.letter.encode())
        for image in images
    ]


def _bytes_by_symmetry(images: Callable[[Symmetry], Iterable[int]]) -> list[bytes]:
    """Return for each symmetry a table for ``bytes.translate`` that replaces each index by its image."""
    tables = [bytes(images(symmetry)) for symmetry in Symmetry]
    return [table + bytes(range(len(table), 256)) for table in tables]


_SQUARES = _bytes_by_symmetry(lambda symmetry: map(symmetry.square, SQUARES))
_DIRECTIONS = _bytes_by_symmetry(
    lambda symmetry: (DIRECTIONS.index(symmetry.direction(name)) for name in DIRECTIONS)
)


def _pair_score(games: list[GameRecord]) -> PairScore:
    pairing = games[0].pairing
    first, second = pairing.black, pairing.white
    return PairScore(first, second, sum((game.score_of(first) for game in games), Score()), pairing.opening)
