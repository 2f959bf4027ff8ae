"""Words that go with numbers, and facts as JSON."""

import json
from collections.abc import Mapping
from typing import Any


def counted(number: int, one: str, many: str = "") -> str:
    """``1 pair`` or ``3,000 pairs``; `many` is for words that do more than take an s."""
    return f"{number:,} {one if number == 1 else many or f'{one}s'}"


def json_line(facts: Mapping[str, Any]) -> str:
    """An object of JSON with its letters as they are; what a terminal might obey is escaped."""
    text = json.dumps(facts, ensure_ascii=False)
    return "".join(c if c.isprintable() else json.dumps(c)[1:-1] for c in text)
