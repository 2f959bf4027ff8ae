"""What a search is given and what it gives back: plain dataclasses."""

from dataclasses import dataclass

from outflank.engine.errors import SettingsError
from outflank.engine.moves import Move


@dataclass(frozen=True, slots=True)
class Clock:
    """The mover's clock as his turn begins; all times in seconds.

    Attributes:
        remaining: time left, for all moves to come or for the next `moves`.
        moves: moves that must be made within `remaining`; None if it has to last for the game.
        increment: added after each move (Fischer).
        period: length of the Canadian period that begins when `remaining` is used up; 0 if none does.
        period_moves: moves due in each such period.
    """

    remaining: float
    moves: int | None = None
    increment: float = 0.0
    period: float = 0.0
    period_moves: int = 0


@dataclass(frozen=True, slots=True)
class Limit:
    """When a search shall stop; whichever limit is met first. No limit at all means: solve the position.

    Attributes:
        depth: plies to search; an exact solve of fewer empties than that is exact.
        nodes: boards reached by making a move, ordering and probes included.
        seconds: wall time for this move.
        clock: a game clock, from which the search chooses its own time.
        exact_from: solve exactly once at most this many squares are empty, whatever `depth` says.
    """

    depth: int | None = None
    nodes: int | None = None
    seconds: float | None = None
    clock: Clock | None = None
    exact_from: int | None = None

    def __post_init__(self) -> None:
        for name, least in (("depth", 1), ("nodes", 1), ("seconds", 0), ("exact_from", 0)):
            value = getattr(self, name)
            if value is not None and not value >= least:
                raise SettingsError(f"expected {name} of at least {least}, got {value!r}")


@dataclass(frozen=True, slots=True)
class SearchInfo:
    """How far a search has come. Scores are in discs from the side to move.

    Attributes:
        depth: plies of the last finished iteration; the number of empties if it was exact.
        score: expected final disc difference by the rules' scoring.
        exact: whether `score` is proven.
        nodes: boards reached so far.
        seconds: wall time so far.
        pv: the best line found, this position's move first; may be empty if the game is over.
    """

    depth: int
    score: float
    exact: bool
    nodes: int
    seconds: float
    pv: tuple[Move, ...]


@dataclass(frozen=True, slots=True)
class SearchResult(SearchInfo):
    """What a finished or stopped search found.

    Attributes:
        move: the move to play: legal always, however early the search was stopped; a pass if there is no other.
        stopped: whether ``Searcher.stop`` ended it.
    """

    move: Move
    stopped: bool = False
