"""Writes proofs of exact scores, as docs/proofs.md describes them; ``check.py`` checks them."""

import lzma
from collections.abc import Callable

from outflank.engine import Move, Position
from outflank.engine.proving import Prover

VERSION = 1
# The checker searches the last empty squares itself: docs/proofs.md has the sizes and times from which it was chosen.
SEARCHED = 6


def proof(
    position: Position,
    score: int,
    prover: Prover,
    first: int = 1,
    searched: int = SEARCHED,
    on_line: Callable[[], object] = lambda: None,
) -> list[str]:
    """The lines of a proof.

    Args:
        position: the position; its rules turn in every direction.
        score: its exact score in discs, from the side to move.
        prover: finds the moves.
        first: the number that the first line has in the file.
        searched: boards with so many empty squares are left to the checker, 9 at most.
        on_line: called after each line.

    Raises: SettingsError if the score is wrong, as far as that is seen before the checker's part begins.
    """
    lines = [
        f"outflank proof {VERSION}",
        f"rules {position.rules}",
        f"turns {position.rules.turns}",
        f"scoring {position.rules.scoring}",
        f"board {position.board_string()}",
        f"score {score:+d}",
        f"searched {searched}",
        "lower",
    ]
    _Half(score, prover, lines, first, searched, on_line).prove(position, "root")
    lines.append("upper")
    _Half(-score, prover, lines, first, searched, on_line).cover(position)
    return [*lines, "end"]


def packed(lines: list[str]) -> bytes:
    """The lines as they stand in a file."""
    return lzma.compress("".join(f"{line}\n" for line in lines).encode())


class _Half:
    """The proof of one bound: the side that has to reach it is the prover, and the other may try everything.

    Args:
        bound: what the prover reaches, in discs from its side.
    """

    def __init__(
        self,
        bound: int,
        prover: Prover,
        lines: list[str],
        first: int,
        searched: int,
        on_line: Callable[[], object],
    ) -> None:
        self._bound, self._prover, self._lines, self._first = bound, prover, lines, first
        self._searched, self._on_line = searched, on_line
        self._proven: dict[Position, int] = {}  # in which line

    def prove(self, position: Position, reply: Move | str) -> None:
        """Write how the prover goes on, who is to move after `reply`; nothing if the checker sees that by itself."""
        if position.empties <= self._searched or position.is_over:
            return
        number = self._first + len(self._lines)
        known = self._proven.get(position)
        answer = f"={known}" if known else self._prover.answer(position, self._bound)
        self._lines.append(f"{reply} {answer}")
        self._on_line()
        if isinstance(answer, Move):
            self.cover(position.play(answer))
            self._proven[position] = number

    def cover(self, position: Position) -> None:
        """Write an answer to each reply of the other side, who is to move."""
        for reply in position.legal_moves():
            self.prove(position.play(reply), reply)
