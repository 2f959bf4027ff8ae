"""Discs lost, by phases of ten empty squares, and the most costly moves."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from outflank.tools.match.game.referee import choices
from outflank.tools.match.game.results import GameRecord

_EMPTIES = 10  # squares to a phase
_PHASES = 6
_MOST_SLIPS = 60


@dataclass(slots=True)
class PhaseTally:
    """The discs lost by the moves of a phase.

    Attributes:
        discs: the discs lost by all moves.
        moves: the number of moves.
    """

    discs: float = 0.0
    moves: int = 0

    @property
    def mean(self) -> float | None:
        """The discs lost by a move; None without moves."""
        return self.discs / self.moves if self.moves else None


@dataclass(frozen=True, slots=True)
class Phases:
    """A table of phases without those that have no moves.

    Attributes:
        columns: the empty squares of each phase, ``60-51`` first.
        rows: a tally for each column, by player.
    """

    columns: tuple[str, ...]
    rows: Mapping[str, tuple[PhaseTally, ...]]


@dataclass(frozen=True, slots=True)
class Slip:
    """A move that lost discs.

    Attributes:
        game: the game's number.
        ply: the ply, 1 for the first turn.
        engine: the name of the engine.
        move: the move as text.
        empties: the empty squares before it.
        best: the exact margin before it, from the mover's side.
        played: the exact margin after it.
    """

    game: int
    ply: int
    engine: str
    move: str
    empties: int
    best: int
    played: int

    @property
    def discs(self) -> int:
        """The discs lost."""
        return self.best - self.played


def phase_table(players: Iterable[str], moves: Iterable[tuple[str, int, float]]) -> Phases:
    """Return the table of players, in their order.

    Args:
        players: the names of the players.
        moves: the player, the number of empty squares, and the discs that the move threw away.
    """
    rows = {name: [PhaseTally() for _ in range(_PHASES)] for name in players}
    for player, empties, discs in moves:
        tally = rows[player][max(0, min(empties, 60) - 1) // _EMPTIES]
        tally.discs += discs
        tally.moves += 1
    known = [phase for phase in reversed(range(_PHASES)) if any(row[phase].moves for row in rows.values())]
    return Phases(
        tuple(f"{(phase + 1) * _EMPTIES}-{phase * _EMPTIES + 1}" for phase in known),
        {name: tuple(row[phase] for phase in known) for name, row in rows.items()},
    )


def phases_of(games: Sequence[GameRecord], names: Iterable[str]) -> Phases:
    """Return the phases of a run, from exact margins."""
    return phase_table(
        names,
        (
            (game.pairing.names[game.turns[turn].colour], game.turns[turn].before.empties, best - came)
            for game in games
            for turn, best, came in choices(game)
        ),
    )


def slips_of(games: Sequence[GameRecord]) -> list[Slip]:
    """Return the moves of a run that lost the most discs, the worst first."""
    slips = []
    for game in games:
        for number, best, came in choices(game):
            turn = game.turns[number]
            if best != came:
                made = (game.pairing.names[turn.colour], str(turn.move), turn.before.empties, best, came)
                slips.append(Slip(game.pairing.number, number + 1, *made))
    return sorted(slips, key=lambda slip: -slip.discs)[:_MOST_SLIPS]
