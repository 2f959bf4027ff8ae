"""Writes proofs of exact scores, whose format docs/proofs.md describes; ``check.py`` checks them."""

import lzma
import shutil
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Self

from outflank.engine import Move, Position, Rules
from outflank.engine.search.proving import Prover
from outflank.storage.files import whole_file, writing
from outflank.tools.runtime.progress import counted, live

if TYPE_CHECKING:
    from outflank.tools.solving.claims import Deduction

VERSION = 3
REMEMBERED = 100_000
"""The number of proven boards at which the checker forgets all of them, so that its memory does not grow."""
# The checker searches the last empty squares itself: docs/proofs.md has the sizes and times from which it was chosen.
SEARCHED = 6
MOST_SEARCHED = 12


def write_proof(
    position: Position,
    score: int,
    prover: "Prover | Deduction",
    add: Callable[[str], object],
    searched: int = SEARCHED,
    claims: "Deduction | None" = None,
) -> None:
    """Write a proof line by line.

    Args:
        position: the position, under rules by which a move turns every direction.
        score: its exact score in discs, from the side to move.
        prover: finds the moves.
        add: called with each line.
        searched: the empty squares of boards that are left to the checker, MOST_SEARCHED at most.
        claims: the claims that need no proof; None to prove everything.

    Raises: SettingsError if the score is wrong and the error is above the checker's part.
    """
    proven: set[Position] = set()  # of the half that is being written
    bound = score  # the discs that the prover reaches in this half, against all moves of the other side

    def prove(position: Position, reply: Move | str) -> None:
        """Write the prover's answer to `reply`, unless the checker finds it without a line."""
        if position.empties <= searched or position.is_over or position in proven:
            return
        if claims is not None and reply != "root" and claims.claimed(position, bound, True):
            add(f"{reply} claim")
        else:
            answer = prover.answer(position, bound)
            after = position.play(answer)
            if claims is not None and claims.claimed(after, 1 - bound, False):
                add(f"{reply} {answer} claim")
            else:
                add(f"{reply} {answer}")
                cover(after)
        if len(proven) == REMEMBERED:
            proven.clear()
        proven.add(position)

    def cover(position: Position) -> None:
        """Write an answer to each reply of the other side, which is to move."""
        for reply in position.legal_moves():
            prove(position.play(reply), reply)

    rules = position.rules
    head = (f"rules {rules}", f"turns {rules.turns}", f"scoring {rules.scoring}")
    for text in (f"outflank proof {VERSION}", *head, f"board {position.board_string()}"):
        add(text)
    for text in (f"score {score:+d}", f"searched {searched}", "lower"):
        add(text)
    if score > -64:  # there is no lower score
        prove(position, "root")
    add("upper")
    if score < 64:  # nor a higher one
        bound = -score
        proven.clear()
        cover(position)
    add("end")


class ProofFile:
    """The proofs of a run's scores, one after the other; a context manager."""

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

    def add(self, position: Position, score: int, claims: "Deduction | None" = None) -> dict[str, float]:
        """Prove the score of a position, and return where the proof is; memory does not grow with it.

        Returns: ``line``, its first one in the file, 1 for the first; the number of its ``lines``; and its ``seconds``
            without the search for the score.
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
            write_proof(position, score, claims or self._prover, add, searched, claims)
            begun.write(packer.flush())
            begun.seek(0)
            shutil.copyfileobj(begun, self._data)
        self._lines += count
        self._count += 1
        return {"line": first, "lines": count, "seconds": time.perf_counter() - began}

    def save(self) -> str:
        """Write the file, unless there are no proofs, and return its contents in words. Raises: UnwritableError."""
        if not self._count:
            return f"no proofs, so {self.path} was not written"
        size = self._data.tell()
        self._data.seek(0)
        with whole_file(self.path) as file:
            shutil.copyfileobj(self._data, file)
        return f"{self.path}: proofs {self._count:,}, lines {self._lines:,}, bytes {size:,}"


def proof_text(proof: Mapping[str, float]) -> str:
    """Return what ``ProofFile.add`` returned as a line of text."""
    lines = counted(int(proof["lines"]), "line")
    return f"proof: {lines} from line {proof['line']:,} on, {proof['seconds']:.3f} s"
