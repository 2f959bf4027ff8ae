"""``outflank solve --proof FILE``: the proofs of a run, and the file that holds them."""

import time
from dataclasses import dataclass
from pathlib import Path

import click

from outflank.engine import Limit, Position, Rules
from outflank.engine.proving import Prover
from outflank.tools.cli.live import live
from outflank.tools.proofs.write import packed, proof
from outflank.tools.work.files import write_whole
from outflank.tools.work.words import counted


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
        if limit.seconds is not None or limit.wld or limit.selectivity not in (None, 100):
            raise click.UsageError(
                "--proof proves the score, so it goes without --time, --wld and --selectivity"
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
