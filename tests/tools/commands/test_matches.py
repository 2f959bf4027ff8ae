"""``outflank match`` and ``tournament`` as a user meets them: output, files, exit codes; and docs/match.md."""

import fcntl
import json
import os
import re
import shlex
import signal
import subprocess
import termios
import time
from dataclasses import replace
from pathlib import Path

import click
import pytest

from outflank.engine import PRESETS, Colour, FileFormatError, Move, Position
from outflank.protocol.clock import TimeControl
from outflank.protocol.drivers.spec import EngineSpec
from outflank.protocol.formats.annotated import AnnotatedMove
from outflank.tests.support import fake_engine, runs
from outflank.tests.support.positions import WIPE_OUT, WITH_PASSES
from outflank.tests.support.processes import children, living_members
from outflank.tests.support.program import OUTFLANK, RHINO, needs_rhino, open_terminal, outflank, started
from outflank.tests.support.runs import (
    broken_off,
    conduct,
    edit,
    ends,
    played,
    run_of,
    settings,
    store_run,
    write_files_of,
)
from outflank.tests.support.transcripts import run
from outflank.tools.commands.matches import match as match_command
from outflank.tools.commands.matches import tournament
from outflank.tools.match.game.results import Ending, GameRecord
from outflank.tools.match.openings.sources import play_random
from outflank.tools.match.state import events
from outflank.tools.match.state.run import Format, Run
from outflank.tools.match.state.run_file import RUN, RUN_FILE
from outflank.tools.match.state.store import Store, read_run
from outflank.tools.report.records import CSV_COLUMNS
from outflank.tools.runs.json_lines import plain_event

ENGINES = ("--engine", "name=A cmd=no-such-engine", "--engine", "name=B cmd=no-such-engine")
PAGE = (Path(__file__).parents[3] / "docs" / "match.md").read_text()


def fake(name: str, fault: str = "none", turn: int = 2) -> str:
    return f"name={name} cmd={shlex.quote(shlex.join(fake_engine.command(fault, turn)))}"


def two(first: str, second: str) -> list[str]:
    return ["--engine", first, "--engine", second]


@pytest.mark.parametrize(
    "command",
    [
        ["match", *two(fake("A"), fake("B")), "--games", "2", "--no-records"],
        ["compliance", shlex.join(fake_engine.command()), "--only", "has-a-name"],
    ],
    ids=["match", "compliance"],
)
def test_processes_that_it_has_not_started_live_on(tmp_path: Path, command: list[str]) -> None:
    """Children of the shell that has turned into the program, and what they leave to it meanwhile."""
    sleep = "setsid sleep 1000 >/dev/null 2>&1 & echo $! >"
    before = f"{sleep} {tmp_path}/child; sh -c 'sleep 0.5; {sleep} {tmp_path}/orphan' &"
    shell = f"{before} exec {shlex.join([OUTFLANK, *command])}"
    ran = subprocess.run(["sh", "-c", shell], capture_output=True, text=True, timeout=110, check=False)
    while not (tmp_path / "orphan").exists():
        time.sleep(0.01)
    pids = [int((tmp_path / name).read_text()) for name in ("child", "orphan")]
    alive = [Path(f"/proc/{pid}").exists() for pid in pids]
    for pid in pids:
        os.kill(pid, signal.SIGKILL)

    assert (ran.returncode, ran.stderr.count("Traceback")) == (0, 0)
    assert alive == [True, True]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_the_match_and_loses_nothing(tmp_path: Path, number: signal.Signals) -> None:
    arguments = [*two(fake("A"), fake("B", "slow", 24)), "--games", "40", "--out", "m"]
    running = started("match", *arguments, cwd=tmp_path)
    while not _games(tmp_path / "m"):
        time.sleep(0.05)
        assert running.poll() is None
    engines = children(running.pid)
    running.send_signal(number)
    sent = time.monotonic()
    output, errors = running.communicate(timeout=20)

    assert running.returncode == 128 + number
    assert time.monotonic() - sent < 10
    assert len(engines) == 2
    assert all(living_members(engine) == [] for engine in engines)
    played = len(_games(tmp_path / "m"))
    assert f"interrupted after {played} game" in output
    assert errors.endswith("outflank match --resume m continues it\n")
    assert len((tmp_path / "m" / "games.ggf").read_text().splitlines()) == played
    assert json.loads((tmp_path / "m" / "summary.json").read_text())["interrupted"] is True


