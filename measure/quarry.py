"""Plays a whole game in the GUI Quarry on a virtual screen, and takes a screenshot of the finished game.

``python -m outflank.measure.quarry docs/images/quarry.png`` takes the screenshot in docs/results.md.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from outflank import __version__
from outflank.engine import Colour, Game
from outflank.protocol.drivers.spawn import tied_to_us
from outflank.tests.support.program import OUTFLANK

# Debian installs games in a separate folder.
_PATH = f"{os.environ.get('PATH', os.defpath)}{os.pathsep}/usr/games"
_PROGRAMS = ("quarry", "Xvfb", "xdotool")  # screenshots also need ImageMagick's import
# Each engine writes a separate log file, whose name has the engine's process id.
_CONFIGURATION = """\
[GTP Engine "Outflank"]
Screen name format = "%n"
Name = "Outflank"
Version = "{version}"
Command line = "sh -c 'exec {command} --log {folder}/$$.engine'"
Supported games = "Reversi"
"""
# The shortcuts on the dialog's first page: Reversi, White played by the computer, Black played by the computer, and
# Forward. The shortcut of Play is on the second page. It is pressed after the keys for the clock.
_NEW_GAME_KEYS = ("alt+r", "alt+o", "alt+p", "alt+f")
_PLAY_KEYS = ("alt+p",)
# The shortcuts on the dialog's second page: the list of time controls, and the first entry of this list.
_TYPE_KEYS = ("alt+t", "Home")


def _field(shortcut: str, text: str) -> list[str]:
    return [shortcut, *("colon" if letter == ":" else letter for letter in text)]


# The keys for Quarry's "limited time per move" (2 s) and "Canadian overtime" (a minute, then 20 s for each 5 moves).
TWO_SECONDS_A_MOVE = (*_TYPE_KEYS, "Down", "Down", *_field("alt+l", "0:02"))
A_MINUTE_AND_BYO_YOMI = (
    *_TYPE_KEYS,
    *("Down", "Down", "Down"),
    *_field("alt+m", "1:00"),
    *_field("alt+o", "0:20"),
    *_field("alt+v", "5"),
)
_PATIENCE_SECONDS = 60.0
_RETRY_SECONDS = 10.0


def missing_programs() -> list[str]:
    """Return the names of the needed programs that are not installed."""
    return [name for name in _PROGRAMS if shutil.which(name, path=_PATH) is None]


def play(
    command: str,
    version: str,
    folder: Path,
    photo: Path | None = None,
    clock: Sequence[str] = (),
    patience: float = _PATIENCE_SECONDS,
) -> list[Game]:
    """Let Quarry play a game between two processes of `command`. The command must accept ``--log FILE``.

    Args:
        command: the engine's command line.
        version: the engine's version for Quarry's configuration.
        folder: an empty folder that becomes Quarry's home folder.
        photo: the PNG file for a screenshot of the finished game; None for no screenshot.
        clock: the keys that set a clock, such as TWO_SECONDS_A_MOVE; empty for no time limit.
        patience: the timeout for the game, in seconds.

    Returns: the finished game from each engine's log.

    Raises: TimeoutError if the game does not end before the timeout, or if it ends with a time forfeit.
    """
    (folder / ".quarry").write_text(
        _CONFIGURATION.format(command=command, version=version, folder=folder), encoding="utf-8"
    )
    with screen() as display:
        environment = {"PATH": _PATH, "HOME": str(folder), "LC_ALL": "C", "DISPLAY": display}
        with _running([str(shutil.which("quarry", path=_PATH))], environment):
            _press(environment, "^Quarry Control Center$", ["alt+n"], "^New Game$")
            keys = (*_NEW_GAME_KEYS, *clock, *_PLAY_KEYS)
            window = _press(environment, "^New Game$", keys, " vs[.] ")
            games = _wait_for_end(folder, patience)
            if photo is not None:
                time.sleep(1.0)  # Quarry draws the board only when it is idle
                subprocess.run(["import", "-window", window, str(photo)], env=environment, check=True)
            return games


def _read_log(text: str) -> Game:
    commands = re.findall(r"^ *[\d.]+ \S+ > (.*)$", text, re.MULTILINE)
    answers = re.findall(r"^ *[\d.]+ \S+ < (=.*|\?.*)$", text, re.MULTILINE)
    game = Game()
    for command, answer in zip(commands, answers, strict=False):
        assert answer.startswith("="), f"{command!r} failed: {answer!r}"
        match command.split():
            case ["genmove", colour]:
                game.play(answer.removeprefix("=").strip(), Colour(colour))
            case ["play", colour, vertex]:
                game.play(vertex, Colour(colour))
    return game


@contextmanager
def screen() -> Iterator[str]:
    """Run Xvfb during the block, and yield the name of its screen."""
    command = ["Xvfb", "-displayfd", "1", "-screen", "0", "800x600x24", "-nolisten", "tcp", "-r"]
    with _running(command, {"PATH": _PATH}) as process:
        assert process.stdout is not None
        yield f":{process.stdout.readline().decode().strip()}"


@contextmanager
def _running(command: list[str], environment: dict[str, str]) -> Iterator["subprocess.Popen[bytes]"]:
    """Run `command` during the ``with`` block. It is terminated after the block, or when this process is killed."""
    process = subprocess.Popen(
        tied_to_us(command, None, _PATH),
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        yield process
    finally:
        process.terminate()
        process.communicate(timeout=_PATIENCE_SECONDS)


def _press(environment: dict[str, str], title: str, keys: Sequence[str], goal: str) -> str:
    """Press keys in the window `title` until the window `goal` appears. Return the id of the new window.

    Raises: TimeoutError if the window `goal` does not appear.
    """
    _wait_for(environment, title, _PATIENCE_SECONDS)
    for _ in range(round(_PATIENCE_SECONDS / _RETRY_SECONDS)):
        # On a busy machine a key may be lost. Pressing the keys again is harmless.
        if window := _find(environment, title):
            # Without a window manager, a window does not get the focus automatically.
            command = ["xdotool", "windowfocus", window, "key", "--delay", "300", *keys]
            subprocess.run(command, env=environment, timeout=_PATIENCE_SECONDS, check=False)
        if found := _wait_for(environment, goal, _RETRY_SECONDS):
            return found
    raise TimeoutError(f"expected a window called {goal!r} after {' '.join(keys)} in {title!r}")


def _wait_for(environment: dict[str, str], title: str, seconds: float) -> str:
    """Wait for the window with this title, and return its id. Return an empty text after the timeout."""
    deadline = time.monotonic() + seconds
    while not (window := _find(environment, title)) and time.monotonic() < deadline:
        time.sleep(0.1)
    return window


def _find(environment: dict[str, str], title: str) -> str:
    command = ["xdotool", "search", "--onlyvisible", "--name", title]
    found = subprocess.run(
        command, env=environment, capture_output=True, text=True, timeout=_PATIENCE_SECONDS
    )
    return found.stdout.partition("\n")[0]


def _wait_for_end(folder: Path, patience: float) -> list[Game]:
    deadline = time.monotonic() + patience
    while time.monotonic() < deadline:
        games = [_read_log(log.read_text()) for log in folder.glob("*.engine")]
        if len(games) == 2 and all(game.position.is_over for game in games):
            return games
        time.sleep(0.2)
    raise TimeoutError(f"expected a finished game within {patience:.0f} s; see {folder}")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as home:
        finished = play(f"{OUTFLANK} gtp --level 10", __version__, Path(home), Path(sys.argv[1]))
        sys.stdout.write(f"{finished[0].transcript()}\n{finished[0].position}\n")
