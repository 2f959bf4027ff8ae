"""The report as a browser shows it, without a network: board, keys, filters; on a desktop, a telephone and paper."""

import functools
from dataclasses import replace
from pathlib import Path

import pytest

from outflank.engine import PRESETS, Colour, Game
from outflank.protocol.formats import ggf, sgf
from outflank.tests.support.browser import Browser, in_browser
from outflank.tests.support.positions import ONE_WAY, WITH_PASSES
from outflank.tests.support.runs import broken_off, judged, page_of, played, random_run, run_of
from outflank.tools.match.game.results import Ending
from outflank.tools.match.state.run import Format, Run
from outflank.tools.report.figures import Figures, choices, discs_lost
from outflank.tools.report.records import annotated_game

pytestmark = in_browser
ONE_DIRECTION = PRESETS["ravensburger-1987"]
BOARD = "[...document.querySelectorAll('#board > rect')].length"
DISCS = "document.querySelectorAll('#board circle[r=\"16\"]').length"
SHOWN = "[...document.querySelectorAll('#games tbody tr')].filter(row => !row.hidden).length"
LONG = "an engine whose author gave it a rather long name"
PHONE = 390


def open_report(browser: Browser, folder: Path, run: Run, dark: bool = False, fragment: str = "") -> None:
    browser.show(folder / "report.html", page_of(run), fragment, dark=dark)


@functools.cache
def tournament() -> Run:
    run = random_run(("A", "B", "C"), 2, {"format": Format.ROUND_ROBIN}, solved=12)
    first = run.games[0]
    return replace(
        run, games=(replace(broken_off(Ending.CRASH, Colour.WHITE), pairing=first.pairing), *run.games[1:])
    )


def text(browser: Browser, selector: str) -> str:
    return str(browser.run(f"document.querySelector({selector!r}).textContent"))


def test_a_browser_draws_the_board_of_every_turn(browser: Browser, tmp_path: Path) -> None:
    """The sample ends on a full board; the page opens its first game at the end."""
    open_report(browser, tmp_path, run_of([played(WITH_PASSES)]))

    assert browser.run(BOARD) == 1 + 64
    assert browser.run(DISCS) == 64
    assert browser.run("document.querySelectorAll('#board [fill=\"var(--first)\"]').length") == 10
    assert text(browser, "#status") == "10-54"
    assert "60. a2, B in 0.250 s" in text(browser, "#facts")

    # Against our own board, with the keys that go back.
    record = played(WITH_PASSES)
    open_report(browser, tmp_path, run_of([record]), fragment="#game=1")
    for turn in reversed(record.turns):
        browser.press("ArrowLeft")
        discs = turn.before.discs(Colour.BLACK), turn.before.discs(Colour.WHITE)

        assert text(browser, "#status") == "{}-{}".format(*discs)


def test_one_direction_moves_are_replayed(browser: Browser, tmp_path: Path) -> None:
    open_report(
        browser, tmp_path, run_of([played(ONE_WAY, ONE_DIRECTION)], settings={"rules": ONE_DIRECTION})
    )
    final = Game.from_transcript(ONE_WAY, ONE_DIRECTION).position

    assert text(browser, "#status") == f"{final.discs(Colour.BLACK)}-{final.discs(Colour.WHITE)}"
    assert "e6/n f4/w" in text(browser, "#transcript")


