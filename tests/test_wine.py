"""The download for Windows, unpacked into a path with blanks and umlauts and run under Wine, does what we do here.

``make wine`` makes and unpacks it and calls these tests.
"""

import os
import re
import shutil
import signal
import subprocess
import sysconfig
import time
import urllib.request
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

from outflank import __version__
from outflank.engine import PRESETS, Colour, Game
from outflank.measure.quarry import screen
from outflank.tests.support.installation import ROOT, doors, nodes, nodes_here
from outflank.tests.support.program import outflank
from outflank.tools.match.game.results import Ending
from outflank.tools.match.state.store import read_run

DOWNLOAD = ROOT / "build" / "wine" / "Für zwei Spieler" / f"outflank-{__version__}-windows"
PROGRAM, PYTHON = DOWNLOAD / "Outflank.exe", DOWNLOAD / "python" / "python.exe"
WINE = next(filter(os.path.exists, ("/usr/lib/wine/wine64", "/usr/bin/wine64")), None)
DIALOGUES = ROOT / "tests" / "protocol" / "server" / "transcripts"
GAME = "f5d6c3d3c4f4f6f3e6e7d7c5b6d8c6c7d2b5"
ENDGAME = "XXXXXXXXXOOOOOOXXOXXXOXXXOXOXXXXXOXXOXXXXOXXXXXXXOOX----XXXX---- O"
# Times, speeds and the machine differ. A service of Wine that crashes at its end says so on the stderr of our program,
# whose own crash would change its exit code.
_VOLATILE = re.compile(
    r"[\d.]+ s\b|[\d,]+ (leaves|nodes)/s|\"(seconds|nodes_per_second)\": [\d.]+|wine: Unhandled .*\n"
)
# Wine gives a program without a terminal no console that passes Ctrl-C on, so this one makes one for all it starts.
CTRL_C = """
import ctypes, signal, subprocess, sys
kernel = ctypes.WinDLL("kernel32")
assert kernel.FreeConsole() and kernel.AllocConsole()
signal.signal(signal.SIGINT, lambda number, frame: None)
program = subprocess.Popen(sys.argv[1:], stdin=subprocess.DEVNULL, stdout=sys.stdout, stderr=sys.stderr)
sys.stdin.readline()
assert kernel.GenerateConsoleCtrlEvent(0, 0)
sys.exit(program.wait())
"""
# Starts a program in a window of its own, as a double click does. A line on standard input closes the window.
WINDOW = """
import ctypes, subprocess, sys
kernel, user = ctypes.WinDLL("kernel32"), ctypes.WinDLL("user32")
kernel.GetConsoleWindow.restype = ctypes.c_void_p
program = subprocess.Popen(sys.argv[1:], creationflags=subprocess.CREATE_NEW_CONSOLE)
if sys.stdin.readline():
    kernel.FreeConsole()
    assert kernel.AttachConsole(program.pid)
    window = kernel.GetConsoleWindow()
    kernel.FreeConsole()
    assert user.PostMessageW(ctypes.c_void_p(window), 0x10, None, None)  # WM_CLOSE
sys.exit(program.wait())
"""
# Has an engine set a board up by ``loadsgf``, and prints the number of discs of each side.
LOADS = """
import sys
from outflank.engine import Position, Rules
from outflank.protocol.drivers import EngineSpec, TimeControl, make_driver
from outflank.protocol.formats.annotated import AnnotatedGame
command = f'"{sys.argv[1]}" gtp'
with make_driver(EngineSpec("loader", command, TimeControl()), Rules()) as driver:
    driver.open()
    driver.follow(AnnotatedGame(Position.parse(sys.argv[2])))
    print(driver.ask("outflank-discs").text)
"""
MOST_SECONDS_TO_THE_BOARD = 5.0  # of processor time, since another program may hold the processors

pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(600),
    pytest.mark.xdist_group("wine"),
    pytest.mark.skipif(WINE is None, reason="Wine is missing (Debian: wine64)"),
    pytest.mark.skipif(not PROGRAM.is_file(), reason="no download is unpacked (make wine)"),
]


