"""Writes the parts of pages that are generated from the code: ``python -m outflank.measure.reference``.

Each part is between ``<!-- made: NAME -->`` and ``<!-- end -->``. The rest of a page is written by hand.
"""

import inspect
import re
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

from outflank.engine.search.parameters import PARAMETERS
from outflank.protocol.server.gtp import commands as gtp_commands
from outflank.protocol.server.nboard import commands as nboard_commands
from outflank.tools.arena import messages
from outflank.tools.checks.check import Check
from outflank.tools.checks.examination import CHECKS, NBOARD_CHECKS, SECTIONS, checks_of

DOCS = Path(__file__).resolve().parents[1] / "docs"
_PART = re.compile(r"(<!-- made: (.+?) -->).*?(<!-- end -->)", re.DOTALL)
_ITEM = re.compile(r"^(Arguments|Answer|Fails): ", re.MULTILINE)
# The default values of entries that a docstring omits.
_USUAL = {"Arguments": "none", "Answer": "nothing", "Fails": "never"}


def with_parts(page: str) -> str:
    """Return the page with updated parts. Raises: KeyError if the name of a part is unknown."""
    return _PART.sub(lambda found: f"{found[1]}{PARTS[found[2]]()}{found[3]}", page)


def parts_of(page: str) -> list[str]:
    """Return the names of the parts of a page."""
    return [name for _, name, _ in _PART.findall(page)]


def _commands(table: dict[str, Callable[..., Any]], module: str) -> str:
    """Return the entries of the commands that a module defines. Several names of a function share an entry."""
    names: dict[Callable[..., Any], list[str]] = {}
    for name, function in table.items():
        if _module(function) == module:
            names.setdefault(function, []).append(name)
    return "\n\n" + "\n".join(_entry(aliases, function) for function, aliases in names.items()) + "\n"


def _module(function: Callable[..., Any]) -> str:
    return function.__module__.rpartition(".")[2]


def _entry(names: Iterable[str], function: Callable[..., Any]) -> str:
    """Return the entry of a command: its names, its description, and a list of arguments, answer and failure."""
    text, *items = _ITEM.split(inspect.getdoc(function) or "")
    given = _USUAL | dict(zip(items[::2], items[1::2], strict=True))
    bullets = "".join(f"- {item}: {said.strip()}\n" for item, said in given.items())
    return f"### {', '.join(f'`{name}`' for name in names)}\n\n{text.strip()}\n\n{bullets}"


def _checks(module: ModuleType) -> str:
    rows = [f"| `{check.name}` | {check.level} | {_rule(check)} |" for check in checks_of(module).values()]
    return _block("| check | | rule |", "| --- | --- | --- |", *rows)


def _rule(check: Check) -> str:
    """Return the rule of a check, and the commands that an engine must list for the rule to apply."""
    if not check.needs:
        return check.rule
    return f"{check.rule} (Requires {' and '.join(f'`{name}`' for name in sorted(check.needs))}.)"


def _parameters() -> str:
    rows = [
        f"| `{each.name}` | {each.default:.3g} | {each.least:g} to {each.most:g} | {each.meaning} | `{each.fitted}` |"
        for each in PARAMETERS.values()
    ]
    return _block(
        "| name | default | range | meaning | default by |", "| --- | --- | --- | --- | --- |", *rows
    )


def _block(*lines: str) -> str:
    return "\n\n" + "\n".join(lines) + "\n\n"


PARTS: dict[str, Callable[[], str]] = {
    **{
        f"{protocol} commands: {module}": partial(_commands, table, module)
        for protocol, table in (("GTP", gtp_commands.COMMANDS), ("NBoard", nboard_commands.COMMANDS))
        for module in map(_module, table.values())
    },
    **{f"checks: {title}": partial(_checks, module) for title, module in SECTIONS.items()},
    "number of GTP checks": lambda: str(len(CHECKS)),
    "number of NBoard checks": lambda: str(len(NBOARD_CHECKS)),
    "parameters": _parameters,
    "arena messages": lambda: _block(messages.page()),
}
"""The functions that generate the parts, by the parts' names in the pages."""


def main() -> None:
    """Update the parts of all pages."""
    for path in DOCS.glob("*.md"):
        if (page := with_parts(old := path.read_text())) != old:
            path.write_text(page)


if __name__ == "__main__":
    main()
