"""A walk over all pages in Chromium and in Firefox, by mouse and keyboard: play, study, files, practice, reports."""

import shlex
from pathlib import Path

import pytest

from outflank.engine import Game
from outflank.tests.support import fake_engine
from outflank.tests.support.browser import Browser, in_both_browsers
from outflank.tests.support.positions import reached
from outflank.tests.support.program import running
from outflank.tests.support.runs import page_of, random_run
from outflank.tests.support.transcripts import run

pytestmark = [in_both_browsers, pytest.mark.timeout(180)]
PLAY, PRACTISE = "desk.modes.play", "desk.modes.practise"


def play_by_keyboard(page: Browser, square: str) -> None:
    """Lead the keyboard's square to this one, and play there."""
    page.run("at('board').focus()")
    here = page.run("desk.viewer.board.under")
    columns, rows = "abcdefgh".index(square[0]) - here % 8, int(square[1]) - 1 - here // 8
    for key in ["ArrowRight" if columns > 0 else "ArrowLeft"] * abs(columns):
        page.press(key)
    for key in ["ArrowDown" if rows > 0 else "ArrowUp"] * abs(rows):
        page.press(key)
    page.press("Enter")


def test_a_game_is_played_to_its_end_by_mouse_and_keyboard(page: Browser) -> None:
    """From a pasted position, since an engine takes half a second for a move."""
    first = reached(1, 8)
    page.button("#tab-study")
    page.button("#paste")
    page.run(f"at('text').value = '{first.board_string()}'")
    page.button("#take")
    page.wait(f"desk.viewer.position.toString() === '{first.board_string()}'")
    page.button("#play-on")
    page.button("#white-strength")
    for _ in range(4):
        page.press("ArrowDown")
    page.button("#players .main")
    page.wait(f"{PLAY}.isMine && {PLAY}.game.record.white === 'Outflank level 0'")
    number = 0
    while page.run(f"{PLAY}.state.playing"):
        turns, square = page.run(f"[{PLAY}.game.moves.length, desk.viewer.position.moves.at(-1)]")
        if number % 3 == 1:
            play_by_keyboard(page, square)
        else:
            page.square(square)
        number += 1
        page.wait(
            f"(({{state, game, isMine, viewer}}) => !state.playing || isMine && game.moves.length > {turns}"
            f" && viewer.atEnd)({PLAY})"
        )
    final = Game.from_transcript(page.run(f"{PLAY}.game.moves.join(' ')"), first=first).position

    assert final.is_over
    assert page.run(f"{PLAY}.game.final.toString()") == final.board_string()
    assert page.run(f"{PLAY}.game.final.discs") in page.run("at('verdict').textContent")


def test_a_file_is_opened_studied_and_saved(page: Browser, tmp_path: Path) -> None:
    file = tmp_path / "final.sgf"
    file.write_text("(;GM[2]FF[4]SZ[8]PB[Ann]PW[Bob]EV[Open]GC[a good game];B[f5];W[f6];B[e6]C[why];W[f4])")
    page.button("#tab-study")
    page.choose_file("open", file)
    page.wait("at('title').textContent.includes('Ann') && desk.viewer.game.moves.length === 4")
    for _ in range(2):
        page.press("ArrowRight")
    page.wait("desk.viewer.ply === 2 && desk.search.found?.depth >= 4")
    page.square("f7")
    page.wait("desk.viewer.game.trunk !== null && desk.viewer.ply === 3")
    page.button("#trunk")
    page.wait("desk.viewer.game.trunk === null && desk.viewer.ply === 2")
    page.button("#review")
    page.wait("desk.viewer.game.isReviewed && !at('judged').hidden", 60)
    for form, suffix in (("sgf", "sgf"), ("ggf", "ggf"), ("transcript", "txt")):
        made = tmp_path / f"made.{form}"
        run("convert", file, "--format", form, "--output", made)
        page.run(f"at('save').value = '{form}'; at('save').dispatchEvent(new Event('change'))")
        assert page.downloaded(f"game.{suffix}") == made.read_bytes()


def test_a_problem_is_failed_and_solved(page: Browser) -> None:
    page.button("#tab-practise")
    page.wait(f"{PRACTISE}.asking?.problem !== undefined")
    scores = page.run(f"{PRACTISE}.asking.problem.scores")
    worst, *_, best = sorted(scores, key=lambda move: float(scores[move]))
    page.square(worst)
    page.wait("at('answer').textContent.endsWith('Try again.')")
    page.square(best)
    page.wait(f"at('answer').textContent === 'Right: {best}.'")
    page.button("#next")
    page.wait(f"{PRACTISE}.asking?.isOver === false")


def test_a_report_is_walked_through(browser: Browser, tmp_path: Path) -> None:
    file = tmp_path / "report.html"
    browser.show(file, page_of(random_run(("A", "B"), 1, solved=20)))
    browser.button("#games tbody tr:nth-child(2)")
    browser.wait("viewer.game.number === 2")
    browser.press("Home")
    browser.press("ArrowRight")

    assert browser.run("[viewer.ply, document.querySelectorAll('#board .disc').length]") == [1, 5]
    browser.button("#downloads [data-format=ggf]")
    assert b"GM[Othello]" in browser.downloaded("game-2.ggf")
    assert browser.errors == []
    assert set(browser.requests) <= {file.as_uri()}


def test_a_run_is_watched(browser: Browser, tmp_path: Path) -> None:
    engine = shlex.quote(shlex.join(fake_engine.command("slow aloud", 10)))
    engines = [f"--engine=name={name} cmd={engine} tc=60+0" for name in "AB"]
    watched = running("match", *engines, "--games", "2", "--live", "--out", "run", cwd=tmp_path)
    with watched as process:
        assert process.stderr is not None
        address = next(line.split()[-1] for line in process.stderr if line.startswith("The run is shown at "))
        browser.load(address)
        browser.wait("document.querySelectorAll('.card').length === 1")
        browser.wait("viewer.game?.record.playing && viewer.game.moves.length >= 4 && mode.isFollowed()")
        browser.wait("document.querySelector('#seats .seat.moves .clock')?.textContent.startsWith('0:')")

        assert browser.errors == []
