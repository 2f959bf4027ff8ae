"""Reads claims about scores, deduces the score of a root from claims, and audits a random sample of claims."""

import json
import lzma
import random
import re
import subprocess
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import BinaryIO

import click

from outflank.book.keys import after_passes, key_of
from outflank.engine import (
    FileFormatError,
    Limit,
    Move,
    NotationError,
    OutflankError,
    Position,
    Rules,
    SettingsError,
)
from outflank.protocol.formats.reading import capped, read_lines
from outflank.storage.files import whole_file, write_whole
from outflank.tools.runtime.executor import run_all, shared_searcher
from outflank.tools.runtime.kept import KeptResults, search_keeping
from outflank.tools.runtime.progress import counted, live, progress_bar
from outflank.tools.solving.jobs.tree import Bounds, seen
from outflank.tools.solving.proofs import check
from outflank.tools.solving.proofs.write import ProofWriter

_MOST_BYTES = 1 << 28
_MOST_BOARDS = 4_000_000  # the maximum number of answers that a deduction stores
_ROW = re.compile(r"([-XO]{64} [XO]);?,([+-]?\d{1,2}),([+-]?\d{1,2})")
_MOST_NAMED = 10  # the maximum number of lines that a message lists
HEADING = "position,lower,upper"
_UNKNOWN: Bounds = (-64, 64)


@dataclass(frozen=True, slots=True)
class Claim:
    """A claim about the score of a position.

    Attributes:
        position: the position, in which the side to move has a legal move: a forced pass has been made.
        lower: the lower bound of the score, in discs for the side to move.
        line: the number of the line in the file, 1 for the first.
    """

    position: Position
    lower: int
    upper: int
    line: int


def read_claims(stream: BinaryIO, name: str, rules: Rules) -> list[Claim]:
    """Read a file of claims. Each line is ``position,lower,upper``; the first line may be a heading.

    Raises: FileFormatError at the first invalid line.
    """
    claims = []
    try:
        for number, text, _ in read_lines(capped(stream, _MOST_BYTES)):
            row = text.strip()
            if row and not (number == 1 and row == HEADING):
                claims.append(_claim(row, number, rules))
    except FileFormatError as error:
        raise FileFormatError(f"{name}: {error}") from None
    if not claims:
        raise FileFormatError(f"{name} has no claims")
    return claims


def _claim(row: str, number: int, rules: Rules) -> Claim:
    found = _ROW.fullmatch(row)
    if found is None:
        expected = "64 squares of X O -, a blank, the side to move, a comma, and two bounds"
        raise FileFormatError(f"line {number}: expected {expected}, got {row[:100]!r}")
    lower, upper = int(found[2]), int(found[3])
    try:
        position = Position.parse(found[1], rules)
    except NotationError as error:
        raise FileFormatError(f"line {number}: {error}") from None
    if not -64 <= lower <= upper <= 64:
        raise FileFormatError(f"line {number}: expected -64 <= lower <= upper <= 64, got {lower} and {upper}")
    position, passed = after_passes(position)
    if position.is_over:
        raise FileFormatError(f"line {number}: the game is over on this board, so there is nothing to claim")
    return Claim(position, *seen((lower, upper), not passed), number)


def bounds_of(claims: Sequence[Claim]) -> dict[bytes, Bounds]:
    """Return the combined bounds of claims, by the keys of their boards.

    Raises: SettingsError if two claims contradict each other.
    """
    found: dict[bytes, Bounds] = {}
    for claim in claims:
        key = key_of(claim.position)[0]
        lower, upper = found.get(key, _UNKNOWN)
        found[key] = lower, upper = max(lower, claim.lower), min(upper, claim.upper)
        if lower > upper:
            first = next(
                each.line for each in claims if key_of(each.position)[0] == key and _differ(each, claim)
            )
            raise SettingsError(
                f"the claims in lines {first} and {claim.line} contradict each other: they are about the same board"
            )
    return found


