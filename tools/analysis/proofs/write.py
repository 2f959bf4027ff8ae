"""Writes proofs of exact scores, whose format docs/proofs.md describes; ``check.py`` checks them."""

import lzma
import shutil
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, Self

from outflank.engine import Move, Position, Rules
from outflank.engine.search.proving import Prover
from outflank.tools.runtime.files import whole_file, writing
from outflank.tools.runtime.progress import counted, live

VERSION = 3
REMEMBERED = 100_000
"""The number of proven boards at which the checker forgets all of them, so that its memory does not grow."""
# The checker searches the last empty squares itself: docs/proofs.md has the sizes and times from which it was chosen.
SEARCHED = 6
MOST_SEARCHED = 12


class Claims(Protocol):
    """Claims that a proof may end at."""

    def answer(self, position: Position, score: int, /) -> Move:
        """Return a move by which the side to move reaches `score`."""

    def claimed(self, position: Position, wanted: int, reached: bool, /) -> bool:
        """Whether a claim says that the side to move reaches `wanted` discs, or that it does not."""


def write_proof(
    position: Position,
    score: int,
    prover: Prover | Claims,
    add: Callable[[str], object],
    searched: int = SEARCHED,
    claims: Claims | None = None,
) -> int:
    """Write a proof line by line, and return the number of lines.

    Args:
        position: the position, under rules by which a move turns every direction.
        score: its exact score in discs, from the side to move.
        prover: finds the moves.
        add: called with each line.
        searched: the empty squares of boards that are left to the checker, MOST_SEARCHED at most.
        claims: the claims that need no proof; None to prove everything.

    Raises: SettingsError if the score is wrong and the error is above the checker's part.
    """
    count = 0

    def counting(line: str) -> None:
        nonlocal count
        count += 1
        add(line)

    for line in (
        f"outflank proof {VERSION}",
        f"rules {position.rules}",
        f"turns {position.rules.turns}",
        f"scoring {position.rules.scoring}",
        f"board {position.board_string()}",
        f"score {score:+d}",
        f"searched {searched}",
        "lower",
    ):
        counting(line)
    if score > -64:  # there is no lower score
        _Half(score, prover, counting, searched, claims).prove(position, "root")
    counting("upper")
    if score < 64:  # nor a higher one
        _Half(-score, prover, counting, searched, claims).cover(position)
    counting("end")
    return count


class _Half:
    """The proof of one bound: the prover is the side that has to reach it against all moves of the other side.

    Args:
        bound: the score that the prover reaches, in discs from the prover's side.
    """

    def __init__(
        self,
        bound: int,
        prover: Prover | Claims,
        add: Callable[[str], object],
        searched: int,
        claims: Claims | None,
    ) -> None:
        self._bound, self._prover, self._add = bound, prover, add
        self._searched, self._claims = searched, claims
        self._proven: set[Position] = set()

    def prove(self, position: Position, reply: Move | str) -> None:
        """Write the prover's answer to `reply`, unless the checker finds it without a line."""
        if position.empties <= self._searched or position.is_over or position in self._proven:
            return
        claims = self._claims
        if claims is not None and reply != "root" and claims.claimed(position, self._bound, True):
            self._add(f"{reply} claim")
        else:
            answer = self._prover.answer(position, self._bound)
            after = position.play(answer)
            if claims is not None and claims.claimed(after, 1 - self._bound, False):
                self._add(f"{reply} {answer} claim")
            else:
                self._add(f"{reply} {answer}")
                self.cover(after)
        if len(self._proven) == REMEMBERED:
            self._proven.clear()
        self._proven.add(position)

    def cover(self, position: Position) -> None:
        """Write an answer to each reply of the other side, which is to move."""
        for reply in position.legal_moves():
            self.prove(position.play(reply), reply)


@dataclass(frozen=True, slots=True)
class Proof:
    """A proof that was written.

    Attributes:
        line: its first line in the file, 1 for the first.
        lines: the number of its lines.
        seconds: its wall time without the search for the score.
    """

    line: int
    lines: int
    seconds: float

    def __str__(self) -> str:
        return f"proof: {counted(self.lines, 'line')} from line {self.line:,} on, {self.seconds:.3f} s"


class ProofFile:
    """The proofs of a run's scores, one after the other; a context manager.

    Args:
        path: the file that ``save`` writes.
        rules: the rules of all positions, under which a move turns every direction.
        hash_mb: the size of the table of the search for moves, in MB.
        searched: the empty squares of boards that are left to the checker.

    Attributes:
        path: the argument.
    """

    def __init__(self, path: Path, rules: Rules, hash_mb: int, searched: int) -> None:
        self.path, self._searched = path, searched
        self._prover = Prover(rules, hash_mb)
        self._lines, self._count = 0, 0
        with writing(path):
            # The data of complete proofs.
            self._data = tempfile.TemporaryFile(dir=path.parent)  # noqa: SIM115

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._data.close()

    def add(self, position: Position, score: int, claims: Claims | None = None) -> Proof:
        """Prove the score of a position; memory does not grow with the proof.

        Args:
            position: the position.
            score: its exact score in discs, from the side to move.
            claims: the claims that need no proof; None to prove everything.

        Raises: UnwritableError.
        """
        began, first = time.perf_counter(), self._lines + 1
        count = 0
        packer = lzma.LZMACompressor()

        def add(line: str) -> None:
            nonlocal count
            count += 1
            begun.write(packer.compress(f"{line}\n".encode()))

        def draw() -> str:
            return f"proving {score:+d}: {counted(count, 'line')}, {time.perf_counter() - began:.0f} s"

        with writing(self.path), tempfile.TemporaryFile(dir=self.path.parent) as begun, live(draw):
            searched = self._searched if claims is None else 0
            lines = write_proof(position, score, claims or self._prover, add, searched, claims)
            begun.write(packer.flush())
            begun.seek(0)
            shutil.copyfileobj(begun, self._data)
        self._lines += lines
        self._count += 1
        return Proof(first, lines, time.perf_counter() - began)

    def save(self) -> str:
        """Write the file, unless there are no proofs, and return its contents in words.

        Raises: UnwritableError.
        """
        if not self._count:
            return f"no proofs, so {self.path} was not written"
        size = self._data.tell()
        self._data.seek(0)
        with whole_file(self.path) as file:
            shutil.copyfileobj(self._data, file)
        return f"{self.path}: proofs {self._count:,}, lines {self._lines:,}, bytes {size:,}"
