"""docs/gtp.md and docs/nboard.md are what the commands say of themselves, and they say all of it."""

import inspect
import re
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from outflank.protocol.gtp import commands as gtp_commands
from outflank.protocol.gtp import document as gtp_document
from outflank.protocol.nboard import commands as nboard_commands
from outflank.protocol.nboard import document as nboard_document

DOCS = Path(__file__).parents[2] / "docs"
PROTOCOLS: dict[str, tuple[Mapping[str, object], Callable[[], str]]] = {
    "gtp": (gtp_commands.COMMANDS, gtp_document.document),
    "nboard": (nboard_commands.COMMANDS, nboard_document.document),
}
OF_EACH_COMMAND = [(protocol, name) for protocol, (commands, _) in PROTOCOLS.items() for name in commands]


@pytest.mark.skipif(not DOCS.exists(), reason="an installed package has no docs folder")
@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_the_page_is_up_to_date(protocol: str) -> None:
    _, document = PROTOCOLS[protocol]
    page = (DOCS / f"{protocol}.md").read_text()

    assert page == document(), f"python -m outflank.protocol.{protocol}.document > docs/{protocol}.md"


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_every_command_is_documented_once(protocol: str) -> None:
    commands, document = PROTOCOLS[protocol]
    headings = re.findall(r"^### (.*)$", document(), flags=re.MULTILINE)

    assert sorted(re.findall(r"`([^`]+)`", " ".join(headings))) == sorted(commands)


@pytest.mark.parametrize(("protocol", "name"), OF_EACH_COMMAND)
def test_a_command_tells_its_arguments_its_answer_and_its_failures(protocol: str, name: str) -> None:
    commands, _ = PROTOCOLS[protocol]
    text = inspect.getdoc(commands[name]) or ""

    assert re.findall(r"^(\w+):", text, flags=re.MULTILINE) == ["Arguments", "Answer", "Fails"]
