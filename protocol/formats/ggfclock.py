"""GGF's time control: ``main/increment/extension``, each of them ``[[[days.]hours:]minutes:]seconds``."""

import re
from dataclasses import dataclass

from outflank.engine import NotationError

_TIME = re.compile(r"\d{1,8}(?:[:.]\d{1,8}){0,3}", re.ASCII)
_SECONDS_OF = (1, 60, 3600, 86400)
_LONGEST = 10**9  # seconds; with all that a game of moves adds still less than an engine's clock can hold


@dataclass(frozen=True, slots=True)
class GgfClock:
    """A time control; all times in whole seconds.

    Attributes:
        main: for the whole game.
        increment: added after each move.
        extension: what a player who has used up the main time still gets, once.
    """

    main: int = 0
    increment: int = 0
    extension: int = 0

    @classmethod
    def parse(cls, text: str) -> "GgfClock":
        """Read ``15:00``, ``5:00/0:10/2:00``, ``60//120``; what is left out is 0.

        Raises: NotationError.
        """
        parts = [part.strip() for part in text.split("/")]
        if len(parts) > 3 or any(part and not _TIME.fullmatch(part) for part in parts):
            raise NotationError(f"expected a clock such as 15:00 or 5:00/0:10/2:00, got {text[:40]!r}")
        times = [_seconds(part) for part in parts]
        if max(times) > _LONGEST:
            raise NotationError(f"expected a clock of at most {_LONGEST} seconds, got {text[:40]!r}")
        return cls(*times)

    def __str__(self) -> str:
        main, *others = self.main, self.increment, self.extension
        return "/".join([_minutes(main), *(_minutes(time) if time else "" for time in others)]).rstrip("/")


def _seconds(text: str) -> int:
    """Seconds of ``1:30``; 0 for no text."""
    numbers = map(int, reversed(re.split("[:.]", text or "0")))
    return sum(number * unit for number, unit in zip(numbers, _SECONDS_OF, strict=False))


def _minutes(seconds: int) -> str:
    """``1:30`` for 90."""
    return f"{seconds // 60}:{seconds % 60:02}"