def test_the_keys_move_through_games_and_turns_and_stop_play(browser: Browser, tmp_path: Path) -> None:
    open_report(browser, tmp_path, tournament(), fragment="#game=1")

    def after(*keys: str) -> str:
        for key in keys:
            browser.press(key)
        return str(browser.run("mode.address()"))

    assert after("Home") == "#game=1&ply=0"
    assert after("ArrowRight", "ArrowRight", "ArrowLeft") == "#game=1&ply=1"
    assert after("ArrowLeft", "ArrowLeft", "ArrowLeft") == "#game=1&ply=0"
    assert after("n", "n", "p", "Home").startswith("#game=2&")
    assert after("p", "p").startswith("#game=1&")
    assert after("End") == "#game=1&ply=3"

    open_report(browser, tmp_path, tournament(), fragment="#game=2&ply=0")
    browser.press(" ")
    browser.wait("viewer.ply >= 2")
    browser.press(" ")

    assert browser.run("viewer.timer") is None


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
    known = [turn for turn in game.turns if turn.score is not None]
    solved = [turn for turn in game.turns if turn.exact is not None]

    assert browser.run("document.querySelectorAll('#graph .dots').length") == len(known) + len(solved) + 1
    assert browser.run("document.querySelectorAll('#graph .curve').length") == 3
    browser.run("at('graph').scrollIntoView({block: 'center'})")
    left, top, width, height = browser.run(
        "(box => [box.x, box.y, box.width, box.height])(at('graph').getBoundingClientRect())"
    )
    browser.click(left + width / 2, top + height / 2)
    assert abs(browser.run("viewer.ply") - len(game.turns) / 2) <= 2


def test_the_graph_leaves_out_engines_that_say_nothing(browser: Browser, tmp_path: Path) -> None:
    open_report(browser, tmp_path, run_of([played()]))
    assert browser.run("at('judgements').hidden") is True
    open_report(browser, tmp_path, run_of([judged({3: 1.5, 5: 2.0}, {})]))

    assert [browser.run(f"at('{kind}-legend').hidden") for kind in ("black", "white")] == [True, False]


@pytest.mark.parametrize("dark", [False, True])
def test_ink_and_paper_differ_by_day_and_by_night(browser: Browser, tmp_path: Path, dark: bool) -> None:
    open_report(browser, tmp_path, tournament(), dark=dark)
    parts = "getComputedStyle(document.body)[name].match(/\\d+/g).slice(0, 3)"
    brightness = f"(name => {parts}.reduce((sum, part) => sum + Number(part), 0))"
    ink, paper = (browser.run(f"{brightness}({name!r})") for name in ("color", "backgroundColor"))

    assert abs(ink - paper) > 450
    assert (ink > paper) is dark


def test_nothing_fails_and_nothing_is_fetched(browser: Browser, tmp_path: Path) -> None:
    for run in (tournament(), run_of([]), random_run(("A", "B"), 4)):
        open_report(browser, tmp_path, run)

        assert browser.errors == []
        assert set(browser.requests) == {(tmp_path / "report.html").as_uri()}


def test_what_came_into_the_page_from_elsewhere_neither_runs_nor_asks_for_anything(
    browser: Browser, tmp_path: Path
) -> None:
    """Names are escaped; should one ever get through, the page's content security policy stops it."""
    evil = (
        "<script>window.ran = 1</script><img src=nothing onerror='window.ran = 2'>"
        "<img src='http://127.0.0.1:9/x'><link rel=stylesheet href='http://127.0.0.1:9/y'>"
    )
    page = page_of(tournament()).replace("<header", f"{evil}<header", 1)
    browser.show(tmp_path / "report.html", page)

    assert browser.run("typeof window.ran") == "undefined"
    refused = [error for error in browser.errors if "Content Security Policy" in error]
    for kind in ("script-src", "img-src", "style-src"):
        assert any(kind in error for error in refused), browser.errors
    assert browser.run(BOARD) == 1 + 64, "our own scripts run"


@pytest.fixture(scope="module")
def run() -> Run:
    return random_run(("A", LONG, "C"), 3, {"format": Format.ROUND_ROBIN}, solved=30)


@pytest.fixture(scope="module")
def page(run: Run, tmp_path_factory: pytest.TempPathFactory) -> str:
    file = tmp_path_factory.mktemp("report") / "report.html"
    file.write_text(page_of(run))
    return file.as_uri()


