"""``outflank match`` and ``tournament`` as a user meets them: output, files, exit codes; and docs/match.md."""

import fcntl
import json
import os
import re
import shlex
import signal
import sqlite3
import subprocess
import termios
import time
from dataclasses import replace
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result
from sgfmill import sgf_grammar  # type: ignore[import-untyped]

from outflank.engine import PRESETS, Colour, FileFormatError, Move, Position
from outflank.protocol.clock import TimeControl
from outflank.protocol.formats.annotated import AnnotatedMove
from outflank.tests.support import fake_engine, runs
from outflank.tests.support.positions import WITH_PASSES
from outflank.tests.support.processes import children, living_members
from outflank.tests.support.program import OUTFLANK, outflank
from outflank.tests.support.runs import broken_off, played, run_of, settings, write_files_of
from outflank.tools.commands.matches import match as match_command
from outflank.tools.commands.matches import tournament
from outflank.tools.commands.program import cli
from outflank.tools.match.game.results import Ending, GameRecord
from outflank.tools.match.openings.sources import play_random
from outflank.tools.match.state import events
from outflank.tools.match.state.events import described
from outflank.tools.match.state.run import Format, Run
from outflank.tools.match.state.schema import RUN, RUN_FILE
from outflank.tools.match.state.store import Store, read_run

ENGINES = ("--engine", "name=A cmd=no-such-engine", "--engine", "name=B cmd=no-such-engine")
PAGE = (Path(__file__).parents[3] / "docs" / "match.md").read_text()
RHINO = Path("/usr/games/gtp-rhino")


def fake(name: str, fault: str = "none", turn: int = 2) -> str:
    """The text of --engine for a fake engine."""
    return f"name={name} cmd={shlex.quote(shlex.join(fake_engine.command(fault, turn)))}"


