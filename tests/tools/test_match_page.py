"""docs/match.md says what is true: its commands parse, its tables are complete."""

import re
import shlex
from pathlib import Path

import click
import pytest

from outflank.engine import PRESETS, Colour
from outflank.tests.tools.samples import broken_off
from outflank.tools.games.clock import TimeControl
from outflank.tools.games.results import Ending
from outflank.tools.match import match
from outflank.tools.show.archive import Archive

PAGE = (Path(__file__).parents[2] / "docs" / "match.md").read_text()


def column(heading: str) -> list[str]:
    """The first cells of the table under a heading that begins with these words, without their marks."""
    table = PAGE.split(f"\n| {heading} |")[1].split("\n\n")[0]
    return [line.split("|")[1].strip().replace("`", "") for line in table.splitlines()[2:]]


def commands() -> list[list[str]]:
    """The arguments of each ``outflank match`` on the page."""
    text = re.search(r"```console\n(.*?)```", PAGE, re.DOTALL)
    assert text is not None
    lines = text[1].replace("\\\n", "").splitlines()
    return [shlex.split(line.removeprefix("$ "), comments=True)[2:] for line in lines]


@pytest.mark.parametrize("arguments", commands(), ids=" ".join)
def test_the_commands_are_understood(arguments: list[str]) -> None:
    with match.make_context("match", arguments, resilient_parsing=False) as context:
        assert len(context.params["engines"]) in (0, 2)


def test_every_option_is_described() -> None:
    described = {cell.split()[0] for cell in column("option")}
    options = {option.opts[0] for option in match.params if isinstance(option, click.Option)}

    assert described == options


def test_every_preset_is_named() -> None:
    assert " ".join(PRESETS) in PAGE


def test_every_ending_is_described() -> None:
    assert column("ending") == list(Ending)


def test_every_time_control_is_one() -> None:
    for text in column("text"):
        assert str(TimeControl.parse(text)) == text


def test_every_file_is_described(tmp_path: Path) -> None:
    archive = Archive(tmp_path)
    games = [broken_off(Ending.CRASH, Colour.BLACK)]
    archive.add(games[0])
    archive.finish(games, {}, "")
    described = ", ".join(column("file")).replace("-N", "-1").split(", ")

    assert sorted(described) == sorted(path.name for path in tmp_path.iterdir())
