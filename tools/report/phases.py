"""Discs thrown away, by phases of ten empty squares, and the most expensive single moves."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from outflank.tools.match.game.referee import choices
from outflank.tools.match.game.results import GameRecord

_EMPTIES = 10  # squares to a phase
_PHASES = 6
_MOST_SLIPS = 60


@dataclass(slots=True)
class PhaseTally:
    """Discs thrown away by the moves of a phase.

    Attributes:
        discs: by all of them.
        moves: how many they are.
    """

    discs: float = 0.0
    moves: int = 0

    @property
    def mean(self) -> float | None:
        """Discs a move; None without moves."""
        return self.discs / self.moves if self.moves else None


@dataclass(frozen=True, slots=True)
class Phases:
    """A table of phases, those left out in which nothing is known.

    Attributes:
        columns: the empty squares of each phase, ``60-51`` first.
        rows: by player, a tally for each column.
    """

    columns: tuple[str, ...]
    rows: Mapping[str, tuple[PhaseTally, ...]]


@dataclass(frozen=True, slots=True)
class Slip:
    """A move that threw discs away.

    Attributes:
        game: the game's number.
        ply: 1 for the first turn.
        engine: who made it.
        move: as it is written.
        empties: empty squares before it.
        best: exact margin before it, from the mover's side.
        played: exact margin after it.
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
        """How many were thrown away."""
        return self.best - self.played


@dataclass(slots=True)
class PhaseCounter:
    """Counts moves into phases, by player."""

    _tallies: dict[str, list[PhaseTally]] = field(default_factory=dict)

    def add(self, player: str, empties: int, discs: float) -> None:
        """Count a move that a player made with so many squares empty, and that threw so many discs away."""
        tallies = self._tallies.setdefault(player, [PhaseTally() for _ in range(_PHASES)])
        tally = tallies[max(0, min(empties, 60) - 1) // _EMPTIES]
        tally.discs += discs
        tally.moves += 1

    def table(self, players: Iterable[str]) -> Phases:
        """The table of these players, in this order."""
        rows = {name: self._tallies.get(name) or [PhaseTally() for _ in range(_PHASES)] for name in players}
        known = [
            phase for phase in reversed(range(_PHASES)) if any(row[phase].moves for row in rows.values())
        ]
        return Phases(
            tuple(f"{(phase + 1) * _EMPTIES}-{phase * _EMPTIES + 1}" for phase in known),
            {name: tuple(row[phase] for phase in known) for name, row in rows.items()},
        )


def phases_of(games: Sequence[GameRecord], names: Iterable[str]) -> Phases:
    """The phases of a run, from exact margins."""
    counter = PhaseCounter()
    for game in games:
        for choice in choices(game):
            mover = game.turns[choice.turn]
            counter.add(game.pairing.names[mover.colour], mover.before.empties, choice.best - choice.came)
    return counter.table(names)


def slips_of(games: Sequence[GameRecord]) -> list[Slip]:
    """The moves of a run that threw the most discs away, the worst first."""
    slips = []
    for game in games:
        for choice in choices(game):
            turn = game.turns[choice.turn]
            if choice.best != choice.came:
                engine, number = game.pairing.names[turn.colour], game.pairing.number
                made = (engine, str(turn.move), turn.before.empties, choice.best, choice.came)
                slips.append(Slip(number, choice.turn + 1, *made))
    return sorted(slips, key=lambda slip: -slip.discs)[:_MOST_SLIPS]
