"""Discs lost, by phases of ten empty squares, and the most costly moves."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

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


@dataclass(slots=True)
class PhaseCounter:
    """Counts moves into phases, by player."""

    _tallies: dict[str, list[PhaseTally]] = field(default_factory=dict)

    def add(self, player: str, empties: int, discs: float) -> None:
        """Count a player's move by its empty squares and the discs lost."""
        tallies = self._tallies.setdefault(player, [PhaseTally() for _ in range(_PHASES)])
        tally = tallies[max(0, min(empties, 60) - 1) // _EMPTIES]
        tally.discs += discs
        tally.moves += 1

    def table(self, players: Iterable[str]) -> Phases:
        """Return the table of these players, in this order."""
        rows = {name: self._tallies.get(name) or [PhaseTally() for _ in range(_PHASES)] for name in players}
        known = [
            phase for phase in reversed(range(_PHASES)) if any(row[phase].moves for row in rows.values())
        ]
        return Phases(
            tuple(f"{(phase + 1) * _EMPTIES}-{phase * _EMPTIES + 1}" for phase in known),
            {name: tuple(row[phase] for phase in known) for name, row in rows.items()},
        )


def phases_of(games: Sequence[GameRecord], names: Iterable[str]) -> Phases:
    """Return the phases of a run, from exact margins."""
    counter = PhaseCounter()
    for game in games:
        for choice in choices(game):
            mover = game.turns[choice.turn]
            counter.add(game.pairing.names[mover.colour], mover.before.empties, choice.best - choice.came)
    return counter.table(names)


def slips_of(games: Sequence[GameRecord]) -> list[Slip]:
    """Return the moves of a run that lost the most discs, the worst first."""
    slips = []
    for game in games:
        for choice in choices(game):
            turn = game.turns[choice.turn]
            if choice.best != choice.came:
                engine, number = game.pairing.names[turn.colour], game.pairing.number
                made = (engine, str(turn.move), turn.before.empties, choice.best, choice.came)
                slips.append(Slip(number, choice.turn + 1, *made))
    return sorted(slips, key=lambda slip: -slip.discs)[:_MOST_SLIPS]
