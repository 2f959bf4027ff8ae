"""The report of a match: one HTML file that needs nothing else."""

from importlib.metadata import version
from pathlib import Path
from typing import Any

import jinja2

from outflank.engine import Colour, Position, Turn
from outflank.engine.position import unpack
from outflank.tools.games.results import Ending, GameRecord
from outflank.tools.runs.summary import MatchResult
from outflank.tools.show.resulttable import elo_line, faults_text

_TEMPLATES = Path(__file__).parent / "data"
# What the boxes print on their discs, as colours of a page.
_DISC_COLOURS = {
    "Black": "#1d1f21",
    "White": "#f6f4ee",
    "Red": "#b8352d",
    "Gold": "#d4a72c",
    "Yellow": "#eccb3c",
}


def render_report(result: MatchResult) -> str:
    """The page: settings, standings, and every game with its transcript and a board to replay it on."""
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(_TEMPLATES),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    first, second = result.settings.names
    black, white = result.settings.rules.colour_names
    return environment.get_template("report.html").render(
        result=result,
        settings=result.settings,
        version=version("outflank"),
        elo=elo_line(first, second, result.elo),
        faults_text=faults_text,
        colours=(black, white),
        disc_colours=(_DISC_COLOURS[black], _DISC_COLOURS[white]),
        rows=[_row(game) for game in result.games],
        replays=[_replay(game) for game in result.games],
    )


def _row(game: GameRecord) -> dict[str, Any]:
    """A line of the list of games."""
    names = game.pairing.names
    return {
        "number": game.pairing.number,
        "black": names[Colour.BLACK],
        "white": names[Colour.WHITE],
        "winner": game.winner_name,
        "result": _result_text(game),
        "ending": str(game.ending),
        "fault": game.ending.is_fault,
        "moves": len(game.turns) - game.forced_passes,
        "passes": game.forced_passes,
    }


def _result_text(game: GameRecord) -> str:
    """``40-24`` in discs on the board, or who won otherwise."""
    if game.ending is Ending.DISCS:
        final = game.turns[-1].before.play(game.turns[-1].move) if game.turns else Position.start(game.rules)
        return f"{final.discs(Colour.BLACK)}-{final.discs(Colour.WHITE)}"
    return f"{game.winner_name} wins"


def _replay(game: GameRecord) -> dict[str, Any]:
    """What the script needs to replay a game: the start and what each turn changes."""
    return {
        "title": f"Game {game.pairing.number}",
        "black": game.pairing.names[Colour.BLACK],
        "white": game.pairing.names[Colour.WHITE],
        "detail": game.detail,
        "transcript": game.transcript,
        "opening": len(game.pairing.opening),
        "start": Position.start(game.rules).board_string().split()[0],
        "turns": [
            _replayed_turn(turn, seconds) for turn, seconds in zip(game.turns, game.seconds, strict=True)
        ],
    }


def _replayed_turn(turn: Turn, seconds: float | None) -> dict[str, Any]:
    """A turn: the mover's letter on the board, its square and those it turns, how it is written, its time."""
    move = turn.move
    return {
        "disc": "X" if turn.colour is Colour.BLACK else "O",
        "square": move.square,
        "turned": [] if move.is_pass else list(unpack(turn.before.turned(move))),
        "text": str(move),
        "seconds": None if seconds is None else round(seconds, 3),
    }
