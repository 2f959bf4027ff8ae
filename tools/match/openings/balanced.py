"""Balanced openings: the suite that is shipped, and how ``outflank openings make`` makes one.

Every position some moves into Othello, once up to symmetry, is judged by our engine; those in which neither side is
far ahead are the suite.
"""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import cycle, islice
from pathlib import Path

from outflank.engine import Colour, Game, Limit, Move, Position, Rules, SettingsError
from outflank.engine.search.limits import Percent
from outflank.tools.runtime.executor import shared_searcher

SUITE = Path(__file__).parent / "data" / "balanced.txt"
_FIRST_MOVE = "f5"  # the four first moves are images of each other, and this is how games are written down
# A search of few plies decides about most positions: over a sample its score was at most 4 discs off a deep one's.
_SCREEN = Limit(depth=10, selectivity=73)
_SCREEN_DISCS = 4.0


@dataclass(frozen=True, slots=True)
class BalanceSearch:
    """The search that judges an opening.

    Attributes:
        within: the most discs that one side may be ahead.
        depth: plies to search.
        selectivity: of that search, a member of SELECTIVITIES.
    """

    within: float = 2.0
    depth: int = 14
    selectivity: Percent = 73


@dataclass(frozen=True, slots=True)
class CandidateOpening:
    """Moves and the position they lead to.

    Attributes:
        moves: from the start of a game of Othello.
        position: after them.
    """

    moves: tuple[Move, ...]
    position: Position

    def __str__(self) -> str:
        return "".join(map(str, self.moves))


def balanced_openings(count: int, rules: Rules, seed: int) -> Iterator[tuple[Move, ...]]:
    """`count` openings drawn from the suite, different up to symmetry until all have come up.

    Raises: SettingsError if the rules have other moves than Othello's.
    """
    if not rules.has_othello_moves:
        raise SettingsError(
            f"balanced openings are for rules with Othello's start and moves, not for {rules}"
        )
    transcripts = suite()
    random.Random(seed).shuffle(transcripts)
    return map(_moves, islice(cycle(transcripts), count))


def suite() -> list[str]:
    """The transcripts of all openings of the suite."""
    lines = SUITE.read_text(encoding="ascii").splitlines()
    return [transcript for line in lines if (transcript := line.partition("#")[0].strip())]


def openings_of(moves: int) -> list[CandidateOpening]:
    """All openings of this many moves, one for each position up to symmetry, in the order of their transcripts.

    Eight moves lead to 67,245 positions; six of them, in which the mover has to pass, are left out.
    """
    start = Position.start(Rules())
    first = start.parse_move(_FIRST_MOVE)
    found = [CandidateOpening((first,), start.play(first))]
    for _ in range(moves - 1):
        seen: dict[Position, CandidateOpening] = {}
        for opening in found:
            for move in opening.position.legal_moves():
                if not move.is_pass:
                    after = opening.position.play(move)
                    seen.setdefault(after.canonical()[0], CandidateOpening((*opening.moves, move), after))
        found = list(seen.values())
    return sorted((opening for opening in found if opening.position.legal_mask()), key=str)


def judge_all(judgement: BalanceSearch, openings: Sequence[CandidateOpening]) -> list[float | None]:
    """``judge`` for each of the openings."""
    return [judge(judgement, opening) for opening in openings]


def judge(judgement: BalanceSearch, opening: CandidateOpening) -> float | None:
    """The score of the position from Black's side, in discs; None if one side is too far ahead."""
    searcher = shared_searcher()
    deep = Limit(depth=judgement.depth, selectivity=judgement.selectivity)
    for limit, most in ((_SCREEN, judgement.within + _SCREEN_DISCS), (deep, judgement.within)):
        searcher.clear()  # the score must not depend on earlier openings
        score = searcher.search(opening.position, limit).score
        if abs(score) > most:
            return None
    return score if opening.position.side is Colour.BLACK else 0.0 - score  # no -0


def _moves(transcript: str) -> tuple[Move, ...]:
    return tuple(turn.move for turn in Game.from_transcript(transcript).turns)
