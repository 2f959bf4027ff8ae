"""Games that are the same up to rotation and reflection: two engines that repeat themselves learn nothing twice."""

from collections.abc import Hashable, Iterable
from hashlib import blake2b

from outflank.engine import PASS, Colour
from outflank.engine.bitboard import transform
from outflank.tools.games.results import GameRecord

_SYMMETRIES = range(8)


def game_key(game: GameRecord) -> bytes:
    """16 bytes that two games share if one is an image of the other: boards, colours, moves, ending and winner."""
    boards = [(turn.before.black, turn.before.white) for turn in game.turns]
    if game.turns and game.turns[-1].move != PASS:
        last = game.turns[-1].before.play(game.turns[-1].move)
        boards.append((last.black, last.white))
    images = (
        b"".join(
            transform(black, symmetry).to_bytes(8, "big") + transform(white, symmetry).to_bytes(8, "big")
            for black, white in boards
        )
        for symmetry in _SYMMETRIES
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
    pairs: dict[int, list[GameRecord]] = {}
    for game in games:
        pairs.setdefault(game.pairing.pair, []).append(game)
    return [(pair, both) for pair, both in sorted(pairs.items()) if len(both) == 2]
