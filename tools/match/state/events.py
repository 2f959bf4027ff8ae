"""The messages of a run: events that are stored and shown in their order, and updates during a turn."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from pathlib import Path

from outflank.engine import Colour
from outflank.protocol.formats.annotated import AnnotatedMove
from outflank.tools.match.game.results import GameRecord, Pairing
from outflank.tools.match.state.run import Run, RunSettings


@dataclass(frozen=True, slots=True)
class RunOpened:
    """The run has a file. If games are to be played, the engines have been checked.

    Attributes:
        folder: the folder of the run's file.
        run: the run so far.
    """

    folder: Path
    run: Run


@dataclass(frozen=True, slots=True)
class GamesPlanned:
    """Games were planned; later rounds of a Swiss tournament or a knockout add more games.

    Attributes:
        games: the number of planned games, including games already played.
        played: the number of games that already count.
    """

    games: int
    played: int


@dataclass(frozen=True, slots=True)
class GameStarted:
    """A game has started.

    Attributes:
        pairing: the planned game, with the number of the attempt and the time at which the game started.
    """

    pairing: Pairing


@dataclass(frozen=True, slots=True)
class TurnPlayed:
    """A turn was played.

    Attributes:
        game: the number of the game.
        attempt: the number of the attempt to play the pair; see ``Pairing``.
        ply: the number of the turn, 0 for the first.
        turn: the turn.
    """

    game: int
    attempt: int
    ply: int
    turn: AnnotatedMove

    @property
    def discs(self) -> tuple[int, int]:
        """The discs of Black and White after the turn."""
        after = self.turn.after
        return after.discs(Colour.BLACK), after.discs(Colour.WHITE)


@dataclass(frozen=True, slots=True)
class GameEnded:
    """A game that counts has ended.

    Attributes:
        game: the record of the game.
    """

    game: GameRecord


@dataclass(frozen=True, slots=True)
class GameVoided:
    """A game was voided: the game does not count, and its pair is played again.

    Attributes:
        game: the record of the game, with the reason in ``void``. The game may have counted until now.
    """

    game: GameRecord


@dataclass(frozen=True, slots=True)
class Remark:
    """An engine showed behaviour that its author should know about.

    Attributes:
        sentence: the remark, which names the engine.
    """

    sentence: str


@dataclass(frozen=True, slots=True)
class EngineJoined:
    """Engines have joined a standing arena.

    Attributes:
        settings: the run's settings from now on; new engines come last.
    """

    settings: RunSettings


@dataclass(frozen=True, slots=True)
class RunEnded:
    """The session is over, and the run's file is closed.

    Attributes:
        run: the run at the end of the session.
    """

    run: Run


Event = (
    RunOpened
    | GamesPlanned
    | GameStarted
    | TurnPlayed
    | GameEnded
    | GameVoided
    | Remark
    | EngineJoined
    | RunEnded
)


@dataclass(frozen=True, slots=True)
class PairDone:
    """A worker has finished an attempt at a pair of games.

    Attributes:
        pair: the number of the pair.
        failure: a description of the failure of the runner; empty if the runner did not fail.
    """

    pair: int
    failure: str = ""


@dataclass(frozen=True, slots=True)
class TurnBegun:
    """An engine has started to think about its move.

    Attributes:
        game: the number of the game.
        attempt: the number of the attempt to play the pair; see ``Pairing``.
        ply: the number of the turn, 0 for the first.
        allowance: the seconds that the turn may take; None without a clock.
        at: the time of the start, in seconds since 1970.
    """

    game: int
    attempt: int
    ply: int
    allowance: float | None
    at: float


@dataclass(frozen=True, slots=True)
class Thought:
    """A thinking engine has reported on its search.

    Attributes:
        game: the number of the game.
        engine: the name of the engine.
        line: the first 1,000 characters of the engine's report, without control characters.
    """

    game: int
    engine: str
    line: str


LiveUpdate = TurnBegun | Thought
"""An update during a turn. Updates are not stored, and only observers that ask for updates get them."""


class RunObserver(ABC):
    """Follows a run.

    Attributes:
        wants_live_updates: True if ``update`` has to be called.
        wants_dialogues: True if every game record needs a dialogue; False if only games lost by a fault need one.
    """

    wants_live_updates = False
    wants_dialogues = False

    @abstractmethod
    def observe(self, event: Event) -> None:
        """Handle an event after it has been stored; called in the runner's thread."""

    def update(self, update: LiveUpdate) -> None:
        """Handle an update during a turn; may be called from any thread."""
        return
