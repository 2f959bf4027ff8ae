"""The shipped suite of balanced openings, which ``outflank openings make`` made."""

import random
from pathlib import Path

from outflank.engine import Game, Move, Rules, SettingsError

SUITE = Path(__file__).parent / "data" / "balanced.txt"


def is_balanced_for(rules: Rules) -> bool:
    """Whether the suite's openings can be played by the rules: who begins where, and what a move turns."""
    othello = Rules()
    return (rules.start, rules.begins, rules.turns) == (othello.start, othello.begins, othello.turns)


def balanced_openings(count: int, rules: Rules, seed: int) -> list[tuple[Move, ...]]:
    """`count` openings drawn from the suite, different up to symmetry until all have come up.

    Raises: SettingsError if the rules have other moves than Othello's.
    """
    if not is_balanced_for(rules):
        raise SettingsError(
            f"expected rules with Othello's start and moves for balanced openings, got {rules}"
        )
    transcripts = suite()
    random.Random(seed).shuffle(transcripts)
    return [_moves(transcripts[number % len(transcripts)]) for number in range(count)]


def suite() -> list[str]:
    """The transcripts of all openings of the suite."""
    lines = SUITE.read_text(encoding="ascii").splitlines()
    return [transcript for line in lines if (transcript := line.partition("#")[0].strip())]


def _moves(transcript: str) -> tuple[Move, ...]:
    return tuple(turn.move for turn in Game.from_transcript(transcript).turns)
