"""What the HTML pages are made of: templates, colours of the boxes, the parts that every page has."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from outflank import __version__
from outflank.engine import Rules
from outflank.engine.disccolours import DISC_COLOURS
from outflank.tools.show.replay import SQUARE_LETTERS

if TYPE_CHECKING:
    import jinja2
    from markupsafe import Markup

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
    scripts = _scripts((black, white))
    return {
        "scripts": scripts,
        "policy": _policy(scripts.values()),
        "version": __version__,
        "colours": (black, white),
        "disc_colours": (DISC_COLOURS[black].image, DISC_COLOURS[white].image),
    }


def _scripts(colours: tuple[str, str]) -> dict[str, Markup]:
    """All scripts of the pages by their names: nothing in them is from a game or a run."""
    from markupsafe import Markup  # jinja2's own

    environment = templates()
    replays = environment.from_string(
        "const LETTERS = {{ letters|tojson }}, NAMES = {{ colours|tojson }};\n{% include 'report.js' %}"
    )
    return {
        "replays": Markup(replays.render(letters=SQUARE_LETTERS, colours=colours)),
        "sorting": Markup(environment.get_template("sort.js").render()),
    }


def _policy(scripts: Iterable[str]) -> str:
    """A content security policy: these scripts run and no other, however it came into a page; nothing is asked for."""
    digests = (b64encode(sha256(script.encode()).digest()).decode() for script in scripts)
    allowed = " ".join(f"'sha256-{digest}'" for digest in digests)
    return f"default-src 'none'; script-src {allowed}; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
