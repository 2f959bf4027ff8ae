"""Bundles the JavaScript modules of a page into one script, since a page must work as a single file."""

import re
from functools import cache
from pathlib import Path

PROGRAM = Path(__file__).parent / "program"
_IMPORT = re.compile(r'^import \{[^}]*\} from "(?P<path>[^"]+)";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async )?(?:const|let|function|class)\b)", re.MULTILINE)
_NAME = re.compile(r"^(?:async )?(?:const|let|function\*?|class) (?P<name>\w+)", re.MULTILINE)


@cache
def bundled(entry: str) -> str:
    """Return a module and all modules that it imports, directly or indirectly, as one script; imports come first.

    All modules share one scope. The only supported forms are ``import {names} from PATH``, and ``export`` before a
    declaration.

    Args:
        entry: the path of the module relative to ``program``, such as ``report.js``.

    Raises: ValueError if two modules declare the same name, or if a module uses another form of import or export.
    """
    texts: dict[Path, str] = {}
    _collect((PROGRAM / entry).resolve(), texts, ())
    owners: dict[str, str] = {}
    for path, text in texts.items():
        if wrong := re.search(r"^(?:import|export)\b.*", text, re.MULTILINE):
            raise ValueError(f"{path.name} uses a form of import or export that can't be bundled: {wrong[0]}")
        for found in _NAME.finditer(text):
            if (owner := owners.setdefault(found["name"], path.name)) != path.name:
                raise ValueError(f"{found['name']} is declared by {owner} and by {path.name}")
    return "\n".join(['"use strict";', *texts.values()])


def _collect(path: Path, texts: dict[Path, str], above: tuple[Path, ...]) -> None:
    """Add a module to `texts` after its imports. Raises: ValueError if modules import one another in a circle."""
    if path in texts:
        return
    if path in above:
        raise ValueError(f"{path.name} imports itself through {above[-1].name}")
    text = path.read_text("utf-8")
    for found in _IMPORT.finditer(text):
        _collect((path.parent / found["path"]).resolve(), texts, (*above, path))
    texts[path] = _EXPORT.sub("", _IMPORT.sub("", text))
