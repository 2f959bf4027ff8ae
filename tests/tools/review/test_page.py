"""The page of a review: one file with everything in it, and what a browser makes of it."""

import json
import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from outflank.engine import OutflankError
from outflank.tests.browser import CHROMIUM, Browser
from outflank.tests.sample_games import WIPE_OUT, WITH_PASSES
from outflank.tests.tools.review.test_game import QUICK, reviewed
from outflank.tests.tools.samples import random_run
from outflank.tests.tools.show.shown import expect_policy, page_of
from outflank.tools.analysis.review.game import GameReview
from outflank.tools.analysis.review.page import curve_svg, render_review

MINUS = "\N{MINUS SIGN}"
in_browser = pytest.mark.skipif(
    CHROMIUM is None, reason="Chromium is not installed (Debian package chromium)"
)


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with Browser(tmp_path_factory.mktemp("profile")) as opened:
        yield opened


def two_games() -> list[GameReview]:
    return [reviewed(WIPE_OUT), reviewed(WITH_PASSES)]


def replays(page: str) -> list[dict[str, Any]]:
    match = re.search(r'id="replays">(.*)</script>$', page, re.MULTILINE)
    assert match is not None
    return json.loads(match[1])  # type: ignore[no-any-return]


def test_the_page_needs_nothing_else() -> None:
    page = render_review(two_games(), QUICK)

    assert not re.search(r"(src|href)=|https?://(?!www\.w3\.org/2000/svg)|@import|url\((?!#)", page)


def test_the_page_lets_its_own_scripts_run_and_nothing_else() -> None:
    expect_policy(render_review(two_games(), QUICK))


def test_the_script_knows_what_the_review_says() -> None:
    review = reviewed(WITH_PASSES)
    (replay,) = replays(render_review([review], QUICK))

    assert replay["review"] == [each.black_score for each in review.judgements]
    assert replay["lost"] == [move.lost for move in review.moves]
    assert (replay["classes"][56], replay["better"][56], replay["exact"][56]) == (
        "blunder",
        "h4 h7 g8 a2",
        -32,
    )
    assert replay["classes"][57:59] == ["", ""]


def test_names_are_escaped_everywhere() -> None:
    evil = '</script><b>&"'
    review = reviewed(WIPE_OUT)
    page = render_review([replace(review, game=replace(review.game, black=evil, comment=evil))], QUICK)

    assert page.count("</script>") == 4
    assert evil not in page


def test_a_game_without_moves_has_a_page_too() -> None:
    assert "unfinished" in render_review([reviewed("")], QUICK)
    with pytest.raises(OutflankError, match="expected a game with moves"):
        curve_svg(reviewed(""))


def test_the_curve_is_an_image_of_its_own_and_shows_every_position() -> None:
    """The first moves too: their scores are no wilder than the rest."""
    plain = reviewed(WITH_PASSES)
    swing = replace(plain.moves[2], best=replace(plain.moves[2].best, score=60.0))
    review = replace(plain, moves=(*plain.moves[:2], swing, *plain.moves[3:]))
    root = ElementTree.fromstring(curve_svg(review))
    (line,) = root.iter("{http://www.w3.org/2000/svg}polyline")
    (window,) = root.findall(".//{*}clipPath/{*}rect")
    top, height = float(window.attrib["y"]), float(window.attrib["height"])
    heights = [float(point.split(",")[1]) for point in line.attrib["points"].split()]

    assert len(heights) == len(review.judgements)
    assert all(top < y < top + height for y in heights)


@in_browser
@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("dark", [False, True])
def test_a_browser_shows_an_error_and_what_would_have_been_better(
    browser: Browser, tmp_path: Path, width: int, dark: bool
) -> None:
    page = tmp_path / "review.html"
    page.write_text(render_review(two_games(), QUICK))
    browser.errors.clear()
    browser.requests.clear()
    browser.load("about:blank")
    browser.load(f"{page.as_uri()}#game=2&ply=57", width=width, dark=dark)
    facts = browser.run("document.querySelector('#facts').textContent")
    ring = browser.run(
        "['cx', 'cy'].map(at => document.querySelector('#board .better').getAttribute(at)).join()"
    )

    assert "blunder, 12 discs lost; better h4 h7" in facts
    assert ring == f"{12 + 7.5 * 40:g},{12 + 3.5 * 40:g}"
    assert browser.run("document.documentElement.scrollWidth") <= width
    assert browser.run("document.querySelectorAll('#graph .curve.review').length") == 1
    assert browser.run("document.querySelector('#black-legend').hidden")
    assert (browser.errors, [url for url in browser.requests if not url.startswith(("file:", "about:"))]) == (
        [],
        [],
    )


