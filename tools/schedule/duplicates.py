"""Games that are the same up to rotation and reflection: two engines that repeat themselves learn nothing twice."""

from collections.abc import Hashable, Iterable
from hashlib import blake2b

from outflank.engine import PASS, Colour, Position
from outflank.tools.games.results import GameRecord


def game_key(game: GameRecord) -> bytes:
    """16 bytes that two games share if one is an image of the other: boards, colours, moves, ending and winner."""
    positions = [turn.before for turn in game.turns]
    if game.turns and game.turns[-1].move != PASS:
        positions.append(positions[-1].play(game.turns[-1].move))
    images = (
        b"".join(map(_board, image)) for image in zip(*(p.symmetries() for p in positions), strict=True)
    )
    key = blake2b(min(images, default=b""), digest_size=16)
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
    pairs: dict[int, list[GameRecord]] = {}
    for game in games:
        pairs.setdefault(game.pairing.pair, []).append(game)
    return [(pair, both) for pair, both in sorted(pairs.items()) if len(both) == 2]


def _board(position: Position) -> bytes:
    """The discs of both colours, 16 bytes."""
    return position.black.to_bytes(8, "big") + position.white.to_bytes(8, "big")
