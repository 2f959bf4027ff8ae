"""A run of games as data: its settings, its games so far, and the form in which its file stores the settings."""

from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import Any

from outflank.engine import Rules
from outflank.engine.evaluation import weights
from outflank.protocol.drivers.spec import EngineSpec
from outflank.tools.match.game.referee import STALL_SECONDS, ScoreRule
from outflank.tools.match.game.results import GameRecord, OffClockTime
from outflank.tools.match.openings.sources import OpeningsChoice
from outflank.tools.match.stats.sprt import Sprt
from outflank.tools.match.stats.spsa import Tuning, ValuePath
from outflank.tools.runtime.progress import counted

MOST_VOIDS = 0.03  # in a valid run, at most this share of an engine's games is void because of this engine


class Format(StrEnum):
    """The format of a run, which determines which engines meet."""

    MATCH = "match"
    ROUND_ROBIN = "round-robin"
    GAUNTLET = "gauntlet"
    SWISS = "swiss"
    KNOCKOUT = "knockout"
    STANDING = "standing"


@dataclass(frozen=True, slots=True)
class RunSettings:
    """The settings of a run.

    Attributes:
        engines: the engines, in the order of their seeding; two for a match.
        openings: the source of the openings.
        format: the format, which determines which engines meet.
        games: the number of games that two engines play when they meet.
        rounds: the number of rounds of a Swiss tournament; the number of repetitions of other formats.
        rules: the rules of all games.
        seed: the seed for all random choices.
        stall: the seconds that an engine without a clock may think about a move.
        adjudicate: the number of empty squares at which a game ends with its exact result; 0 for never.
        solve: the number of empty squares up to which positions are solved, to count lost discs; 0 to solve none.
        resign: the rule that ends a won game by the scores of both engines; None for never.
        draw: the rule that ends a drawn game by the scores of both engines; None for never.
        sprt: the test that may end a match early; None to play all games.
        concurrency: the number of pairs of games that are played at the same time.
        replay_crashes: True if a pair with a crash is played again; False if the crashed engine loses the game.
        tuning: the parameters and settings of a tuning run, in which an engine plays against itself; None for other
            runs.
    """

    engines: tuple[EngineSpec, ...] = ()
    openings: OpeningsChoice = field(default_factory=OpeningsChoice)
    format: Format = Format.MATCH
    games: int = 10
    rounds: int = 1
    rules: Rules = field(default_factory=Rules)
    seed: int = 0
    stall: float = STALL_SECONDS
    adjudicate: int = 0
    solve: int = 0
    resign: ScoreRule | None = None
    draw: ScoreRule | None = None
    sprt: Sprt | None = None
    concurrency: int = 1
    replay_crashes: bool = False
    tuning: Tuning | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the engines."""
        return tuple(engine.name for engine in self.engines)

    def value_path(self) -> ValuePath | None:
        """Return a new ``ValuePath`` without results if the run is a tuning; None otherwise."""
        return ValuePath(self.tuning, (self.games + 1) // 2, self.seed) if self.tuning else None

    def line(self, build: str = "") -> str:
        """Return a line with version, seed and settings, from which the run can be repeated.

        Args:
            build: the version and the evaluation with which the run was begun; empty for the installed ones.
        """
        times = dict.fromkeys(str(engine.time) for engine in self.engines)
        if self.format is Format.MATCH:
            what = counted(self.games, "game")
            if self.tuning:
                what += f" to tune {counted(len(self.tuning.parameters), 'parameter')}"
        elif self.format is Format.STANDING:
            what = f"standing arena of {len(self.engines)} engines, pairs of games"
        else:
            what = f"{self.format} of {len(self.engines)} engines, {counted(self.games, 'game')} an encounter"
        return (
            f"outflank {build or weights.version()}, {what} of {self.rules}, time {' : '.join(times)}, "
            f"openings {self.openings}, seed {self.seed}"
            + "".join(f", {name} at {rule}" for name in SCORE_RULES if (rule := getattr(self, name)))
        )


@dataclass(frozen=True, slots=True)
class Run:
    """The state of a run.

    Attributes:
        settings: the settings of the run.
        games: the games that count, in the order of the schedule.
        voids: the games that do not count.
        remarks: the remarks about the engines, one sentence each.
        outflank: the version of Outflank that began the run; empty if not known.
        evaluation: the checksum of the evaluation with which the run was begun; empty if not known.
        started: the time of the start, in ISO format with time zone.
        seconds: the time of play, without the pauses after interruptions; None if not known.
        machine: a description of the machine on which the run was begun; empty if not known.
        interrupted: True if a signal or a failure ended the run early.
        finished: True if every game was played, or if the run's test has reached a verdict.
        outside: the off-clock time of each engine in all its games, including void games, by the engine's name.
        identities: the names and versions that each engine reported, by the engine's name in the run.
        cut_texts: the number of texts in the run's file that were too long, and were cut when the file was read.
    """

    settings: RunSettings
    games: tuple[GameRecord, ...] = ()
    voids: tuple[GameRecord, ...] = ()
    remarks: tuple[str, ...] = ()
    outflank: str = ""
    evaluation: str = ""
    started: str = ""
    seconds: float | None = None
    machine: str = ""
    interrupted: bool = False
    finished: bool = False
    outside: Mapping[str, OffClockTime] = field(default_factory=dict)
    identities: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    cut_texts: int = 0

    def line(self) -> str:
        """Return ``RunSettings.line`` with the version and the evaluation that began the run."""
        return self.settings.line(", evaluation ".join(filter(None, (self.outflank, self.evaluation))))

    @property
    def warning(self) -> str:
        """A sentence about texts that were cut when the run's file was read; empty if none were cut."""
        return f"long texts of the run were cut in the middle: {self.cut_texts}" if self.cut_texts else ""

    @property
    def is_valid(self) -> bool:
        """Whether at most 3 % of each engine's games are void because of this engine."""
        return all(self.void_share(name) <= MOST_VOIDS for name in self.settings.names)

    def void_share(self, name: str) -> float:
        """Return the share of an engine's games that are void because it lost on time or crashed, 0 to 1."""
        voids = sum(game.blamed == name for game in self.voids)
        games = sum(name in game.pairing.names.values() for game in self.games)
        return voids / (games + voids) if voids else 0.0


