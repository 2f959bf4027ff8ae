"""The report on a desktop, a telephone and paper: nothing cut, nothing too small; sorting, links and saved games."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from outflank.protocol.formats import ggf
from outflank.protocol.formats import sgf as sgf_write
from outflank.tests.browser import CHROMIUM, Browser
from outflank.tests.tools.samples import random_run
from outflank.tests.tools.show.shown import page_of
from outflank.tools.match.game.referee import choices
from outflank.tools.match.state.run import Format, Run
from outflank.tools.report.figures import figures_of
from outflank.tools.report.records import annotated_game

pytestmark = pytest.mark.skipif(
    CHROMIUM is None, reason="Chromium is not installed (Debian package chromium)"
)
LONG = "an engine whose author gave it a rather long name"
PHONE = 390


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with Browser(tmp_path_factory.mktemp("profile")) as opened:
        yield opened


@pytest.fixture(scope="module")
def run() -> Run:
    made = random_run(("A", LONG, "C"), 3, {"format": Format.ROUND_ROBIN}, solved=30)
    return replace(made, seconds=3723.4, machine="a machine, 2 processors")


@pytest.fixture(scope="module")
def page(run: Run, tmp_path_factory: pytest.TempPathFactory) -> str:
    file = tmp_path_factory.mktemp("report") / "report.html"
    file.write_text(page_of(run))
    return file.as_uri()


def show(browser: Browser, address: str, **how: object) -> None:
    browser.load("about:blank")
    browser.load(address, **how)  # type: ignore[arg-type]


@pytest.mark.parametrize("width", [1280, 1920])
def test_a_desktop_shows_every_column(browser: Browser, page: str, width: int) -> None:
    show(browser, page, width=width)
    cut = "[...document.querySelectorAll('.wide')].filter(one => one.scrollWidth > one.clientWidth).length"

    assert browser.run("document.querySelectorAll('.wide').length") >= 6
    assert browser.run(cut) == 0


@pytest.mark.parametrize("width", [PHONE, 1280])
def test_the_list_of_games_cuts_no_name(browser: Browser, page: str, width: int) -> None:
    """Engines often differ in the last letters of their names alone."""
    show(browser, page, width=width)
    cut = (
        "[...document.querySelectorAll('#games td')].filter(one => one.scrollWidth > one.clientWidth).length"
    )
    whole = "getComputedStyle(document.querySelector('#games td.name')).whiteSpace"

    assert browser.run("document.querySelectorAll('#games td.name').length") > 10
    assert (browser.run(cut), browser.run(whole)) == (0, "normal")


def test_a_telephone_shows_name_points_and_elo(browser: Browser, page: str) -> None:
    show(browser, page, width=PHONE)
    cells = "[...document.querySelector('#standing tbody tr').cells].slice(0, 4)"
    edges = f"{cells}.map(cell => cell.getBoundingClientRect().right)"

    assert "Elo" in browser.run("document.querySelector('#standing thead tr').cells[3].textContent")
    assert max(browser.run(edges)) <= PHONE


@pytest.mark.parametrize("width", [PHONE, 700, 1280])
def test_the_letters_of_charts_can_be_read(browser: Browser, page: str, width: int) -> None:
    """At least nine pixels, and none beyond the drawing's edge."""
    show(browser, page, width=width)
    texts = "[...document.querySelectorAll('.chart text')]"
    drawn = f"{texts}.map(text => getComputedStyle(text).fontSize.slice(0, -2) * text.ownerSVGElement.getScreenCTM().a)"
    beyond = (
        f"{texts}.filter(text => {{ const own = text.getBoundingClientRect(), "
        "all = text.ownerSVGElement.getBoundingClientRect(); "
        "return own.left < all.left - 1 || own.bottom > all.bottom + 3 }).map(text => text.textContent)"
    )

    assert min(browser.run(drawn)) >= 9
    assert browser.run(beyond) == []


def test_an_address_of_a_position_brings_the_board_into_sight(browser: Browser, page: str) -> None:
    show(browser, f"{page}#game=7&ply=30")

    assert browser.run("inSight()") is True
    browser.run("location.hash = '#game=2&ply=10'")
    browser.wait("game.number === 2 && ply === 10")


def test_keys_are_the_browsers_where_no_board_is_in_sight(browser: Browser, page: str) -> None:
    show(browser, page, height=500)
    before = browser.run("[location.hash, inSight()].join()")
    for key in ("Home", "ArrowLeft", " ", "End"):
        browser.press(key)
    browser.wait("scrollY > 1000")

    assert before.endswith(",false")
    assert browser.run("[location.hash, timer].join()") == before.removesuffix("false")


def test_the_next_game_comes_into_sight(browser: Browser, page: str) -> None:
    show(browser, page, height=500)
    browser.press("n")

    assert browser.run("[game.number, inSight()].join()") == "2,true"


