"""Prints a run as JSON lines: an object for each event, and the progress after each game."""

from collections.abc import Callable
from typing import Any

import click

from outflank.tools.match.game.results import GameRecord, Pairing, opening_text
from outflank.tools.match.state.events import (
    EngineJoined,
    Event,
    GameEnded,
    GamesPlanned,
    GameStarted,
    GameVoided,
    Remark,
    RunObserver,
    TurnPlayed,
)
from outflank.tools.runtime.progress import json_line


class JsonLines(RunObserver):
    """Prints events as JSON lines.

    Args:
        progress: a function that returns the progress of the run, see ``Scoreboard.progress``.
    """

    def __init__(self, progress: Callable[[], dict[str, Any]]) -> None:
        self._progress = progress

    def observe(self, event: Event) -> None:
        """Print the event. After a game that counts, print the progress too."""
        if plain := plain_event(event):
            click.echo(json_line(plain))
        if isinstance(event, GameEnded):
            click.echo(json_line(self._progress()))


def plain_event(event: Event) -> dict[str, Any]:
    """Return an event as plain data; empty if the event is not printed. Margins are for Black, times in seconds."""
    match event:
        case GamesPlanned(games, played):
            return {"event": "planned", "games": games, "played": played}
        case GameStarted(pairing):
            began = {"attempt": pairing.attempt, "started": pairing.started}
            return {"event": "game-started", **_names(pairing), **began}
        case TurnPlayed(game, attempt, ply, turn):
            return {
                "event": "turn",
                "game": game,
                "attempt": attempt,
                "ply": ply,
                "move": str(turn.move),
                "seconds": None if turn.seconds is None else round(turn.seconds, 6),
                "discs": event.discs,
            }
        case GameEnded(record):
            return {"event": "game-ended", **_result(record)}
        case GameVoided(record):
            blame = {"reason": record.void, "engine": record.blamed}
            return {"event": "game-voided", **_result(record), **blame}
        case Remark(sentence):
            return {"event": "remark", "remark": sentence}
        case EngineJoined(settings):
            return {"event": "entered", "engines": list(settings.names)}
        case _:
            return {}


def _names(pairing: Pairing) -> dict[str, Any]:
    return {
        "game": pairing.number,
        "pair": pairing.pair,
        "round": pairing.round,
        "black": pairing.black,
        "white": pairing.white,
        "opening": opening_text(pairing.opening),
    }


def _result(game: GameRecord) -> dict[str, Any]:
    return {
        **_names(game.pairing),
        "attempt": game.pairing.attempt,
        "winner": game.winner_name,
        "ending": str(game.ending),
        "detail": game.detail,
        "margin": game.margin,
        "transcript": game.transcript,
    }