PLAIN_SETTINGS = ("games", "rounds", "seed", "stall", "adjudicate", "solve", "concurrency", "replay_crashes")
"""The fields of RunSettings that are numbers or flags."""
SCORE_RULES = ("resign", "draw")
"""The fields of RunSettings that end games by the scores that the engines report."""


# The options whose names differ from the names of their settings.
_OPTIONS = {"format": "pairing", "solve": "count-errors-from"}


def option_name(setting: str) -> str:
    """Return the name of the option that sets a field of ``RunSettings``, without the leading dashes."""
    return _OPTIONS.get(setting, setting.replace("_", "-"))


def plain_settings(settings: RunSettings) -> dict[str, Any]:
    """Return all settings as values that JSON can represent."""
    return {
        "engines": [engine.settings() for engine in settings.engines],
        "format": str(settings.format),
        "openings": str(settings.openings),
        "rules": str(settings.rules),
        "sprt": asdict(settings.sprt) if settings.sprt else None,
        **{name: getattr(settings, name) for name in PLAIN_SETTINGS},
        **{name: asdict(rule) for name in SCORE_RULES if (rule := getattr(settings, name))},
        **({"tuning": asdict(settings.tuning)} if settings.tuning else {}),
    }


def difference(first: RunSettings, second: RunSettings, ignored: Collection[str] = ()) -> str:
    """Return the first difference between two runs' settings, such as ``games 100 there, 200 here``; empty if none.

    Args:
        first: the settings that the text calls ``there``.
        second: the settings that the text calls ``here``.
        ignored: the names of settings that may differ, in addition to the concurrency.
    """
    there, here = plain_settings(first), plain_settings(second)
    if first.names != second.names:
        return f"engines {', '.join(first.names)} there, {', '.join(second.names)} here"
    engines = zip(first.names, there.pop("engines"), here.pop("engines"), strict=True)
    for name, one, other in engines:
        if found := _differing(one, other, ()):
            return f"engine {name}: {found}"
    return _differing(there, here, ("concurrency", *ignored))


def _differing(there: Mapping[str, Any], here: Mapping[str, Any], ignored: Collection[str]) -> str:
    for key in (*there, *(key for key in here if key not in there)):
        if key not in ignored and (one := there.get(key)) != (other := here.get(key)):
            words = ("none" if value is None else value for value in (one, other))
            return "{} {} there, {} here".format(option_name(key), *words)
    return ""


def read_settings(plain: Mapping[str, Any]) -> RunSettings:
    """Return the settings from the values of ``plain_settings``. Raises: ValueError, KeyError, TypeError."""
    return RunSettings(
        engines=tuple(EngineSpec.from_settings(engine) for engine in plain["engines"]),
        format=Format(plain["format"]),
        openings=OpeningsChoice.parse(plain["openings"]),
        rules=Rules.parse(plain["rules"]),
        sprt=Sprt(**plain["sprt"]) if plain["sprt"] else None,
        tuning=Tuning.from_plain(plain["tuning"]) if plain.get("tuning") else None,
        resign=_score_rule(plain.get("resign")),
        draw=_score_rule(plain.get("draw")),
        **{name: plain[name] for name in PLAIN_SETTINGS},
    )


def _score_rule(plain: Mapping[str, Any] | None) -> ScoreRule | None:
    return ScoreRule(**plain) if plain else None
