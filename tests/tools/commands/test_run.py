"""``outflank match`` and ``tournament`` before the first game and after the last; and docs/match.md."""

import os
import re
import shlex
import signal
import sqlite3
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

from outflank.engine import PRESETS, Colour, Move, Position
from outflank.protocol.clock import TimeControl
from outflank.protocol.formats.annotated import AnnotatedMove
from outflank.tests.support.runs import broken_off, fake, played, run_of, settings, write_files_of
from outflank.tools.commands.matches import match, tournament
from outflank.tools.commands.program import cli
from outflank.tools.match.game.results import Ending
from outflank.tools.match.openings.sources import play_random
from outflank.tools.match.state import events
from outflank.tools.match.state.events import GameEnded, described
from outflank.tools.match.state.run import Format, Void
from outflank.tools.match.state.schema import RUN, RUN_FILE
from outflank.tools.match.state.store import Store, read_run

ENGINES = ("--engine", "name=A cmd=no-such-engine", "--engine", "name=B cmd=no-such-engine")
PAGE = (Path(__file__).parents[3] / "docs" / "match.md").read_text()


def outflank(command: str, *arguments: object) -> Result:
    return CliRunner().invoke(cli, [command, *map(str, arguments)], prog_name="outflank")


@pytest.mark.parametrize(
    ("command", "options", "sentence"),
    [
        ("match", ["--no-records"], "--out and --no-records exclude each other"),
        ("match", ["--stall", "2000000000"], "a time from 0.001 to 1000000 seconds, got '2000000000'"),
        ("match", ["--stall", "0.0001"], "a time from 0.001 to 1000000 seconds, got '0.0001'"),
        ("match", ["--time", "0.0004"], "expected time for the first move"),
        ("tournament", ["--format", "knockout", "--rounds", "5"], "so --rounds has no meaning for it"),
    ],
)
def test_what_can_not_be_played_is_wrong_usage(
    tmp_path: Path, command: str, options: list[str], sentence: str
) -> None:
    ran = outflank(command, *ENGINES, "--out", tmp_path / "run", *options)

    assert ran.exit_code == 2
    assert sentence in " ".join(ran.stderr.split())
    assert list(tmp_path.iterdir()) == []


def test_a_saved_knockout_is_read_back(tmp_path: Path) -> None:
    file, again = tmp_path / "run.toml", tmp_path / "again.toml"
    options = (*ENGINES, "--format", "knockout", "--seed", 1)

    assert outflank("tournament", *options, "--save-config", file).exit_code == 0
    assert outflank("tournament", "--config", file, "--save-config", again).exit_code == 0
    assert again.read_text() == file.read_text()


@pytest.mark.parametrize(("given", "games"), [((), 20_000), (("--games", 6), 6)])
def test_a_match_with_a_test_has_time_to_decide(
    tmp_path: Path, given: tuple[object, ...], games: int
) -> None:
    file = tmp_path / "run.toml"

    assert outflank("match", *ENGINES, "--sprt", "0,10", *given, "--save-config", file).exit_code == 0
    assert f"games = {games}\n" in file.read_text()


def test_the_help_says_what_a_saved_run_leaves_out(tmp_path: Path) -> None:
    file = tmp_path / "run.toml"
    left_out = ("--out", tmp_path / "run", "--cluster", "tcp://127.0.0.1:1", "--json")
    told = outflank("match", "--help").stdout.partition("--save-config")[2].partition("--engines")[0]

    assert outflank("match", *ENGINES, *left_out, "--save-config", file).exit_code == 0
    saved = {line.split()[0] for line in file.read_text().splitlines() if " = " in line}
    assert saved.isdisjoint({"out", "no-records", "json", "cluster"})
    assert "--out,--no-records,--json,--clusterand--liveareleftout" in "".join(told.split())


