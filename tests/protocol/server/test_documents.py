"""The reference pages have what the commands, checks and messages say of themselves, and all of it."""

import re
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import pytest

from outflank.measure.reference import DOCS, PARTS, parts_of, with_parts
from outflank.protocol.server.gtp import commands as gtp_commands
from outflank.protocol.server.nboard import commands as nboard_commands

COMMANDS: dict[str, Mapping[str, object]] = {"gtp": gtp_commands.COMMANDS, "nboard": nboard_commands.COMMANDS}
PAGES = sorted(page for page in DOCS.glob("*.md") if parts_of(page.read_text()))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_page_is_up_to_date(page: Path) -> None:
    assert page.read_text() == with_parts(page.read_text()), "python -m outflank.measure.reference"


def test_every_part_stands_in_the_pages_once() -> None:
    assert Counter(part for page in PAGES for part in parts_of(page.read_text())) == Counter(list(PARTS))


@pytest.mark.parametrize("protocol", COMMANDS)
def test_every_command_is_documented_once_with_its_arguments_answer_and_failures(protocol: str) -> None:
    """An item that a docstring misspells would stay in the description, and the usual one take its place."""
    page = (DOCS / f"{protocol}.md").read_text()
    entries = re.findall(r"^### (`.*?)\n(.*?)^(?=#|<)", page, re.MULTILINE | re.DOTALL)

    for heading, entry in entries:
        items = re.findall(r"^(?:- )?([A-Z]\w+): \S", entry, re.MULTILINE)
        assert items == ["Arguments", "Answer", "Fails"], heading
    assert sorted(re.findall(r"`([^`]+)`", " ".join(heading for heading, _ in entries))) == sorted(
        COMMANDS[protocol]
    )
