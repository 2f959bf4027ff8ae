"""A group knows its commands without importing them, and says of each what the command says of itself."""

import click
import pytest

from outflank.tests.installation import python_script
from outflank.tools.commands.bench import bench
from outflank.tools.commands.program import LazyGroup, cli
from outflank.tools.commands.train import train

GROUPS = {"outflank": cli, "train": train, "bench": bench}


@pytest.mark.parametrize(
    ("group", "name"), [(group, name) for group, found in GROUPS.items() for name in found.summaries]
)
def test_the_list_says_what_the_command_says_of_itself(group: str, name: str) -> None:
    found = GROUPS[group]
    command = found.get_command(click.Context(found), name)

    assert isinstance(found, LazyGroup)
    assert command is not None
    assert command.name == name
    assert " ".join((command.help or "").partition("\n\n")[0].split()) == found.summaries[name]


def test_there_is_no_other_command() -> None:
    assert train.get_command(click.Context(train), "options") is None


def test_help_of_the_training_imports_no_part_of_it() -> None:
    told = python_script("-c", """
import sys
from outflank.tools.commands.program import cli
try:
    cli(["train", "--help"], prog_name="outflank")
finally:
    print(sorted(name for name in sys.modules if name.startswith(("outflank.tools.train", "numpy", "scipy"))))
""")  # fmt: skip

    assert [name for name in train.summaries if f"\n  {name} " not in told.stdout] == []
    assert told.stdout.endswith("[]\n")
