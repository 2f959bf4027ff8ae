"""The report as a browser shows it: the board, the keys, the filters, dark and light, without a network."""

import functools
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from outflank.engine import PRESETS, Colour, Game
from outflank.tests.browser import CHROMIUM, Browser
from outflank.tests.sample_games import ONE_WAY, WITH_PASSES
from outflank.tests.tools.samples import broken_off, judged, played, random_run, run_of
from outflank.tests.tools.show.shown import page_of
from outflank.tools.match.game.referee import discs_lost
from outflank.tools.match.game.results import Ending
from outflank.tools.match.state.run import Format, Run

pytestmark = pytest.mark.skipif(
    CHROMIUM is None, reason="Chromium is not installed (Debian package chromium)"
)
ONE_DIRECTION = PRESETS["ravensburger-1987"]
BOARD = "[...document.querySelectorAll('#board > rect')].length"
DISCS = "document.querySelectorAll('#board circle[r=\"16\"]').length"
SHOWN = "[...document.querySelectorAll('#games tbody tr')].filter(row => !row.hidden).length"


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with Browser(tmp_path_factory.mktemp("profile")) as opened:
        yield opened


def open_report(browser: Browser, folder: Path, run: Run, dark: bool = False, fragment: str = "") -> None:
    page = folder / "report.html"
    page.write_text(page_of(run))
    browser.errors.clear()
    browser.requests.clear()
    browser.load("about:blank")
    browser.load(page.as_uri() + fragment, dark=dark)


@functools.cache
def tournament() -> Run:
    run = random_run(("A", "B", "C"), 2, {"format": Format.ROUND_ROBIN}, solved=12)
    first = run.games[0]
    return replace(
        run, games=(replace(broken_off(Ending.CRASH, Colour.WHITE), pairing=first.pairing), *run.games[1:])
    )


def text(browser: Browser, selector: str) -> str:
    return str(browser.run(f"document.querySelector({selector!r}).textContent"))


def test_a_browser_draws_the_final_board(browser: Browser, tmp_path: Path) -> None:
    """The sample ends on a full board; the page opens its first game at the end."""
    open_report(browser, tmp_path, run_of([played(WITH_PASSES)]))

    assert browser.run(BOARD) == 1 + 64
    assert browser.run(DISCS) == 64
    assert browser.run("document.querySelectorAll('#board [fill=\"var(--first)\"]').length") == 10
    assert text(browser, "#status") == "10-54"
    assert "62. a2, B in 0.250 s" in text(browser, "#facts")


def test_one_direction_moves_are_replayed(browser: Browser, tmp_path: Path) -> None:
    open_report(
        browser, tmp_path, run_of([played(ONE_WAY, ONE_DIRECTION)], settings={"rules": ONE_DIRECTION})
    )
    final = Game.from_transcript(ONE_WAY, ONE_DIRECTION).position

    assert text(browser, "#status") == f"{final.discs(Colour.BLACK)}-{final.discs(Colour.WHITE)}"
    assert "e6/n f4/w" in text(browser, "#transcript")


def test_the_board_is_right_after_every_turn(browser: Browser, tmp_path: Path) -> None:
    """Against our own board, with the keys that go back."""
    record = played(WITH_PASSES)
    open_report(browser, tmp_path, run_of([record]), fragment="#game=1")
    for turn in reversed(record.turns):
        browser.press("ArrowLeft")
        discs = turn.before.discs(Colour.BLACK), turn.before.discs(Colour.WHITE)

        assert text(browser, "#status") == "{}-{}".format(*discs)


def test_the_keys_move_through_games_and_turns(browser: Browser, tmp_path: Path) -> None:
    open_report(browser, tmp_path, tournament(), fragment="#game=1")

    def after(*keys: str) -> str:
        for key in keys:
            browser.press(key)
        return str(browser.run("location.hash"))

    assert after("Home") == "#game=1&ply=0"
    assert after("ArrowRight", "ArrowRight", "ArrowLeft") == "#game=1&ply=1"
    assert after("ArrowLeft", "ArrowLeft", "ArrowLeft") == "#game=1&ply=0"
    assert after("n", "n", "p", "Home").startswith("#game=2&")
    assert after("p", "p").startswith("#game=1&")
    assert after("End") == "#game=1&ply=3"


def test_play_goes_on_by_itself_until_it_is_stopped(browser: Browser, tmp_path: Path) -> None:
    open_report(browser, tmp_path, tournament(), fragment="#game=2&ply=0")
    browser.press(" ")
    browser.wait("ply >= 2")
    browser.press(" ")

    assert browser.run("timer") is None


def test_an_address_leads_to_a_position(browser: Browser, tmp_path: Path) -> None:
    open_report(browser, tmp_path, tournament(), fragment="#game=4&ply=20")

    assert browser.run("[game.number, ply].join()") == "4,20"


