"""Sums up the games that reached a position, by move, year and rating. Results are from the mover's point of view."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from types import UnionType
from typing import NamedTuple

from outflank.engine import SettingsError
from outflank.tools.archive.schema import NO_MOVE

RATING_STEP = 100
LATEST_YEAR = 9999
MOST_DISCS = 64
NO_STRENGTH = 0.0
"""The strength of a player whose name has no letter or digit. Such a player is never listed among the strongest."""
_BEST = 3


@dataclass(frozen=True, slots=True)
class ArchiveQuery:
    """The conditions that games must meet. An omitted condition matches every game.

    Attributes:
        players: parts of the names of one or both players; letter case is ignored.
        event: a part of the event's name; letter case is ignored. Empty for any event.
        years: the range of years.
        rating: the minimum rating of both players, a multiple of 100. It excludes games without ratings.

    Raises: SettingsError if `players` has more than two entries, or if `rating` is not a positive multiple of 100.
    """

    players: tuple[str, ...] = ()
    event: str = ""
    years: range | None = None
    rating: int | None = None

    def __post_init__(self) -> None:
        if len(self.players) > 2:
            raise SettingsError(f"a game has two players, got {len(self.players)} names")
        if self.rating is not None and (self.rating <= 0 or self.rating % RATING_STEP):
            raise SettingsError(
                f"expected a positive multiple of 100 for the rating, such as 1800, got {self.rating}"
            )

    @property
    def names_somebody(self) -> bool:
        """Whether the query names players or an event. The stored sums can't answer such a query."""
        return bool(self.players or self.event)

    def allows(self, year: int, rating: int) -> bool:
        """Return whether a game's year and lower rating meet the conditions. A value of 0 means unknown."""
        return (self.years is None or year in self.years) and (self.rating is None or rating >= self.rating)


class Visit(NamedTuple):
    """A game that reached a position, and the move that was made in this position.

    Attributes:
        turn: twice the number of the move in the coordinates of the stored image, plus 1 if White moves.
        rating: the lower rating of the two players; 0 if a rating is unknown.
        winner: 1 for Black, 0 for a draw, -1 for White; None if unknown.
        margin: the final disc difference for Black; None if unknown.
        black: the key of the player with Black.
    """

    turn: int
    year: int
    rating: int
    winner: int | None
    margin: int | None
    black: int
    white: int

    @property
    def is_sound(self) -> bool:
        """Whether the values are in their ranges. In a damaged file, values of the right types may be out of range."""
        turn, year, rating, winner, margin, black, white = self
        return (
            0 <= turn <= 2 * NO_MOVE + 1
            and 0 <= year <= LATEST_YEAR
            and rating >= 0
            and black >= 0
            and white >= 0
            and winner in (None, -1, 0, 1)
            and (margin is None or abs(margin) <= MOST_DISCS)
        )


VISIT_TYPES: tuple[type | UnionType, ...] = (int, int, int, int | None, int | None, int, int)
"""The types of the values of a visit."""


@dataclass(slots=True)
class Tally:
    """The sums over a set of games. Results are from the mover's point of view.

    Attributes:
        measured: the number of games with a known disc difference.
        years: the first and the last known year; both are 0 if no year is known.
        best: the keys of the strongest players who made the move, the strongest first.
    """

    games: int = 0
    won: int = 0
    drawn: int = 0
    lost: int = 0
    measured: int = 0
    discs: int = 0
    years: tuple[int, int] = (0, 0)
    best: list[int] = field(default_factory=list)

    def add(self, other: "Tally", strengths: Mapping[int, float]) -> None:
        """Add the sums of another set of games."""
        for name in ("games", "won", "drawn", "lost", "measured", "discs"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        years = [year for year in (*self.years, *other.years) if year]
        self.years = (min(years), max(years)) if years else (0, 0)
        self.best = strongest({*self.best, *other.best}, strengths)


def strongest(players: Collection[int], strengths: Mapping[int, float]) -> list[int]:
    """Return the keys of the three strongest players. Equally strong players are in the order of their keys."""
    return sorted(players, key=lambda player: (-strengths[player], player))[:_BEST]


def tallies_of(visits: Iterable[Visit], strengths: Mapping[int, float]) -> dict[tuple[int, int, int], Tally]:
    """Sum up the visits of a position by move number, year, and rating rounded down to hundreds."""
    found: dict[tuple[int, int, int], Tally] = {}
    movers: dict[tuple[int, int, int], set[int]] = {}
    for turn, year, rating, winner, margin, black, white in visits:
        move, by_white = divmod(turn, 2)
        key = (move, year, rating - rating % RATING_STEP)
        tally = found.get(key)
        if tally is None:
            tally = found[key] = Tally(years=(year, year))
            movers[key] = set()
        sign = -1 if by_white else 1
        tally.games += 1
        if winner is not None:
            tally.won += winner == sign
            tally.drawn += winner == 0
            tally.lost += winner == -sign
        if margin is not None:
            tally.measured += 1
            tally.discs += sign * margin
        movers[key].add(white if by_white else black)
    for key, tally in found.items():
        if key[0] != NO_MOVE:
            known = {mover for mover in movers[key] if strengths[mover] != NO_STRENGTH}
            tally.best = strongest(known, strengths)
    return found
