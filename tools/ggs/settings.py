"""The settings of a player on the server: login, engine, and the requests that are accepted."""

import os
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from outflank.engine import NotationError, SettingsError
from outflank.protocol.drivers.spec import EngineSpec
from outflank.protocol.lines import printable
from outflank.tools.ggs.messages import MatchType, Offer

_LONGEST_SHOWN = 1_000
_MASK = "********"
Wish = Literal["any", "only", "never"]
"""The filter for a kind of match: ``any`` excludes nothing, ``only`` excludes other kinds, ``never`` excludes it."""
PASSWORD_VARIABLE = "OUTFLANK_GGS_PASSWORD"
_LONGEST_PASSWORD = 100
_USER = re.compile(r"[^\s,\\._|][^\s,\\|]{1,7}")


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of a player.

    Attributes:
        host: the server's host name or address.
        port: the server's port.
        user: the login name.
        password: the password, which is shown nowhere.
        entry: the engine.
        file: the GGF file that finished games are appended to.
        rated: the filter for matches that count for ratings.
        synchro: the filter for matches of two simultaneous games with colours swapped.
        random: the filter for games from random starts.
        least: the minimum main time on our clock, in seconds.
        most: the maximum main time on our clock, in seconds.
        games: the maximum number of simultaneous games, each with an engine process.
        asks: the match requests that we send, as arguments of the server's ``ask``: ``s8r18 5:00 NAME``.
        tournaments: the ids of the tournaments to join.
        matches: the number of matches after which we leave; None for no limit.
        chat: True if messages of other players are shown.
    """

    host: str
    port: int
    user: str
    password: str = field(repr=False)
    entry: EngineSpec
    file: Path
    rated: Wish = "any"
    synchro: Wish = "any"
    random: Wish = "any"
    least: float = 60.0
    most: float = 3600.0
    games: int = 2
    asks: tuple[str, ...] = ()
    tournaments: tuple[str, ...] = ()
    matches: int | None = None
    chat: bool = False

    @property
    def server(self) -> str:
        """The server as ``HOST:PORT``."""
        return f"{self.host}:{self.port}"

    @property
    def open(self) -> int:
        """The maximum number of simultaneous matches; half of `games` if synchro matches (two games) are allowed."""
        return self.games if self.synchro == "never" else max(1, self.games // 2)

    def shown(self, text: str) -> str:
        """Return a text in printable form for a terminal or a file, with the password masked."""
        return printable(text.replace(self.password, _MASK), _LONGEST_SHOWN)

    def objection(self, offer: Offer, sets_boards_up: bool) -> str:
        """Return the reason for declining a request, as a sentence to the sender; empty if we accept the request.

        Args:
            offer: the request.
            sets_boards_up: True if the engine can begin a game from any position.
        """
        if reason := self.obstacle(offer.kind, sets_boards_up):
            return reason
        if offer.flag == "S":
            return ""  # a stored match was accepted when it began
        sorts = (
            (self.rated, offer.flag == "R", "rated games"),
            (self.synchro, offer.kind.synchro, "synchro games"),
            (self.random, offer.kind.discs > 0, "games from random discs"),
        )
        for wish, is_so, sort in sorts:
            if wish == "only" and not is_so:
                return f"I only play {sort}"
            if wish == "never" and is_so:
                return f"I don't play {sort}"
        if not self.least <= offer.clock.main <= self.most:
            return f"I only play with {self.least:.0f} to {self.most:.0f} seconds on my clock"
        return ""

    def obstacle(self, kind: MatchType, sets_boards_up: bool) -> str:
        """Return the reason why we can't play matches of this type, as a sentence; empty if we can."""
        if kind.size != 8:
            return "I only play on a board of 8 by 8"
        if kind.anti:
            return "I don't play anti games"
        if kind.komi:
            return "I don't play komi games"
        if kind.synchro and self.games < 2:
            return "I only play one game at a time"
        if kind.discs and not sets_boards_up:
            return "my engine can't begin from random discs"
        return ""


def read_user(text: str) -> str:
    """Return a login name after checking its form. Raises: NotationError if the form is wrong."""
    if not _USER.fullmatch(text):
        raise NotationError(
            f"expected a login of 2 to 8 characters that does not begin with '.' or '_', got {printable(text)!r}"
        )
    return text


def read_server(text: str) -> tuple[str, int]:
    """Parse HOST:PORT. Raises: NotationError if the text has another form."""
    host, colon, port = text.rpartition(":")
    try:
        host.encode("idna")  # raises UnicodeError for a label that is too long
        if colon and host and port.isascii() and port.isdigit() and 0 < int(port) < 1 << 16:
            return host.strip("[]"), int(port)
    except UnicodeError:
        pass
    raise NotationError(f"expected HOST:PORT, got {printable(text)!r}")


def read_password(file: Path | None) -> str:
    """Return the password: the first line of `file`, or the value of an environment variable if `file` is None.

    The variable is always removed from the environment. Raises: SettingsError if there is no valid password.
    """
    text = os.environ.pop(PASSWORD_VARIABLE, "")
    if file is not None:
        try:
            with file.open(encoding="utf-8") as opened:
                text = opened.readline(_LONGEST_PASSWORD + 2)
        except (OSError, UnicodeDecodeError) as error:
            raise SettingsError(
                f"can't read the password in {str(file)!r} ({getattr(error, 'strerror', None) or 'it is not text'})"
            ) from None
    text = text.strip("\r\n")
    if not text or len(text) > _LONGEST_PASSWORD or not text.isprintable():
        raise SettingsError(
            f"the server needs a password: name a file that contains it (--password-file) or set {PASSWORD_VARIABLE}"
        )
    return text
