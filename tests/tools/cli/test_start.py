"""The program as it starts: a signal at any moment, what needs click alone, and the examples as they stand."""

import json
import os
import signal
import subprocess
import sys
import time
import tomllib
from itertools import product
from pathlib import Path

import pytest

from outflank.tests.support.installation import ROOT, python_script
from outflank.tests.support.processes import children, living_members
from outflank.tests.support.program import needs_rhino, running, started
from outflank.tests.support.transcripts import run
from outflank.tools.cli.program import COMMANDS
from outflank.tools.runtime.signals import Interrupted, Interrupts

# Sends itself a signal when it is about to import its N-th module after the first line of ours.
PROGRAM = """if True:
    import os, sys
    from outflank.tools.commands.start import main
    number, left = int(sys.argv.pop(1)), [int(sys.argv.pop(1))]

    def strike(event, arguments):
        if event == "import":
            left[0] -= 1
            if not left[0]:
                os.kill(os.getpid(), number)

    sys.addaudithook(strike)
    main()
"""
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
MOMENTS = (0.0, 0.3, 1.5)
# Of every extra.
BARE = """
import sys
for name in ("rich", "scipy", "numpy", "networkx", "sgfmill", "jinja2", "matplotlib", "tomli_w", "torch", "resvg_py",
             "distributed", "dask", "msgspec", "psutil"):
    sys.modules[name] = None
from outflank.tools.cli.program import main
sys.argv[0] = "outflank"
"""
HELP = """
import click, json
from outflank.tools.cli.program import cli
def faults(command, *words):
    try:
        command.main(["--help"], prog_name=" ".join(("outflank", *words)), standalone_mode=False)
        names = getattr(command, "summaries", ())
        commands = [(name, command.get_command(click.Context(command), name)) for name in names]
    except Exception as error:
        return [f"{words}: {error}"]
    return [fault for name, found in commands for fault in faults(found, *words, name)]
print("FAULTS", json.dumps(faults(cli)))
"""
LATE = "XXXXXXXXXXXXXXXXXXXXXXXXOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOO-OOOOOO-- X"
GAME = "f5d6c3d3c4f4f6f3e6e7"
FEW = ("--moves", "2", "--depth", "1")
TOURNAMENT = ROOT / "examples" / "tournament.toml"


