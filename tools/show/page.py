"""What the HTML pages are made of: templates, colours of the boxes, the parts that every page has."""

from pathlib import Path
from typing import Any

import jinja2

from outflank import __version__
from outflank.engine import Rules
from outflank.tools.show.replay import SQUARE_LETTERS

_TEMPLATES = Path(__file__).parent / "data"
# What the boxes print on their discs, as colours of a page.
_DISC_COLOURS = {
    "Black": "#1d1f21",
    "White": "#f6f4ee",
    "Red": "#b8352d",
    "Gold": "#d4a72c",
    "Yellow": "#eccb3c",
}


def templates() -> jinja2.Environment:
    """The environment that all templates are rendered in."""
    return jinja2.Environment(
        loader=jinja2.FileSystemLoader(_TEMPLATES),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def page_parts(rules: Rules) -> dict[str, Any]:
    """What ``page.html`` and the replays need, whatever the page shows."""
    black, white = rules.colour_names
    return {
        "version": __version__,
        "colours": (black, white),
        "disc_colours": (_DISC_COLOURS[black], _DISC_COLOURS[white]),
        "letters": SQUARE_LETTERS,
    }
