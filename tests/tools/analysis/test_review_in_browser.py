"""The page of a review in a browser: its facts, curve and lines, and moves of one's own."""

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from outflank.engine import Game, Position
from outflank.tests.support.browser import Browser, in_browser
from outflank.tests.support.positions import ONE_WAY, WIPE_OUT, WITH_PASSES
from outflank.tests.support.reviews import QUICK, named, reviewed
from outflank.tests.support.runs import page_of, random_run
from outflank.tools.analysis.review.page import render_review

MINUS = "\N{MINUS SIGN}"


@in_browser
@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("dark", [False, True])
def test_a_browser_shows_an_error_and_leads_to_the_worst(
    browser: Browser, tmp_path: Path, width: int, dark: bool
) -> None:
    page = render_review([reviewed(WIPE_OUT), reviewed(WITH_PASSES)], QUICK)
    browser.show(tmp_path / "review.html", page, "#game=2&ply=57", width=width, dark=dark)
    facts = browser.run("document.querySelector('#facts').textContent")
    ring = browser.run(
        "['cx', 'cy'].map(at => document.querySelector('#board .better').getAttribute(at)).join()"
    )

    assert "blunder, 12 discs lost; better h4 h7" in facts
    assert ring == f"{12 + 7.5 * 40:g},{12 + 3.5 * 40:g}"
    assert browser.run("document.documentElement.scrollWidth") <= width
    assert browser.run("document.querySelectorAll('#graph .curve.review').length") == 1
    assert browser.run("document.querySelector('#black-legend').hidden")
    assert browser.errors == []
    assert [url for url in browser.requests if not url.startswith(("file:", "about:"))] == []
    wanted = browser.run(
        "(({game, ply}) => `#game=${game}&ply=${ply}`)(document.querySelector('#worst tbody tr').dataset)"
    )
    browser.run("document.querySelector('#worst td button').click()")
    assert browser.run("mode.address()") == wanted
    browser.press("ArrowLeft")
    assert browser.run("mode.address()") != wanted


def shown_at_every_ply(browser: Browser) -> list[dict[str, Any]]:
    """Return for each position the text and the values of the graph's points at its line, by their class."""
    script = """(() => {
      const highest = -Number(document.querySelector('#graph .up').textContent.replace('\\u2212', '-'));
      const value = y => (92 - y) / 80 * highest;
      return [...viewer.game.positions.keys()].map(position => {
        viewer.go(position);
        const x = Number(document.querySelector('#graph .cursor').getAttribute('x1'));
        const points = [...document.querySelectorAll('#graph .dots')]
          .filter(dot => Math.abs(dot.getAttribute('cx') - x) < 0.06)
          .map(dot => [dot.classList[1], value(Number(dot.getAttribute('cy')))]);
        return {text: [...at('facts').children].map(item => item.textContent), points: Object.fromEntries(points)};
      });
    })()"""
    return list(browser.run(script))


def number_in(text: list[str], words: str) -> float | None:
    found = re.search(rf"{words} ([+{MINUS}]?[0-9.]+) for Black", "\n".join(text))
    return None if found is None else float(found[1].replace(MINUS, "-"))


@in_browser
def test_text_and_curve_agree_at_every_ply_of_a_review_and_of_a_run(browser: Browser, tmp_path: Path) -> None:
    """Also at an error, where the positions before and after the move are worth different things; it opens there."""
    review = reviewed(WITH_PASSES)
    browser.show(tmp_path / "review.html", render_review([review], QUICK))
    assert browser.run("viewer.ply") == review.turning_point
    assert "discs lost; better" in browser.run("at('facts').textContent")
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

    browser.show(tmp_path / "report.html", page_of(random_run(("A", "B"), 1, solved=20)))
    shown = shown_at_every_ply(browser)

    assert sum("exact" in here["points"] for here in shown) > 15
    for here in shown:
        for words, kinds in (("exact", ["exact"]), ("judged", ["black", "white"])):
            (drawn,) = [here["points"][kind] for kind in kinds if kind in here["points"]] or [None]
            told = number_in(here["text"], words)
            assert (told is None) == (drawn is None)
            assert told is None or drawn is None or abs(told - drawn) < 0.3 or abs(told) > 64


SQUARES = "viewer.position.board"


def board_after(first: Position, line: str) -> str:
    return Game.from_transcript(line, first=first).position.board_string().split()[0]


