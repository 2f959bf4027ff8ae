"""The settings of a run as plain data, as its file keeps them, and back."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from outflank.engine import Rules
from outflank.tools.games.entries import Entry
from outflank.tools.openings.sources import OpeningsChoice
from outflank.tools.state.run import Format, RunSettings
from outflank.tools.stats.sprt import Sprt


def plain_settings(settings: RunSettings) -> dict[str, Any]:
    """All settings in values that JSON knows."""
    return {
        "engines": [entry.settings() for entry in settings.entries],
        "format": str(settings.format),
        "games": settings.games,
        "rounds": settings.rounds,
        "openings": str(settings.openings),
        "rules": str(settings.rules),
        "seed": settings.seed,
        "stall": settings.stall,
        "adjudicate": settings.adjudicate,
        "solve": settings.solve,
        "sprt": asdict(settings.sprt) if settings.sprt else None,
        "concurrency": settings.concurrency,
        "replay_crashes": settings.replay_crashes,
    }


def read_settings(plain: Mapping[str, Any]) -> RunSettings:
    """What ``plain_settings`` wrote.

    Raises: NotationError, KeyError, TypeError if it was not.
    """
    return RunSettings(
        entries=tuple(Entry.from_settings(entry) for entry in plain["engines"]),
        format=Format(plain["format"]),
        games=plain["games"],
        rounds=plain["rounds"],
        openings=OpeningsChoice.parse(plain["openings"]),
        rules=Rules.parse(plain["rules"]),
        seed=plain["seed"],
        stall=plain["stall"],
        adjudicate=plain["adjudicate"],
        solve=plain["solve"],
        sprt=Sprt(**plain["sprt"]) if plain["sprt"] else None,
        concurrency=plain["concurrency"],
        replay_crashes=plain["replay_crashes"],
    )
