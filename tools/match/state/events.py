"""The events of a run, a small record each: stored, shown and printed in their order."""

from dataclasses import dataclass
from typing import Any

from outflank.engine import Colour
from outflank.protocol.formats.annotated import AnnotatedMove
from outflank.tools.match.game.results import GameRecord, Pairing, opening_text
from outflank.tools.match.state.run import RunSettings


@dataclass(frozen=True, slots=True)
class Planned:
    """The number of games is known; in a Swiss tournament or a knockout more may come.

    Attributes:
        games: how many in all, those already played included.
        played: how many of them count already.
    """

    games: int
    played: int


@dataclass(frozen=True, slots=True)
class TurnPlayed:
    """A turn was played.

    Attributes:
        game: the number of the game.
        attempt: the attempt of its pairing.
        ply: 0 for the first turn.
        turn: the turn.
    """

    game: int
    attempt: int
    ply: int
    turn: AnnotatedMove

    @property
    def discs(self) -> tuple[int, int]:
        """Of Black and White after it."""
        after = self.turn.after
        return after.discs(Colour.BLACK), after.discs(Colour.WHITE)


Event = Planned | Pairing | TurnPlayed | GameRecord | str | RunSettings
"""A pairing is a game that begins; a record is one that has ended, or does not count if it is void.

A sentence is a remark about an engine.
Settings are the run's settings from now on: an engine has entered a standing arena.
"""


@dataclass(frozen=True, slots=True)
class TurnBegun:
    """An engine begins to think.

    Attributes:
        game: the number of the game.
        attempt: the attempt of its pairing.
        ply: 0 for the first turn.
        allowance: seconds that it may take; None without a clock.
        at: when, in seconds since 1970.
    """

    game: int
    attempt: int
    ply: int
    allowance: float | None
    at: float


@dataclass(frozen=True, slots=True)
class Thought:
    """A line in which an engine reports what it thinks while it does.

    Attributes:
        game: the number of the game.
        engine: its name.
        line: as it wrote it, without control characters.
    """

    game: int
    engine: str
    line: str


Glimpse = TurnBegun | Thought
"""What happens during a turn: nothing of it is stored, so it goes to those who watch and past the state."""


def described(event: Event) -> dict[str, Any]:
    """The event as plain data, for a line of ``--json``; margins are Black's, times in seconds."""
    match event:
        case Planned(games, played):
            return {"event": "planned", "games": games, "played": played}
        case Pairing(attempt=attempt, started=started):
            return {"event": "game-started", **_names(event), "attempt": attempt, "started": started}
        case TurnPlayed(game, attempt, ply, turn):
            return {
                "event": "turn",
                "game": game,
                "attempt": attempt,
                "ply": ply,
                "move": str(turn.move),
                "seconds": None if turn.seconds is None else round(turn.seconds, 6),
                "discs": event.discs,
            }
        case GameRecord(void=""):
            return {"event": "game-ended", **_result(event)}
        case GameRecord(void=reason, blamed=engine):
            return {"event": "game-voided", **_result(event), "reason": reason, "engine": engine}
        case str():
            return {"event": "remark", "remark": event}
        case RunSettings(names=names):
            return {"event": "entered", "engines": list(names)}


def _names(pairing: Pairing) -> dict[str, Any]:
    return {
        "game": pairing.number,
        "pair": pairing.pair,
        "round": pairing.round,
        "black": pairing.names[Colour.BLACK],
        "white": pairing.names[Colour.WHITE],
        "opening": opening_text(pairing.opening),
    }


def _result(game: GameRecord) -> dict[str, Any]:
    return {
        **_names(game.pairing),
        "attempt": game.pairing.attempt,
        "winner": game.winner_name,
        "ending": str(game.ending),
        "detail": game.detail,
        "margin": game.margin,
        "transcript": game.transcript,
    }