@in_browser
@pytest.mark.parametrize(("transcript", "preset"), [(WITH_PASSES, "othello"), (ONE_WAY, "ravensburger-1987")])
def test_a_click_goes_along_a_line_and_back_to_the_game(
    browser: Browser, tmp_path: Path, transcript: str, preset: str
) -> None:
    """The board after each step is the engine's, by rules that let a mover choose a direction too."""
    review = reviewed(transcript, preset, all_moves=True)
    browser.show(tmp_path / "review.html", render_review([review], QUICK))
    for ply in (len(review.moves) - 12, len(review.moves) // 2):
        for choice, value in enumerate(review.moves[ply].values):
            shown = value.line[: 8 if choice else 12]
            browser.run(
                f"viewer.go({ply}); [...at('lines').rows[{choice + 1}].querySelectorAll('button')].at(-1).click()"
            )
            browser.wait("viewer.game.trunk !== null || viewer.ply > 0")
            position = review.moves[ply].before
            for move in shown:
                position = position.play(move)
            assert browser.run(SQUARES) == position.board_string().split()[0]
            browser.run("at('trunk').click()")
            assert browser.run("[viewer.game.moves.length, Boolean(viewer.game.trunk)]") == [
                len(review.moves),
                False,
            ]
    assert browser.errors == []


@in_browser
def test_a_better_line_is_clicked_through_and_its_scores_are_for_whom_one_wants(
    browser: Browser, tmp_path: Path
) -> None:
    review = reviewed(WITH_PASSES, all_moves=True)
    browser.show(tmp_path / "review.html", render_review([review], QUICK), "#game=1&ply=57")
    browser.run("[...document.querySelectorAll('#facts .step')][1].click()")

    assert browser.run("[viewer.game.moves.slice(56).join(), viewer.ply]") == ["h4,h7", 58]
    assert not browser.run("at('trunk').hidden")
    browser.press("Escape")
    assert browser.run("[viewer.game.moves.length, viewer.ply]") == [62, 56]
    assert browser.run("mode.address()") == "#game=1&ply=56"

    # One switch shows scores for Black or for the mover.
    browser.run("viewer.go(57)")
    everywhere = """(() => [at('facts').textContent, at('lines').rows[1].cells[1].textContent,
      document.querySelector('#board .score-mark.best').textContent,
      ...[...document.querySelectorAll('#worst [data-score]')].map(cell => cell.textContent)].join(' '))()"""
    for_black = browser.run(everywhere)
    browser.run("at('view').value = 'mover'; at('view').onchange()")
    for_mover = browser.run(everywhere)

    assert f"exact {MINUS}44 for Black {MINUS}44 {MINUS}44" in for_black
    assert "exact +44 for White +44 +44" in for_mover
    worst = max((move for move in review.moves if move.is_error), key=lambda move: move.lost)
    assert browser.run("document.querySelector('#worst [data-score]').textContent").replace(MINUS, "-") == (
        f"{worst.score_before:+.4g}"
    )
    page = render_review([review], QUICK, "mover")
    browser.show(tmp_path / "review.html", page, "#game=1&ply=57")
    assert browser.run(everywhere) == for_mover


@in_browser
def test_a_move_of_ones_own_is_played_on_the_board_of_the_page(browser: Browser, tmp_path: Path) -> None:
    """Also without values; a square where nothing can be turned is no move."""
    browser.show(tmp_path / "review.html", render_review([reviewed(WITH_PASSES)], QUICK), "#game=1&ply=0")

    assert browser.run("document.querySelectorAll('#board .legal').length") == 4
    browser.square("a1")
    assert browser.run("viewer.ply") == 0
    browser.square("f5")
    browser.wait("viewer.ply === 1")
    browser.square("f6")
    browser.wait("viewer.ply === 2")
    assert browser.run(SQUARES) == board_after(Position.start(), "f5f6")
    browser.run("at('trunk').click()")
    assert browser.run("[viewer.ply, viewer.game.moves[0]]") == [0, "d3"]


@in_browser
@pytest.mark.parametrize("width", [390, 1280])
def test_the_board_of_many_games_stands_above_the_table_of_sixty_players(
    browser: Browser, tmp_path: Path, width: int
) -> None:
    plain = [named(WIPE_OUT, f"Player {2 * n}", f"Player {2 * n + 1}") for n in range(30)]
    reviews = [replace(each, game=replace(each.game, event="Open", date="2018")) for each in plain]
    browser.show(tmp_path / "review.html", render_review(reviews, QUICK), width=width)
    board, table = (
        browser.run(f"at('{name}').getBoundingClientRect().top + scrollY") for name in ("board", "standing")
    )

    assert browser.run("at('standing').tBodies[0].rows.length") == 60
    assert board < table
    assert board < 900
    assert browser.run("at('standing').parentElement.clientHeight") < 500
    assert browser.run("at('occasion').textContent") == "Open, 2018"
    assert "Open, 2018" in browser.run("at('games').tBodies[0].rows[0].textContent")
    assert browser.run("document.documentElement.scrollWidth") <= width