@pytest.mark.parametrize("width", [PHONE, 800, 1280, 1920])
def test_no_window_cuts_a_name_and_no_desktop_a_column(browser: Browser, page: str, width: int) -> None:
    """The page itself never scrolls sideways; wide tables do. Engines often differ in their names' last letters."""
    browser.load(page, width=width)
    wide = "[...document.querySelectorAll('.wide, #games td')]"
    cut = f"{wide}.filter(one => one.scrollWidth > one.clientWidth)"
    whole = "getComputedStyle(document.querySelector('#games td.name')).whiteSpace"

    assert browser.run("document.documentElement.scrollWidth") <= width
    assert browser.run("document.querySelectorAll('.wide').length") >= 6
    assert browser.run("document.querySelectorAll('#games td.name').length") > 10
    assert browser.run(f"{cut}.filter(one => one.matches('td')).length") == 0
    assert width < 1280 or browser.run(f"{cut}.length") == 0
    assert browser.run(whole) == "normal"


def test_a_telephone_shows_name_points_and_elo(browser: Browser, page: str) -> None:
    browser.load(page, width=PHONE)
    cells = "[...document.querySelector('#standing tbody tr').cells].slice(0, 4)"
    edges = f"{cells}.map(cell => cell.getBoundingClientRect().right)"

    assert "Elo" in browser.run("document.querySelector('#standing thead tr').cells[3].textContent")
    assert max(browser.run(edges)) <= PHONE


@pytest.mark.parametrize("width", [PHONE, 700, 1280])
def test_the_letters_of_charts_can_be_read(browser: Browser, page: str, width: int) -> None:
    browser.load(page, width=width)
    texts = "[...document.querySelectorAll('.chart text')]"
    drawn = f"{texts}.map(text => getComputedStyle(text).fontSize.slice(0, -2) * text.ownerSVGElement.getScreenCTM().a)"
    beyond = (
        f"{texts}.filter(text => {{ const own = text.getBoundingClientRect(), "
        "all = text.ownerSVGElement.getBoundingClientRect(); "
        "return own.left < all.left - 1 || own.bottom > all.bottom + 3 }).map(text => text.textContent)"
    )

    assert min(browser.run(drawn)) >= 9
    assert browser.run(beyond) == []


def test_an_address_of_a_position_and_the_next_game_bring_the_board_into_sight(
    browser: Browser, page: str
) -> None:
    browser.load(f"{page}#game=7&ply=30")

    assert browser.run("[viewer.game.number, viewer.ply, viewer.inSight()].join()") == "7,30,true"
    browser.run("location.hash = '#game=2&ply=10'")
    browser.wait("viewer.game.number === 2 && viewer.ply === 10")
    browser.clear()
    browser.load(page, height=500)
    browser.press("n")
    assert browser.run("[viewer.game.number, viewer.inSight()].join()") == "2,true"


def test_keys_are_the_browsers_where_no_board_is_in_sight(browser: Browser, page: str) -> None:
    browser.load(page, height=500)
    before = browser.run("[location.hash, viewer.inSight()].join()")
    for key in ("Home", "ArrowLeft", " ", "End"):
        browser.press(key)
    browser.wait("scrollY > 1000")

    assert before.endswith(",false")
    assert browser.run("[location.hash, viewer.timer].join()") == before.removesuffix("false")


def test_headings_sort_their_tables(browser: Browser, page: str, run: Run) -> None:
    browser.load(page)

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
    points = [f"{engine.score.points:g}" for engine in Figures(run).engines]
    assert press("standing", 2) == "descending"
    assert column("standing", 2) == sorted(points, key=float, reverse=True)

    press("games", 3)
    margins = sorted((game.margin or 0 for game in run.games), reverse=True)
    by_number = {game.pairing.number: game.margin for game in run.games}
    listed = [int(number) for number in column("games", 0)]
    assert [by_number[number] for number in listed] == margins
    browser.run(f"viewer.openGame({listed[0]})")
    browser.press("n")
    assert browser.run("viewer.game.number") == listed[1]  # the next in the order that is shown


