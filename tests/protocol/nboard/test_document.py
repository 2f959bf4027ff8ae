"""docs/nboard.md is what the commands say of themselves, and they say all of it."""

import inspect
import re
from pathlib import Path

import pytest

from outflank.protocol.nboard.commands import COMMANDS
from outflank.protocol.nboard.document import document

PAGE = Path(__file__).parents[3] / "docs" / "nboard.md"


@pytest.mark.skipif(not PAGE.exists(), reason="an installed package has no docs folder")
def test_the_page_is_up_to_date() -> None:
    assert PAGE.read_text() == document(), "python -m outflank.protocol.nboard.document > docs/nboard.md"


def test_every_command_is_documented_once() -> None:
    headings = re.findall(r"^### (.*)$", document(), flags=re.MULTILINE)

    assert sorted(re.findall(r"`([^`]+)`", " ".join(headings))) == sorted(COMMANDS)


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_tells_its_arguments_its_answer_and_its_failures(name: str) -> None:
    text = inspect.getdoc(COMMANDS[name]) or ""

    assert re.findall(r"^(\w+):", text, flags=re.MULTILINE) == ["Arguments", "Answer", "Fails"]
