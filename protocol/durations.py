"""Times as people write them: ``5``, ``5s``, ``500ms``, ``2m``, ``1.5h``."""

import re

from outflank.engine import NotationError

DURATION = r"(?:\d+\.?\d*|\.\d+) ?(?:ms|s|min|m|h)?"
"""A regular expression that matches one."""

_SECONDS = {"": 1.0, "ms": 0.001, "s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0}
_PARTS = re.compile(r"([\d.]+) ?([a-z]*)")


def parse_duration(text: str) -> float:
    """The seconds that a text means; seconds too if it names no unit (``ms s m min h``).

    Raises: NotationError if it is no time.
    """
    if not re.fullmatch(DURATION, text.strip()):
        raise NotationError(f"expected a time such as 5, 0.5s, 500ms or 2m, got {text!r}")
    match = _PARTS.fullmatch(text.strip())
    assert match is not None
    return float(match[1]) * _SECONDS[match[2]]
