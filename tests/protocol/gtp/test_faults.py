"""A fault of ours in one command ends neither the session nor the form of its answers."""

from collections.abc import Iterator

import pytest

from outflank.protocol.gtp.commands import COMMANDS
from outflank.tests.protocol.dialogue import Dialogue, listening


@pytest.fixture
def dialogue() -> Dialogue:
    return Dialogue(inbox=listening())


def test_a_fault_of_ours_is_a_failure_and_no_end(
    dialogue: Dialogue, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken(*arguments: object) -> str:
        raise ZeroDivisionError("no reason")

    monkeypatch.setitem(COMMANDS, "name", broken)

    assert dialogue.send("3 name") == "?3 internal error: ZeroDivisionError('no reason')\n\n"
    assert "broken" in capsys.readouterr().err
    assert dialogue.ask("protocol_version") == "2"


def test_a_fault_of_ours_in_an_answer_that_grows_ends_the_answer_and_no_more(
    dialogue: Dialogue, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken(*arguments: object) -> Iterator[str]:
        yield "info move d3"
        raise ZeroDivisionError("no reason")

    monkeypatch.setitem(COMMANDS, "lz-analyze", broken)

    assert dialogue.send("3 lz-analyze") == "=3\ninfo move d3\n\n"
    assert "broken" in capsys.readouterr().err
    assert dialogue.ask("protocol_version") == "2"
