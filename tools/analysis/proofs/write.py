"""Writes proofs of exact scores, as docs/proofs.md describes them; ``check.py`` checks them."""

import lzma
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import click

from outflank.engine import Limit, Move, Position, Rules
from outflank.engine.search.proving import Prover
from outflank.tools.work.files import write_whole
from outflank.tools.work.progress import counted, live

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


@dataclass(frozen=True, slots=True)
class Proof:
    """A proof that was written.

    Attributes:
        line: of the file in which it begins, 1 for the first.
        lines: how many it has.
        seconds: wall time that it took, the search for the score not counted.
    """

    line: int
    lines: int
    seconds: float

    def __str__(self) -> str:
        return f"proof: {counted(self.lines, 'line')} from line {self.line:,} on, {self.seconds:.3f} s"


class ProofFile:
    """The proofs of a run's scores, one behind the other.

    Args:
        path: where ``save`` writes them.
        source: the file that the positions come from, if they come from one.
        rules: by which all positions are played.
        limit: what the scores are searched by.
        hash_mb: size of the table with which moves are sought, in MB.

    Raises: UsageError if there are no proofs of such scores, if the checker does not know the rules, or if the file
    would take the place of `source`.
    """

    def __init__(self, path: Path, source: Path | None, rules: Rules, limit: Limit, hash_mb: int) -> None:
        if (
            limit.seconds is not None
            or limit.wld
            or limit.at_least is not None
            or limit.selectivity not in (None, 100)
        ):
            raise click.UsageError(
                "--proof proves the score, so it goes without --time, --wld, --at-least and --selectivity"
            )
        if rules.one_direction:
            raise click.UsageError(
                f"--proof needs rules under which a move turns every direction, unlike {rules}"
            )
        if source is not None and source.exists() and path.exists() and path.samefile(source):
            raise click.UsageError(
                f"the proofs can't go to {str(path)!r}, which has the positions: name another file"
            )
        self._path = path
        self._prover = Prover(rules, hash_mb)
        self._lines: list[str] = []
        self._count = 0

    def add(self, position: Position, score: int) -> Proof:
        """Prove the score of a position.

        Args:
            position: the position.
            score: its exact score in discs, from the side to move.
        """
        began, first = time.perf_counter(), len(self._lines) + 1
        count = 0

        def note() -> None:
            nonlocal count
            count += 1

        def draw() -> str:
            return f"proving {score:+d}: {counted(count, 'line')}, {time.perf_counter() - began:.0f} s"

        with live(draw):
            lines = proof(position, score, self._prover, first, on_line=note)
        self._lines += lines
        self._count += 1
        return Proof(first, len(lines), time.perf_counter() - began)

    def save(self) -> str:
        """Write the file, unless nothing was proven; what it holds, in words.

        Raises: OSError.
        """
        if not self._count:
            return f"no proofs, so {self._path} was not written"
        data = packed(self._lines)
        write_whole(self._path, data)
        return f"{self._path}: proofs {self._count:,}, lines {len(self._lines):,}, bytes {len(data):,}"
