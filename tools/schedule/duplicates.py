"""Games that are the same up to rotation and reflection: two engines that repeat themselves learn nothing twice."""

from collections.abc import Callable, Hashable, Iterable
from hashlib import blake2b

from outflank.engine import Colour, Position, Symmetry
from outflank.engine.squares import DIRECTIONS, SQUARES
from outflank.tools.games.results import GameRecord

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