def started(*arguments: str, program: Path = PROGRAM, **environment: str) -> "subprocess.Popen[str]":
    """Start our program, or another one; its streams are pipes, since Wine has no others without a terminal."""
    variables = {
        **{name: value for name, value in os.environ.items() if not name.startswith("PYTHON")},
        "WINEPREFIX": str(ROOT / "build" / "windows" / "prefix"),
        "WINEDEBUG": "-all",
        "WINEDLLOVERRIDES": "mscoree,mshtml=",
        **environment,
    }
    return subprocess.Popen(
        [str(WINE), str(program), *arguments],
        env=variables,
        cwd=DOWNLOAD,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
    )


def wine(*arguments: str) -> str:
    """Return what a command of the program prints under Wine.

    Raises: AssertionError with all it wrote if it fails.
    """
    process = started(*arguments)
    out, err = process.communicate(timeout=600)
    assert process.returncode == 0, f"{arguments}: exit {process.returncode}\n{out}{err}"
    return out


def windows_path(path: Path) -> str:
    """Return the path in Windows' words; Wine shows the root folder as drive Z."""
    return "Z:" + str(path).replace("/", "\\")


def test_it_has_the_signature_of_this_system() -> None:
    assert nodes(wine("bench", "--json")) == nodes_here()


SAME: dict[str, tuple[list[str], str]] = {
    **{f"perft {rules}": (["perft", "6", "--rules", rules], "") for rules in PRESETS},
    **{
        name: (["gtp", "--level", "4"], "".join(re.findall(r"(?m)^> (.*\n)", (DIALOGUES / name).read_text())))
        for name in ("controllers.gtp", "rules.gtp")
    },
    "gtp faults": (["gtp", "--level", "4"], "1 play b a1\nnonsense\n2 genmove b\r\n3 genmove w\n4 quit\n"),
    "a move of the book": (
        ["gtp", "--level", "30"],
        "play b f5\noutflank-book_moves\ngenmove w\ngenmove b\nquit\n",
    ),
    "uci": (["uci"], "uci\nisready\nposition startpos moves f5d6\nquit\n"),
    "nboard": (["nboard"], "nboard 2\nset depth 4\nping 1\nmove f5\nping 2\nquit\n"),
    "solve": (["solve", ENDGAME, "--json"], ""),
    "convert": (["convert", "-", "--to", "sgf"], f"{GAME}\n"),
    "review": (["review", GAME, "--level", "6"], ""),
    "play": (["play", "--side", "black", "--level", "1", "--seed", "1"], "f5\nmoves\nboard\nresign\n"),
    "wrong usage": (["solve", "--rules", "unknown", ENDGAME], ""),
}


@pytest.mark.parametrize(("arguments", "lines"), SAME.values(), ids=SAME)
def test_a_command_prints_the_same_as_here(arguments: list[str], lines: str) -> None:
    here = outflank(*arguments, input=lines)
    process = started(*arguments)
    there = process.communicate(lines, timeout=600)

    assert here.stdout or here.stderr
    assert [_VOLATILE.sub("", text) for text in there] == [
        _VOLATILE.sub("", text) for text in (here.stdout, here.stderr)
    ]
    assert process.returncode == here.returncode


def test_the_program_that_pip_makes_passes_lines_and_exit_codes(tmp_path: Path) -> None:
    """The pip of this environment, run by Windows' Python, makes ``outflank.exe`` of the wheel."""
    pip = windows_path(Path(sysconfig.get_path("purelib")) / "pip")
    (wheel,) = (ROOT / "build" / "wine").glob("*.whl")
    options = [
        "--no-index",
        "--no-deps",
        "--no-compile",
        "--ignore-installed",
        "--prefix",
        windows_path(tmp_path),
    ]
    installing = started(pip, "install", *options, windows_path(wheel), program=PYTHON)
    told = installing.communicate(timeout=300)
    assert installing.returncode == 0, told
    program = tmp_path / "Scripts" / "outflank.exe"
    engine = started("gtp", "--level", "1", program=program)
    answers = engine.communicate("1 name\n2 genmove b\n3 quit\n", timeout=60)[0]
    mistaken = started("solve", "--rules", "unknown", program=program)
    mistaken.communicate(timeout=60)

    assert re.fullmatch(r"=1 Outflank\s+=2 \w\d\s+=3\s+", answers), answers
    assert (engine.returncode, mistaken.returncode) == (0, 2)