def test_headings_sort_their_tables(browser: Browser, page: str, run: Run) -> None:
    show(browser, page)

    def column(table: str, number: int) -> list[str]:
        cells = f"document.querySelectorAll('#{table} tbody tr')"
        return browser.run(f"[...{cells}].map(row => row.cells[{number}].textContent)")  # type: ignore[no-any-return]

    def press(table: str, number: int) -> str:
        browser.run(f"document.querySelector('#{table} thead tr').cells[{number}].firstChild.click()")
        return str(browser.run(f"document.querySelector('#{table} thead tr').cells[{number}].ariaSort"))

    assert press("standing", 1) == "ascending"
    assert column("standing", 1) == sorted(run.settings.names, key=str.lower)
    assert press("standing", 1) == "descending"
    assert column("standing", 1) == sorted(run.settings.names, key=str.lower, reverse=True)
    points = [f"{engine.standing.points:g}" for engine in figures_of(run).engines]
    assert press("standing", 2) == "descending"
    assert column("standing", 2) == sorted(points, key=float, reverse=True)

    press("games", 3)
    margins = sorted((game.margin or 0 for game in run.games), reverse=True)
    by_number = {game.pairing.number: game.margin for game in run.games}
    listed = [int(number) for number in column("games", 0)]
    assert [by_number[number] for number in listed] == margins
    browser.run(f"choose({listed[0] - 1})")
    browser.press("n")
    assert browser.run("game.number") == listed[1]  # the next in the order that is shown


def test_the_moves_that_threw_discs_away_are_listed(browser: Browser, page: str, run: Run) -> None:
    slips = [
        (game.pairing.number, choice.turn + 1, choice.best - choice.came)
        for game in run.games
        for choice in choices(game)
        if choice.best > choice.came
    ]
    number, ply, _ = slips[0]
    show(browser, f"{page}#game={number}&ply=0")
    texts = "[...document.querySelectorAll('#slips button')].map(button => button.textContent.split('. ')[0])"

    assert browser.run(texts) == [str(ply) for game, ply, _ in slips if game == number]
    browser.run("document.querySelector('#slips button').click()")
    assert browser.run("ply") == ply

    worst = max(discs for *_, discs in slips)
    browser.run("document.querySelector('#worst td button').click()")
    assert browser.run("slip(ply - 1)") == worst
    assert browser.run("inSight()") is True


def test_discs_thrown_away_add_up_over_the_phases(browser: Browser, page: str, run: Run) -> None:
    show(browser, page)
    cells = (
        "[...document.querySelectorAll('#phases .small')].map(cell => Number(cell.textContent.split(' ')[0]))"
    )
    thrown = sum(choice.best - choice.came for game in run.games for choice in choices(game))

    assert sum(browser.run(cells)) == thrown > 0


def test_saved_games_are_those_of_export(browser: Browser, page: str, run: Run) -> None:
    show(browser, page)
    for name, write in (("sgf", sgf_write.write), ("ggf", ggf.write)):
        browser.run(f"gameFiles('{name}').then(files => {{ window.saved_{name} = files }})")
        browser.wait(f"window.saved_{name} !== undefined")

        assert browser.run(f"saved_{name}") == [
            write(annotated_game(game, "Outflank round-robin")) for game in run.games
        ]


def test_a_button_saves_the_game_that_is_shown(browser: Browser, page: str, run: Run, tmp_path: Path) -> None:
    browser.call("Page.setDownloadBehavior", behavior="allow", downloadPath=str(tmp_path))
    show(browser, f"{page}#game=3&ply=5")
    browser.run("document.querySelector('#downloads [data-format=ggf]').click()")
    file = tmp_path / "game-3.ggf"
    for _ in range(1000):
        if file.exists():
            break
        browser.run("new Date().getTime()")

    assert file.read_text() == ggf.write(annotated_game(run.games[2], "Outflank round-robin"))


def test_the_page_says_how_long_and_on_what_machine(browser: Browser, page: str) -> None:
    show(browser, page)

    assert "played for 1:02:03 on a machine, 2 processors" in browser.run("document.body.textContent")


def test_paper_shows_all_games_and_no_buttons(browser: Browser, page: str, run: Run) -> None:
    show(browser, page, width=800, dark=True, media="print")
    shown = "[...document.querySelectorAll('#games tbody tr, #board')].filter(one => one.checkVisibility()).length"

    assert browser.run(shown) == len(run.games) + 1
    assert browser.run("document.querySelector('.controls').checkVisibility()") is False
    assert browser.run(
        "document.querySelector('#list').scrollHeight <= document.querySelector('#list').clientHeight + 1"
    )
    assert browser.run("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert browser.run("document.documentElement.scrollWidth") <= 800
