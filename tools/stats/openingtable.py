"""What each opening was worth: numbers in, numbers out."""

from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from statistics import fmean
from typing import Generic, TypeVar

Opening = TypeVar("Opening", bound=Hashable)

_FEWEST_GAMES = 4  # below, one colour takes all the points too often by chance
_ONE_SIDED = 9  # points of ten


@dataclass(frozen=True, slots=True)
class OpeningRow(Generic[Opening]):
    """An opening and what came of it.

    Attributes:
        opening: as it was handed in.
        games: played on it.
        black_wins: games that Black won.
        draws: games without a winner.
        white_wins: games that White won.
        margin: mean disc difference from Black's side over the games played to the end; None if there is none.
    """

    opening: Opening
    games: int
    black_wins: int
    draws: int
    white_wins: int
    margin: float | None

    @property
    def black_share(self) -> float:
        """Black's share of the points, 0 to 1."""
        return (self.black_wins + self.draws / 2) / self.games

    @property
    def is_one_sided(self) -> bool:
        """Whether one colour took nine points of ten or more, of at least four: it says little about the engines."""
        ten_times_the_points = 10 * max(self.black_wins, self.white_wins) + 5 * self.draws
        return self.games >= _FEWEST_GAMES and ten_times_the_points >= _ONE_SIDED * self.games


def opening_table(games: Iterable[tuple[Opening, float, float | None]]) -> list[OpeningRow[Opening]]:
    """A row for each opening, in the order in which they first come.

    Args:
        games: of each its opening, Black's points (0, 0.5 or 1), and the disc difference from Black's side, None if
            it was not played to the end.
    """
    found: dict[Opening, list[tuple[float, float | None]]] = {}
    for opening, points, margin in games:
        found.setdefault(opening, []).append((points, margin))
    return [_row(opening, results) for opening, results in found.items()]


def _row(opening: Opening, results: list[tuple[float, float | None]]) -> OpeningRow[Opening]:
    points = [point for point, _ in results]
    margins = [margin for _, margin in results if margin is not None]
    return OpeningRow(
        opening,
        games=len(results),
        black_wins=points.count(1),
        draws=points.count(0.5),
        white_wins=points.count(0),
        margin=fmean(margins) if margins else None,
    )
