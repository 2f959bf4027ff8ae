"""Formats numbers as text: Elo, points, intervals, faults."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from outflank.protocol.drivers.spec import EngineSpec
from outflank.tools.match.game.results import Ending
from outflank.tools.match.schedule.meetings import Meeting
from outflank.tools.match.state.run import MOST_VOIDS, Format
from outflank.tools.match.state.tuning import Value
from outflank.tools.match.stats.elo import EloEstimate
from outflank.tools.match.stats.sprt import Sprt
from outflank.tools.runtime.progress import counted

if TYPE_CHECKING:  # these modules import numpy
    from outflank.tools.match.stats.ratings import Rating
    from outflank.tools.report.figures import EngineFigures, Figures

UNDEFINED = "undefined"
_SURE = 0.99
_MEAN_WORTH_A_NOTE = 0.01  # in seconds; the mean off-clock time before a move is usually far less
_SETUP_WORTH_A_NOTE = 1.0
_DECIMALS, _MOST_DECIMALS = 3, 6  # the minimum and maximum number of decimals for seconds
_VERDICTS = {True: "elo1 accepted", False: "elo0 accepted", None: "no verdict"}


def signed(value: float | None, otherwise: str = "undefined") -> str:
    """Return a rounded number with its sign: ``+12`` or ``-3``."""
    return otherwise if value is None else f"{value:+.0f}"


def points_text(points: float) -> str:
    """Return points as text: ``7`` or ``7.5``."""
    return f"{points:g}"


def conditions_text(spec: EngineSpec) -> str:
    """Return an engine's settings without name, time and command: ``level=5 threads=2``; empty without settings."""
    given = {key: value for key, value in spec.settings().items() if key not in ("name", "cmd", "tc")}
    return " ".join(f"{key}={value}" for key, value in given.items())


def faults_text(faults: Counter[Ending]) -> str:
    """Return the number of faults by kind: ``3 (time 2, crash 1)``, or ``0``."""
    if not faults:
        return "0"
    return f"{faults.total()} ({', '.join(f'{ending} {count}' for ending, count in sorted(faults.items()))})"


def seconds_text(seconds: float | None) -> str:
    """Return seconds with three decimals, or up to six to show two significant digits; ``-`` for None."""
    if seconds is None:
        return "-"
    digits = 1 - math.floor(math.log10(seconds)) if seconds > 0 else 0
    return f"{seconds:.{min(max(_DECIMALS, digits), _MOST_DECIMALS)}f}"


def faults_line(figures: Figures) -> str:
    """Name the engines that lost by a fault: ``Lost by a fault: A 60 (time 58, crash 2)``; empty without games."""
    if not figures.run.games:
        return ""
    lost = [f"{engine.name} {faults_text(engine.faults)}" for engine in figures.engines if engine.faults]
    return f"Lost by a fault: {'; '.join(lost)}" if lost else "No game was lost by a fault"


def book_share_text(engine: EngineFigures) -> str:
    """Return the share of an engine's moves that are from its book: ``24.1 %``; ``-`` if the share is unknown."""
    from_book, known = engine.book_moves
    return f"{100 * from_book / known:.1f} %" if known else "-"


def elo_line(names: Sequence[str], elo: EloEstimate) -> str:
    """Return ``A against B: Elo +120 (95 %: +40 to +210), normalized +95, LOS 98 % after 40 pairs; ...``."""
    text = elo_text(elo.elo, elo.low, elo.high)
    line = f"{' against '.join(names)}: Elo {text}"
    if not any(elo.pentanomial):
        line += " (no interval: no pair of games is complete)"
    elif text == UNDEFINED:
        line += " (all points to one side in too few pairs)"
    if elo.nelo is not None:
        line += f", normalized {signed(elo.nelo)}"
    if elo.superiority is not None:
        line += f", LOS {likelihood(elo.superiority)} % after {counted(sum(elo.pentanomial), 'pair')}"
    return f"{line}; {pairs_text(elo.pentanomial)}"


def elo_text(elo: float | None, low: float | None, high: float | None, digits: int = 0) -> str:
    """Return an Elo difference and its interval: ``+120 (95 %: +40 to +210)``.

    If every pair was lost, return ``-15 or less (95 %)``. If the games do not show which engine is better, return
    UNDEFINED.
    """
    interval = ends_text(low, high, digits)
    if elo is None:
        return f"{interval} (95 %)" if _says_who_is_better(low, high) else UNDEFINED
    return f"{elo:+.{digits}f}" + (f" (95 %: {interval})" if interval else "")


