"""Makes the manual of a protocol from the docstrings of its commands."""

import inspect
import re
from collections.abc import Callable, Sequence
from typing import Any

_ITEM = re.compile(r"^(?=(?:Arguments|Answer|Fails):)", re.MULTILINE)


def entry(names: Sequence[str], function: Callable[..., Any]) -> str:
    """A command's entry in Markdown: its names, what it does, then arguments, answer and failure as a list."""
    text, *items = _ITEM.split(inspect.getdoc(function) or "")
    bullets = "".join(f"- {item.strip()}\n" for item in items)
    return f"### {', '.join(f'`{name}`' for name in names)}\n\n{text.strip()}\n\n{bullets}"
