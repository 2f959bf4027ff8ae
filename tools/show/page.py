"""What the HTML pages are made of: templates, colours of the boxes, the parts that every page has."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from outflank import __version__
from outflank.engine import Rules
from outflank.engine.disccolours import DISC_COLOURS
from outflank.tools.show.replay import SQUARE_LETTERS

if TYPE_CHECKING:
    import jinja2

_TEMPLATES = Path(__file__).parent / "data"


def templates() -> jinja2.Environment:
    """The environment that all templates are rendered in."""
    import jinja2  # not at the top: a review as text does without it

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
        "disc_colours": (DISC_COLOURS[black].image, DISC_COLOURS[white].image),
        "letters": SQUARE_LETTERS,
    }
