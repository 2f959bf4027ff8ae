"""Writes proofs of exact scores, which ``check.py`` checks. docs/proofs.md describes the format."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from outflank.engine import IllegalMoveError, Move, NotationError, Position

VERSION = 3
REMEMBERED = 100_000
"""The maximum size of the set of proven boards. Writer and checker clear a full set, which limits their memory."""
# The default and the maximum number of empty squares of boards that the checker searches itself. docs/proofs.md lists
# the sizes of proofs and the times of checks for several numbers of empty squares.
SEARCHED = 6
MOST_SEARCHED = 12
_BOARD_BYTES = 16
_HALVES = 2
_MOST_DEPTH = 128  # the maximum length of a path; valid paths are shorter


class Answers(Protocol):
    """A source of the prover's moves."""

    def answer(self, position: Position, score: int, /) -> Move:
        """Return a move that reaches the score. Raises: SettingsError if no move reaches the score."""
        ...


class Claims(Protocol):
    """A source of bounds that need no proof."""

    def claimed(self, position: Position, wanted: int, reached: bool, /) -> bool:
        """Return whether a claim implies that the side to move reaches `wanted` discs.

        If `reached` is False, return whether a claim implies that the side to move does not reach `wanted` discs.
        """
        ...


@dataclass(frozen=True, slots=True)
class ProofState:
    """The progress of writing a proof, as plain data. It can be stored, and another process can continue the proof.

    Attributes:
        lines: the number of lines that were written.
        half: the half of the proof that is being written: 0 for the lower bound, 1 for the upper bound, 2 if the proof
            is complete.
        path: the steps from the position to the next line. A step consists of the prover's answer, which is empty at
            the root of the upper half, and of the number of replies to this answer whose proof was begun.
        proven: the boards that the checker remembers as proven in this half, 16 bytes each.
    """

    lines: int = 0
    half: int = 0
    path: tuple[tuple[str, int], ...] = ()
    proven: bytes = b""

    @property
    def is_complete(self) -> bool:
        """Whether the last line of the proof was written."""
        return self.half == _HALVES


@dataclass(slots=True)
class _Step:
    """The replies to an answer of the prover.

    Attributes:
        before: the position before the answer; None at the root of the upper half. It is proven when all replies are
            proven.
        answer: the prover's move; empty at the root of the upper half.
        after: the position in which the other side replies.
        begun: the number of replies whose proof was begun.
    """

    before: Position | None
    answer: str
    after: Position
    begun: int = 0
    replies: list[Move] = field(init=False)

    def __post_init__(self) -> None:
        self.replies = list(self.after.legal_moves())


