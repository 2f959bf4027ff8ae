"""The name under which a book keeps a position: the same for all of its images, and for what a forced pass leads to."""

from typing import NamedTuple

from outflank.engine import Colour, Move, Position, Rules, Symmetry
from outflank.engine.squares import DIRECTIONS

BOARD_BYTES = 16
MOVE_NUMBERS = 64 * (1 + len(DIRECTIONS))
"""The numbers of ``move_number`` are smaller."""
_MASK = (1 << 64) - 1


class Child(NamedTuple):
    """Where a move leads to.

    Attributes:
        move: the move.
        key: of the position after it and after the pass that it may force; None if the game is over.
        same_side: whether the mover has the move again, so that scores there are his.
    """

    move: Move
    key: bytes | None
    same_side: bool


def children_of(position: Position) -> tuple[Child, ...]:
    """Where each move of a position leads to, in the order of ``legal_moves``; nothing if there is none.

    Not for a position in which the side to move has to pass.
    """
    children = []
    for move in position.legal_moves():
        after, passed = after_passes(position.play(move))
        children.append(Child(move, key_of(after)[0] if after.legal_mask() else None, passed))
    return tuple(children)


def after_passes(position: Position) -> tuple[Position, bool]:
    """The position in which somebody has a move, and whether a forced pass leads there.

    A game that is over stays as it is.
    """
    return (position.pass_(), True) if position.must_pass else (position, False)


def key_of(position: Position) -> tuple[bytes, Symmetry]:
    """The key of a position in which the side to move has a move, and the symmetry that leads to what it names.

    The key is 16 bytes, the discs of the side to move and those of the other side, each as eight bytes with h8 in the
    highest bit, of the image with the smallest of these; by rules under which an equal count is won by one side one
    byte more: 1 if the side to move began the game, else 0.
    """
    image, symmetry = position.canonical()
    key = (image.own << 64 | image.opp).to_bytes(BOARD_BYTES, "big")
    rules = position.rules
    if rules.tie == "second":
        key += b"\1" if position.side is rules.begins else b"\0"
    return key, symmetry


def position_of(key: bytes, rules: Rules) -> Position:
    """The position that a key names.

    Where both sides are judged alike, the key does not say whose turn it is: then the side is the one that has the move
    in a game without passes.
    """
    discs = int.from_bytes(key[:BOARD_BYTES], "big")
    own, opp = discs >> 64, discs & _MASK
    if len(key) > BOARD_BYTES:
        begins = key[BOARD_BYTES] == 1
    else:
        black, white = rules.start_discs
        begins = ((own | opp).bit_count() - (black | white).bit_count()) % 2 == 0
    side = rules.begins if begins else Colour(rules.begins).other
    return Position(own, opp, side, rules)


def same_games(rules: Rules, others: Rules) -> bool:
    """Whether a book for one serves the other: the start is the same up to symmetry, and moves and scores are."""
    ours, theirs = ((each.turns, each.tie, each.scoring) for each in (rules, others))
    return ours == theirs and start_key(rules) == start_key(others)


def start_key(rules: Rules) -> bytes:
    """The key of the position in which a game by these rules begins."""
    return key_of(after_passes(Position.start(rules))[0])[0]


def move_number(move: Move) -> int:
    """A move as a small number: its square, and 64 for each step round from no direction to n, ne, ... nw.

    Raises: ValueError for a pass.
    """
    if move.square is None:
        raise ValueError("a pass has no number in a book")
    return move.square + 64 * (0 if move.direction is None else 1 + DIRECTIONS.index(move.direction))


def numbered_move(number: int) -> Move:
    """The move that ``move_number`` gave a number.

    Raises: ValueError if there is none.
    """
    way, square = divmod(number, 64)
    if not 0 <= way <= len(DIRECTIONS):
        raise ValueError(f"expected the number of a move, got {number}")
    return Move(square, DIRECTIONS[way - 1] if way else None)
