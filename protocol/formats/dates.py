"""What the date of a recorded game says, however its format and program wrote it.

Known are ISO dates with time or not, GGF's ``2003.7.1_12:00:00.MDT``, seconds since 1970 and a year alone. The day is
the one that stands there, whatever the time zone; that of seconds is UTC's.
"""

import re
from datetime import UTC, date, datetime

_SECONDS = re.compile(r"\d{9,10}", re.ASCII)  # 1973 to 2286
_DAY = re.compile(r"(\d{4})(?:([-./])(\d{1,2})\2(\d{1,2})(?![\d,])|(\d\d)(\d\d)(?!\d))", re.ASCII)
_YEAR = re.compile(r"(?<!\d)\d{4}(?!\d)", re.ASCII)


def day_of(text: str) -> date | None:
    """The day that a date begins with; None if it has none, or several as SGF allows."""
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
    """The year that a date names anywhere; None if it names none."""
    if day := day_of(text):
        return day.year
    match = _YEAR.search(text)
    return int(match[0]) if match else None