def _differ(one: Claim, other: Claim) -> bool:
    return max(one.lower, other.lower) > min(one.upper, other.upper)


class Deduction:
    """Deduces bounds from claims and the rules, without a search.

    The bounds of a board follow from the bounds after its moves. The deduction stops at the smallest number of empty
    squares of any claim. If a board has a claim, the claim is compared with the bounds that follow from the moves.

    Attributes:
        met: True once the deduction has reached a board with a claim.

    Raises: SettingsError, from every method, if claims contradict each other.
    """

    def __init__(self, claims: Sequence[Claim]) -> None:
        self._claims, self._bounds = claims, bounds_of(claims)
        self._empties = min(claim.position.empties for claim in claims)
        self._compared: set[bytes] = set()
        self._followed: dict[tuple[bytes, int, bool], bool] = {}
        self.met = False

    def __len__(self) -> int:
        """Return the number of stored answers, one for each combination of a board, `wanted` and `reached`."""
        return len(self._followed)

    def bounds(self, root: Position) -> Bounds:
        """Return the deduced bounds of the root's score."""
        lower = _highest(lambda wanted: self._follows(root, wanted, True))
        held = _highest(lambda held: self._follows(root, 1 - held, False))
        return lower, -held

    def needed(self, root: Position, bounds: Bounds) -> set[bytes]:
        """Return the keys of the boards whose claims imply `bounds` for the root."""
        lower, upper = bounds
        found: set[bytes] = set()
        seen: set[tuple[Position, int, bool]] = set()
        waiting = [(root, lower, True)] if lower > -64 else []
        waiting += [(root, upper + 1, False)] if upper < 64 else []
        while waiting:
            position, wanted, reached = waiting.pop()
            if (position, wanted, reached) in seen or position.is_over:
                continue
            seen.add((position, wanted, reached))
            if self.claimed(position, wanted, reached) and not (
                position is root and self._by_moves(root, wanted, reached)
            ):
                found.add(key_of(position)[0])
                continue
            moves = [self.answer(position, wanted)] if reached else position.legal_moves()
            waiting += [(position.play(move), 1 - wanted, not reached) for move in moves]
        return found

    def claimed(self, position: Position, wanted: int, reached: bool) -> bool:
        """Return whether a claim implies that the side to move reaches `wanted` discs.

        If `reached` is False, return whether a claim implies that the side to move does not reach `wanted` discs.
        """
        if position.must_pass or position.is_over:
            return False
        lower, upper = self._bounds.get(key_of(position)[0], _UNKNOWN)
        return lower >= wanted if reached else upper < wanted

    def answer(self, position: Position, wanted: int) -> Move:
        """Return a move that reaches `wanted` discs. Raises: SettingsError if the claims imply no such move."""
        for move in position.legal_moves():
            if self._follows(position.play(move), 1 - wanted, False):
                return move
        raise SettingsError(f"{wanted:+d} for {position.board_string()} does not follow from the claims")

    def _follows(self, position: Position, wanted: int, reached: bool) -> bool:
        """Return whether the claims imply that the side to move reaches `wanted` discs.

        If `reached` is False, return whether they imply that the side to move does not reach `wanted` discs.
        """
        moving, passed = after_passes(position)
        if moving.is_over:
            return (moving.score(moving.side) >= wanted) == reached
        if passed:
            wanted, reached = 1 - wanted, not reached
        key = key_of(moving)[0]
        known = self._followed.get((key, wanted, reached))
        if known is None:
            if key in self._bounds:
                self.met = True
                self._compare(moving, key)
            lower, upper = self._bounds.get(key, _UNKNOWN)
            known = lower >= wanted if reached else upper < wanted
            is_open = lower < wanted <= upper and moving.empties > self._empties
            known = known or (is_open and self._by_moves(moving, wanted, reached))
            self._followed[key, wanted, reached] = known
            if len(self) > _MOST_BOARDS:
                reason = "too many to reach all claims" if self.met else "and none of them has a claim"
                raise SettingsError(
                    f"more than {_MOST_BOARDS:,} boards were followed, {reason}: "
                    "use --board with a position nearer to the claims"
                )
        return known

    def _compare(self, position: Position, key: bytes) -> None:
        """Raise SettingsError if the claims about a board contradict the bounds that follow from its moves."""
        if key in self._compared or position.empties <= self._empties:
            return
        self._compared.add(key)
        lower, upper = self._bounds[key]
        if lower > -64 and self._by_moves(position, lower, False):
            claimed, opposite, bounds = f"{lower:+d} or more", "less", (-64, lower - 1)
        elif upper < 64 and self._by_moves(position, upper + 1, True):
            claimed, opposite, bounds = f"{upper:+d} or less", "more", (upper + 1, 64)
        else:
            return
        reasons = self.needed(position, bounds)
        raise SettingsError(
            f"the claims contradict each other about {position.board_string()}: {claimed} is claimed in "
            f"{self._lines_of({key})}, and {opposite} follows from {self._lines_of(reasons)}"
        )

    def _lines_of(self, keys: set[bytes]) -> str:
        """Name the lines of the claims about the boards with these keys, as in ``lines 2, 5, 7``."""
        lines = [str(claim.line) for claim in self._claims if key_of(claim.position)[0] in keys]
        shown = ", ".join(lines[:_MOST_NAMED])
        more = f" and {len(lines) - _MOST_NAMED:,} more" if len(lines) > _MOST_NAMED else ""
        return f"{'line' if len(lines) == 1 else 'lines'} {shown}{more}"

    def _by_moves(self, position: Position, wanted: int, reached: bool) -> bool:
        moves = position.legal_moves()
        if position.is_over:
            return (position.score(position.side) >= wanted) == reached
        some = any if reached else all
        return some(self._follows(position.play(move), 1 - wanted, not reached) for move in moves)