def test_the_lists_are_filtered(browser: Browser, tmp_path: Path) -> None:
    open_report(browser, tmp_path, tournament())

    def choose(select: str, value: str) -> None:
        browser.run(f"at({select!r}).value = {value!r}; at({select!r}).dispatchEvent(new Event('change'))")

    assert browser.run(SHOWN) == 12
    choose("by-engine", "B")
    assert browser.run(SHOWN) == 8
    choose("by-ending", "crash")
    assert browser.run(SHOWN) == 1
    assert text(browser, "#count") == "1 of 12"


def test_the_graph_shows_both_engines_and_the_exact_margins(browser: Browser, tmp_path: Path) -> None:
    open_report(browser, tmp_path, tournament(), fragment="#game=2")
    run = tournament()
    game = run.games[1]
    known = [value for value in game.values if value is not None]
    solved = [margin for margin in game.exact if margin is not None]

    assert browser.run("document.querySelectorAll('#graph .dots').length") == len(known) + len(solved) + 1
    assert browser.run("document.querySelectorAll('#graph .curve').length") == 3
    box = browser.run("(box => [box.x, box.y, box.width, box.height])(at('graph').getBoundingClientRect())")
    browser.run("at('graph').scrollIntoView({block: 'center'})")
    left, top, width, height = browser.run(
        "(box => [box.x, box.y, box.width, box.height])(at('graph').getBoundingClientRect())"
    )
    assert box[2:] == [width, height]
    browser.click(left + width / 2, top + height / 2)
    assert abs(browser.run("ply") - len(game.turns) / 2) <= 2


def test_a_game_that_nobody_judged_has_no_graph(browser: Browser, tmp_path: Path) -> None:
    open_report(browser, tmp_path, run_of([played()]))

    assert browser.run("at('judgements').hidden") is True


def test_the_legend_leaves_out_an_engine_that_says_nothing(browser: Browser, tmp_path: Path) -> None:
    open_report(browser, tmp_path, run_of([judged({3: 1.5, 5: 2.0}, {})]))

    assert [browser.run(f"at('{kind}-legend').hidden") for kind in ("black", "white")] == [True, False]


def test_discs_thrown_away_are_told_as_the_runner_counts_them(browser: Browser, tmp_path: Path) -> None:
    run = tournament()
    open_report(browser, tmp_path, run)
    told = sum(discs for game in run.games for discs, _ in discs_lost(game).values())
    shown = browser.run(
        "games.reduce((sum, one) => { game = unpacked(one); "
        "return sum + game.moves.reduce((lost, _, turn) => lost + slip(turn), 0) }, 0)"
    )

    assert shown == told > 0


@pytest.mark.parametrize("dark", [False, True])
def test_ink_and_paper_differ_by_day_and_by_night(browser: Browser, tmp_path: Path, dark: bool) -> None:
    open_report(browser, tmp_path, tournament(), dark=dark)
    parts = "getComputedStyle(document.body)[name].match(/\\d+/g).slice(0, 3)"
    brightness = f"(name => {parts}.reduce((sum, part) => sum + Number(part), 0))"
    ink, paper = (browser.run(f"{brightness}({name!r})") for name in ("color", "backgroundColor"))

    assert abs(ink - paper) > 450
    assert (ink > paper) is dark


@pytest.mark.parametrize("width", [400, 800, 1280])
def test_no_window_is_too_narrow(browser: Browser, tmp_path: Path, width: int) -> None:
    """The page itself never scrolls sideways; wide tables do, within their frames."""
    open_report(browser, tmp_path, tournament())
    browser.load(browser.run("location.href"), width=width)

    assert browser.run("document.documentElement.scrollWidth") <= width


def test_nothing_fails_and_nothing_is_fetched(browser: Browser, tmp_path: Path) -> None:
    for run in (tournament(), run_of([]), random_run(("A", "B"), 4)):
        open_report(browser, tmp_path, run)

        assert browser.errors == []
        assert {address for address in browser.requests if address != "about:blank"} == {
            (tmp_path / "report.html").as_uri()
        }


def test_what_came_into_the_page_from_elsewhere_neither_runs_nor_asks_for_anything(
    browser: Browser, tmp_path: Path
) -> None:
    """Names are escaped; should one ever get through, the page's content security policy stops it."""
    open_report(browser, tmp_path, tournament())
    page = tmp_path / "report.html"
    evil = (
        "<script>window.ran = 1</script><img src=nothing onerror='window.ran = 2'>"
        "<img src='http://127.0.0.1:9/x'><link rel=stylesheet href='http://127.0.0.1:9/y'>"
    )
    page.write_text(page.read_text().replace("<body>", f"<body>{evil}"))
    browser.errors.clear()
    browser.load("about:blank")
    browser.load(page.as_uri())

    assert browser.run("typeof window.ran") == "undefined"
    refused = [error for error in browser.errors if "Content Security Policy" in error]
    for kind in ("script-src", "img-src", "style-src"):
        assert any(kind in error for error in refused), browser.errors
    assert browser.run(BOARD) == 1 + 64, "our own scripts run"
