"""The options of the engines: what they refuse, with what sentence."""

import pytest
from click.testing import CliRunner

from outflank.tools.commands.program import cli


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ("x", "expected discs and perhaps plies, as 1.5:12, got 'x'"),
        ("1:x", "got '1:x'"),
        ("99", "expected 0 to 64 discs"),
    ],
)
def test_a_variety_that_is_none_is_refused(given: str, sentence: str) -> None:
    result = CliRunner().invoke(cli, ["gtp", "--variety", given])

    assert result.exit_code == 2
    assert sentence in result.output
