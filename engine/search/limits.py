"""The input and output of a search: limits, selectivities, levels and results."""

import math
from dataclasses import dataclass, replace
from numbers import Real
from typing import Any, Literal

from outflank.engine.moves import Move
from outflank.engine.notebook import html_table
from outflank.engine.rules import Result
from outflank.errors import SettingsError, names_keywords, whole

Percent = Literal[73, 87, 95, 98, 99, 100]


@dataclass(frozen=True, slots=True)
class Selectivity:
    """The confidence that the search needs for a selective cut.

    Attributes:
        index: the number of the selectivity in the compiled code; the boldest is 0.
        percent: the selectivity in percent, as users choose it; at 100, the search makes no selective cuts.
        deviations: the margin of cuts, in standard deviations of the shallow search's error.
    """

    index: int
    percent: Percent
    deviations: float


STEPS = (
    Selectivity(0, 73, 1.1),
    Selectivity(1, 87, 1.5),
    Selectivity(2, 95, 2.0),
    Selectivity(3, 98, 2.6),
    Selectivity(4, 99, 3.3),
    Selectivity(5, 100, math.inf),
)
SELECTIVITIES: tuple[Percent, ...] = tuple(step.percent for step in STEPS)
"""The values of ``Limit.selectivity``, in percent."""
BOLDEST, FULL_WIDTH = STEPS[0], STEPS[-1]


def step_of(percent: int) -> Selectivity:
    """Return the selectivity with this percentage.

    Raises: KeyError if `percent` is not in SELECTIVITIES.
    """
    return _BY_PERCENT[percent]


_BY_PERCENT: dict[int, Selectivity] = {step.percent: step for step in STEPS}


Bound = Literal["exact", "lower", "upper"]
_BOARD = 64
_MOST = 1 << 63  # the largest valid number in a limit; no search reaches it
_LONGEST = 1e12  # the longest valid time in seconds; no protocol can express it
USUAL_OVERHEAD = 0.05  # seconds
_PLIES_OF_BRIEF_SEARCH, _NODES_OF_BRIEF_SEARCH = 8, 20_000


def _check_seconds(name: str, value: float, least: float) -> None:
    if not isinstance(value, Real) or not value >= least:
        raise SettingsError(f"expected {name} of at least {least:g}, got {value!r}")
    if value > _LONGEST:
        raise SettingsError(f"{name} must be at most {_LONGEST:g} seconds")


@names_keywords
@dataclass(frozen=True, slots=True)
class Clock:
    """The clock of the side to move at the start of its turn. All times are in seconds.

    Attributes:
        remaining: the remaining time.
        moves: the number of moves that must be made within `remaining`; None for all further moves of the game.
        increment: the time that is added after each move (Fischer).
        period: the length of the Canadian periods that begin when `remaining` is used up; 0 for no periods.
        period_moves: the number of moves that must be made in each period.
        overhead: the time that a move takes outside the search: transmission to the controller, and machine delays.

    Raises: SettingsError if a value is out of range.
    """

    remaining: float
    moves: int | None = None
    increment: float = 0.0
    period: float = 0.0
    period_moves: int = 0
    overhead: float = USUAL_OVERHEAD

    def __post_init__(self) -> None:
        # The remaining time may be negative, since only the referee decides whether a flag has fallen.
        _check_seconds("remaining", self.remaining, -_LONGEST)
        for name in ("increment", "period", "overhead"):
            _check_seconds(name, getattr(self, name), 0.0)
        if self.moves is not None:
            object.__setattr__(self, "moves", whole("moves", self.moves, 1))
        object.__setattr__(self, "period_moves", whole("period_moves", self.period_moves, 0))