@pytest.mark.parametrize("name", ["run", "run/run.db"])
def test_a_run_is_a_source_of_games_wherever_games_are(tmp_path: Path, name: str) -> None:
    folder = store_run(tmp_path / "run", *GAMES)
    at = tmp_path / name
    converted = run("convert", at, "--format", "transcript")
    archived = run("archive", "build", at, "-o", tmp_path / "games.archive")
    tested = run("sprt", at)

    assert [line.split()[0] for line in converted.stdout.splitlines()] == [game.transcript for game in GAMES]
    assert "2 games" in archived.output
    assert "pairs by points (0, 0.5, 1, 1.5, 2)" in tested.output
    assert read_run(folder).games == GAMES


def test_a_report_prints_the_final_table_and_names_its_file(tmp_path: Path) -> None:
    folder = store_run(tmp_path / "run", *GAMES)
    shown, facts = run("report", folder), run("report", folder, "--json", "-o", tmp_path / "page.html")

    assert "engine  points  games" in shown.stdout
    assert shown.stderr == f"The report is in {folder / 'report.html'}\n"
    assert json.loads(facts.stdout)["games"] == 2
    assert (tmp_path / "page.html").read_bytes() == (folder / "report.html").read_bytes()


@needs_rhino
def test_gtp_rhino_plays_whole_games_though_it_refuses_passes(tmp_path: Path) -> None:
    turns = played(WITH_PASSES).turns
    passed = next(number for number, turn in enumerate(turns) if turn.move.is_pass)
    (tmp_path / "openings.txt").write_text(" ".join(str(turn.move) for turn in turns[:passed]))
    engines = two("name=ours cmd='outflank gtp --level 1'", f"name=rhino cmd='{RHINO} -l 1'")
    words = (*engines, "--games", "2", "--openings", "openings.txt", "--out", "m")
    path = {**os.environ, "PATH": "/usr/bin:/bin"}  # without the virtual environment
    ran = outflank("match", *words, cwd=tmp_path, env=path)
    games = _games(tmp_path / "m")

    assert ran.returncode == 0
    assert [game.ending for game in games] == [Ending.DISCS] * 2
    assert all(game.turns[passed].move.is_pass for game in games)
    assert "rhino rejects 'play COLOUR pass'" in ran.stdout


@pytest.mark.parametrize("preset", PRESETS)
def test_outflank_plays_every_preset_against_itself(tmp_path: Path, preset: str) -> None:
    engines = (EngineSpec.parse(f"name={name} cmd='outflank gtp --level 1'") for name in "AB")
    run = conduct(settings(*engines, games=2, rules=PRESETS[preset]), tmp_path / "m")

    assert [game.ending for game in run.games] == [Ending.DISCS] * 2
    assert {str(game.rules) for game in run.games} == {preset}


def _games(folder: Path) -> tuple[GameRecord, ...]:
    """Return the games that count so far; none before the run has begun."""
    try:
        return read_run(folder).games
    except FileFormatError:
        return ()