def shown_at_every_ply(browser: Browser) -> list[dict[str, Any]]:
    """For each position the text and the values of the graph's points that lie at its line, by their class."""
    script = """(() => {
      const highest = -Number(document.querySelector('#graph .up').textContent.replace('\\u2212', '-'));
      const value = y => (92 - y) / 80 * highest;
      return [...Array(game.moves.length + 1).keys()].map(position => {
        go(position);
        const x = Number(document.querySelector('#graph .cursor').getAttribute('x1'));
        const points = [...document.querySelectorAll('#graph .dots')]
          .filter(dot => Math.abs(dot.getAttribute('cx') - x) < 0.06)
          .map(dot => [dot.classList[1], value(Number(dot.getAttribute('cy')))]);
        return {text: [...at('facts').children].map(item => item.textContent), points: Object.fromEntries(points)};
      });
    })()"""
    return list(browser.run(script))


def number_in(text: list[str], words: str) -> float | None:
    """The number that follows these words."""
    found = re.search(rf"{words} ([+{MINUS}]?[0-9.]+) for Black", "\n".join(text))
    return None if found is None else float(found[1].replace(MINUS, "-"))


@in_browser
def test_text_and_curve_agree_at_every_ply(browser: Browser, tmp_path: Path) -> None:
    """Also at an error, where the positions before and after the move are worth different things."""
    review = reviewed(WITH_PASSES)
    page = tmp_path / "review.html"
    page.write_text(render_review([review], QUICK))
    browser.load("about:blank")
    browser.load(page.as_uri())
    shown = shown_at_every_ply(browser)

    assert any(move.is_error for move in review.moves)
    assert len(shown) == len(review.judgements)
    for here, judgement in zip(shown, review.judgements, strict=True):
        exact, estimate = number_in(here["text"], "exact"), number_in(here["text"], "reviewed")
        told = exact if estimate is None else estimate
        assert told is not None
        assert abs(told - judgement.black_score) <= 0.5
        assert abs(told - here["points"]["review"]) <= 0.6
        assert (exact is None) == ("exact" not in here["points"])


@in_browser
def test_the_text_of_a_run_has_the_numbers_of_its_graph_at_every_ply(
    browser: Browser, tmp_path: Path
) -> None:
    run = random_run(("A", "B"), 1, solved=20)
    page = tmp_path / "report.html"
    page.write_text(page_of(run))
    browser.load("about:blank")
    browser.load(page.as_uri())
    shown = shown_at_every_ply(browser)

    assert sum("exact" in here["points"] for here in shown) > 15
    for here in shown:
        for words, kinds in (("exact", ["exact"]), ("judged", ["black", "white"])):
            (drawn,) = [here["points"][kind] for kind in kinds if kind in here["points"]] or [None]
            told = number_in(here["text"], words)
            assert (told is None) == (drawn is None)
            assert told is None or drawn is None or abs(told - drawn) < 0.3 or abs(told) > 64


@in_browser
def test_a_worst_move_leads_to_its_position(browser: Browser, tmp_path: Path) -> None:
    page = tmp_path / "review.html"
    page.write_text(render_review(two_games(), QUICK))
    browser.load("about:blank")
    browser.load(page.as_uri())
    wanted = browser.run(
        "(({game, ply}) => `#game=${Number(game) + 1}&ply=${ply}`)"
        "(document.querySelector('#worst tbody tr').dataset)"
    )
    browser.run("document.querySelector('#worst td button').click()")

    assert browser.run("location.hash") == wanted
    browser.press("ArrowLeft")
    assert browser.run("location.hash") != wanted