def ended(number: int, at: int, *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", PROGRAM, str(number), str(at), *words]
    return subprocess.run(
        command, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=100, check=False
    )


@pytest.mark.parametrize(("number", "at"), list(zip(2 * SIGNALS, (1, 2, 20, 60, 100, 150), strict=True)))
def test_while_modules_are_imported(number: int, at: int) -> None:
    result = ended(number, at, "match", "--help")

    assert (result.returncode, result.stderr) == (128 + number, "")


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("words", [["match", "--help"], ["gtp"], ["perft", "3"], ["report", "nothing"]])
def test_at_every_import(words: list[str]) -> None:
    at, signals = 1, dict.fromkeys(SIGNALS, 0)
    while signals[signal.SIGINT] == at - 1:
        for number in SIGNALS:
            result = ended(number, at, *words)
            assert "Traceback" not in result.stderr
            signals[number] += result.returncode == 128 + number
        at += 1

    assert len(set(signals.values())) == 1
    assert at > 100


@pytest.mark.parametrize(
    ("number", "moment"),
    [
        *zip(SIGNALS, MOMENTS, strict=True),
        *(pytest.param(*each, marks=pytest.mark.slow) for each in product(SIGNALS, MOMENTS)),
    ],
)
def test_a_signal_to_all_processes_of_a_command_prints_no_traceback(
    tmp_path: Path, number: int, moment: float
) -> None:
    """As a terminal sends it that goes away; multiprocessing's tracker complained that it had been killed."""
    words = ("book", "build", "b.db", "--workers", 2)
    with running(*words, cwd=tmp_path, stdout=None, start_new_session=True) as ran:
        while len(children(ran.pid)) < 2:  # the tracker, and what starts the workers
            assert ran.poll() is None
            time.sleep(0.01)
        time.sleep(moment)
        os.killpg(ran.pid, number)
        _, errors = ran.communicate(timeout=60)

    assert ran.returncode == 128 + number
    assert "Traceback" not in errors
    assert "resource_tracker" not in errors
    assert living_members(ran.pid) == []


def test_in_a_command_they_leave_nothing_behind() -> None:
    for number in SIGNALS:
        command = [sys.executable, "-m", "outflank.tools.commands.start", "perft", "30"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as counting:
            assert counting.stdout is not None
            counting.stdout.readline()
            counting.send_signal(number)
            sent = time.monotonic()
            said = counting.communicate(timeout=60)
        assert (counting.returncode, said) == (128 + number, ("", ""))
        assert time.monotonic() - sent < 2


@pytest.mark.parametrize("ignored", [signal.SIGINT, signal.SIGHUP])
def test_what_a_program_inherits_as_ignored_it_keeps_ignoring(ignored: signal.Signals) -> None:
    """As the background job of a shell script, or below nohup."""
    shell = ["sh", "-c", f"trap '' {ignored.name[3:]}; exec \"$@\"", "sh"]
    with started("gtp", before=shell, stdin=subprocess.PIPE) as program:
        assert program.stdin is not None
        assert program.stdout is not None
        for _ in range(2):
            print("name", file=program.stdin, flush=True)
            assert [program.stdout.readline() for _ in range(2)] == ["= Outflank\n", "\n"]
            program.send_signal(ignored)
        program.send_signal(signal.SIGTERM)
        assert program.wait(20) == 128 + signal.SIGTERM


def test_work_that_catches_signals_leaves_ignored_ones_alone() -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with Interrupts() as interrupts:
            signal.raise_signal(signal.SIGHUP)
            interrupts.check()
            signal.raise_signal(signal.SIGTERM)
            with pytest.raises(Interrupted, match="SIGTERM"):
                interrupts.check()
    finally:
        signal.signal(signal.SIGHUP, before)


def test_an_interrupted_archive_leaves_nothing_behind(tmp_path: Path) -> None:
    reading, writing = os.pipe()
    with running("archive", "build", "-", "-o", tmp_path / "a", stdin=reading) as program:
        os.write(writing, b"f5d6c3\n" * 100)
        while not list(tmp_path.glob(".a.*")):
            time.sleep(0.02)
        program.send_signal(signal.SIGINT)
        assert program.wait(20) == 128 + signal.SIGINT
    os.close(reading)
    os.close(writing)
    assert list(tmp_path.iterdir()) == []


def test_a_signal_ends_a_build_that_can_go_on(tmp_path: Path) -> None:
    path = tmp_path / "b"
    for number, code in ((signal.SIGINT, 130), (signal.SIGTERM, 143)):
        before = path.stat().st_mtime_ns if path.exists() else 0
        with running("book", "build", path, "--level", 4) as process:
            deadline = time.monotonic() + 60
            while time.monotonic() < deadline and not changed(path, before):
                time.sleep(0.05)
            time.sleep(0.3)
            process.send_signal(number)
            _, errors = process.communicate(timeout=60)

        assert process.returncode == code
        assert f"Interrupted: {path} keeps its " in errors
        run("book", "check", path, "--sample", 0)
    kept = json.loads(run("book", "stats", path, "--json").stdout)["positions"]
    built = run("book", "build", path, "--positions", kept + 5, "--workers", 1, "--json").stdout
    assert json.loads(built)["positions"] == kept + 5


def changed(path: Path, before: int) -> bool:
    wal = path.with_name(path.name + "-wal")
    return wal.exists() and wal.stat().st_size > 0 and (before == 0 or wal.stat().st_mtime_ns > before)


def bare(script: str, *words: str, folder: Path | None = None) -> "subprocess.CompletedProcess[str]":
    """Run a script where no package of an extra can be imported; the first line of its input is `quit`."""
    return subprocess.run(
        [sys.executable, "-c", BARE + script, *words],
        cwd=folder,
        input="quit\n",
        capture_output=True,
        text=True,
        timeout=100,
    )


def test_every_command_tells_its_help() -> None:
    ran = bare(HELP)

    assert ran.stderr == ""
    assert json.loads(ran.stdout.partition("FAULTS ")[2]) == []
    assert all(f"Usage: outflank {name} " in ran.stdout for name in COMMANDS)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("analyze", GAME, "--depth", "3"), "move    score   line"),
        (("analyze", GAME, "f5", "--depth", "3"), "line"),
        (("analyze", "requests.jsonl"), '{"id": 1, "turn": 0, "kind": "result"'),
        (("solve", "--board", LATE), "certainty"),
        (("review", GAME, "--depth", "2"), "Black"),
        (("convert", "games.txt", "--format", "ggf"), "(;GM[Othello]"),
        (("play", "--depth", "1"), "Black (X)"),
        (("board", GAME, "--svg"), "<svg"),
        (("book", "build", "new.book", "--positions", "3", "--level", "1", "--workers", "1"), "positions"),
        (("openings", "make", "-o", "found.txt", *FEW, "--workers", "1"), "openings"),
        (("solo", "--auto", "--games", "2"), "mean"),
    ],
    ids=lambda value: value[0] if isinstance(value, tuple) else "",
)
def test_it_runs(words: tuple[str, ...], expected: str, tmp_path: Path) -> None:
    (tmp_path / "games.txt").write_text(f"{GAME}\n")
    (tmp_path / "requests.jsonl").write_text('{"id": 1, "depth": 1}')

    ran = bare("main()", *words, folder=tmp_path)

    assert ran.returncode == 0, ran.stderr
    assert expected in ran.stdout + ran.stderr