def _says_who_is_better(low: float | None, high: float | None) -> bool:
    """Return whether an interval excludes 0. An interval such as "+290 or less" includes 0."""
    return (low is not None and low > 0) or (high is not None and high < 0)


def ends_text(low: float | None, high: float | None, digits: int = 0) -> str:
    """Return an interval as text: ``+90 to +150``, ``+90 or more`` or ``+15 or less``; empty if both ends are None."""
    if low is None:
        return "" if high is None else f"{high:+.{digits}f} or less"
    return f"{low:+.{digits}f} " + ("or more" if high is None else f"to {high:+.{digits}f}")


def pairs_text(pairs: Sequence[int]) -> str:
    """Return pentanomial counts as text."""
    return f"pairs by points (0, 0.5, 1, 1.5, 2): {', '.join(map(str, pairs))}"


def verdict_lines(figures: Figures) -> list[str]:
    """Describe the verdict, LLR and bounds of the run's test, and of the same test on disc differences.

    Returns: two lines; an empty list if the run has no test.
    """
    test = figures.settings.sprt
    if test is None:
        return []
    name = f"SPRT {test.model} [{test.elo0:g}, {test.elo1:g}]"
    return [
        _test_line(name, test, figures.tested_points),
        _test_line("The same test on disc differences", test.on_discs(), figures.disc_sums),
    ]


def value_line(value: Value) -> str:
    """Describe a tuned value: ``mpc_probe 0.43, from 0.5 (last quarter 0.44 with a spread of 0.02)``."""
    settled = f"last quarter {value.mean:.4g} with a spread of {value.spread:.2g}"
    return f"{value.parameter.name} {value.text}, from {value.parameter.start:g} ({settled})"


def _test_line(name: str, test: Sprt, values: list[float]) -> str:
    low, high = test.bounds
    done, ratio, accepted = test.outcome(values)
    return f"{name}: {_VERDICTS[accepted]}, LLR {ratio:+.2f} ({low:+.2f} to {high:+.2f}) after {counted(done, 'pair')}"


def likelihood(share: float) -> str:
    """Return a likelihood in percent: ``87``; ``> 99`` above 99 %, ``< 1`` below 1 %."""
    if share > _SURE:
        return f"> {100 * _SURE:.0f}"
    return f"< {100 - 100 * _SURE:.0f}" if share < 1 - _SURE else f"{100 * share:.0f}"


def duration(seconds: float) -> str:
    """Return a duration in hours, minutes and seconds, ``1:02:03``; under a minute in seconds, ``42 s``."""
    whole = round(seconds)
    return f"{whole} s" if whole < 60 else f"{whole // 3600}:{whole // 60 % 60:02d}:{whole % 60:02d}"


def rating_text(rating: Rating) -> str:
    """Return a rating as text: ``+120 (+90 to +150)``; ``+120`` without an interval.

    Return ``-`` if the games do not show which engine is better.
    """
    if rating.low is None and rating.high is None:
        return signed(rating.elo, "-")
    if rating.elo is None:
        return ends_text(rating.low, rating.high) if _says_who_is_better(rating.low, rating.high) else "-"
    return f"{signed(rating.elo)} ({ends_text(rating.low, rating.high)})"


_LAST_ROUNDS = ("final", "semifinals", "quarterfinals")


def round_title(figures: Figures, round: int) -> str:
    """Name a round: ``round 2``. The last rounds of a knockout are ``quarterfinals``, ``semifinals`` and ``final``."""
    left = (len(figures.settings.engines) - 1).bit_length() - round
    if figures.settings.format is Format.KNOCKOUT and left < len(_LAST_ROUNDS):
        return _LAST_ROUNDS[left]
    return f"round {round}"


def came_to(figures: Figures) -> Mapping[str, str]:
    """Describe the progress of each engine in a knockout: ``winner``, ``lost in the final``, ``in round 2``."""
    found = dict[str, str]()
    if figures.settings.format is not Format.KNOCKOUT:
        return found
    for round, meetings in enumerate(figures.rounds, 1):
        title = round_title(figures, round)
        title = title if title.startswith("round") else f"the {title}"
        for meeting in meetings:
            for name in filter(None, (meeting.first, meeting.second)):
                if meeting.winner is None:
                    found[name] = f"in {title}"
                elif meeting.winner == name:
                    found[name] = f"won {title}"
                else:
                    found[name] = f"lost in {title}"
    if champion := champion_of(figures):
        found[champion] = "winner"
    return found


