"""Commands that are executed though their line has no end: they only tell something."""

import pytest

from outflank.protocol.gtp.commands import COMMANDS, HARMLESS
from outflank.tests.protocol.dialogue import Dialogue


@pytest.mark.parametrize("name", sorted(HARMLESS))
def test_what_needs_no_line_feed_takes_no_arguments_and_changes_nothing(name: str) -> None:
    dialogue = Dialogue()
    dialogue.ask("gogui-play_sequence b f5 w d6")
    before = dialogue.state()
    dialogue.send(name)

    assert dialogue.state() == before
    assert "Arguments: none" in (COMMANDS[name].__doc__ or "")
