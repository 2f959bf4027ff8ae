"""The eight symmetries of the board."""

from enum import IntEnum
from typing import get_args

from outflank.engine.moves import Move
from outflank.engine.squares import Direction, checked_square
from outflank.errors import NotationError, OutOfRangeError


class Symmetry(IntEnum):
    """A rotation or reflection of the board. The names assume that row 1 is on top.

    ``position.transformed(symmetry)`` returns the image of a position, ``symmetry.move`` the image of a move, and
    ``symmetry.square`` the image of a square. ``symmetry.inverse.move`` maps a move in the image back.
    """

    IDENTITY = 0
    MIRROR_COLUMNS = 1
    MIRROR_ROWS = 2
    HALF_TURN = 3
    TRANSPOSE = 4
    QUARTER_TURN_LEFT = 5
    QUARTER_TURN_RIGHT = 6
    ANTITRANSPOSE = 7

    @classmethod
    def _missing_(cls, value: object) -> "Symmetry":
        raise OutOfRangeError(f"expected a symmetry from 0 to 7, got {value!r}")

    @property
    def inverse(self) -> "Symmetry":
        """The symmetry that undoes this one."""
        turned_back = {Symmetry.QUARTER_TURN_LEFT, Symmetry.QUARTER_TURN_RIGHT} - {self}
        return turned_back.pop() if len(turned_back) == 1 else self

    def square(self, square: int) -> int:
        """Return the image of a square, 0..63.

        Raises: OutOfRangeError if `square` is outside 0 to 63.
        """
        row, column = self._image(*divmod(checked_square(square), 8), last=7)
        return 8 * row + column

    def direction(self, direction: Direction) -> Direction:
        """Return the image of a direction.

        Raises: NotationError if `direction` is not one of the eight directions.
        """
        try:
            return _NAMES[self._image(*_STEPS[direction], last=0)]
        except KeyError:
            raise NotationError(
                f"expected one of the directions {' '.join(_STEPS)}, got {direction!r}"
            ) from None

    def move(self, move: Move) -> Move:
        """Return the image of a move; a pass is its own image."""
        if move.square is None:
            return move
        return Move(self.square(move.square), move.direction and self.direction(move.direction))

    def _image(self, row: int, column: int, last: int) -> tuple[int, int]:
        """Return the row and the column of the image. `last`: 7 for a square, 0 for a step in a direction.

        The three bits of the symmetry have the same meaning as in ``transform`` of kernels.pxd.
        """
        if self & 1:
            column = last - column
        if self & 2:
            row = last - row
        return (column, row) if self & 4 else (row, column)


_STEPS: dict[Direction, tuple[int, int]] = dict(
    zip(
        get_args(Direction),
        ((-1, 0), (-1, 1), (0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1)),
        strict=True,
    )
)
_NAMES = {step: name for name, step in _STEPS.items()}