class ProofWriter:
    """Writes the proof of a score line by line. The writer can stop after any line and continue later.

    Args:
        position: the position, under rules by which a move flips discs in every direction.
        score: the exact score in discs for the side to move.
        searched: the maximum number of empty squares of boards that the checker searches; at most MOST_SEARCHED.
        answers: the source of the prover's moves.
        claims: the claims that need no proof; None to prove everything.
        state: the point at which to continue; the default is the beginning.

    Raises: NotationError if `state` is not a state of this proof.
    """

    def __init__(
        self,
        position: Position,
        score: int,
        searched: int,
        answers: Answers,
        claims: Claims | None = None,
        state: ProofState | None = None,
    ) -> None:
        self._position, self._score, self._searched = position, score, searched
        self._answers, self._claims = answers, claims
        state = state or ProofState()
        self.lines, self._half = state.lines, state.half
        self._proven = {state.proven[i : i + _BOARD_BYTES] for i in range(0, len(state.proven), _BOARD_BYTES)}
        self._steps = self._followed(state.path)

    @property
    def state(self) -> ProofState:
        """The point that the writer has reached."""
        path = tuple((step.answer, step.begun) for step in self._steps)
        return ProofState(self.lines, self._half, path, b"".join(sorted(self._proven)))

    @property
    def share(self) -> float:
        """The written share of the proof, from 0 to 1, estimated as if all replies took the same number of lines."""
        share, part = self._half / _HALVES, 1 / _HALVES
        for step in self._steps:
            part /= max(len(step.replies), 1)
            share += part * max(step.begun - (step is not self._steps[-1]), 0)
        return min(share, 1.0)

    def write(self, add: Callable[[str], object], enough: Callable[[], bool] = lambda: False) -> None:
        """Write lines until the proof is complete, or until `enough` returns True after a line.

        Raises: SettingsError if the score is found to be wrong. Errors in boards that the checker searches are not
            found.
        """

        def tell(line: str) -> None:
            self.lines += 1
            add(line)

        if not self.lines:
            self._begin(tell)
        while self._half < _HALVES:
            if not self._steps:
                self._end_half(tell)
                continue
            step = self._steps[-1]
            if step.begun == len(step.replies):
                self._steps.pop()
                if step.before is not None:
                    self._remember(step.before)
                continue
            reply = step.replies[step.begun]
            step.begun += 1
            before = self.lines
            self._prove(step.after.play(reply), str(reply), tell)
            if self.lines > before and enough():
                return

    @property
    def _bound(self) -> int:
        """The score that the prover must reach in this half against all moves of the other side."""
        return -self._score if self._half else self._score

    def _begin(self, add: Callable[[str], object]) -> None:
        rules = self._position.rules
        head = (f"rules {rules}", f"turns {rules.turns}", f"scoring {rules.scoring}")
        for text in (f"outflank proof {VERSION}", *head, f"board {self._position.board_string()}"):
            add(text)
        for text in (f"score {self._score:+d}", f"searched {self._searched}", "lower"):
            add(text)
        if self._score > -64:  # a score of -64 or more needs no proof
            self._prove(self._position, "root", add)

    def _end_half(self, add: Callable[[str], object]) -> None:
        self._half += 1
        self._proven.clear()
        if self._half == _HALVES:
            add("end")
            return
        add("upper")
        if self._score < 64:  # a score of 64 or less needs no proof
            self._steps.append(_Step(None, "", self._position))

    def _prove(self, position: Position, reply: str, add: Callable[[str], object]) -> None:
        """Write the answer to `reply`, which leads to `position`, unless the checker needs no line for `position`."""
        if position.empties <= self._searched or position.is_over or _packed(position) in self._proven:
            return
        if self._claims is not None and reply != "root" and self._claims.claimed(position, self._bound, True):
            add(f"{reply} claim")
            self._remember(position)
            return
        answer = self._answers.answer(position, self._bound)
        after = position.play(answer)
        if self._claims is not None and self._claims.claimed(after, 1 - self._bound, False):
            add(f"{reply} {answer} claim")
            self._remember(position)
            return
        add(f"{reply} {answer}")
        self._steps.append(_Step(position, str(answer), after))

    def _remember(self, position: Position) -> None:
        if len(self._proven) == REMEMBERED:
            self._proven.clear()
        self._proven.add(_packed(position))

    def _followed(self, path: tuple[tuple[str, int], ...]) -> list[_Step]:
        """Return the steps of a path. Raises: NotationError if the path is invalid."""
        steps: list[_Step] = []
        position: Position | None = self._position
        if not 0 <= self._half <= _HALVES or len(path) > _MOST_DEPTH:
            raise NotationError("it leads out of the game")
        for answer, begun in path:
            if position is None or bool(answer) == (self._half == 1 and not steps):
                raise NotationError("a reply or an answer is missing")
            try:
                after = position.play(answer) if answer else position
            except IllegalMoveError as error:
                raise NotationError(str(error)) from None
            step = _Step(position if answer else None, answer, after, begun)
            if not 0 <= begun <= len(step.replies):
                raise NotationError(f"there are not {begun} replies")
            steps.append(step)
            position = after.play(step.replies[begun - 1]) if begun else None
        return steps


def _packed(position: Position) -> bytes:
    return position.own.to_bytes(8, "big") + position.opp.to_bytes(8, "big")
