"""Parts of the HTML pages: templates, the script, colours, game files, and the table of discs lost by phase."""

from __future__ import annotations

import json
import zlib
from base64 import b64encode
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from outflank.engine import Rules
from outflank.engine.boardsvg import DISC_COLOURS
from outflank.engine.evaluation import weights
from outflank.protocol.formats import ggf, sgf
from outflank.protocol.formats.annotated import AnnotatedGame
from outflank.tools.page.bundle import bundled

if TYPE_CHECKING:
    import jinja2

_DATA = Path(__file__).parent / "data"


@cache
def templates() -> jinja2.Environment:
    """Return the jinja2 environment of all templates."""
    import jinja2  # imported here, since text reviews do not need it

    return jinja2.Environment(
        loader=jinja2.FileSystemLoader(_DATA),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )


def rendered(template: str, **values: Any) -> str:
    """Render a template with these values."""
    return templates().get_template(template).render(values)


def page_parts(rules: Rules, entry: str, asks: bool = False) -> dict[str, Any]:
    """Return the values that ``page.html`` needs on every page.

    Args:
        rules: the rules of the games.
        entry: the entry module of the page's script, such as ``report.js``.
        asks: True if the script may connect to the page's server.
    """
    from markupsafe import Markup  # installed with jinja2

    black, white = rules.colour_names
    script = bundled(entry)
    digest = b64encode(sha256(script.encode()).digest()).decode()
    connections = "; connect-src 'self'" if asks else ""
    return {
        "script": Markup(script),  # not escaped, since it contains no data from a game or a run
        # Only this script may run. It may connect to the page's server if `asks` is true, and never to another server.
        # The icon is a data URL.
        "policy": f"default-src 'none'; script-src 'sha256-{digest}'; style-src 'unsafe-inline'; img-src data:; "
        f"base-uri 'none'; form-action 'none'{connections}",
        "version": weights.version(),
        "colours": (black, white),
        "disc_colours": (DISC_COLOURS[black].image, DISC_COLOURS[white].image),
    }


GAME_FORMATS: Mapping[str, Callable[[AnnotatedGame], str]] = {"sgf": sgf.write, "ggf": ggf.write}
"""The formats in which pages offer games for download."""


def packed_files(games: Sequence[AnnotatedGame]) -> dict[str, str]:
    """Return, for each format, a JSON list of the games' files, deflated and encoded in base 64."""
    files = {name: json.dumps([write(game) for game in games]) for name, write in GAME_FORMATS.items()}
    return {name: b64encode(zlib.compress(text.encode(), 9)).decode() for name, text in files.items()}


_EMPTIES_A_PHASE = 10  # the length of a phase in moves, not counting passes
_PHASES = 6
PhaseTable = tuple[list[str], Mapping[str, list[tuple[float, int]]]]
"""The names of the phases with moves, such as ``60-51``, and each player's discs lost and number of moves by phase."""


def phase_table(players: Iterable[str], moves: Iterable[tuple[str, int, float]]) -> PhaseTable:
    """Return the table of discs lost by player and phase.

    Args:
        players: the names of the players, in the order of the table.
        moves: the moves, each as a tuple of the player, the number of empty squares and the discs lost.
    """
    rows = {name: [(0.0, 0)] * _PHASES for name in players}
    for player, empties, discs in moves:
        phase = _PHASES - 1 - (max(1, min(empties, 60)) - 1) // _EMPTIES_A_PHASE
        lost, count = rows[player][phase]
        rows[player][phase] = (lost + discs, count + 1)
    known = [phase for phase in range(_PHASES) if any(row[phase][1] for row in rows.values())]
    return (
        [f"{60 - phase * _EMPTIES_A_PHASE}-{51 - phase * _EMPTIES_A_PHASE}" for phase in known],
        {name: [row[phase] for phase in known] for name, row in rows.items()},
    )
