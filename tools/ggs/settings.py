"""The settings of a player on the server: login, engine, and the requests that are accepted."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from outflank.protocol.drivers.spec import EngineSpec
from outflank.protocol.lines import printable
from outflank.tools.ggs.messages import MatchType, Offer

_LONGEST_SHOWN = 1_000
_MASK = "********"

Wish = Literal["any", "only", "never"]
"""Whether matches of a sort are played."""


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
        rated: whether matches that count for ratings are played.
        synchro: whether matches of two games at once, with colours exchanged, are played.
        random: whether games from random discs are played.
        least: the least seconds on our clock.
        most: the most seconds on our clock.
        games: the number of games at once, each with an engine process.
        asks: requests of our own, as the server's ``ask`` takes them: ``s8r18 5:00 NAME``.
        tournaments: the ids of the tournaments to join.
        matches: the number of matches after which we leave; None for no end.
        chat: whether messages of other players are shown.
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
        """The number of matches at once. A synchro match needs two engines."""
        return self.games if self.synchro == "never" else max(1, self.games // 2)

    def shown(self, text: str) -> str:
        """Return text from the server made printable for a terminal or a file, with the password masked."""
        return printable(text.replace(self.password, _MASK), _LONGEST_SHOWN)

    def objection(self, offer: Offer, sets_boards_up: bool) -> str:
        """Return the sentence to the sender about why a request is declined; empty if it is accepted.

        Args:
            offer: the request.
            sets_boards_up: whether the engine can begin a game from any board.
        """
        if reason := self.obstacle(offer.kind, sets_boards_up):
            return reason
        if offer.flag == "S":
            return ""  # it was accepted before
        sorts = (
            (self.rated, offer.flag == "R", "rated games"),
            (self.synchro, offer.kind.synchro, "synchro games"),
            (self.random, offer.kind.discs > 0, "games from random discs"),
        )
        for wish, is_so, sort in sorts:
            if wish == "only" and not is_so:
                return f"I play {sort} only"
            if wish == "never" and is_so:
                return f"I play no {sort}"
        if not self.least <= offer.clock.main <= self.most:
            return f"I play with {self.least:.0f} to {self.most:.0f} seconds on my clock"
        return ""

    def obstacle(self, kind: MatchType, sets_boards_up: bool) -> str:
        """Return the sentence about why a match can't be played at all; empty if it can."""
        if kind.size != 8:
            return "I play on a board of 8 by 8 only"
        if kind.anti:
            return "I play no anti games"
        if kind.komi:
            return "I play no komi games"
        if kind.synchro and self.games < 2:
            return "I play one game at once"
        if kind.discs and not sets_boards_up:
            return "my engine can't begin from random discs"
        return ""
