"""Creates the images of the pages: ``python -m outflank.measure.pictures docs/images``.

The program plays the tournament of ``examples/tournament.toml``, a live tournament, and a game in Quarry. This takes
some minutes, and needs GRhino, Quarry, and Chromium. The curve of a book's growth is drawn from the book's log.
``evaluation-errors.svg`` needs training data and is not made here; docs/evaluation.md has the command.
"""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from outflank import __version__
from outflank.measure.books import draw_growth
from outflank.measure.quarry import play
from outflank.tests.support.browser import Chromium, Served
from outflank.tests.support.installation import ROOT
from outflank.tools.match.state.store import read_run
from outflank.tools.report.figures import slips_of

_BIN = Path(sys.executable).parent
_ENVIRONMENT = {**os.environ, "PATH": f"{_BIN}{os.pathsep}{os.environ.get('PATH', os.defpath)}"}
_POSITION = "f5d6c3d3c4"
_BOARDS = (("--scores",), ("--line", "f4f6f3"))  # the same options as in docs/play.md
_BOARD_PIXELS = 360
_WIDTH, _HEIGHT = 1280, 860
_LIVE_TIME = "30+0"
_LIVE_ENGINES = (
    ("Outflank", "gtp"),
    ("'level 14'", "gtp --level 14"),
    ("'level 12'", "gtp --level 12"),
    ("Ponderer", "gtp --ponder"),
)
_EQUALS = {"Outflank 3", "Outflank 5"}  # two engines whose games are balanced but have errors


def outflank(*arguments: str) -> str:
    """Run the ``outflank`` program of this interpreter with these arguments. Return its output."""
    command = [str(_BIN / "outflank"), *arguments]
    return subprocess.run(command, env=_ENVIRONMENT, stdout=subprocess.PIPE, text=True, check=True).stdout


def boards(browser: Chromium, folder: Path, picture: Path) -> None:
    """Take a screenshot of two boards next to each other."""
    page = folder / "boards.html"
    drawn = "".join(
        outflank("board", _POSITION, *options, "--svg", "--size", str(_BOARD_PIXELS)) for options in _BOARDS
    )
    page.write_text(
        f"<body style='margin:0; display:flex; justify-content:space-between'>{drawn}", encoding="utf-8"
    )
    browser.load(page.as_uri(), width=len(_BOARDS) * _BOARD_PIXELS + 24, height=_BOARD_PIXELS)
    browser.picture(picture, whole=False)


def report(browser: Chromium, run: Path, whole: Path, replay: Path) -> None:
    """Take screenshots of a report: its top, and the position after the most costly move in two engines' games."""
    games = [game for game in read_run(run).games if set(game.pairing.names.values()) == _EQUALS]
    shown = slips_of(games)[0]
    address = (run / "report.html").as_uri()
    browser.load(address, width=_WIDTH, height=_HEIGHT)
    browser.picture(whole, whole=False)
    browser.load(f"{address}#game={shown['game']}&ply={shown['ply']}", width=_WIDTH, height=_HEIGHT)
    browser.run("document.querySelector('.games').scrollIntoView()")
    browser.picture(replay, whole=False)


def live(browser: Chromium, folder: Path, picture: Path) -> None:
    """Take a screenshot of a tournament's page while three games are being played and other games have ended."""
    engines = [f"--engine=name={name} cmd='outflank {call}' tc={_LIVE_TIME}" for name, call in _LIVE_ENGINES]
    command = [
        str(_BIN / "outflank"),
        "tournament",
        "--listen",
        "--games",
        "2",
        "--concurrency",
        "3",
        "--seed",
        "5",
    ]
    runner = subprocess.Popen(
        [*command, "--out", str(folder / "live"), *engines],
        env=_ENVIRONMENT,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert runner.stderr is not None
    address = next(line.split()[-1] for line in runner.stderr if line.startswith("The run is shown at "))
    browser.load(address + "/", width=_WIDTH, height=_HEIGHT)
    while not browser.run(
        "listedRows().length > 6 && mode.cards.size === 3"
        " && viewer.game.record.playing && viewer.game.moves.length > 20"
    ):
        time.sleep(0.2)
    browser.picture(picture, whole=False)
    runner.terminate()
    runner.communicate()


def web(browser: Chromium, folder: Path, images: Path) -> None:
    """Take screenshots of ``outflank web``: a game with the score of each move, its review, a problem on a phone."""
    game = "f5f4e3f2c3e6f7e7f6d6d3g6e8c4e2c2g4f3h5h6h7f8g8c6g3h2d7h4g5d2c1c8b1e1g1d8c7f1b8h1g7h8b7a8"
    with Served(command=["web"], XDG_DATA_HOME=str(folder)) as served:
        browser.load(served.page, width=1180, height=780)
        browser.wait("desk.viewer.game !== null")
        browser.run(
            "at('white-strength').value = 9; at('clock').value = '10m+5s'; at('start').value = 'opening'"
        )
        browser.run(
            "at('opening').value = 'f5d6c3d3c4f4c5b3c2e6'; at('players').querySelector('.main').click()"
        )
        browser.wait("desk.modes.play.isMine")
        browser.run("at('engine').click()")
        browser.wait("desk.search.found?.depth >= 18")
        browser.picture(images / "web.png", whole=False)
        browser.run(f"desk.enter('study'); desk.read('{game}')")
        browser.wait(f"desk.viewer.game.moves.length === {len(game) // 2}")
        browser.run("at('review').click()")
        browser.wait("desk.viewer.game.isReviewed")
        browser.run("desk.viewer.go(7); at('lined').click()")
        browser.wait("desk.search.found?.depth >= 16")
        browser.picture(images / "web-review.png")
        browser.load("about:blank")
        browser.load(served.page + "#practise", width=400, height=780, dark=True)
        browser.wait("desk.modes.practise.asking?.problem !== undefined")
        browser.picture(images / "web-practise.png", whole=False)


def main(images: Path) -> None:
    """Create all images. Replace existing files."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with Chromium(folder / "profile") as browser:
            boards(browser, folder, images / "boards.png")
            run = folder / "tournament"
            outflank("tournament", "--config", str(ROOT / "examples" / "tournament.toml"), "--out", str(run))
            report(browser, run, images / "report.png", images / "report-replay.png")
            live(browser, folder, images / "live.png")
            web(browser, folder, images)
        (folder / "home").mkdir()
        play(f"{_BIN / 'outflank'} gtp --level 10", __version__, folder / "home", images / "quarry.png")
    draw_growth(images / "book-growth.jsonl", images / "book-growth.svg")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