def _highest(holds: Callable[[int], bool]) -> int:
    """Return the highest score from -64 to 64 for which `holds` is True.

    `holds` must be True for -64, and if it is True for a score, also for all lower scores.
    """
    lower, upper = -64, 64
    while lower < upper:
        middle = (lower + upper + 1) // 2
        lower, upper = (middle, upper) if holds(middle) else (lower, middle - 1)
    return lower


def follow(
    file: BinaryIO, root: Position, proof_path: Path | None, needed_path: Path | None, as_json: bool
) -> None:
    """Deduce the score of a position from a file of claims, and print it. With `proof_path`, write and check a proof.

    Raises: OutflankError if no claim applies, if claims contradict each other, if a proof is wanted but no exact score
        follows, or if the checker rejects the proof.
    """
    claims = read_claims(file, file.name, root.rules)
    deduction = Deduction(claims)
    with live(lambda: f"{len(deduction):,} boards followed"):
        bounds = lower, upper = deduction.bounds(root)
    if bounds == _UNKNOWN and not deduction.met:
        start = Position.start(root.rules)
        name = "the start" if root == start else root.board_string()
        raise OutflankError(
            f"no claim applies to {name}: use --board with a position that leads to the claims"
        )
    keys = deduction.needed(root, bounds)
    needed = [claim for claim in claims if key_of(claim.position)[0] in keys]
    if as_json:
        board = root.board_string()
        facts = {"position": board, "lower": lower, "upper": upper, "claims": len(claims)}
        click.echo(json.dumps(facts | {"needed": len(needed)}))
    else:
        score = f"{lower:+d}" if lower == upper else f"{lower:+d} to {upper:+d}"
        rest = f"from {len(needed):,} of {counted(len(claims), 'claim')}, which are assumed to be true"
        click.echo(f"{score} for {root.board_string()} under {root.rules}, {rest}")
    if needed_path is not None:
        rows = [f"{claim.position.board_string()},{claim.lower},{claim.upper}" for claim in needed]
        write_whole(needed_path, "\n".join([HEADING, *rows, ""]).encode())
    if proof_path is None:
        return
    if lower < upper:
        raise OutflankError("a proof needs an exact score, but only bounds follow: leave out --proof")
    with whole_file(proof_path) as packed, lzma.open(packed, "wb") as proof:
        writer = ProofWriter(root, lower, 0, deduction, deduction)
        writer.write(lambda line: proof.write(f"{line}\n".encode()))
    size = proof_path.stat().st_size
    click.echo(f"{proof_path}: proofs 1, lines {writer.lines:,}, bytes {size:,}", err=as_json)
    command = [sys.executable, check.__file__, "--claims", file.name, str(proof_path)]
    checked = subprocess.run(command, capture_output=True, text=True)
    click.echo(checked.stdout, nl=False, err=as_json)
    if checked.returncode:
        raise OutflankError(f"the checker rejects the proof: {checked.stderr.strip()}")