@names_keywords
@dataclass(frozen=True, slots=True)
class Limit:
    """The limits of a search. The search stops at the first limit that it reaches.

    ``Limit.solve()`` returns the limits for a search to the end of the game.

    Attributes:
        depth: the depth in plies. At a selectivity of 100, a search to the end of the game is exact.
        nodes: the number of boards reached by making a move, including those in the shallow searches for ordering and
            ProbCut.
        seconds: the wall time for this move.
        clock: a game clock, by which the search plans its time.
        exact_from: the maximum number of empty squares at which the search goes to the end, whatever `depth` is.
        selectivity: one of SELECTIVITIES. Below 100, the search makes cuts by shallow searches. With None, it is 100
            for a search to a depth or to the end of the game, and the most efficient value if only time or nodes are
            limited.
        wld: True to find only the winner; see ``Line.result``.
        at_least: a score in discs, -63 to 64. The search to the end finds only whether the side to move reaches this
            score. The result is a lower bound that is at least this score, or an upper bound below it. This limit needs
            a `multipv` of 1.
    """

    depth: int | None = None
    nodes: int | None = None
    seconds: float | None = None
    clock: Clock | None = None
    exact_from: int | None = None
    selectivity: Percent | None = None
    wld: bool = False
    at_least: int | None = None

    def __post_init__(self) -> None:
        for name, value, least in (
            ("depth", self.depth, 1),
            ("nodes", self.nodes, 1),
            ("exact_from", self.exact_from, 0),
        ):
            if value is not None:
                object.__setattr__(self, name, whole(name, value, least, _MOST))
        if self.at_least is not None:
            object.__setattr__(self, "at_least", whole("at_least", self.at_least, 1 - _BOARD, _BOARD))
            if self.wld:
                raise SettingsError("wld and at_least are mutually exclusive: use one of them")
        if self.seconds is not None and self.seconds != math.inf:
            _check_seconds("seconds", self.seconds, 0.0)
        if self.clock is not None and not isinstance(self.clock, Clock):
            raise SettingsError(f"expected a Clock, such as Clock(remaining=60.0), got {self.clock!r}")
        if self.selectivity not in (None, *SELECTIVITIES):
            expected = ", ".join(map(str, SELECTIVITIES))
            raise SettingsError(f"expected one of the selectivities {expected}, got {self.selectivity!r}")

    @classmethod
    def solve(
        cls, *, selectivity: Percent | None = None, wld: bool = False, at_least: int | None = None
    ) -> "Limit":
        """Return the limits for a search to the end of the game, without any other limit."""
        return cls(exact_from=_BOARD, selectivity=selectivity, wld=wld, at_least=at_least)

    @property
    def is_timed(self) -> bool:
        """Whether there is a time limit."""
        return self.seconds is not None or self.clock is not None

    @property
    def is_brief(self) -> bool:
        """Whether few plies or few nodes are allowed, so that a search takes at most about a tenth of a second."""
        nodes = self.nodes is not None and self.nodes <= _NODES_OF_BRIEF_SEARCH
        return nodes or (
            self.depth is not None and self.depth <= _PLIES_OF_BRIEF_SEARCH and self.exact_from is None
        )

    def ends_search(self, empties: int) -> bool:
        """Return whether this limit ends a search of a position with `empties` empty squares."""
        solved = self.exact_from is not None and empties <= self.exact_from
        return solved or (self.depth, self.nodes, self.seconds, self.clock) != (None,) * 4


@dataclass(frozen=True, slots=True, repr=False)
class Line:
    """A move of the searched position, with its score and its principal variation.

    Attributes:
        move: the move.
        score: the expected final disc difference for the side to move, by the rules' scoring.
        pv: the principal variation, which begins with `move`. If the score is exact, the line leads to the end of the
            game with this score. It may be shorter if the table had no room for its moves or the search was stopped.
        bound: the relation of the score to the true score: ``lower`` or ``upper`` if the limit `wld` or `at_least`
            makes the score a bound in discs; otherwise ``exact``, even if the score is an estimate.
        result: a win, draw or loss for the side to move under the rules. It is known if the search was exact, or if
            `wld` was set and the search reached the end of the game; else None.
    """

    move: Move
    score: float
    pv: tuple[Move, ...]
    bound: Bound = "exact"
    result: Result | None = None

    def __repr__(self) -> str:
        return f"<Line {_score_text(self)}: {' '.join(map(str, self.pv))}>"


_BOUND_SIGNS: dict[Bound, str] = {"exact": "", "lower": "at least ", "upper": "at most "}


def _score_text(line: Line) -> str:
    return f"{line.move} {_BOUND_SIGNS[line.bound]}{line.score:+.4g}"


