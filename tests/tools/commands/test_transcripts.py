"""What the commands print, as whole dialogues in transcripts/; tests/support/transcripts.py describes their form."""

from pathlib import Path

import pytest

from outflank.tests.support.transcripts import Section, check, sections

FILES = sorted(Path(__file__).with_name("transcripts").glob("*.console"))


@pytest.mark.parametrize("section", [each for path in FILES for each in sections(path)], ids=str)
def test_commands_print_what_the_transcript_shows(section: Section, tmp_path: Path) -> None:
    check(section, tmp_path)