def match(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Run ``outflank match`` in a folder of its own, without the virtual environment on PATH."""
    return outflank("match", *arguments, cwd=cwd, env={**os.environ, "PATH": "/usr/bin:/bin"})


def two(first: str, second: str) -> list[str]:
    return ["--engine", first, "--engine", second]


def test_a_match_prints_its_table_and_writes_its_records(tmp_path: Path) -> None:
    ran = match(*two(fake("A"), fake("B")), "--games", "4", "--seed", "3", "--out", "records", cwd=tmp_path)
    records = tmp_path / "records"
    games = read_run(records).games

    assert ran.returncode == 0
    assert "4 games of othello, time none, openings balanced, seed 3" in ran.stdout
    assert "A against B: Elo +0" in ran.stdout
    assert "Records and report are in records/" in ran.stderr
    assert [game.pairing.number for game in games] == [1, 2, 3, 4]
    assert [game.pairing.names[Colour.BLACK] for game in games] == ["A", "B", "A", "B"]
    assert len(sgf_grammar.parse_sgf_collection((records / "games.sgf").read_bytes())) == 4
    assert len((records / "games.ggf").read_text().splitlines()) == 4
    assert len((records / "games.txt").read_text().splitlines()) == 4
    assert "<!doctype html>" in (records / "report.html").read_text()


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


def test_the_same_engine_twice_gives_mirrored_pairs(tmp_path: Path) -> None:
    """Deterministic twins: each opening is played the same both times, so that every pair is shared."""
    ran = match(*two(fake("A"), fake("B")), "--games", "6", "--no-records", "--json", cwd=tmp_path)
    summary = json.loads(ran.stdout.splitlines()[-1])

    assert summary["elo"]["pentanomial"] == [0, 0, 3, 0, 0]
    assert summary["engines"][0]["margin"] == summary["engines"][1]["margin"] == 0
    assert list(tmp_path.iterdir()) == []


def test_a_match_can_be_repeated_from_what_it_prints(tmp_path: Path) -> None:
    first = match(*two(fake("A"), fake("B")), "--games", "2", "--out", "1", cwd=tmp_path)
    seed = first.stdout.partition("seed ")[2].split()[0]
    match(*two(fake("A"), fake("B")), "--games", "2", "--out", "2", "--seed", seed, cwd=tmp_path)

    assert (tmp_path / "1/games.txt").read_text() == (tmp_path / "2/games.txt").read_text()


def test_faults_are_counted_exactly_and_kept_apart(tmp_path: Path) -> None:
    options = ["--games", "6", "--seed", "1", "--out", "m", "--json"]
    ran = match(*two(fake("A"), fake("B", "crash", 4)), *options, cwd=tmp_path)
    ours, theirs = json.loads(ran.stdout.splitlines()[-1])["engines"]

    assert ran.returncode == 0
    assert (ours["wins"], ours["wins_by_fault"], theirs["faults"]) == (6, {"crash": 6}, {"crash": 6})
    assert ran.stderr.count("B loses (crash): exited with code 3 when asked 'genmove") == 6
    dialogue = (tmp_path / "m" / "fault-game-5.txt").read_text()
    assert "B > genmove" in dialogue.splitlines()[-1]
    assert len(list((tmp_path / "m").glob("fault-game-*.txt"))) == 6


def test_openings_come_from_a_file(tmp_path: Path) -> None:
    (tmp_path / "openings.txt").write_text("f5d6c3\nf5f6e6\n")
    match(
        *two(fake("A"), fake("B")), "--games", "4", "--openings", "openings.txt", "--out", "m", cwd=tmp_path
    )
    transcripts = (tmp_path / "m" / "games.txt").read_text().splitlines()

    assert [line[:6] for line in transcripts] == ["f5d6c3", "f5d6c3", "f5f6e6", "f5f6e6"]


THREE = "".join(f"[[engine]]\nname = '{name}'\ncmd = 'cat'\n" for name in ("A", "B C", "D"))


@pytest.mark.parametrize(
    ("arguments", "code", "sentence"),
    [
        (["--rules", "chess"], 2, "expected rules out of othello"),
        (["--tc", "soon"], 2, "expected none, 0.5 (a move), 60+1 or 60+10/5, got 'soon'"),
        (["--tc", "60+10/" + "9" * 5000], 2, "expected none, 0.5 (a move), 60+1 or 60+10/5, got '60+10/999"),
        (["--openings", "random:x"], 2, "expected random:N"),
        (["--games", "0"], 2, "got '0'"),
        (["--engine", "name=A cmd=cat"], 2, "give two engines, not 1"),
        (["--engine", "cmd=cat", "--engine", "cmd=cat"], 2, "two engines are called 'cat'"),
        (["--engine", "outflank"], 2, """for its command write 'cmd="outflank gtp"'"""),
        (["--engine", "cmd=outflank gtp -l 3"], 2, """quotes, 'cmd="outflank gtp -l 3"'"""),
        (["--engine", "edax"], 2, """write 'cmd="edax"', or catalogue:edax"""),
        (
            ["--engines", "three.toml"],
            2,
            "'outflank tournament' plays any number, and --engine A --engine 'B C'",
        ),
        (["--config", "three.toml", "--openings", "random:2"], 2, "between two engines, not 3"),
        (
            ["--config", "bad.toml"],
            2,
            "bad.toml: Invalid value for '--games': expected a whole number from 1",
        ),
        (["--each", "cmd=x"], 2, "cmd can't be the same for all engines"),
        (["--sprt", "soon"], 2, "expected "),
        (["--adjudicate", "61"], 2, "expected a whole number from 0 to 30, got '61'"),
        (["--concurrency", "0"], 2, "got '0'"),
        (
            ["--resume", "full", "--seed", "3"],
            2,
            "--seed can't be given with it, only --games, --concurrency",
        ),
        (["--resume", "full"], 1, "it has no run.db"),
        (["--out", "m", "--no-records"], 2, "--out and --no-records exclude each other"),
        (["--stall", "2000000000"], 2, "a time from 0.001 to 1000000 seconds, got '2000000000'"),
        (["--stall", "0.0001"], 2, "a time from 0.001 to 1000000 seconds, got '0.0001'"),
        (["--tc", "0.0004"], 2, "expected time for the first move"),
        (["--openings", "missing.txt"], 2, "there is no file 'missing.txt'"),
        (["--openings", "random"], 2, "give balanced, random:8 for eight random moves, or a file"),
        ([*two("cmd=no-such-engine", fake("B"))], 1, "there is no program 'no-such-engine'"),
        ([*two(fake("A"), "name=B cmd=cat")], 1, "engine B is no GTP engine"),
        ([*two(fake("A"), fake("B", "crash at start"))], 1, "engine B exited with code 1"),
        ([*two(fake("A"), fake("B")), "--rules", "obversi"], 1, "engine A: there is no way to set"),
        ([*two(fake("A"), fake("B")), "--out", "/proc/match"], 1, "can't write records to '/proc/match'"),
        ([*two(fake("A"), fake("B")), "--out", "full"], 1, "need a new or empty folder"),
    ],
)
def test_bad_input_gets_one_sentence_and_the_right_exit_code(
    tmp_path: Path, arguments: list[str], code: int, sentence: str
) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "thing").write_text("precious")
    (tmp_path / "three.toml").write_text(THREE)
    (tmp_path / "bad.toml").write_text("games = 'x'")
    ran = match(*arguments, cwd=tmp_path)

    assert ran.returncode == code
    assert sentence in " ".join(ran.stderr.split())
    assert "Traceback" not in ran.stderr
    assert ran.stdout == ""
    assert (tmp_path / "full" / "thing").read_text() == "precious"
    assert {path.name for path in tmp_path.iterdir()} == {"full", "three.toml", "bad.toml"}


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_the_match_and_loses_nothing(tmp_path: Path, number: signal.Signals) -> None:
    arguments = [*two(fake("A"), fake("B", "slow", 24)), "--games", "40", "--out", "m"]
    running = subprocess.Popen(
        [OUTFLANK, "match", *arguments],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    while not _games(tmp_path / "m"):
        time.sleep(0.05)
        assert running.poll() is None
    engines = children(running.pid)
    running.send_signal(number)
    told = time.monotonic()
    output, errors = running.communicate(timeout=20)

    assert running.returncode == 128 + number
    assert time.monotonic() - told < 3
    assert len(engines) == 2
    assert all(living_members(engine) == [] for engine in engines)
    played = len(_games(tmp_path / "m"))
    assert f"interrupted after {played} game" in output
    assert errors.endswith("outflank match --resume m continues it\n")
    assert len((tmp_path / "m" / "games.ggf").read_text().splitlines()) == played
    assert json.loads((tmp_path / "m" / "summary.json").read_text())["interrupted"] is True


@pytest.mark.skipif(not RHINO.exists(), reason="gtp-rhino is not installed (Debian package grhino)")
def test_gtp_rhino_plays_whole_games_though_it_refuses_passes(tmp_path: Path) -> None:
    """The opening ends in front of a forced pass."""
    turns = played(WITH_PASSES).turns
    passed = next(number for number, turn in enumerate(turns) if turn.move.is_pass)
    (tmp_path / "openings.txt").write_text(" ".join(str(turn.move) for turn in turns[:passed]))
    engines = two("name=ours cmd='outflank gtp --level 1'", f"name=rhino cmd='{RHINO} -l 1'")
    ran = match(*engines, "--games", "2", "--openings", "openings.txt", "--out", "m", cwd=tmp_path)
    games = _games(tmp_path / "m")

    assert ran.returncode == 0
    assert [game.ending for game in games] == [Ending.DISCS] * 2
    assert all(game.turns[passed].move.is_pass for game in games)
    assert "rhino rejects 'play COLOUR pass'" in ran.stdout


@pytest.mark.parametrize("preset", PRESETS)
def test_outflank_plays_every_preset_against_itself(tmp_path: Path, preset: str) -> None:
    engines = two("name=A cmd='outflank gtp --level 2'", "name=B cmd='outflank gtp --level 1'")
    ran = match(*engines, "--games", "2", "--rules", preset, "--out", "m", "--json", cwd=tmp_path)
    games = _games(tmp_path / "m")

    assert ran.returncode == 0, ran.stderr
    assert [game.ending for game in games] == [Ending.DISCS] * 2
    assert {str(game.rules) for game in games} == {preset}


def test_without_engines_a_short_match_is_played(tmp_path: Path) -> None:
    began = time.monotonic()
    ran = match("--games", "2", cwd=tmp_path)
    (folder,) = tmp_path.iterdir()

    assert ran.returncode == 0
    assert "level 5 against level 4" in ran.stdout
    assert folder.name.startswith("match-2")
    assert time.monotonic() - began < 60


def _games(folder: Path) -> tuple[GameRecord, ...]:
    """The games that count so far; none before the run has begun."""
    try:
        return read_run(folder).games
    except FileFormatError:
        return ()


def test_a_match_goes_on_when_nobody_watches(tmp_path: Path) -> None:
    """Its standard error is a pipe without a reader."""
    reading, writing = os.pipe()
    os.close(reading)
    ran = subprocess.run(
        [OUTFLANK, "match", *two(fake("A"), fake("B")), "--games", "4", "--out", "m"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=writing,
        timeout=60,
    )
    os.close(writing)

    assert ran.returncode == 0
    assert len(_games(tmp_path / "m")) == 4


def test_a_signal_before_the_first_game_ends_the_match(tmp_path: Path) -> None:
    """While an engine is waited for that does not answer yet."""
    began = tmp_path / "began"
    slow = f"name=slow cmd={shlex.quote(shlex.join(['sh', '-c', f'touch {began}; exec sleep 1000']))}"
    command = [OUTFLANK, "match", "--engine", slow, "--engine", fake("B"), "--out", str(tmp_path / "m")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as running:
        while not began.exists():
            time.sleep(0.05)
        running.send_signal(signal.SIGHUP)
        output, told = running.communicate(timeout=20)

    assert (running.returncode, output) == (128 + signal.SIGHUP, "")
    assert "Traceback" not in told
    assert not (tmp_path / "m").exists()


def test_a_terminal_that_goes_away_ends_the_match_and_loses_nothing(tmp_path: Path) -> None:
    arguments = [*two(fake("A"), fake("B", "slow", 24)), "--games", "40", "--out", str(tmp_path / "m")]
    command = f"exec {shlex.join([OUTFLANK, 'match', *arguments])}"
    terminal, end = os.openpty()
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


def invoke(command: str, *arguments: object, input: str = "") -> Result:
    """Run a command in this process."""
    return CliRunner().invoke(cli, [command, *map(str, arguments)], input=input, prog_name="outflank")


def stored(folder: Path, run: Run, finished: bool = False) -> Run:
    """A run in a folder."""
    with Store.create(folder, run.settings, [()], "id") as store:
        store.write(run.games, run.settings.rules)
        store.end(finished=finished)
    return run


def begun(folder: Path) -> Run:
    """A run in a folder with the first of its two games."""
    return stored(folder, run_of([played()], settings={"games": 2}))


def test_a_knockout_has_no_rounds() -> None:
    ran = invoke("tournament", *ENGINES, "--pairing", "knockout", "--rounds", 5)

    assert ran.exit_code == 2
    assert "so --rounds has no meaning for it" in " ".join(ran.stderr.split())


def test_a_saved_knockout_is_read_back(tmp_path: Path) -> None:
    file, again = tmp_path / "run.toml", tmp_path / "again.toml"
    options = (*ENGINES, "--pairing", "knockout", "--seed", 1)

    assert invoke("tournament", *options, "--save-config", file).exit_code == 0
    assert invoke("tournament", "--config", file, "--save-config", again).exit_code == 0
    assert again.read_text() == file.read_text()


@pytest.mark.parametrize(("given", "games"), [((), 20_000), (("--games", 6), 6)])
def test_a_match_with_a_test_has_time_to_decide(
    tmp_path: Path, given: tuple[object, ...], games: int
) -> None:
    file = tmp_path / "run.toml"

    assert invoke("match", *ENGINES, "--sprt", "0,10", *given, "--save-config", file).exit_code == 0
    assert f"games = {games}\n" in file.read_text()


def test_the_help_says_what_a_saved_run_leaves_out(tmp_path: Path) -> None:
    file = tmp_path / "run.toml"
    left_out = ("--out", tmp_path / "run", "--cluster", "tcp://127.0.0.1:1", "--json")
    told = invoke("match", "--help").stdout.partition("--save-config")[2].partition("--engines")[0]

    assert invoke("match", *ENGINES, *left_out, "--save-config", file).exit_code == 0
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
    ran = invoke("match", *ENGINES, "--games", 10, "--openings", "random:6", "--out", tmp_path / "run")

    assert ran.exit_code == 128 + signal.SIGTERM
    assert len(drawn) == 1
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("finished", [True, False])
def test_a_run_with_nothing_left_to_play_needs_no_engines(tmp_path: Path, finished: bool) -> None:
    """One that was interrupted after its last game is finished then."""
    stored(tmp_path, run_of([played(), played(number=2, names=("B", "A"))]), finished=finished)
    ran = invoke("match", "--resume", tmp_path)

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
    run = begun(tmp_path / "m")
    edited(tmp_path / "m", f"touch {tmp_path}/stolen \\u001b[2J")
    ran = invoke("match", "--resume", tmp_path / "m", input=answer)

    assert ran.exit_code == 1
    assert "was not begun by you on this machine. It starts:\n  A: cmd='touch " in ran.stderr
    assert "\\x1b[2J" in ran.stderr
    assert "was not resumed, as it may start anything" in ran.stderr
    assert not (tmp_path / "stolen").exists()
    assert read_run(tmp_path / "m").games == run.games


def test_a_run_that_was_taken_over_asks_no_more(tmp_path: Path) -> None:
    begun(tmp_path)
    edited(tmp_path, "no-such-engine")
    first, second = (invoke("match", "--resume", tmp_path, input="y\n") for _ in range(2))

    assert "Resume it? [y/N] " in first.stderr
    assert "Resume it? [y/N] " not in second.stderr
    assert "no-such-engine" in first.stderr.splitlines()[-1]
    assert "no-such-engine" in second.stderr.splitlines()[-1]


def test_a_run_that_everybody_may_change_is_a_strangers(tmp_path: Path) -> None:
    begun(tmp_path)
    (tmp_path / "run.db").chmod(0o666)

    assert "Resume it? [y/N] " in invoke("match", "--resume", tmp_path).stderr


def test_a_finished_run_stays_finished_whatever_keeps_it_from_being_shown(tmp_path: Path) -> None:
    stored(tmp_path, run_of([played(), played(number=2, names=("B", "A"))]), finished=True)
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
    command = {"match": match_command, "tournament": tournament}[name]
    with command.make_context(name, others) as context:
        assert len(context.params["engines"]) in (0, 2)


def test_every_option_is_described() -> None:
    described = {cell.split()[0] for cell in column("option")}
    options = {
        option.opts[0]
        for command in (match_command, tournament)
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
    store = Store.create(tmp_path, settings(runs.fake("A"), runs.fake("B"), games=1), [()], "a run")
    store.write([crash], crash.rules)
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
        crash,
        replace(crash, void="why"),
        "so",
        settings(runs.fake("A"), runs.fake("B")),
    ]

    assert column("event") == [described(event)["event"] for event in told] + ["progress", "result"]
