"""Drives an engine that speaks NBoard's protocol in a child process."""

import math

from outflank.protocol.drivers.choice import Reply
from outflank.protocol.drivers.engineclient import REPLY_SECONDS, START_SECONDS, EngineClient
from outflank.protocol.lines import printable

_CHOICE = "==="
_REPORTS = ("search ", "book ")
_NAME = "set myname "


class NBoardClient(EngineClient):
    """An engine that speaks version 2 of the protocol, or version 1, in a child process; see ``EngineClient``."""

    _kind = "NBoard"
    _pings = 0

    def handshake(self, seconds: float = START_SECONDS) -> None:
        """Begin the dialogue, and learn its name if it gives one.

        Raises: EngineProtocolError if this is no engine for the protocol; EngineCrash; EngineTimeout.
        """
        self.tell("nboard 2")
        self.synchronise(seconds)

    def tell(self, line: str) -> None:
        """Send a command that has no answer."""
        self._send(line)

    def synchronise(self, seconds: float = REPLY_SECONDS) -> None:
        """Wait until the engine has done everything that was sent; lines until then answer no later question.

        Raises: EngineTimeout, EngineCrash, EngineProtocolError. The engine is of no use after any of them.
        """
        self._pings += 1
        pong, asked = f"pong {self._pings}", f"ping {self._pings}"
        sent = self._send(asked)

        def is_pong(line: str) -> bool:
            self._learn(line)
            return line.split() == pong.split()

        self._read_until(is_pong, asked, sent + seconds, greeting=pong if self._pings == 1 else "")

    def _learn(self, line: str) -> None:
        """Take down its name: an engine may say it at any time, some after each `set depth`."""
        if line.startswith(_NAME):
            self.name = printable(line.removeprefix(_NAME).strip())

    def go(self, seconds: float) -> Reply:
        """The move that the engine chooses for the side to move, waited for at most `seconds`.

        There is no text where it names none; the move is from a book if the last line about it was ``book`` and not
        ``search``.

        Raises: as ``synchronise``.
        """
        sent = self._send("go")
        reported: dict[str, bool] = {}

        def is_choice(line: str) -> bool:
            reported.update(read_origin(line))
            return line.startswith(_CHOICE)

        line = self._read_until(is_choice, "go", sent + seconds)
        text, score = read_choice(line[len(_CHOICE) :].strip())
        return Reply(text, self._process.last_read - sent, score, reported.get(text.upper()))


def read_origin(line: str) -> dict[str, bool]:
    """By its move, whether ``book F5 ...`` (and not ``search F5 ...``) says so; empty for other lines."""
    words = line.split(maxsplit=2)
    if not line.startswith(_REPORTS) or len(words) < 2:
        return {}
    return {words[1][:2].upper(): words[0] == "book"}


def read_choice(text: str) -> tuple[str, float | None]:
    """Move and score in ``F5/-1.50/0.4``, ``F5//0.4``, ``F5``, or with blanks, as Edax writes: ``f5 -1.50 0.4``."""
    parts = [part.strip() for part in text.split("/")] if "/" in text else text.split()
    move, score = [*parts, "", ""][:2]
    try:
        value = float(score)
    except ValueError:
        return move, None
    return move, value if math.isfinite(value) else None
