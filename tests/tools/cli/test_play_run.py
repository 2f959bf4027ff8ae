"""``outflank match`` and ``outflank tournament`` before the first game, and where none is left to play."""

import os
import signal
import sqlite3
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from outflank.tests.tools.samples import played, run_of
from outflank.tools.commands.program import cli
from outflank.tools.match.openings.sources import play_random
from outflank.tools.match.state.events import GameEnded
from outflank.tools.match.state.store import Store, read_run

ENGINES = ("--engine", "name=A cmd=no-such-engine", "--engine", "name=B cmd=no-such-engine")


def outflank(command: str, *arguments: object) -> Result:
    return CliRunner().invoke(cli, [command, *map(str, arguments)], prog_name="outflank")


@pytest.mark.parametrize(
    ("command", "options", "sentence"),
    [
        ("match", ["--no-records"], "--out and --no-records exclude each other"),
        ("match", ["--stall", "2000000000"], "a time from 0.001 to 1000000 seconds, got '2000000000'"),
        ("match", ["--stall", "0.0001"], "a time from 0.001 to 1000000 seconds, got '0.0001'"),
        ("match", ["--time", "0.0004"], "expected time for the first move"),
        ("tournament", ["--format", "knockout", "--rounds", "5"], "expected no --rounds for a knockout"),
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


def test_the_help_says_what_a_saved_run_leaves_out(tmp_path: Path) -> None:
    file = tmp_path / "run.toml"
    left_out = ("--out", tmp_path / "run", "--cluster", "tcp://127.0.0.1:1", "--json")
    told = outflank("match", "--help").stdout.partition("--save-config")[2].partition("--engines")[0]

    assert outflank("match", *ENGINES, *left_out, "--save-config", file).exit_code == 0
    saved = {line.split()[0] for line in file.read_text().splitlines() if " = " in line}
    assert saved.isdisjoint({"out", "no-records", "json", "cluster"})
    assert "(--out,--no-records,--json,--cluster)" in "".join(told.split())  # a line may end at a hyphen


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
