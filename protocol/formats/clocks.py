"""The time control of a recorded game: what GGF's TI and SGF's TM and OT make of one another.

The text between them, ``AnnotatedGame.clock``, is GGF's ``main/increment/extension`` wherever that can hold it, such as
``5:00/0:03``. Else it is what SGF says, main time in seconds and overtime in words: ``60 s, overtime 0.5 fischer``, or
``300 s, overtime 10/30 canadian`` for ten moves in each 30 seconds.
"""

import re

from outflank.protocol.timekeeping import TimeSettings

_GGF = re.compile(r"[\d:.,/ ]+", re.ASCII)
_GGF_TIME = re.compile(r"(?:\d{1,8}(?:[:.]\d{1,8}){0,3})?", re.ASCII)  # [[[days.]hours:]minutes:]seconds
_SECONDS_OF = (1, 60, 3600, 86400)
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
        first, *others = (int(text or 0) for text in (whole[1], *known.groups()))
        return "/".join([_minutes(first), *(_minutes(time) if time else "" for time in others)]).rstrip("/")
    parts = [f"{main} s"] if _NUMBER.fullmatch(main) else []
    return ", ".join([*parts, f"overtime {overtime}"] if overtime else parts)


def for_sgf(clock: str) -> tuple[str, str]:
    """TM and OT; both are empty for a clock that can't be read."""
    if (times := _ggf_times(clock)) is not None:
        main, increment, extension = times
        words = (f"{increment} fischer" if increment else "", f"{extension} extension" if extension else "")
        return str(main), ", ".join(filter(None, words))
    match = _AS_IN_SGF.fullmatch(clock)
    return (match[1] or "", match[2] or "") if match else ("", "")


def for_ggf(clock: str) -> str:
    """TI; empty for a clock that GGF has no form for."""
    return clock if _GGF.fullmatch(clock) else ""


def _ggf_times(clock: str) -> tuple[int, int, int] | None:
    """Seconds of ``main/increment/extension``, what is left out being 0; None if it is something else."""
    parts = [part.strip() for part in clock.split("/")]
    if not clock or len(parts) > 3 or not all(map(_GGF_TIME.fullmatch, parts)):
        return None
    main, increment, extension = (*map(_seconds, parts), 0, 0)[:3]
    return main, increment, extension


def _seconds(text: str) -> int:
    """Seconds of ``1:30``; 0 for no text."""
    numbers = map(int, reversed(re.split("[:.]", text or "0")))
    return sum(number * unit for number, unit in zip(numbers, _SECONDS_OF, strict=False))


def _minutes(seconds: int) -> str:
    """``1:30`` for 90."""
    return f"{seconds // 60}:{seconds % 60:02}"