def champion_of(figures: Figures) -> str | None:
    """Return the winner of a knockout; None if the knockout has not ended, or if the run has another format."""
    rounds = figures.rounds
    if figures.settings.format is not Format.KNOCKOUT or not rounds or len(rounds[-1]) > 1:
        return None
    return rounds[-1][0].winner


def meeting_points(meeting: Meeting) -> str:
    """Return the points of both engines in a meeting: ``2.5 : 1.5``; empty for a bye."""
    return "" if meeting.second is None else " : ".join(map(points_text, meeting.points))


def meeting_text(meeting: Meeting) -> str:
    """Describe how a meeting was decided, ``A on points``, or its progress, ``3 of 4 games played``."""
    if meeting.second is None:
        return "bye"
    done = len(meeting.numbers)
    words = f"{done} of {counted(meeting.games, 'game')} played" if done < meeting.games else ""
    if meeting.winner is None or meeting.decision is None:
        return words
    match meeting.decision:
        case "tie-break games":
            why = f"in {counted(len(meeting.stages) - 1, 'tie-break')} ({_stages_text(meeting.stages)})"
        case "discs":
            discs = abs(meeting.discs or 0)
            why = (
                f"by discs ({discs:+d} over {meeting.games} games), level in points after {_breaks(meeting)}"
            )
        case "seeding":
            why = f"as the better seed, level in points and discs after {_breaks(meeting)}"
        case _:
            why = "on points"
    return f"{meeting.winner} {why}"


def _breaks(meeting: Meeting) -> str:
    return counted(len(meeting.stages) - 1, "tie-break")


def _stages_text(stages: Sequence[tuple[float, float]]) -> str:
    """Return the points in each stage of a meeting: ``2 : 2, then 1 : 1, 2 : 0``."""
    first, *others = (f"{points_text(one)} : {points_text(other)}" for one, other in stages)
    return f"{first}, then {', '.join(others)}"


def notes(figures: Figures) -> list[str]:
    """Return notes that a reader of the results needs. Each note is a sentence without its full stop."""
    found, run = [], figures.run
    if repeated := len(figures.repeats):
        found.append(
            f"{repeated} of {figures.complete_pairs} pairs repeat an earlier one up to symmetry: Elo and test come "
            f"from the other {figures.complete_pairs - repeated}"
        )
    if figures.ratings.prior and figures.elo is None and (run.finished or run.interrupted):
        found.append(
            "Ratings are rough: one engine, or a group, won every game against the rest, so each was credited with a "
            "draw against an average engine"
        )
    found += [
        f"{engine.name} changed its name or version during the run: {', then '.join(engine.identities)}"
        for engine in figures.engines
        if len(engine.identities) > 1
    ]
    found += [sentence for engine in figures.engines for sentence in _outside(engine)]
    if not run.is_valid:
        shares = ", ".join(
            f"{engine.name} {engine.void_share:.1%}" for engine in figures.engines if engine.voids
        )
        found.append(
            f"This run is not valid: too many games were void ({shares}; at most {MOST_VOIDS:.0%} may be). They were "
            "replayed, and void games do not count, so the standings remain correct; but games are void because the "
            "machine was too busy, which may also have cost time in other games: repeat the run with a lower "
            "--concurrency before you rely on it"
        )
    return found


def _outside(engine: EngineFigures) -> list[str]:
    spec, taken, found = engine.spec, engine.outside, []
    mean, limited = taken.mean or 0.0, spec.time.is_limited
    if (limited and taken.longest > spec.grace_seconds) or mean > _MEAN_WORTH_A_NOTE:
        charged = "; time beyond its grace period was charged" if limited else ""
        found.append(
            f"{spec.name} spent up to {taken.longest:.3f} s before a move (mean {mean:.3f}){charged}"
        )
    if taken.setup > _SETUP_WORTH_A_NOTE:
        found.append(f"{spec.name} took up to {taken.setup:.1f} s to set up a game; no clock was charged")
    return found
