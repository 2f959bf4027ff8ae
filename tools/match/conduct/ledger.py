"""What counts so far in a run: results in the order of the schedule, repeated games, and when to stop early."""

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import replace
from hashlib import blake2b

from outflank.engine import Colour, Position, Symmetry
from outflank.engine.squares import DIRECTIONS, SQUARES
from outflank.tools.match.game.results import GameRecord
from outflank.tools.match.state.run import Run, Void
from outflank.tools.match.stats.elo import pentanomial
from outflank.tools.match.stats.sprt import Sprt

_PASS = len(SQUARES)
_NO_DIRECTION = len(DIRECTIONS)


def _bytes_by_symmetry(images: Callable[[Symmetry], Iterable[int]]) -> list[bytes]:
    """Tables for ``bytes.translate``: the images of the first bytes by each symmetry, all other bytes as they are."""
    tables = [bytes(images(symmetry)) for symmetry in Symmetry]
    return [table + bytes(range(len(table), 256)) for table in tables]


_SQUARES = _bytes_by_symmetry(lambda symmetry: map(symmetry.square, SQUARES))
_DIRECTIONS = _bytes_by_symmetry(
    lambda symmetry: (DIRECTIONS.index(symmetry.direction(name)) for name in DIRECTIONS)
)


def game_key(game: GameRecord) -> bytes:
    """16 bytes that two games share if one is an image of the other: boards, colours, moves, ending and winner."""
    moves = [turn.move for turn in game.turns]
    squares = bytes(_PASS if move.square is None else move.square for move in moves)
    directions = bytes(
        DIRECTIONS.index(move.direction) if move.direction else _NO_DIRECTION for move in moves
    )
    first = game.first_position
    images = (
        b"%s%s%s"
        % (
            _board(first.transformed(symmetry)),
            squares.translate(_SQUARES[symmetry]),
            directions.translate(_DIRECTIONS[symmetry]),
        )
        for symmetry in Symmetry
    )
    key = blake2b(min(images), digest_size=16)
    key.update(f"{game.rules} {game.ending} {game.winner}".encode())
    return key.digest()


def pair_key(games: Iterable[GameRecord]) -> Hashable:
    """What two pairs share if the same engines played the same games with the same colours, up to symmetry."""
    return frozenset((*map(game.pairing.names.get, Colour), game_key(game)) for game in games)


def repeats(games: Iterable[GameRecord]) -> dict[int, int]:
    """For each complete pair whose two games were played before by the same engines, the first such pair."""
    first_with: dict[Hashable, int] = {}
    repeated = {}
    for pair, both in complete_pairs(games):
        first = first_with.setdefault(pair_key(both), pair)
        if first != pair:
            repeated[pair] = first
    return repeated


def complete_pairs(games: Iterable[GameRecord]) -> list[tuple[int, list[GameRecord]]]:
    """The pairs both of whose games are there, and their numbers, in the order of the schedule."""
    return [(pair, both) for pair, both in by_pair(games) if len(both) == 2]


def by_pair(games: Iterable[GameRecord]) -> list[tuple[int, list[GameRecord]]]:
    """The one or two games of each pair, and its number, in the order of the schedule."""
    pairs: dict[int, list[GameRecord]] = {}
    for game in games:
        pairs.setdefault(game.pairing.pair, []).append(game)
    return sorted(pairs.items())


def _board(position: Position) -> bytes:
    """The discs of both colours and who is to move, 17 bytes."""
    return b"%s%s%s" % (
        position.black.to_bytes(8, "big"),
        position.white.to_bytes(8, "big"),
        position.side.letter.encode(),
    )


class EarlyStop:
    """Watches a match between two engines, in little memory.

    Attributes:
        verdict: whether the first engine is the stronger one by the test; None as long as it does not say.
        ratio: the log-likelihood ratio so far.

    Args:
        test: to ask.
        first: name of the engine whose points are counted.
    """

    def __init__(self, test: Sprt, first: str) -> None:
        self.verdict: bool | None = None
        self.ratio = 0.0
        self._test = test
        self._first = first
        self._next = 1
        self._ahead: dict[int, tuple[Hashable, float]] = {}
        self._seen: set[Hashable] = set()
        self._counts = [0] * 5

    def add(self, pair: int, games: Sequence[GameRecord]) -> None:
        """Take a complete pair; it waits until those before it are there. One that repeats another says nothing."""
        self._ahead[pair] = (pair_key(games), sum(game.points_of(self._first) for game in games))
        while self._next in self._ahead and self.verdict is None:
            key, points = self._ahead.pop(self._next)
            self._next += 1
            if key not in self._seen:
                self._seen.add(key)
                self._counts = [
                    old + new for old, new in zip(self._counts, pentanomial([points]), strict=True)
                ]
                self.ratio = self._test.ratio_of(self._counts)
                self.verdict = self._test.verdict_at(self.ratio)


class Ledger:
    """The games that count, without their turns, and how often each pair was begun.

    Args:
        run: the games played before.
    """

    def __init__(self, run: Run) -> None:
        self._games: dict[int, GameRecord] = {}
        self._open: dict[int, GameRecord] = {}
        self._attempts: dict[int, int] = {}
        self._test = EarlyStop(test, run.settings.names[0]) if (test := run.settings.sprt) else None
        self._names = run.settings.names
        self._path = run.settings.path()
        for void in run.voids:
            self._note_attempt(void.game)
        for game in run.games:
            self.add(game)

    @property
    def games(self) -> list[GameRecord]:
        """Those that count, in no order, without turns."""
        return list(self._games.values())

    @property
    def verdict(self) -> bool | None:
        """What the test says that may end the run early; None as long as it says nothing."""
        return self._test.verdict if self._test else None

    def is_due(self, pair: int) -> bool:
        """Whether a pair may be played: in a tuning its values depend on results before it."""
        return self._path is None or self._path.is_due(pair)

    def values(self, pair: int) -> dict[str, dict[str, str]]:
        """The values that a tuning gives the engines in a pair, by the engines' names; empty for all other runs."""
        return dict(zip(self._names, self._path.sides(pair), strict=True)) if self._path else {}

    def attempt(self, pair: int) -> int:
        """1 for a pair that was never voided."""
        return self._attempts.get(pair, 0) + 1

    def has(self, number: int) -> bool:
        """Whether game `number` is played and counts."""
        return number in self._games

    def add(self, game: GameRecord) -> None:
        """Count a game. The first of a pair is kept whole until its twin is there: both may yet be voided."""
        pair = game.pairing.pair
        twin = self._open.pop(pair, None)
        if twin is None:
            self._open[pair] = replace(game, outside={})  # which is counted by now
        else:
            if self._test:
                self._test.add(pair, sorted((twin, game), key=lambda game: game.pairing.number))
            if self._path:
                self._path.add(pair, sum(each.points_of(self._names[0]) for each in (twin, game)))
        self._games[game.pairing.number] = replace(game, turns=(), dialogue=())

    def void(self, void: Void) -> list[Void]:
        """Take a pair back because a game of it is void: everything of it that is void now."""
        pair = void.game.pairing.pair
        self._note_attempt(void.game)
        twin = self._open.pop(pair, None)
        if twin is None:
            return [void]
        del self._games[twin.pairing.number]
        return [Void(twin, f"game {void.game.pairing.number} of its pair was voided"), void]

    def _note_attempt(self, game: GameRecord) -> None:
        pair = game.pairing.pair
        self._attempts[pair] = max(self._attempts.get(pair, 0), game.attempt)