def test_a_signal_while_openings_are_drawn_ends_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn = []

    def struck(*arguments: object) -> object:
        drawn.append(arguments)
        os.kill(os.getpid(), signal.SIGTERM)
        return play_random(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr("outflank.tools.match.openings.sources.play_random", struck)
    ran = outflank("match", *ENGINES, "--games", 10, "--openings", "random:6", "--out", tmp_path / "run")

    assert ran.exit_code == 128 + signal.SIGTERM
    assert len(drawn) == 1
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("finished", [True, False])
def test_a_run_with_nothing_left_to_play_needs_no_engines(tmp_path: Path, finished: bool) -> None:
    """One that was interrupted after its last game is finished then."""
    run = run_of([played(), played(number=2, names=("B", "A"))])
    with Store.create(tmp_path, run.settings, [()], "id") as store:
        store.write(map(GameEnded, run.games), run.settings.rules)
        store.end(finished=finished)
    ran = outflank("match", "--resume", tmp_path)

    assert ran.exit_code == 0, ran.output
    assert "A against B: Elo +0" in ran.stdout
    assert read_run(tmp_path).finished


def edited(folder: Path, settings: str) -> None:
    """As a stranger sends it: begun elsewhere, or with other commands."""
    connection = sqlite3.connect(folder / "run.db")
    with connection:
        connection.execute(
            "UPDATE run SET value = replace(value, 'engine-a', ?) WHERE name = 'settings'", (settings,)
        )
    connection.close()


@pytest.mark.parametrize("answer", ["", "n\n", "\n", "certainly not\n"])
def test_a_run_of_a_stranger_starts_nothing_without_leave(tmp_path: Path, answer: str) -> None:
    run = run_of([played()], settings={"games": 2})
    with Store.create(tmp_path / "m", run.settings, [()], "id") as store:
        store.write(map(GameEnded, run.games), run.settings.rules)
    edited(tmp_path / "m", f"touch {tmp_path}/stolen \\u001b[2J")
    ran = CliRunner().invoke(cli, ["match", "--resume", str(tmp_path / "m")], input=answer)

    assert ran.exit_code == 1
    assert "was not begun by you on this machine. It starts:\n  A: cmd='touch " in ran.stderr
    assert "\\x1b[2J" in ran.stderr
    assert "was not resumed, as it may start anything" in ran.stderr
    assert not (tmp_path / "stolen").exists()
    assert read_run(tmp_path / "m").games == run.games


def test_a_run_that_was_taken_over_asks_no_more(tmp_path: Path) -> None:
    run = run_of([played()], settings={"games": 2})
    with Store.create(tmp_path, run.settings, [()], "id") as store:
        store.write(map(GameEnded, run.games), run.settings.rules)
    edited(tmp_path, "no-such-engine")
    first, second = (
        CliRunner().invoke(cli, ["match", "--resume", str(tmp_path)], input="y\n") for _ in range(2)
    )

    assert "Resume it? [y/N] " in first.stderr
    assert "Resume it? [y/N] " not in second.stderr
    assert "no-such-engine" in first.stderr.splitlines()[-1]
    assert "no-such-engine" in second.stderr.splitlines()[-1]


def test_a_run_that_everybody_may_change_is_a_strangers(tmp_path: Path) -> None:
    run = run_of([played()], settings={"games": 2})
    with Store.create(tmp_path, run.settings, [()], "id"):
        pass
    (tmp_path / "run.db").chmod(0o666)

    assert "Resume it? [y/N] " in outflank("match", "--resume", tmp_path).stderr


def test_a_finished_run_stays_finished_whatever_keeps_it_from_being_shown(tmp_path: Path) -> None:
    run = run_of([played(), played(number=2, names=("B", "A"))])
    with Store.create(tmp_path, run.settings, [()], "id") as store:
        store.write(map(GameEnded, run.games), run.settings.rules)
        store.end(finished=True)
    with pytest.raises(MemoryError), Store.resume(tmp_path):
        raise MemoryError

    assert read_run(tmp_path).finished


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
    assert " ".join(form for form in Format if form not in (Format.MATCH, Format.STANDING)) in PAGE


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
    with RUN.creating(tmp_path / RUN_FILE):
        pass
    connection = RUN.open_to_write(tmp_path / RUN_FILE)
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
        events.TurnPlayed(1, 1, 0, AnnotatedMove(Position.start(), Move.parse("f5"))),
        events.GameEnded(crash),
        events.GameVoided(Void(crash, "why", None)),
        events.Remarked("so"),
        events.Entered(settings(fake("A"), fake("B"))),
    ]

    assert column("event") == [described(event)["event"] for event in told] + ["progress", "result"]
