"""Balanced openings: the suite that is shipped, and how ``outflank openings make`` makes one.

Every position some moves into Othello, once up to symmetry, is judged by our engine; those in which neither side is
far ahead are the suite.
"""

import random
from collections.abc import Iterator, Sequence
from itertools import cycle, islice
from operator import itemgetter
from pathlib import Path

from outflank.engine import Colour, Game, Limit, Move, Position, Rules, SettingsError
from outflank.tools.runtime.executor import shared_searcher

SUITE = Path(__file__).parent / "data" / "balanced.txt"
_FIRST_MOVE = "f5"  # the four first moves are images of each other, and this is how games are written down
# A search of few plies decides about most positions: over a sample its score was at most 4 discs off a deep one's.
_SCREEN = Limit(depth=10, selectivity=73)
_SCREEN_DISCS = 4.0


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


def openings_of(moves: int) -> list[tuple[str, Position]]:
    """Return all openings of this many moves, one for each position up to symmetry, and the positions they lead to.

    They are in the order of their transcripts. Eight moves lead to 67,245 positions; six of them, in which the mover
    has to pass, are left out.
    """
    found = [(_FIRST_MOVE, Position.start(Rules()).play(_FIRST_MOVE))]
    for _ in range(moves - 1):
        seen: dict[Position, tuple[str, Position]] = {}
        for transcript, position in found:
            for move in position.legal_moves():
                if not move.is_pass:
                    after = position.play(move)
                    seen.setdefault(after.canonical()[0], (f"{transcript}{move}", after))
        found = list(seen.values())
    return sorted(((text, position) for text, position in found if position.legal_mask()), key=itemgetter(0))


def judge_all(openings: Sequence[tuple[str, Position]], within: float, deep: Limit) -> list[float | None]:
    """Return ``judge`` for each of the openings."""
    return [judge(position, within, deep) for _, position in openings]


def judge(position: Position, within: float, deep: Limit) -> float | None:
    """Return the score of a position from Black's side, in discs; None if one side is more than `within` ahead.

    Args:
        position: the position.
        within: the most discs that one side may be ahead.
        deep: the search that decides.
    """
    searcher = shared_searcher()
    for limit, most in ((_SCREEN, within + _SCREEN_DISCS), (deep, within)):
        searcher.clear()  # the score must not depend on earlier openings
        score = searcher.search(position, limit).score
        if abs(score) > most:
            return None
    return score if position.side is Colour.BLACK else 0.0 - score  # no -0


def _moves(transcript: str) -> tuple[Move, ...]:
    return tuple(turn.move for turn in Game.from_transcript(transcript).turns)
