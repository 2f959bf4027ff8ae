"""Whole dialogues, as files: what is sent, and the lines that must come, letter by letter.

``> `` begins a line that is sent, ``;`` a remark; what stands below a line is its answer. A line of it that begins
with ``~`` is a regular expression, and ``...`` stands for any number of lines.
"""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from outflank.tests.support.nboard_dialogue import Dialogue

TRANSCRIPTS = sorted((Path(__file__).parent / "transcripts").glob("*.nboard"))


def exchanges(path: Path) -> Iterator[tuple[str, list[str]]]:
    """Pairs of a line sent and the lines expected."""
    text = "".join(line for line in path.read_text().splitlines(True) if not line.startswith(";"))
    for part in re.split(r"^> ?", text, flags=re.MULTILINE)[1:]:
        sent, *expected = part.rstrip("\n").split("\n")
        yield sent, expected


def pattern(line: str) -> str:
    if line == "...":
        return r"(?:.*\n)*?"
    return (line[1:].strip() if line.startswith("~") else re.escape(line)) + r"\n"


@pytest.mark.parametrize("path", TRANSCRIPTS, ids=lambda path: path.stem)
def test_the_dialogue_goes_as_written(path: Path) -> None:
    dialogue = Dialogue()

    for sent, expected in exchanges(path):
        told = "".join(f"{line}\n" for line in dialogue.send(sent))
        assert re.fullmatch("".join(map(pattern, expected)), told), f"{path.name}: {sent}: {told}"


def test_there_are_transcripts() -> None:
    assert len(TRANSCRIPTS) > 5
