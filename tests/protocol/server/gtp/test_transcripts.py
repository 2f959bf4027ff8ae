"""Whole dialogues, as files: what is sent, and the answers that must come, letter by letter.

``> `` begins a line that is sent, ``;`` a remark; what stands below a line is its answer without the closing
empty line. An answer that begins with ``~`` is a regular expression.
"""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from outflank.tests.support.dialogue import Dialogue

TRANSCRIPTS = sorted((Path(__file__).parent / "transcripts").glob("*.gtp"))


def exchanges(path: Path) -> Iterator[tuple[str, str]]:
    """Pairs of a line sent and the answer expected."""
    text = "".join(line for line in path.read_text().splitlines(True) if not line.startswith(";"))
    for part in re.split(r"^> ?", text, flags=re.MULTILINE)[1:]:
        sent, _, expected = part.partition("\n")
        yield sent, expected.rstrip("\n")


@pytest.mark.parametrize("path", TRANSCRIPTS, ids=lambda path: path.stem)
def test_the_dialogue_goes_as_written(path: Path) -> None:
    dialogue = Dialogue()

    for sent, expected in exchanges(path):
        answer = dialogue.send(sent)
        if expected.startswith("~"):
            assert re.fullmatch(expected[1:].strip(), answer.rstrip("\n")), f"{path.name}: {sent}: {answer}"
        else:
            assert answer == (f"{expected}\n\n" if expected else ""), f"{path.name}: {sent}"


def test_there_are_transcripts() -> None:
    assert len(TRANSCRIPTS) > 10
