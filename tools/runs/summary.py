"""A match as plain data: what ``--json`` prints, what the JSON files hold and what tables and report show."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from importlib.metadata import version
from typing import Any

from outflank.engine import Colour, Rules
from outflank.tools.games.entries import Entry
from outflank.tools.games.openings import OpeningsChoice
from outflank.tools.games.results import GameRecord, Standing, pair_points, standing
from outflank.tools.stats.elo import EloEstimate, estimate


@dataclass(frozen=True, slots=True)
class MatchSettings:
    """All that a match depends on.

    Attributes:
        entries: the two engines.
        games: how many games are to be played.
        openings: where the openings come from.
        rules: what is played.
        seed: of the random openings.
        stall: seconds an engine without a clock may think about a move.
    """

    entries: tuple[Entry, Entry]
    games: int
    openings: OpeningsChoice
    rules: Rules
    seed: int
    stall: float

    @property
    def names(self) -> tuple[str, str]:
        """The names of the two engines."""
        first, second = self.entries
        return first.name, second.name

    def line(self) -> str:
        """Version, seed and settings in a line, from which the match can be repeated."""
        first, second = self.entries
        time = str(first.time) if first.time == second.time else f"{first.time} : {second.time}"
        return (
            f"outflank {version('outflank')}, {self.games} games of {self.rules}, time {time}, "
            f"openings {self.openings}, seed {self.seed}"
        )


@dataclass(frozen=True, slots=True)
class MatchResult:
    """What came of a match.

    Attributes:
        settings: what it depended on.
        games: those that were played.
        remarks: what was worth noticing about the engines.
        interrupted: whether it was ended early.
    """

    settings: MatchSettings
    games: tuple[GameRecord, ...]
    remarks: tuple[str, ...]
    interrupted: bool = False

    @property
    def standings(self) -> tuple[Standing, Standing]:
        """What each engine has to its name."""
        first, second = self.settings.names
        return standing(first, self.games), standing(second, self.games)

    @property
    def elo(self) -> EloEstimate:
        """How much stronger the first engine is."""
        name = self.settings.names[0]
        return estimate([game.points_of(name) for game in self.games], pair_points(name, self.games))


def match_summary(result: MatchResult) -> dict[str, Any]:
    """The whole match but for its games; times in seconds, margins in discs a game."""
    settings = result.settings
    return {
        "outflank": version("outflank"),
        "settings": {
            "games": settings.games,
            "rules": str(settings.rules),
            "openings": str(settings.openings),
            "seed": settings.seed,
            "stall": settings.stall,
        },
        "interrupted": result.interrupted,
        "games": len(result.games),
        "engines": [
            {"cmd": entry.cmd, "time": str(entry.time), **_standing_summary(result_of)}
            for entry, result_of in zip(settings.entries, result.standings, strict=True)
        ],
        "elo": asdict(result.elo),
        "forced_passes": sum(game.forced_passes for game in result.games),
        "remarks": list(result.remarks),
    }


def game_summary(game: GameRecord) -> dict[str, Any]:
    """One game; the margin is Black's, ``seconds`` has an entry for each of the ``moves``."""
    pairing = game.pairing
    return {
        "game": pairing.number,
        "pair": pairing.pair,
        "started": game.started,
        "rules": str(game.rules),
        "black": pairing.names[Colour.BLACK],
        "white": pairing.names[Colour.WHITE],
        "opening": " ".join(map(str, pairing.opening)),
        "winner": game.winner_name,
        "ending": str(game.ending),
        "detail": game.detail,
        "margin": game.margin,
        "transcript": game.transcript,
        "moves": [str(turn.move) for turn in game.turns],
        "seconds": [None if seconds is None else round(seconds, 6) for seconds in game.seconds],
    }


def _standing_summary(standing: Standing) -> dict[str, Any]:
    return {
        "name": standing.name,
        "points": standing.points,
        "wins": standing.wins,
        "draws": standing.draws,
        "losses": standing.losses,
        "wins_by_fault": _counts(standing.fault_wins),
        "faults": _counts(standing.faults),
        "margin": standing.mean_margin,
        "mean_seconds": standing.mean_seconds,
        "longest_seconds": standing.longest_seconds,
        "moves": len(standing.seconds),
    }


def _counts(counter: Mapping[Any, int]) -> dict[str, int]:
    return {str(ending): count for ending, count in sorted(counter.items())}