def drawn(claims: Sequence[Claim], sample: int, seed: int) -> list[Claim]:
    """Draw a random sample of claims. With the same seed, a larger sample contains every smaller sample."""
    order = list(range(len(claims)))
    random.Random(seed).shuffle(order)
    return [claims[i] for i in order[:sample]]


def audit(
    claims: Sequence[Claim],
    sample: Sequence[Claim],
    executor: Executor,
    places: int,
    hash_mb: int,
    as_json: bool,
) -> None:
    """Solve the positions of a sample of claims. Print the wrong claims and an upper bound on their share.

    Raises: OutflankError if a claim is wrong.
    """
    wrong = checked = nodes = 0
    with ExitStack() as stack:
        advance = stack.enter_context(progress_bar("audit", len(sample), "claims"))
        solve = partial(_solve_again, hash_mb)
        results = stack.enter_context(KeptResults("proof audit", tuple[bool, int], hash=hash_mb))
        for claim, (true, searched) in results.as_ready(
            sample, _name_of, lambda left: run_all(executor, solve, left, places)
        ):
            checked += 1
            nodes += searched
            advance(1)
            if not true:
                wrong += 1
                facts = {"line": claim.line, "position": claim.position.board_string()}
                facts |= {"lower": claim.lower, "upper": claim.upper}
                said = f"line {claim.line}: {facts['position']} is not {claim.lower:+d} to {claim.upper:+d}"
                click.echo(json.dumps({"wrong": facts}) if as_json else said)
    said = audit_words(len(claims), checked, wrong)
    if as_json:
        click.echo(json.dumps({"claims": len(claims), "checked": checked, "wrong": wrong, "nodes": nodes}))
    else:
        click.echo(f"{said}, {nodes:,} nodes")
    if wrong:
        raise OutflankError(said)


def _name_of(claim: Claim) -> str:
    return f"{claim.position.board_string()} {claim.position.rules} {claim.lower} {claim.upper}"


def _solve_again(hash_mb: int, claim: Claim) -> tuple[bool, int]:
    """Search a claim's position. Return whether the claim is true, and the nodes of the searches. Runs in a worker."""
    nodes = 0
    searcher = shared_searcher(hash_mb=hash_mb)
    for wanted, claimed in ((claim.lower, "lower"), (claim.upper + 1, "upper")):
        if -64 < wanted < 65:
            found = search_keeping(searcher, claim.position, Limit.solve(at_least=wanted))
            nodes += found.nodes
            if found.bound != claimed:
                return False, nodes
    return True, nodes


def audit_words(claims: int, checked: int, wrong: int) -> str:
    """Describe the result of an audit in a sentence."""
    text = f"{checked:,} of {counted(claims, 'claim')} solved again, {wrong:,} wrong"
    if wrong:
        return text
    if checked == claims:
        return f"{text}: all claims are true"
    # The rule of three: if 3 / n of all claims were wrong, n draws would miss all wrong claims with probability < 5 %.
    if checked <= 3:
        return f"{text}: too few to estimate how many of all claims are wrong"
    return f"{text}: with 95 % confidence at most {3 / checked:.2%} of all claims are wrong"