def test_a_match_goes_on_when_nobody_watches(tmp_path: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    words = (*two(fake("A"), fake("B")), "--games", 4, "--out", "m")
    running = started("match", *words, cwd=tmp_path, stderr=writing)
    os.close(writing)
    running.communicate(timeout=60)

    assert running.returncode == 0
    assert len(_games(tmp_path / "m")) == 4


def test_a_signal_before_the_first_game_ends_the_match(tmp_path: Path) -> None:
    began = tmp_path / "began"
    slow = f"name=slow cmd={shlex.quote(shlex.join(['sh', '-c', f'touch {began}; exec sleep 1000']))}"
    with started("match", *two(slow, fake("B")), "--out", tmp_path / "m") as running:
        while not began.exists():
            time.sleep(0.05)
        running.send_signal(signal.SIGHUP)
        output, errors = running.communicate(timeout=20)

    assert (running.returncode, output) == (128 + signal.SIGHUP, "")
    assert "Traceback" not in errors
    assert not (tmp_path / "m").exists()


def test_a_terminal_that_goes_away_ends_the_match_and_loses_nothing(tmp_path: Path) -> None:
    arguments = [*two(fake("A"), fake("B", "slow", 24)), "--games", "40", "--out", str(tmp_path / "m")]
    command = f"exec {shlex.join([OUTFLANK, 'match', *arguments])}"
    terminal, end = open_terminal()
    running = subprocess.Popen(
        ["sh", "-c", command], stdin=end, stdout=end, stderr=end, preexec_fn=_take_terminal, close_fds=True
    )
    os.close(end)
    while not _games(tmp_path / "m"):
        os.read(terminal, 4096)
        assert running.poll() is None
    os.close(terminal)

    assert running.wait(20) == 128 + signal.SIGHUP
    assert json.loads((tmp_path / "m" / "summary.json").read_text())["interrupted"] is True


def _take_terminal() -> None:
    """Lead a new session whose terminal is standard input."""
    os.setsid()
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


def stored(folder: Path, run: Run, finished: bool = False) -> Run:
    with Store.create(folder, run.settings, [()], "id") as store:
        store.write(ends(*run.games))
        store.end(finished=finished)
    return run


def begun(folder: Path) -> Run:
    return stored(folder, run_of([played()], settings={"games": 2}))


def test_a_signal_while_openings_are_drawn_ends_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn = []

    def struck(*arguments: object) -> object:
        drawn.append(arguments)
        os.kill(os.getpid(), signal.SIGTERM)
        return play_random(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr("outflank.tools.match.openings.sources.play_random", struck)
    words = ("match", *ENGINES, "--games", 10, "--openings", "random:6", "--out", tmp_path / "run")
    run(*words, code=128 + signal.SIGTERM)

    assert len(drawn) == 1
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("finished", [True, False])
def test_a_run_with_nothing_left_to_play_needs_no_engines(tmp_path: Path, finished: bool) -> None:
    """One that was interrupted after its last game is finished then."""
    stored(tmp_path, run_of([played(), played(number=2, names=("B", "A"))]), finished=finished)
    ran = run("match", "--resume", tmp_path)

    assert "A against B: Elo +0" in ran.stdout
    with pytest.raises(MemoryError), Store.resume(tmp_path):
        raise MemoryError  # a run is complete even if its result can't be printed
    assert read_run(tmp_path).finished


def edited(folder: Path, settings: str) -> None:
    """Alter a run as if a stranger had sent it: begun elsewhere, or with other commands."""
    edit(folder, "UPDATE run SET value = replace(value, 'engine-a', ?) WHERE name = 'settings'", settings)


@pytest.mark.parametrize("answer", ["", "n\n", "\n", "certainly not\n"])
def test_a_run_of_a_stranger_starts_nothing_without_leave(tmp_path: Path, answer: str) -> None:
    before = begun(tmp_path / "m")
    edited(tmp_path / "m", f"touch {tmp_path}/stolen \\u001b[2J")
    ran = run("match", "--resume", tmp_path / "m", code=1, typed=answer)

    assert "was not begun by you on this machine. It starts these engines:\n  A: cmd='touch " in ran.stderr
    assert "\\x1b[2J" in ran.stderr
    assert "was not resumed, since it may start any program" in ran.stderr
    assert not (tmp_path / "stolen").exists()
    assert read_run(tmp_path / "m").games == before.games


def test_a_run_that_was_taken_over_asks_no_more_until_everybody_may_change_it(tmp_path: Path) -> None:
    begun(tmp_path)
    edited(tmp_path, "no-such-engine")
    first, second = (run("match", "--resume", tmp_path, code=1, typed="y\n") for _ in range(2))

    assert "Resume it? [y/N] " in first.stderr
    assert "Resume it? [y/N] " not in second.stderr
    assert "no-such-engine" in first.stderr.splitlines()[-1]
    assert "no-such-engine" in second.stderr.splitlines()[-1]
    (tmp_path / "run.db").chmod(0o666)
    assert "Resume it? [y/N] " in run("match", "--resume", tmp_path, code=1).stderr


def column(heading: str) -> list[str]:
    """Return the first cells of the table under a heading that begins with these words, without their marks."""
    table = PAGE.split(f"\n| {heading} |")[1].split("\n\n")[0]
    return [line.split("|")[1].strip().replace("`", "") for line in table.splitlines()[2:]]


def test_every_option_preset_format_ending_and_time_control_is_described() -> None:
    described = {cell.split()[0] for cell in column("option")} - {"ENGINE"}
    options = {
        option.opts[0]
        for command in (match_command, tournament)
        for option in command.params
        if isinstance(option, click.Option)
    }

    assert described == options
    assert " ".join(PRESETS) in PAGE
    assert " ".join(form for form in Format if form not in (Format.MATCH, Format.STANDING)) in PAGE
    assert column("ending") == list(Ending)
    assert [str(TimeControl.parse(text)) for text in column("text")] == column("text")


def test_every_file_is_described(tmp_path: Path) -> None:
    crash = broken_off(Ending.CRASH, Colour.BLACK)
    store = Store.create(tmp_path, settings(runs.fake("A"), runs.fake("B"), games=1), [()], "a run")
    store.write(ends(crash))
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
    examples: list[events.Event] = [
        events.GamesPlanned(1, 0),
        events.GameStarted(crash.pairing),
        events.TurnPlayed(1, 1, 0, AnnotatedMove(Position.start(), Move.parse("f5"))),
        events.GameEnded(crash),
        events.GameVoided(replace(crash, void="why")),
        events.Remark("so"),
        events.EngineJoined(settings(runs.fake("A"), runs.fake("B"))),
    ]

    assert column("event") == [plain_event(event)["event"] for event in examples] + ["progress", "result"]


# --- What is derived from a run; what `export` prints is in transcripts/matches.console


GAMES = (played(WITH_PASSES), played(WIPE_OUT, number=2, names=("B", "A")))


def test_a_run_s_own_files_are_what_is_exported_or_are_named(tmp_path: Path) -> None:
    folder = store_run(tmp_path / "run", *GAMES)
    write_files_of(read_run(folder), tmp_path)

    for name, file in (("ggf", "games.ggf"), ("sgf", "games.sgf"), ("transcript", "games.txt")):
        assert run("export", folder, "--format", name).stdout == (tmp_path / file).read_text()
    assert "EV[" not in (tmp_path / "games.ggf").read_text()
    assert "EV[Outflank match]" in (tmp_path / "games.sgf").read_text()
    for file in ("games.sgf", "report.html"):
        (tmp_path / file).unlink()
    (tmp_path / "games.sgf").mkdir()
    trouble = write_files_of(run_of(GAMES), tmp_path)
    assert trouble.startswith(f"can't write {str(tmp_path / 'games.sgf')!r} (")
    assert (tmp_path / "report.html").exists()


def test_the_columns_of_csv_are_described() -> None:
    page = (Path(__file__).parents[3] / "docs" / "report.md").read_text()
    table = page.split("| column of `csv` |")[1].split("\n\n")[0]
    described = [
        name for line in table.splitlines()[2:] for name in re.findall(r"`(\w+)`", line.split("|")[1])
    ]

    assert sorted(described) == sorted(CSV_COLUMNS)


def test_a_dialogue_of_a_game_that_was_played_again_without_a_fault_is_removed(tmp_path: Path) -> None:
    """As a run has it whose pair was voided after it had been interrupted."""
    crash = broken_off(Ending.CRASH, Colour.WHITE)
    (tmp_path / "fault-game-1-of-mine.txt").touch()
    write_files_of(run_of([crash, broken_off(Ending.CRASH, Colour.WHITE, number=2)]), tmp_path)

    assert write_files_of(run_of([crash, GAMES[1]]), tmp_path) == ""
    assert {path.name for path in tmp_path.glob("fault-*")} == {
        "fault-game-1.txt",
        "fault-game-1-of-mine.txt",
    }
