"""The time controls and dates of recorded games in the notations of all formats."""

import re
from datetime import UTC, date, datetime

from outflank.engine import NotationError
from outflank.protocol.clock import TimeControl

_TIME = re.compile(r"\d{1,8}(?:[:.]\d{1,8}){0,3}", re.ASCII)
_SECONDS_OF = (1, 60, 3600, 86400)
_LONGEST = 10**9  # the maximum of each time in seconds, so that an engine's clock has room for all increments


def parse_ggf(text: str) -> TimeControl:
    """Parse ``15:00``, ``5:00/0:10/2:00``, ``60//120``: main time, increment, extension. Omitted parts are 0.

    Raises: NotationError.
    """
    parts = [part.strip() for part in text.split("/")]
    if len(parts) > 3 or any(part and not _TIME.fullmatch(part) for part in parts):
        raise NotationError(f"expected a clock such as 15:00 or 5:00/0:10/2:00, got {text[:40]!r}")
    main, increment, extension = [*map(_seconds, parts), 0, 0][:3]
    if max(main, increment, extension) > _LONGEST:
        raise NotationError(f"expected a clock of at most {_LONGEST} seconds, got {text[:40]!r}")
    return TimeControl(main, increment, extension=extension)


def ggf_text(control: TimeControl) -> str:
    """Return a clock in the notation of ``parse_ggf``, rounded down to whole seconds. Periods are left out."""
    others = (_minutes(time) if int(time) else "" for time in (control.increment, control.extension))
    return "/".join([_minutes(control.main), *others]).rstrip("/")


def _seconds(text: str) -> int:
    """Return the seconds of ``1:30``; 0 for an empty text."""
    numbers = map(int, reversed(re.split("[:.]", text or "0")))
    return sum(number * unit for number, unit in zip(numbers, _SECONDS_OF, strict=False))


def _minutes(seconds: float) -> str:
    """Return ``1:30`` for 90."""
    return f"{int(seconds) // 60}:{int(seconds) % 60:02}"


_GGF = re.compile(r"[\d:.,/ ]+", re.ASCII)
_WHOLE = re.compile(r"(\d{1,8})(?:\.0{0,9})?", re.ASCII)
_NUMBER = re.compile(r"\d{1,9}(?:\.\d{0,9})?", re.ASCII)
_IN_GGF_TOO = re.compile(r"(?:(\d{1,8}) fischer)?(?:(?:^|, )(\d{1,8}) extension)?", re.ASCII | re.IGNORECASE)
_AS_IN_SGF = re.compile(r"(?:(\d[\d.]*) s)?(?:(?:^|, )overtime (.*))?", re.ASCII | re.DOTALL)


def clock_text(control: TimeControl) -> str:
    """Return a time control as text for a game record; empty without a limit."""
    if not control.is_limited:
        return ""
    overtime = ""
    if control.period_moves:
        overtime = f"{control.period_moves}/{control.period:.10g} canadian"
    elif control.increment:
        overtime = f"{control.increment:.10g} fischer"
    return from_sgf(f"{control.main:.10g}", overtime)


def from_sgf(main: str, overtime: str) -> str:
    """Return the clock for the values of SGF's TM and OT. Each may be empty; a TM that is not a number is ignored."""
    whole, known = _WHOLE.fullmatch(main), _IN_GGF_TOO.fullmatch(overtime)
    if whole and known:
        main_time, increment, extension = (int(text or 0) for text in (whole[1], *known.groups()))
        return ggf_text(TimeControl(main_time, increment, extension=extension))
    parts = [f"{main} s"] if _NUMBER.fullmatch(main) else []
    return ", ".join([*parts, f"overtime {overtime}"] if overtime else parts)


def for_sgf(clock: str) -> tuple[str, str]:
    """Return the values of SGF's TM and OT for a clock; both are empty if the clock can't be parsed."""
    if (ggf := _as_ggf(clock)) is not None:
        words = (
            f"{ggf.increment} fischer" if ggf.increment else "",
            f"{ggf.extension} extension" if ggf.extension else "",
        )
        return str(ggf.main), ", ".join(filter(None, words))
    match = _AS_IN_SGF.fullmatch(clock)
    return (match[1] or "", match[2] or "") if match else ("", "")


def for_ggf(clock: str) -> str:
    """Return the value of GGF's TI for a clock; empty if GGF can't express the clock."""
    return clock if _GGF.fullmatch(clock) else ""


def _as_ggf(clock: str) -> TimeControl | None:
    try:
        return parse_ggf(clock) if clock else None
    except NotationError:
        return None


_SECONDS = re.compile(r"\d{9,10}", re.ASCII)  # seconds since 1970, from 1973 to 2286
_DAY = re.compile(r"(\d{4})(?:([-./])(\d{1,2})\2(\d{1,2})(?![\d,])|(\d\d)(\d\d)(?!\d))", re.ASCII)
_YEAR = re.compile(r"(?<!\d)\d{4}(?!\d)", re.ASCII)


def day_of(text: str) -> date | None:
    """Return the day at the beginning of a recorded date; None if the date has no day, or several days as in SGF."""
    if _SECONDS.fullmatch(text):
        return datetime.fromtimestamp(int(text), UTC).date()
    match = _DAY.match(text)
    if match is None:
        return None
    year, month, day = match[1], match[3] or match[5], match[4] or match[6]
    try:
        return date(int(year), int(month), int(day))
    except ValueError:
        return None


def year_of(text: str) -> int | None:
    """Return the first year in a recorded date; None if the date has no year."""
    if day := day_of(text):
        return day.year
    match = _YEAR.search(text)
    return int(match[0]) if match else None