def test_moves_that_threw_discs_away_are_listed_and_counted(browser: Browser, page: str, run: Run) -> None:
    slips = [
        (game.pairing.number, turn + 1, best - came)
        for game in run.games
        for turn, best, came in choices(game)
        if best > came
    ]
    number, ply, _ = slips[0]
    browser.load(f"{page}#game={number}&ply=0")
    texts = "[...document.querySelectorAll('#slips button')].map(button => button.textContent.split('. ')[0])"
    turns = next(game.turns for game in run.games if game.pairing.number == number)

    assert (
        browser.run(texts)
        == [  # as on a score sheet, where a pass has no number
            str(sum(not turn.move.is_pass for turn in turns[:ply]))
            for game, ply, _ in slips
            if game == number
        ]
    )
    browser.run("document.querySelector('#slips button').click()")
    assert browser.run("viewer.ply") == ply

    worst = max(discs for *_, discs in slips)
    browser.run("document.querySelector('#worst td button').click()")
    assert browser.run("viewer.game.slip(viewer.ply - 1)") == worst
    assert browser.run("viewer.inSight()") is True

    browser.clear()
    browser.load(page)
    cells = (
        "[...document.querySelectorAll('#phases .small')].map(cell => Number(cell.textContent.split(' ')[0]))"
    )
    by_move = (
        "[...viewer.games.values()].reduce((sum, game) => "
        "sum + game.moves.reduce((lost, _, turn) => lost + game.slip(turn), 0), 0)"
    )
    thrown = sum(discs for game in run.games for discs, _ in discs_lost(game).values())

    assert sum(browser.run(cells)) == browser.run(by_move) == thrown > 0


@pytest.mark.parametrize("width", [PHONE, 1280])
def test_a_link_and_the_keys_bring_the_game_s_row_into_view(
    browser: Browser, tmp_path: Path, width: int
) -> None:
    run = random_run(("A", "B", "C", "D", "E", "F", "G", "H"), 1, {"format": Format.ROUND_ROBIN})
    browser.show(tmp_path / "report.html", page_of(run), "#game=40", width=width)
    is_seen = """(({top, bottom}, list) => list.top < top && bottom < list.bottom)(
      document.querySelector('#games tr.shown').getBoundingClientRect(), at('list').getBoundingClientRect())"""

    assert browser.run("viewer.game.number") == 40
    assert browser.run(is_seen) is True
    for _ in range(12):
        browser.press("n")
        assert browser.run(is_seen) is True
    assert browser.run("[viewer.game.number, viewer.inSight()]") == [52, True]


def test_pairs_are_counted_below_their_bar(browser: Browser, tmp_path: Path) -> None:
    """Inside the bar, the number of a rare result was cut."""
    run = random_run(("A", "B"), 30)
    open_report(browser, tmp_path, run)
    elo = Figures(run).elo
    assert elo is not None
    counts = elo.pentanomial
    labels = browser.run(
        "[...document.querySelector('#part-pairs .legend').children].map(one => one.textContent)"
    )
    shares = browser.run(
        "[...document.querySelectorAll('#part-pairs .bar span')].map(one => one.style.flexGrow)"
    )

    assert labels == [f"{half / 2:g}: {count}" for half, count in enumerate(counts)]
    assert [int(share) for share in shares] == [count for count in counts if count]
    assert sum(counts) == 30


def test_saved_games_are_those_of_export(browser: Browser, page: str, run: Run) -> None:
    browser.load(f"{page}#game=3&ply=5")
    for name, write in (("sgf", sgf.write), ("ggf", ggf.write)):
        browser.run(f"gameFiles('{name}').then(files => {{ window.saved_{name} = files }})")
        browser.wait(f"window.saved_{name} !== undefined")

        saved = [write(annotated_game(game, "Outflank round-robin")) for game in run.games]
        assert browser.run(f"saved_{name}") == saved
    browser.run("document.querySelector('#downloads [data-format=ggf]').click()")

    assert browser.downloaded("game-3.ggf").decode() == saved[2]


def test_paper_shows_all_games_and_no_buttons(browser: Browser, page: str, run: Run) -> None:
    browser.load(page, width=800, dark=True, media="print")
    shown = "[...document.querySelectorAll('#games tbody tr, #board')].filter(one => one.checkVisibility()).length"

    assert browser.run(shown) == len(run.games) + 1
    assert browser.run("document.querySelector('.controls').checkVisibility()") is False
    assert browser.run(
        "document.querySelector('#list').scrollHeight <= document.querySelector('#list').clientHeight + 1"
    )
    assert browser.run("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert browser.run("document.documentElement.scrollWidth") <= 800
