"""Games and their results: endings, scores, records."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from enum import StrEnum

from outflank.engine import Colour, Move, Position, Rules
from outflank.protocol.formats.annotated import AnnotatedMove, Result, ResultReason


class Ending(StrEnum):
    """The end of a game.

    DISCS, RESIGNATION, ADJUDICATION and AGREEMENT (of both engines' own scores) are fair play; RUNNER_FAULT is no
    engine's result. All others are faults of the loser.
    """

    DISCS = "discs"
    RESIGNATION = "resignation"
    ADJUDICATION = "adjudication"
    AGREEMENT = "agreement"
    TIME = "time"
    ILLEGAL_MOVE = "illegal move"
    PROTOCOL_ERROR = "protocol error"
    CRASH = "crash"
    STALL = "stall"
    LINE_LOST = "line lost"
    RUNNER_FAULT = "runner fault"

    @property
    def is_fault(self) -> bool:
        """Whether the loser lost by a fault."""
        return self not in (
            Ending.DISCS,
            Ending.RESIGNATION,
            Ending.ADJUDICATION,
            Ending.AGREEMENT,
            Ending.RUNNER_FAULT,
        )


_REASONS = {  # of a result in a game file; the others are forfeits
    Ending.DISCS: ResultReason.DISCS,
    Ending.RESIGNATION: ResultReason.RESIGNATION,
    Ending.ADJUDICATION: ResultReason.AGREEMENT,
    Ending.AGREEMENT: ResultReason.RESIGNATION,
    Ending.TIME: ResultReason.TIME,
    Ending.STALL: ResultReason.TIME,
}


@dataclass(frozen=True, slots=True)
class Pairing:
    """A game of the schedule: the task of a worker, the event that the game begins, and the head of its record.

    Attributes:
        number: the number of the game, 1 for the first.
        pair: the number of the two games that share an opening with colours swapped, 1 for the first.
        names: the names of the engines, by colour.
        opening: the moves given to both sides, without passes.
        round: the round of the tournament, 1 for the first.
        attempt: 1, and one more for each earlier attempt of its pair that was void.
        started: the time when the game began, in ISO format with time zone; empty before.
    """

    number: int
    pair: int
    names: dict[Colour, str]
    opening: tuple[Move, ...]
    round: int = 1
    attempt: int = 1
    started: str = ""

    @property
    def engines(self) -> frozenset[str]:
        """The names of both engines."""
        return frozenset(self.names.values())

    def begun(self) -> "Pairing":
        """Return the same game, begun now."""
        return replace(self, started=datetime.now(UTC).astimezone().isoformat(timespec="seconds"))


def opening_text(opening: Iterable[Move]) -> str:
    """Return the moves of an opening as records and tables have them: ``f5 d6 c3``."""
    return " ".join(map(str, opening))


@dataclass(frozen=True, slots=True)
class OffClockTime:
    """Time of an engine outside the commands for its moves: to read moves and its clock, and to begin a game.

    Attributes:
        moves: the number of moves that it chose in these games.
        seconds: the seconds in all games, unfinished ones included.
        longest: the most before one move.
        setup: the most for setting up one game.
    """

    moves: int = 0
    seconds: float = 0.0
    longest: float = 0.0
    setup: float = 0.0

    def __add__(self, other: "OffClockTime") -> "OffClockTime":
        return OffClockTime(
            self.moves + other.moves,
            self.seconds + other.seconds,
            max(self.longest, other.longest),
            max(self.setup, other.setup),
        )

    @property
    def mean(self) -> float | None:
        """Seconds a move; None if it made none."""
        return self.seconds / self.moves if self.moves else None


@dataclass(frozen=True, slots=True)
class Score:
    """The score of an engine in some games.

    Attributes:
        wins: the games won, those by a fault of the opponent included.
        draws: the games drawn.
        losses: the games lost, those by a fault of the engine included.
        discs: the sum of the disc differences.
        measured: the number of games with a disc difference; a game that was broken off has none.
    """

    wins: int = 0
    draws: int = 0
    losses: int = 0
    discs: int = 0
    measured: int = 0

    def __add__(self, other: "Score") -> "Score":
        return Score(
            self.wins + other.wins,
            self.draws + other.draws,
            self.losses + other.losses,
            self.discs + other.discs,
            self.measured + other.measured,
        )

    def __sub__(self, other: "Score") -> "Score":
        return self + Score(-other.wins, -other.draws, -other.losses, -other.discs, -other.measured)

    @property
    def of_opponent(self) -> "Score":
        """The score of the other side."""
        return Score(self.losses, self.draws, self.wins, -self.discs, self.measured)

    @property
    def games(self) -> int:
        """The number of games."""
        return self.wins + self.draws + self.losses

    @property
    def points(self) -> float:
        """Wins and half the draws."""
        return self.wins + self.draws / 2

    @property
    def mean_margin(self) -> float | None:
        """Discs per game over the games with a disc difference; None without one."""
        return self.discs / self.measured if self.measured else None


@dataclass(frozen=True, slots=True)
class GameRecord:
    """A game that was played.

    Attributes:
        pairing: the game of the schedule, with its attempt and its start.
        rules: the rules of the game.
        turns: all turns, opening and passes included; these two took no time.
        winner: None for a draw.
        ending: the way in which it ended.
        detail: a sentence about the fault, if it was one.
        margin: disc difference from Black's side by the rules' scoring, the exact one after an adjudication;
            None if it was neither played to the end nor adjudicated.
        dialogue: the lines sent and received. A run keeps them only for games lost by a fault.
        void: the reason why the game does not count and its pair is played again; empty if it counts.
        blamed: the engine whose flag fell or which crashed in a void game; None if no engine was to blame.
        lost_seconds: the seconds of the move on which the loser lost on time or stalled; None for all other endings.
        outside: the off-clock time of each engine, by its name, if this runner played the game; a run keeps sums.
        identities: name and version of each engine in its own words, by its name, if this runner played the game and
            the engine reported them; a run keeps the different ones.
    """

    pairing: Pairing
    rules: Rules
    turns: tuple[AnnotatedMove, ...]
    winner: Colour | None
    ending: Ending
    detail: str
    margin: int | None
    dialogue: tuple[str, ...] = ()
    void: str = ""
    blamed: str | None = None
    lost_seconds: float | None = None
    outside: Mapping[str, OffClockTime] = field(default_factory=dict, compare=False)
    identities: Mapping[str, str] = field(default_factory=dict, compare=False)

    def as_kept(self) -> "GameRecord":
        """Return the record as a run keeps it, without the dialogue of a game that was not lost by a fault."""
        return self if self.ending.is_fault or not self.dialogue else replace(self, dialogue=())

    @property
    def first_position(self) -> Position:
        """The position that the game began with."""
        return self.turns[0].before if self.turns else Position.start(self.rules)

    @property
    def final_position(self) -> Position:
        """The position that the game ended with, played out or not."""
        return self.turns[-1].after if self.turns else self.first_position

    @property
    def transcript(self) -> str:
        """The discs played, as ``Game.transcript`` writes them."""
        words = [str(turn.move) for turn in self.turns if not turn.move.is_pass]
        return (" " if self.rules.one_direction else "").join(words)

    @property
    def given(self) -> int:
        """The number of turns of the opening, forced passes among them."""
        left = len(self.pairing.opening)
        for number, turn in enumerate(self.turns):
            if not left:
                return number
            left -= not turn.move.is_pass
        return len(self.turns)

    @property
    def forced_passes(self) -> int:
        """The number of turns that were passes."""
        return sum(turn.move.is_pass for turn in self.turns)

    @property
    def result(self) -> Result | None:
        """The result as game files have it; None for a fault of the runner."""
        if self.ending is Ending.RUNNER_FAULT:
            return None
        reason = _REASONS.get(self.ending, ResultReason.FORFEIT)
        if self.ending is Ending.AGREEMENT and self.winner is None:
            reason = ResultReason.AGREEMENT
        return Result(self.winner, self.margin, reason)

    @property
    def winner_name(self) -> str | None:
        """The engine that won; None for a draw."""
        return self.pairing.names[self.winner] if self.winner else None

    @property
    def loser_name(self) -> str | None:
        """The engine that lost; None for a draw."""
        return self.pairing.names[self.winner.other] if self.winner else None

    @property
    def early_end(self) -> str:
        """The end of a game that was not played out: ``A loses (crash) at move 5: exited with code 3``."""
        loser, why = self.loser_name, self.detail
        if self.ending is Ending.RESIGNATION:
            return f"{loser} resigns"
        if self.ending is Ending.AGREEMENT:
            return f"{f'{self.winner_name} wins' if loser else 'draw'} by agreement: {why}"
        why = without_label(why, loser or "")
        by = "on time" if self.ending is Ending.TIME else f"({self.ending})"
        return f"{loser} loses {by} at move {self.next_move}" + (f": {why}" if why else "")

    @property
    def next_move(self) -> int:
        """The number of the move that comes next, 1 for the first; passes have none."""
        return 1 + len(self.turns) - self.forced_passes

    def seconds_of(self, colour: Colour) -> list[float]:
        """Return the seconds of the moves that a side chose, with the one on which it lost on time."""
        taken = [turn.seconds for turn in self.turns if turn.colour is colour and turn.seconds is not None]
        if self.lost_seconds is not None and self.winner is colour.other:
            taken.append(self.lost_seconds)
        return taken

    def colour_of(self, name: str) -> Colour:
        """Return the side that engine `name` played."""
        return Colour.BLACK if self.pairing.names[Colour.BLACK] == name else Colour.WHITE

    def points_of(self, name: str) -> float:
        """1 for a win, 0.5 for a draw, 0 for a loss."""
        if self.winner is None:
            return 0.5
        return float(self.winner_name == name)

    def margin_of(self, name: str) -> int | None:
        """Disc difference from the side of engine `name`; None if the game was not played to the end."""
        if self.margin is None:
            return None
        return self.margin if self.colour_of(name) is Colour.BLACK else -self.margin

    def score_of(self, name: str) -> Score:
        """Return the score of this game for engine `name`."""
        points, margin = self.points_of(name), self.margin_of(name)
        return Score(points == 1, points == 0.5, points == 0, margin or 0, margin is not None)


def without_label(detail: str, name: str) -> str:
    """Return a sentence about a fault without the name of the engine at its beginning."""
    for label in (f"engine {name}: ", f"engine {name} "):
        detail = detail.removeprefix(label)
    return detail


class Loss(Exception):
    """A game ends because one side resigned or committed a fault.

    Attributes:
        loser: the side that loses.
        ending: the fault or the resignation.
        detail: a sentence about it.
        seconds: the seconds of the move on which it lost on time or stalled; None for all other endings.
    """

    def __init__(self, loser: Colour, ending: Ending, detail: str, seconds: float | None = None) -> None:
        super().__init__(detail)
        self.seconds = seconds
        self.loser = loser
        self.ending = ending
        self.detail = detail
