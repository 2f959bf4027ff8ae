"""docs/match.md says what is true: its commands parse, its tables are complete."""

import re
import shlex
from pathlib import Path

import click
import pytest

from outflank.engine import PRESETS, Colour
from outflank.protocol.opponent.clock import TimeControl
from outflank.tests.tools.play.halls import fake, settings
from outflank.tests.tools.samples import broken_off
from outflank.tests.tools.show.shown import write_files_of
from outflank.tools.commands.match import match
from outflank.tools.commands.tournament import tournament
from outflank.tools.match.game.results import Ending
from outflank.tools.match.state import events, schema
from outflank.tools.match.state.events import described
from outflank.tools.match.state.run import Format, Void
from outflank.tools.match.state.store import Store, read_run

PAGE = (Path(__file__).parents[3] / "docs" / "match.md").read_text()


def column(heading: str) -> list[str]:
    """The first cells of the table under a heading that begins with these words, without their marks."""
    table = PAGE.split(f"\n| {heading} |")[1].split("\n\n")[0]
    return [line.split("|")[1].strip().replace("`", "") for line in table.splitlines()[2:]]


def commands() -> list[list[str]]:
    """The arguments of each ``outflank match`` and ``outflank tournament`` on the page, the command's name first."""
    blocks = re.findall(r"```console\n(.*?)```", PAGE, re.DOTALL)
    lines = "".join(blocks).replace("\\\n", "").splitlines()
    return [shlex.split(line, comments=True)[2:] for line in lines if line.startswith("$ outflank ")]


@pytest.mark.parametrize("arguments", commands(), ids=" ".join)
def test_the_commands_are_understood(arguments: list[str]) -> None:
    name, *others = arguments
    command = {"match": match, "tournament": tournament}[name]
    with command.make_context(name, others) as context:
        assert len(context.params["engines"]) in (0, 2)


def test_every_option_is_described() -> None:
    described = {cell.split()[0] for cell in column("option")}
    options = {
        option.opts[0]
        for command in (match, tournament)
        for option in command.params
        if isinstance(option, click.Option)
    }

    assert described == options


def test_every_preset_and_format_is_named() -> None:
    assert " ".join(PRESETS) in PAGE
    assert " ".join(form for form in Format if form is not Format.MATCH) in PAGE


def test_every_ending_is_described() -> None:
    assert column("ending") == list(Ending)


def test_every_time_control_is_one() -> None:
    for text in column("text"):
        assert str(TimeControl.parse(text)) == text


def test_every_file_is_described(tmp_path: Path) -> None:
    crash = broken_off(Ending.CRASH, Colour.BLACK)
    store = Store.create(tmp_path, settings(fake("A"), fake("B"), games=1), [()], "a run")
    store.write([events.GameEnded(crash)], crash.rules)
    write_files_of(store.end(finished=True), tmp_path)
    listed = ", ".join(column("file")).replace("-N", "-1").split(", ")

    assert sorted(listed) == sorted(path.name for path in tmp_path.iterdir())
    assert read_run(tmp_path).games == (crash,)


def test_every_table_and_column_is_described(tmp_path: Path) -> None:
    connection = schema.put_in_place(schema.begin(tmp_path), tmp_path)
    tables = connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'").fetchall()
    columns = {
        f"{table}: {' '.join(row[1] for row in connection.execute(f'PRAGMA table_info({table})'))}"
        for (table,) in tables
    }
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    connection.close()

    assert set(column("table and columns")) == columns
    assert f"application id 0x{application:08X}" in PAGE


def test_every_event_is_described() -> None:
    crash = broken_off(Ending.CRASH, Colour.BLACK)
    told: list[events.Event] = [
        events.Planned(1, 0),
        events.GameStarted(crash.pairing, 1, crash.started),
        events.TurnPlayed(1, 1, 0, "f5", None, (4, 1)),
        events.GameEnded(crash),
        events.GameVoided(Void(crash, "why", None)),
        events.Remarked("so"),
    ]

    assert column("event") == [described(event)["event"] for event in told] + ["progress", "result"]