@pytest.mark.parametrize(
    ("words", "package"),
    [
        (("match", "--games", "2"), "match"),
        (("convert", "games.txt", "--format", "sgf"), "match"),
        (("review", GAME, "--depth", "1", "-o", "page.html"), "match"),
        (("board", GAME, "--png", "-o", "board.png"), "png"),
    ],
    ids=lambda value: value[0] if isinstance(value, tuple) else "",
)
def test_what_it_lacks_is_named(words: tuple[str, ...], package: str, tmp_path: Path) -> None:
    (tmp_path / "games.txt").write_text(f"{GAME}\n")

    ran = bare("main()", *words, folder=tmp_path)

    assert ran.returncode == 1
    assert f"pip install 'outflank[{package}]'" in ran.stderr
    assert "Traceback" not in ran.stderr


@pytest.mark.parametrize("package", ["jinja2", "sgfmill"])
def test_what_the_records_of_a_match_need_is_missed_before_the_first_game(
    package: str, tmp_path: Path
) -> None:
    script = (
        f"import sys; sys.modules[{package!r}] = None; from outflank.tools.cli.program import main; main()"
    )

    ran = python_script("-c", script, "match", "--games", "2", "--out", str(tmp_path / "run"))

    assert ran.returncode == 1
    assert package in ran.stderr
    assert "pip install 'outflank[match]'" in ran.stderr
    assert not list(tmp_path.iterdir())


def test_the_tournament_says_what_it_means(tmp_path: Path) -> None:
    """Written down again it is the same, but for what it leaves to the defaults."""
    run("tournament", "--config", TOURNAMENT, "--save-config", tmp_path / "same.toml")
    given, same = tomllib.loads(TOURNAMENT.read_text()), tomllib.loads((tmp_path / "same.toml").read_text())

    engines = given.pop("engine")
    assert [{**engine, "tc": "none"} for engine in engines] == same.pop("engine")
    assert given.items() <= same.items()
    assert f"{len(engines) * (len(engines) - 1) // 2 * given['games']} games" in TOURNAMENT.read_text()


@needs_rhino
@pytest.mark.slow
@pytest.mark.timeout(600)
def test_a_short_form_of_the_tournament_is_played(tmp_path: Path) -> None:
    words = ("--games", 2, "--count-errors-from", 0, "--out", tmp_path / "run")
    run("tournament", "--config", TOURNAMENT, *words)
    summary = json.loads((tmp_path / "run" / "summary.json").read_text())

    assert summary["games"] == 30
