"""The adjustable parameters of the search, with meanings, defaults and ranges; docs/search.md lists them.

Every searcher has its own parameters. ``outflank tune`` optimises their values by playing games.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, TypeVar

from outflank.errors import SettingsError

_Number = TypeVar("_Number", int, float)
_LONGEST_SHOWN = 40  # the number of characters of a refused value that an error message shows


@dataclass(frozen=True, slots=True)
class Parameter:
    """An adjustable parameter.

    Attributes:
        name: the name of the field in ``Parameters``.
        default: the default value; an int if the parameter accepts only whole numbers.
        least: the smallest valid value.
        most: the largest valid value.
        meaning: the effect of the parameter, with its unit.
        fitted: the command whose results determined the default.
    """

    name: str
    default: float
    least: float
    most: float
    meaning: str
    fitted: str

    @property
    def is_whole(self) -> bool:
        """Whether the parameter accepts only whole numbers."""
        return isinstance(self.default, int)

    def read(self, text: str) -> float:
        """Parse a value of the parameter.

        Raises: SettingsError if `text` is not a number of the right kind, or if the number is out of range.
        """
        try:
            value = int(text) if self.is_whole else float(text)
        except ValueError:
            value = None
        if value is None or not self.least <= value <= self.most:
            kind = "a whole number" if self.is_whole else "a number"
            shown = f"expected {kind} from {self.least:g} to {self.most:g} for {self.name}"
            raise SettingsError(f"{shown}, got {text[:_LONGEST_SHOWN]!r}")
        return value


_MATCH, _BENCH, _SOLVE = "outflank match", "outflank bench", "outflank solve"


def _number(default: _Number, least: _Number, most: _Number, meaning: str, fitted: str) -> _Number:
    about: dict[str, Any] = {"least": least, "most": most, "meaning": meaning, "fitted": fitted}
    return field(default=default, metadata=about)


def _deviations(empties: str, depths: str, default: float = 1.1, fitted: str = _MATCH) -> float:
    meaning = (
        f"ProbCut at 73 %: margin in standard deviations with {empties} empty squares, {depths}; "
        "the other selectivities scale with it"
    )
    return _number(default, 0.3, 3.5, meaning, fitted)


@dataclass(frozen=True, slots=True)
class Parameters:
    """The values of all parameters. A field's metadata has its ``Parameter``'s attributes except name and default."""

    mpc_t_early_low: float = _deviations("41 or more", "up to 8 plies")
    mpc_t_early_high: float = _deviations("41 or more", "9 plies or more")
    mpc_t_middle_low: float = _deviations("21 to 40", "up to 8 plies")
    mpc_t_middle_high: float = _deviations("21 to 40", "9 plies or more")
    mpc_t_late_low: float = _deviations("20 or fewer", "up to 8 plies", 1.3, _SOLVE)
    mpc_t_late_high: float = _deviations("20 or fewer", "9 plies or more")
    mpc_probe: float = _number(
        0.5,
        0.0,
        2.0,
        "ProbCut: share of the margin by which the evaluation must lie beyond the window too",
        _MATCH,
    )
    mpc_from_depth: int = _number(2, 2, 64, "ProbCut: minimum depth in plies", _BENCH)
    lmr_from_depth: int = _number(6, 5, 64, "late-move reductions: minimum depth in plies", _MATCH)
    lmr_from_move: int = _number(
        3, 1, 64, "late-move reductions: number of first moves searched to full depth", _MATCH
    )
    lmr_plies: int = _number(2, 0, 4, "late-move reductions: reduction in plies; 0 for none", _BENCH)
    window: int = _number(
        3, 1, 64, "aspiration window in midgame searches: discs on each side of the last score", _BENCH
    )
    window_end: int = _number(
        1, 1, 64, "aspiration window in searches to the end: the same, one more around an odd score", _SOLVE
    )
    presearch_from_depth: int = _number(
        4, 2, 64, "move ordering: minimum depth for using the evaluation's tables", _MATCH
    )
    presearch1_from_depth: int = _number(
        10, 2, 64, "move ordering: minimum depth for a search of one ply", _BENCH
    )
    presearch2_from_depth: int = _number(
        16, 4, 64, "move ordering: minimum depth for a search of two plies", _BENCH
    )
    presearch1_from_empties: int = _number(
        17, 12, 64, "the same in searches to the end: minimum empty squares for one ply", _SOLVE
    )
    presearch2_from_empties: int = _number(
        22, 12, 64, "the same in searches to the end: minimum empty squares for two plies", _SOLVE
    )
    leaf_early: float = _number(
        4.0,
        0.5,
        32.0,
        "leaves with 41 or more empty squares: discs beyond the window at which the network is omitted",
        _BENCH,
    )
    leaf_middle: float = _number(7.0, 0.5, 32.0, "the same with 21 to 40 empty squares", _BENCH)
    leaf_late: float = _number(10.0, 0.5, 32.0, "the same with 20 or fewer", _BENCH)
    time_solve: float = _number(0.7, 0.1, 1.0, "clock: share that solving may take", _MATCH)
    time_before: float = _number(
        0.7, 0.1, 1.0, "clock: share for the moves before the solved position", _MATCH
    )
    time_most: float = _number(0.4, 0.05, 1.0, "clock: maximum share for one move", _MATCH)
    time_stretch: float = _number(
        2.0, 1.0, 5.0, "clock: limit of a running iteration, as a multiple of a move's planned time", _MATCH
    )
    time_begin: float = _number(
        0.6, 0.1, 1.5, "clock: part of the planned time after which no iteration starts", _MATCH
    )
    time_settled: float = _number(
        0.35, 0.05, 1.5, "clock: the same if one move was best five times in a row", _MATCH
    )
    time_doubt: float = _number(
        1.0, 0.1, 2.0, "clock: the same if the best move changed or its score fell", _MATCH
    )
    time_fall: int = _number(3, 1, 64, "clock: minimum fall of the score for this, in discs", _MATCH)
    solve_expected: float = _number(
        1 / 3, 0.05, 1.0, "solving: maximum expected time, as a share of its time on the clock", _MATCH
    )
    solve_speed: float = _number(
        3.0, 0.5, 10.0, "solving: assumed nodes a second, as a multiple of the search so far", _MATCH
    )
    solve_look: int = _number(8, 1, 20, "solving: plies by which the preceding search ends earlier", _SOLVE)
    solve_pass: int = _number(
        19, 10, 64, "solving: minimum empty squares for a preceding pass at 73 %", _SOLVE
    )
    solve_pass_again: int = _number(
        22, 10, 64, "solving: minimum empty squares for a preceding pass at 95 %", _SOLVE
    )
    end_plies: int = _number(
        5, 1, 20, "limited time or nodes: plies before the end at which passes to the end start", _MATCH
    )

    def changed(self, given: Mapping[str, str]) -> "Parameters":
        """Return a copy in which some values are changed. `given`: the new values as text, by name.

        Raises: SettingsError if a parameter does not exist or a value is invalid.
        """
        values: dict[str, Any] = {name: parameter_of(name).read(text) for name, text in given.items()}
        return replace(self, **values)

    def settings(self) -> list[str]:
        """Return a text ``name=value`` for each value that differs from its default."""
        return [
            f"{name}={getattr(self, name):g}"
            for name, parameter in PARAMETERS.items()
            if getattr(self, name) != parameter.default
        ]


DEFAULTS = Parameters()
PARAMETERS: Mapping[str, Parameter] = {
    each.name: Parameter(each.name, getattr(DEFAULTS, each.name), **each.metadata)
    for each in fields(Parameters)
}
"""The parameters by name, in the order of the fields of ``Parameters``."""


def parameter_of(name: str) -> Parameter:
    """Return the parameter of this name.

    Raises: SettingsError if no parameter has this name.
    """
    if name not in PARAMETERS:
        raise SettingsError(f"there is no parameter {name[:_LONGEST_SHOWN]!r}: see docs/search.md")
    return PARAMETERS[name]