TRIED = {
    "gtp": ("name\nquit\n", "= Outflank"),
    "nboard": ("nboard 2\nping 1\nquit\n", "pong 1"),
    "uci": ("uci\nquit\n", "uciok"),
}
"""Lines for an engine, and a part of its answer."""


@pytest.mark.parametrize(
    "command",
    [command for door in doors("docs/install.md") if "Windows" in door.way for command in door.commands],
)
def test_a_door_of_the_page_of_the_installation_opens(command: str, tmp_path: Path) -> None:
    program, *words = command.split()
    assert (PROGRAM.parent / program).is_file()
    lines, answer = TRIED.get(
        " ".join(words), ("", "game 2" if "match" in words else "Five commands to start with")
    )
    process = started(*words, *(["--out", windows_path(tmp_path / "run")] if "match" in words else []))
    told = process.communicate(lines, timeout=600)

    assert process.returncode == 0, told
    assert answer in "".join(told)


def test_two_engines_play_a_whole_game_by_gtp() -> None:
    game = Game()
    with started("gtp", "--level", "1") as black, started("gtp", "--level", "2") as white:
        players = {Colour.BLACK: black, Colour.WHITE: white}
        while not game.is_over:
            mover = game.position.side
            move = asked(players[mover], f"genmove {mover}")
            asked(players[mover.other], f"play {mover} {move}")
            game.play(move)
        results = {asked(each, "final_score") for each in (black, white)}
        for each in (black, white):
            asked(each, "quit")

    assert len(game.moves) > 50
    assert len(results) == 1


def asked(engine: "subprocess.Popen[str]", line: str) -> str:
    """Send a line of GTP and return the answer; it has to be a success."""
    assert engine.stdin is not None
    assert engine.stdout is not None
    engine.stdin.write(f"{line}\n")
    engine.stdin.flush()
    answer, end = engine.stdout.readline(), engine.stdout.readline()
    assert answer.startswith("="), (line, answer)
    assert not end.strip(), (line, answer, end)
    return answer[1:].strip()


def test_a_proof_of_a_score_passes_its_check(tmp_path: Path) -> None:
    proof = windows_path(tmp_path / "end.proof")
    wine("proof", "make", ENDGAME, "-o", proof)
    checked = wine("proof", "check", proof)

    assert checked.startswith("line 1: -18 is proven for ")


def test_a_book_is_made_grown_and_checked(tmp_path: Path) -> None:
    """Its lock, which is gone afterwards, and a name with blanks and letters beyond ASCII."""
    book = windows_path(tmp_path / "mein Büchlein.book")
    wine("book", "build", book, "--positions", "8", "--level", "2", "--workers", "1")
    checked = wine("book", "check", book, "--workers", "1")

    assert "0 faults" in checked
    assert [path.name for path in tmp_path.iterdir()] == ["mein Büchlein.book"]


def engines(fake: Path, bad: str = "") -> list[str]:
    """Return the options for a match between the fake engine, `good`, and `bad`.

    Args:
        fake: the fake engine's file.
        bad: a batch file, or options of the fake engine.
    """
    command = f'"{windows_path(PYTHON)}" "{windows_path(fake)}"'
    commands = {"good": command, "bad": f'"{bad}"' if bad.endswith(".bat") else f"{command} {bad}"}
    file = fake.with_name("engines.toml")
    file.write_text(
        "".join(f"[[engine]]\nname = '{name}'\ncmd = '{text}'\n" for name, text in commands.items())
    )
    return ["--config", windows_path(file)]


@pytest.fixture
def fake(tmp_path: Path) -> Path:
    """Return the fake engine in a folder whose name has a blank."""
    folder = tmp_path / "two words"
    folder.mkdir()
    return Path(shutil.copy(ROOT / "tests" / "support" / "fake_engine.py", folder))


def test_a_match_of_two_games_of_our_own_has_a_report(tmp_path: Path) -> None:
    """As START.txt has it: the program is named as in a terminal in its folder."""
    run, start = tmp_path / "zwei Spiele für heute", (DOWNLOAD / "START.txt").read_text(encoding="utf-8")
    (line,) = re.findall(r"for example: (.*)", start)
    program, *words = re.findall(r'"(.*?)"|(\S+)', line)
    wine(*(quoted or plain for quoted, plain in words), "--out", windows_path(run))

    assert program[1] == ".\\Outflank.exe"

    assert len(read_run(run).games) == 2
    assert "<html" in (run / "report.html").read_text(encoding="utf-8")