@dataclass(frozen=True, slots=True, repr=False)
class SearchInfo:
    """The progress of a search.

    Attributes:
        depth: the depth, in plies, of the last finished iteration; the number of empty squares if this iteration
            reached the end of the game.
        selectivity: the selectivity of the last finished iteration, in percent.
        exact: True if scores, bounds and results are proven, since the search reached the end of the game at 100 %.
        nodes: the number of boards reached so far.
        seconds: the wall time so far.
        lines: the lines of the `multipv` best moves, the best first.
    """

    depth: int
    selectivity: Percent
    exact: bool
    nodes: int
    seconds: float
    lines: tuple[Line, ...]

    @property
    def score(self) -> float:
        """The score of the best move, in discs for the side to move."""
        return self.lines[0].score

    @property
    def bound(self) -> Bound:
        """The relation of `score` to the true score; see ``Line.bound``."""
        return self.lines[0].bound

    @property
    def result(self) -> Result | None:
        """The proven result of the best move, for the side to move; see ``Line.result``."""
        return self.lines[0].result

    @property
    def pv(self) -> tuple[Move, ...]:
        """The principal variation of the best move."""
        return self.lines[0].pv

    def rows(self) -> list[dict[str, Any]]:
        """Return a row of plain values for each line, for example for a DataFrame. Moves are converted to texts.

        Each row has ``move``, ``score``, ``bound``, ``result`` and ``pv`` of its line, and ``depth``, ``selectivity``,
        ``exact``, ``nodes`` and ``seconds`` of the search.
        """
        return [
            {
                "move": str(line.move),
                "score": line.score,
                "bound": line.bound,
                "result": line.result,
                "pv": " ".join(map(str, line.pv)),
                "depth": self.depth,
                "selectivity": self.selectivity,
                "exact": self.exact,
                "nodes": self.nodes,
                "seconds": self.seconds,
            }
            for line in self.lines
        ]

    def __str__(self) -> str:
        """Describe the best move and the search: ``d3 +0.84, 8 plies at 73 %, 4,711 nodes in 0.02 s``."""
        plies = "exact" if self.exact else f"{self.depth} plies at {self.selectivity} %"
        return f"{_score_text(self.lines[0])}, {plies}, {self.nodes:,} nodes in {self.seconds:.2f} s"

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self}>"

    def _repr_html_(self) -> str:
        """Return an HTML table of the lines for notebooks."""
        shown = ("move", "score", "bound", "result", "pv")
        return html_table(({name: row[name] for name in shown} for row in self.rows()), str(self))


@dataclass(frozen=True, slots=True, repr=False)
class SearchResult(SearchInfo):
    """The result of a finished or stopped search.

    Attributes:
        stopped: True if ``stop`` ended the search; False if a limit ended it.
    """

    stopped: bool = False

    @property
    def move(self) -> Move:
        """The move to play; a pass if it is the only move. It is legal even if the search was stopped immediately."""
        return self.lines[0].move


HIGHEST_LEVEL = 60
DEFAULT_LEVEL = 10
# Levels above 10 search to the end selectively if the number of empty squares exceeds ``exact_from`` by at most the
# first number of a pair. The second number is the selectivity.
_SELECTIVE_ENDGAMES: tuple[tuple[int, Percent], ...] = ((3, 98), (6, 87))


def exact_from(level: int) -> int:
    """Return the maximum number of empty squares in positions that a level solves exactly."""
    return 2 * level if level <= 10 else 20 + 4 * (level - 10) // 11


def limit_for_level(level: int, empties: int) -> Limit:
    """Return the limits of a level (0 to 60) for a position with `empties` empty squares.

    Raises: SettingsError if one of the arguments is out of range.
    """
    level, empties = whole("level", level, -(2**31)), whole("empties", empties, 0, _BOARD)
    if not 0 <= level <= HIGHEST_LEVEL:
        raise SettingsError(f"expected a level from 0 to {HIGHEST_LEVEL}, got {level}")
    to_the_end = max(empties, 1)
    if empties <= exact_from(level):
        return Limit(depth=to_the_end)
    if level > 10:
        for further, selectivity in _SELECTIVE_ENDGAMES:
            if empties <= exact_from(level) + further:
                return Limit(depth=to_the_end, selectivity=selectivity)
    return Limit(depth=max(level, 1), selectivity=BOLDEST.percent)


LIMIT_KEYWORDS = ("depth", "nodes", "seconds", "level")
"""The keyword arguments of a search that may be given instead of a Limit."""


def limit_from(
    limit: Limit | None,
    empties: int,
    depth: int | None,
    nodes: int | None,
    seconds: float | None,
    level: int | None,
) -> Limit | None:
    """Return the limit that the arguments of a search give: a Limit or LIMIT_KEYWORDS; None if all arguments are None.

    Raises: SettingsError if the arguments contradict each other.
    """
    if (depth, nodes, seconds, level) == (None,) * 4:
        if limit is not None and not isinstance(limit, Limit):
            raise SettingsError(f"expected a Limit, such as Limit(depth=8), or depth=8; got {limit!r}")
        return limit
    if limit is not None:
        raise SettingsError(f"give a Limit or the arguments {', '.join(LIMIT_KEYWORDS)}, not both")
    if level is None:
        return Limit(depth, nodes, seconds)
    if depth is not None:
        raise SettingsError("level and depth are mutually exclusive: a level sets its own depth")
    return replace(limit_for_level(level, empties), nodes=nodes, seconds=seconds)
