"""Games and their results: endings, scores, records."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from enum import StrEnum

from outflank.engine import Colour, Move, Position, Rules
from outflank.protocol.formats.annotated import AnnotatedMove, Result, ResultReason


class Ending(StrEnum):
    """The way in which a game ended.

    DISCS, RESIGNATION, ADJUDICATION and AGREEMENT (of the scores that both engines report) are regular endings.
    RUNNER_FAULT is a failure of the runner. All other endings are faults of the loser.
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


_REASONS = {  # the reason that a game file gives for each ending; the reason for all other endings is a forfeit
    Ending.DISCS: ResultReason.DISCS,
    Ending.RESIGNATION: ResultReason.RESIGNATION,
    Ending.ADJUDICATION: ResultReason.AGREEMENT,
    Ending.AGREEMENT: ResultReason.RESIGNATION,
    Ending.TIME: ResultReason.TIME,
    Ending.STALL: ResultReason.TIME,
}


@dataclass(frozen=True, slots=True)
class Pairing:
    """A planned game. A worker gets a pairing as its task, and the events and the record of the game contain it.

    Attributes:
        number: the number of the game, 1 for the first.
        pair: the number of the game's pair, 1 for the first. A pair has two games on one opening with swapped colours.
        names: the names of the engines, by colour.
        opening: the moves given to both sides, without passes.
        round: the round of the tournament, 1 for the first.
        attempt: the number of the attempt to play the pair, 1 for the first. After a void attempt, the pair is played
            again.
        started: the time when the game began, in ISO format with time zone; empty before the game begins.
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

    @property
    def black(self) -> str:
        """The name of Black's engine."""
        return self.names[Colour.BLACK]

    @property
    def white(self) -> str:
        """The name of White's engine."""
        return self.names[Colour.WHITE]

    def begun(self) -> "Pairing":
        """Return a copy with the present time as the start of the game."""
        return replace(self, started=datetime.now(UTC).astimezone().isoformat(timespec="seconds"))


def opening_text(opening: Iterable[Move]) -> str:
    """Return the moves of an opening in the form that run files and tables use: ``f5 d6 c3``."""
    return " ".join(map(str, opening))


@dataclass(frozen=True, slots=True)
class OffClockTime:
    """The time that an engine took for commands that don't ask for a move: set-up, opposing moves, clocks.

    Attributes:
        moves: the number of moves that the engine chose.
        seconds: the total off-clock time before these moves, in seconds.
        longest: the longest off-clock time before a move, in seconds.
        setup: the longest time to set up one game, in seconds.
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
        """The mean off-clock time before a move, in seconds; None without moves."""
        return self.seconds / self.moves if self.moves else None


@dataclass(frozen=True, slots=True)
class Score:
    """The score of an engine in some games.

    Attributes:
        wins: the number of games won, including games that the opponent lost by a fault.
        draws: the number of games drawn.
        losses: the number of games lost, including games that the engine lost by a fault.
        discs: the sum of the disc differences.
        measured: the number of games with a disc difference; a game that ended early may have none.
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
        """The points: 1 for a win, 0.5 for a draw."""
        return self.wins + self.draws / 2

    @property
    def mean_margin(self) -> float | None:
        """The mean disc difference of the games that have a disc difference; None if no game has one."""
        return self.discs / self.measured if self.measured else None


@dataclass(frozen=True, slots=True)
class GameRecord:
    """A game that was played.

    Attributes:
        pairing: the planned game, with the number of the attempt and the time at which it began.
        rules: the rules of the game.
        turns: all turns. Turns of the opening and forced passes have no time.
        winner: the colour of the winner; None for a draw.
        ending: the way in which the game ended.
        detail: a sentence about the ending, such as the fault of an engine; empty after a game played to its end.
        margin: the disc difference for Black under the rules' scoring; after an adjudication, the exact margin; None if
            the game was neither played to the end nor adjudicated.
        dialogue: the lines sent to and received from the engines. A run stores them only for games lost by a fault.
        void: the reason why the game does not count and its pair is played again; empty if the game counts.
        blamed: the engine that lost on time or crashed in a void game; None if no engine was to blame.
        lost_seconds: the seconds of the move on which the loser lost on time or stalled, or the off-clock seconds in
            which its clock ran out; None for all other endings.
        outside: the off-clock time of each engine, by its name; empty in games read from a file, since the file has
            only the sums over all games.
        identities: the name and version that each engine reported, by its name in the run; empty in games read from a
            file, since the file stores the identities for the whole run, not for each game.
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
        """Return the record that a run stores. It has a dialogue only if the game was lost by a fault."""
        return self if self.ending.is_fault or not self.dialogue else replace(self, dialogue=())

    @property
    def first_position(self) -> Position:
        """The start position of the game."""
        return self.turns[0].before if self.turns else Position.start(self.rules)

    @property
    def final_position(self) -> Position:
        """The last position of the game, in which moves are still legal if the game ended early."""
        return self.turns[-1].after if self.turns else self.first_position

    @property
    def transcript(self) -> str:
        """The moves without passes, in the form of ``Game.transcript``."""
        words = [str(turn.move) for turn in self.turns if not turn.move.is_pass]
        return (" " if self.rules.one_direction else "").join(words)

    @property
    def given(self) -> int:
        """The number of turns of the opening, including forced passes."""
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
        """The result in the form of game files; None for a fault of the runner."""
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
        """A clause on how the game ended early, such as ``A loses (crash) at move 5: exited with code 3``."""
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
        """The number of the next move, 1 for the first; passes don't count."""
        return 1 + len(self.turns) - self.forced_passes

    def seconds_of(self, colour: Colour) -> list[float]:
        """Return the seconds of each move that a side chose, and finally ``lost_seconds`` if this side is the loser."""
        taken = [turn.seconds for turn in self.turns if turn.colour is colour and turn.seconds is not None]
        if self.lost_seconds is not None and self.winner is colour.other:
            taken.append(self.lost_seconds)
        return taken

    def colour_of(self, name: str) -> Colour:
        """Return the side that engine `name` played."""
        return Colour.BLACK if self.pairing.black == name else Colour.WHITE

    def points_of(self, name: str) -> float:
        """Return the points of engine `name`: 1 for a win, 0.5 for a draw, 0 for a loss."""
        if self.winner is None:
            return 0.5
        return float(self.winner_name == name)

    def margin_of(self, name: str) -> int | None:
        """Return the disc difference for engine `name`; None if the game has no ``margin``."""
        if self.margin is None:
            return None
        return self.margin if self.colour_of(name) is Colour.BLACK else -self.margin

    def score_of(self, name: str) -> Score:
        """Return the score of this game for engine `name`."""
        points, margin = self.points_of(name), self.margin_of(name)
        return Score(points == 1, points == 0.5, points == 0, margin or 0, margin is not None)


def without_label(detail: str, name: str) -> str:
    """Return `detail`, a sentence about a fault of engine `name`, without the engine's name at the beginning."""
    for label in (f"engine {name}: ", f"engine {name} "):
        detail = detail.removeprefix(label)
    return detail


class Loss(Exception):
    """Raised to end a game because one side resigned or committed a fault.

    Attributes:
        loser: the side that loses.
        ending: the fault or the resignation.
        detail: a sentence about the ending.
        seconds: see ``GameRecord.lost_seconds``.
    """

    def __init__(self, loser: Colour, ending: Ending, detail: str, seconds: float | None = None) -> None:
        super().__init__(detail)
        self.seconds = seconds
        self.loser = loser
        self.ending = ending
        self.detail = detail
