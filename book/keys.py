"""The key of a position in a book, which is the same for all images of the position.

If the side to move has to pass, a position has the key of the position after the pass.
"""

from typing import NamedTuple

from outflank.engine import Colour, Move, Position, Rules, Symmetry
from outflank.engine.squares import DIRECTIONS

BOARD_BYTES = 16
MOVE_NUMBERS = 64 * (1 + len(DIRECTIONS))
"""The exclusive upper bound of the results of ``move_number``."""
_MASK = (1 << 64) - 1


class Child(NamedTuple):
    """The position after a move.

    Attributes:
        key: the key of the position after the move, and after the pass if a pass is forced; None if the game is over.
        same_side: True if the side that made the move is to move again. The child's scores are then from this side's
            point of view.
    """

    move: Move
    key: bytes | None
    same_side: bool


def children_of(position: Position) -> tuple[Child, ...]:
    """Return the children of a position in the order of ``legal_moves``; an empty tuple if the game is over.

    If the side to move has to pass, call ``after_passes`` first.
    """
    children = []
    for move in position.legal_moves():
        after, passed = after_passes(position.play(move))
        children.append(Child(move, key_of(after)[0] if after.legal_mask() else None, passed))
    return tuple(children)


def after_passes(position: Position) -> tuple[Position, bool]:
    """Return the position and False or, if the side to move has to pass, the position after the pass and True."""
    return (position.pass_(), True) if position.must_pass else (position, False)


def key_of(position: Position) -> tuple[bytes, Symmetry]:
    """Return a position's key, and the symmetry that maps the position to the image that the key describes.

    The position must have a legal move. The key is 16 bytes: the discs of the side to move, then the discs of the other
    side, eight bytes each, with h8 in the highest bit. Of the eight images of the position, the key describes the image
    with the smallest bytes. Under rules by which the second player wins a tie, a 17th byte is 1 if the side to move
    began the game, else 0.
    """
    image, symmetry = position.canonical()
    key = (image.own << 64 | image.opp).to_bytes(BOARD_BYTES, "big")
    rules = position.rules
    if rules.tie == "second":
        key += b"\1" if position.side is rules.begins else b"\0"
    return key, symmetry


def position_of(key: bytes, rules: Rules) -> Position:
    """Return the position with this key, in the image that the key describes.

    If the rules do not distinguish the sides, the key does not contain the side to move. Then the side to move is the
    side that would be to move after a game without passes.
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
    """Return whether a book for `rules` is also valid for `others`.

    The moves, the scoring and the rule for ties must be the same, and the start positions must be images of each other.
    """
    ours, theirs = ((each.turns, each.tie, each.scoring) for each in (rules, others))
    return ours == theirs and start_key(rules) == start_key(others)


def start_key(rules: Rules) -> bytes:
    """Return the key of the start position of these rules."""
    return key_of(after_passes(Position.start(rules))[0])[0]


def move_number(move: Move) -> int:
    """Return a move as a small number: its square, plus 64 times the index of its direction in (None, n, ne, ... nw).

    Raises: ValueError for a pass.
    """
    if move.square is None:
        raise ValueError("a pass has no number in a book")
    return move.square + 64 * (0 if move.direction is None else 1 + DIRECTIONS.index(move.direction))


def numbered_move(number: int) -> Move:
    """Return the move with this ``move_number``. Raises: ValueError if there is no such move."""
    way, square = divmod(number, 64)
    if not 0 <= way <= len(DIRECTIONS):
        raise ValueError(f"expected the number of a move, got {number}")
    return Move(square, DIRECTIONS[way - 1] if way else None)
