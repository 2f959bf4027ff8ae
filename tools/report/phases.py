"""Discs lost, by phases of ten empty squares, and the most costly moves."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from outflank.tools.match.game.referee import choices
from outflank.tools.match.game.results import GameRecord

_EMPTIES = 10  # squares to a phase
_PHASES = 6
_MOST_SLIPS = 60
PhaseTable = tuple[list[str], Mapping[str, list[tuple[float, int]]]]
"""The phases that have moves, ``60-51`` first; and for each player the discs lost and the moves of each phase."""


def phase_table(players: Iterable[str], moves: Iterable[tuple[str, int, float]]) -> PhaseTable:
    """Return the table of some moves.

    Args:
        players: the names of the players, in the order of the table.
        moves: the player, the number of empty squares, and the discs that the move threw away.
    """
    rows = {name: [(0.0, 0)] * _PHASES for name in players}
    for player, empties, discs in moves:
        phase = _PHASES - 1 - (max(1, min(empties, 60)) - 1) // _EMPTIES
        lost, count = rows[player][phase]
        rows[player][phase] = (lost + discs, count + 1)
    known = [phase for phase in range(_PHASES) if any(row[phase][1] for row in rows.values())]
    return (
        [f"{60 - phase * _EMPTIES}-{51 - phase * _EMPTIES}" for phase in known],
        {name: [row[phase] for phase in known] for name, row in rows.items()},
    )


def phases_of(games: Sequence[GameRecord], names: Iterable[str]) -> PhaseTable:
    """Return the table of a run's phases, from exact margins."""
    return phase_table(
        names,
        (
            (game.pairing.names[game.turns[turn].colour], game.turns[turn].before.empties, best - came)
            for game in games
            for turn, best, came in choices(game)
        ),
    )


def slips_of(games: Sequence[GameRecord]) -> list[dict[str, Any]]:
    """Return the moves of a run that lost the most discs, the worst first; margins are the mover's."""
    slips: list[dict[str, Any]] = [
        {
            "game": game.pairing.number,
            "ply": number + 1,
            "engine": game.pairing.names[turn.colour],
            "move": str(turn.move),
            "empties": turn.before.empties,
            "best": best,
            "played": came,
            "discs": best - came,
        }
        for game in games
        for number, best, came in choices(game)
        for turn in [game.turns[number]]
        if best != came
    ]
    return sorted(slips, key=lambda slip: -slip["discs"])[:_MOST_SLIPS]