def test_an_engine_loads_a_position_from_a_file() -> None:
    process = started("-c", LOADS, str(PROGRAM), ENDGAME, program=PYTHON)
    told = process.communicate(timeout=600)

    assert process.returncode == 0, told
    assert told[0].startswith(f"Black {ENDGAME[:64].count('X')}, White {ENDGAME[:64].count('O')}")


def test_a_match_of_ten_games_with_a_batch_file_has_a_report(tmp_path: Path, fake: Path) -> None:
    batch, run = fake.with_name("level one.bat"), tmp_path / "run"
    batch.write_text('@"%OUTFLANK_PROGRAM%" gtp --level 1\r\n')
    options = ["--games", "10", "--seed", "1", "--out", windows_path(run)]
    match = started(
        "match", *engines(fake, windows_path(batch)), *options, OUTFLANK_PROGRAM=windows_path(PROGRAM)
    )
    told = match.communicate(timeout=600)
    assert match.returncode == 0, told
    wine("report", windows_path(run))

    assert len(read_run(run).games) == 10
    assert "<html" in (run / "report.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("fault", ["crash", "silence", "endless line"])
def test_an_engine_with_a_fault_loses_its_games_and_leaves_no_process(
    tmp_path: Path, fake: Path, fault: str
) -> None:
    run = tmp_path / "run"
    options = ["--games", "2", "--stall", "4", "--out", windows_path(run)]
    wine("match", *engines(fake, f'--fault "{fault}" --turn 2'), *options)

    games = read_run(run).games
    assert [game.winner_name for game in games] == ["good", "good"]
    assert all(game.ending.is_fault for game in games)
    assert not list(processes(windows_path(fake)))


def processes(word: str) -> Iterator[int]:
    """Yield the ids of processes whose command line has a word; Wine's processes are processes of this system."""
    for process in psutil.process_iter(["cmdline"]):
        if word in " ".join(process.info["cmdline"] or ()):
            yield process.pid


def test_an_engine_that_thinks_longer_than_its_clock_loses_on_time(tmp_path: Path, fake: Path) -> None:
    """A machine that is late itself is blamed for some attempts, which makes the run invalid."""
    run = tmp_path / "run"
    options = ["--games", "2", "--tc", "1", "--out", windows_path(run)]
    process = started("match", *engines(fake, "--fault silence --turn 2"), *options)
    told = process.communicate(timeout=300)

    assert [(game.winner_name, game.ending) for game in read_run(run).games] == [("good", Ending.TIME)] * 2
    assert process.returncode == (1 if "the run is not valid" in told[1] else 0), told
    assert not list(processes(windows_path(fake)))


def read_until(process: "subprocess.Popen[str]", pattern: str) -> "re.Match[str]":
    """Read standard error until the pattern is found. Raises: AssertionError if the program ends before."""
    told = ""
    assert process.stderr is not None
    while not (found := re.search(pattern, told)):
        line = process.stderr.readline()
        assert line, told
        told += line
    return found


def test_ctrl_c_ends_the_engines_and_leaves_a_run_that_is_resumed(tmp_path: Path, fake: Path) -> None:
    run, driver = tmp_path / "run", tmp_path / "ctrl_c.py"
    driver.write_text(CTRL_C)
    options = ["--games", "30", "--seed", "1", "--out", windows_path(run)]
    process = started(
        windows_path(driver), windows_path(PROGRAM), "match", *engines(fake), *options, program=PYTHON
    )
    try:
        read_until(process, "game 3 ")
        out, err = process.communicate("\n", timeout=120)
    finally:
        process.kill()
        process.communicate()
    kept = len(read_run(run).games)

    assert process.returncode == 128 + signal.SIGINT, out + err
    assert "outflank match --resume" in out + err
    assert not list(processes(windows_path(fake)))
    wine("match", "--resume", windows_path(run))
    assert 3 <= kept < len(read_run(run).games) == 30


def test_a_run_whose_runner_was_killed_is_resumed_after_its_page_was_read(tmp_path: Path, fake: Path) -> None:
    run = tmp_path / "run"
    options = ["--games", "100", "--seed", "1", "--out", windows_path(run), "--listen"]
    process = started("match", *engines(fake), *options)
    try:
        page = read_until(process, r"http://\S+")[0]
        with urllib.request.urlopen(page, timeout=30) as answer:
            assert b"<html" in answer.read()
        while len(read_run(run).games) < 3:
            time.sleep(0.5)
    finally:
        process.kill()
        process.communicate()
    kept = len(read_run(run).games)
    time.sleep(2)

    assert not list(processes(windows_path(fake)))
    wine("match", "--resume", windows_path(run))
    assert 3 <= kept < len(read_run(run).games) == 100


@pytest.fixture
def display() -> Iterator[str]:
    """Return a screen: without one, Wine gives no program a window of its own."""
    if not shutil.which("Xvfb"):
        pytest.skip("Xvfb is missing (Debian: xvfb)")
    with screen() as name:
        yield name


def test_a_double_click_opens_the_board_once_and_closing_its_window_ends_it(
    tmp_path: Path, display: str
) -> None:
    """And outside the folder it writes nothing but what is the user's own."""
    driver, page = tmp_path / "window.py", tmp_path / "outflank" / f"page-{__version__}.html"
    driver.write_text(WINDOW)
    drive = ROOT / "build" / "windows" / "prefix" / "drive_c"
    wine("--version")  # Wine makes its drive, and Python the bytecode of its modules

    def click() -> "subprocess.Popen[str]":
        own = {"DISPLAY": display, "XDG_STATE_HOME": windows_path(tmp_path)}
        return started(windows_path(driver), windows_path(PROGRAM), program=PYTHON, **own)

    before = {*drive.rglob("*")}
    first = click()
    try:
        while not page.exists():
            assert first.poll() is None
            time.sleep(0.05)
        seconds = sum(sum(psutil.Process(each).cpu_times()[:2]) for each in processes("outflank web"))
        address = re.search('href="(.*?)"', page.read_text())
        assert address
        with urllib.request.urlopen(address[1], timeout=30) as answer:
            assert b"<title>" in answer.read()
        second = click()
        second.communicate(timeout=60)
        assert second.returncode == 0
        with urllib.request.urlopen(address[1], timeout=30):  # the first serves on
            pass
        first.communicate("\n", timeout=60)
    finally:
        end(first)

    assert not list(processes("outflank web"))
    temporary, own = "AppData/Local/Temp", ".local"
    assert not [
        path for path in {*drive.rglob("*")} - before if not re.search(f"{temporary}|{own}", str(path))
    ]
    assert 0 < seconds < MOST_SECONDS_TO_THE_BOARD


def end(process: "subprocess.Popen[str]") -> None:
    """End a program of WINDOW and what it has started, which holds its pipes."""
    process.kill()
    for each in processes(windows_path(DOWNLOAD)):
        with suppress(ProcessLookupError):
            os.kill(each, signal.SIGKILL)
    process.communicate(timeout=60)


def test_closing_the_window_of_a_match_ends_its_engines(tmp_path: Path, fake: Path, display: str) -> None:
    run, driver = tmp_path / "run", tmp_path / "window.py"
    driver.write_text(WINDOW)
    options = ["--games", "100", "--seed", "1", "--out", windows_path(run)]
    command = [windows_path(PROGRAM), "match", *engines(fake), *options]
    process = started(windows_path(driver), *command, program=PYTHON, DISPLAY=display)
    try:
        while not (run / "run.db").exists() or len(read_run(run).games) < 3:
            assert process.poll() is None
            time.sleep(0.5)
        process.communicate("\n", timeout=60)
    finally:
        end(process)
    kept = len(read_run(run).games)

    assert not list(processes(windows_path(fake)))
    wine("match", "--resume", windows_path(run))
    assert 3 <= kept < len(read_run(run).games) == 100


def test_a_program_that_ends_the_starter_ends_the_engine_too() -> None:
    """As GUIs end an engine that does not quit."""
    engine = started("gtp", "--level", "1")
    asked(engine, "name")
    assert list(processes("outflank gtp"))
    (starter,) = processes("Outflank.exe gtp")
    os.kill(starter, signal.SIGKILL)
    engine.communicate()
    deadline = time.monotonic() + 30
    while list(processes("outflank gtp")) and time.monotonic() < deadline:
        time.sleep(0.1)

    assert not list(processes("outflank gtp"))
