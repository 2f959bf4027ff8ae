"""Commands that are executed though their line has no end: they only tell something."""

import pytest

from outflank.protocol.gtp.commands import COMMANDS, HARMLESS
from outflank.tests.protocol.dialogue import Dialogue

THINK = {"outflank-line", "outflank-live"}
CHANGE = {"clear_board", "undo"}


@pytest.mark.parametrize("name", sorted(HARMLESS))
def test_what_needs_no_line_feed_takes_no_arguments_and_changes_nothing(name: str) -> None:
    dialogue = Dialogue()
    dialogue.ask("gogui-play_sequence b f5 w d6")
    before = dialogue.state()
    dialogue.send(name)

    assert dialogue.state() == before
    assert "Arguments: none" in (COMMANDS[name].__doc__ or "")


def test_what_takes_no_arguments_needs_no_line_feed_unless_it_thinks_or_changes_something() -> None:
    bare = {name for name, function in COMMANDS.items() if "Arguments: none" in (function.__doc__ or "")}

    assert bare == HARMLESS | THINK | CHANGE
