"""The time control of a recorded game: what GGF's TI and SGF's TM and OT make of one another.

The text between them, ``AnnotatedGame.clock``, is GGF's ``main/increment/extension`` wherever that can hold it, such as
``5:00/0:03``. Else it is what SGF says, main time in seconds and overtime in words: ``60 s, overtime 0.5 fischer``, or
``300 s, overtime 10/30 canadian`` for ten moves in each 30 seconds.
"""

import re

from outflank.engine import NotationError
from outflank.protocol.formats.ggfclock import GgfClock
from outflank.protocol.timekeeping import TimeSettings

_GGF = re.compile(r"[\d:.,/ ]+", re.ASCII)
_WHOLE = re.compile(r"(\d{1,8})(?:\.0{0,9})?", re.ASCII)
_NUMBER = re.compile(r"\d{1,9}(?:\.\d{0,9})?", re.ASCII)
_IN_GGF_TOO = re.compile(r"(?:(\d{1,8}) fischer)?(?:(?:^|, )(\d{1,8}) extension)?", re.ASCII | re.IGNORECASE)
_AS_IN_SGF = re.compile(r"(?:(\d[\d.]*) s)?(?:(?:^|, )overtime (.*))?", re.ASCII | re.DOTALL)


def clock_text(settings: TimeSettings) -> str:
    """A time control with a limit."""
    overtime = ""
    if settings.period_moves:
        overtime = f"{settings.period_moves}/{settings.period:.10g} canadian"
    elif settings.increment:
        overtime = f"{settings.increment:.10g} fischer"
    return from_sgf(f"{settings.main:.10g}", overtime)


def from_sgf(main: str, overtime: str) -> str:
    """What TM and OT say; either may be empty, and a TM that is no number counts as that."""
    whole, known = _WHOLE.fullmatch(main), _IN_GGF_TOO.fullmatch(overtime)
    if whole and known:
        return str(GgfClock(*(int(text or 0) for text in (whole[1], *known.groups()))))
    parts = [f"{main} s"] if _NUMBER.fullmatch(main) else []
    return ", ".join([*parts, f"overtime {overtime}"] if overtime else parts)


def for_sgf(clock: str) -> tuple[str, str]:
    """TM and OT; both are empty for a clock that can't be read."""
    if (ggf := _as_ggf(clock)) is not None:
        words = (
            f"{ggf.increment} fischer" if ggf.increment else "",
            f"{ggf.extension} extension" if ggf.extension else "",
        )
        return str(ggf.main), ", ".join(filter(None, words))
    match = _AS_IN_SGF.fullmatch(clock)
    return (match[1] or "", match[2] or "") if match else ("", "")


def for_ggf(clock: str) -> str:
    """TI; empty for a clock that GGF has no form for."""
    return clock if _GGF.fullmatch(clock) else ""


def _as_ggf(clock: str) -> GgfClock | None:
    """A clock that is GGF's; None if it is something else."""
    try:
        return GgfClock.parse(clock) if clock else None
    except NotationError:
        return None
